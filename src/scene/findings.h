// What is wrong with the geometry of a scene before it runs, by object and index: polygons without area, repeated
// polygons, edges of more than two polygons, vertices of several fans, inverted tetrahedra, numbers that are none, and
// what meets at the start.
//   serious   triangles that cross, vertices inside obstacles and closed surfaces, bodies that overlap, lines through
//             triangles, inverted elements: a run from there is wrong from its first step
//   not       what touches without overlap (a distance of zero, at which a barrier cannot start), and held bodies in each
//             other, which never meet
#pragma once
#include "core/parallel.h"
#include "geometry/mesh.h"
#include "model/snapshot.h"
#include "sinew/state.h"
#include "sinew/model.h"
#include <set>

namespace sinew {

struct Finding {
    std::string object, other;                // other: the second object of an intersection
    bool serious = true;                      // false: worth a look, see above
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

// Triangles of two objects, or of one (other empty), that pass through each other. Touching is none: both must reach
// through the other's plane, along a stretch, by more than 1e-6 of the two objects' size; or no small motion frees the two
// (scene/findings_part.h), as where they cross exactly at edges.
void find_intersection_defects(const Parallel&, const std::string& name, const PolygonMesh&, const std::string& other,
                               const PolygonMesh*, std::vector<Finding>&);

using ObjectPairs = std::set<std::pair<int, int>>; // objects a <= b

// Parts of find_defects. Numbers: false if there are any that are none.
bool find_numbers_that_are_none(const Model&, const State&, std::vector<Finding>&);
void find_inverted_elements(const Model&, const State&, std::vector<Finding>&);
// What meets at the start beyond triangles that cross; `crossing` pairs are not reported again.
void find_start_defects(const Parallel&, const Model&, const State&, const ObjectPairs& crossing, std::vector<Finding>&);

// Of all objects of a scene in their first state, of those that may touch. Bodies at a joint do not touch.
std::vector<Finding> find_defects(const Parallel&, const Model&, const State&);

} // namespace sinew
