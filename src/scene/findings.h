// What is wrong with the geometry of a scene before it runs, by object and index: polygons without area, repeated
// polygons, edges of more than two polygons, vertices of several fans, inverted tetrahedra, objects that intersect.
#pragma once
#include "geometry/mesh.h"
#include "model/snapshot.h"
#include "sinew/state.h"
#include "sinew/model.h"

namespace sinew {

struct Finding {
    std::string object, other;                // other: the second object of an intersection
    std::string kind;                         // one word for file names: degenerate, duplicate, edges, fans, ...
    std::string message;                      // with count and first indices
    std::vector<Real3> positions;             // [m] world, of the object's vertices
    std::vector<std::vector<int>> polygons;   // the places: polygons by vertices,
    std::vector<std::array<int, 2>> edges;    // edges,
    std::vector<int> vertices;                // vertices
};

// Defects of one mesh; `name` goes into the findings. Open borders and unused vertices are none.
void find_mesh_defects(const std::string& name, const PolygonMesh&, std::vector<Finding>&);
// Inverted or flat tetrahedra.
void find_tetrahedron_defects(const std::string& name, const std::vector<Real3>& points,
                              const std::vector<std::array<int, 4>>& tetrahedra, std::vector<Finding>&);

// Of all objects of a scene in their first state.
std::vector<Finding> find_defects(const Model&, const State&);

} // namespace sinew
