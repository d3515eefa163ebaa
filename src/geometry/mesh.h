// Polygon mesh as it was read or generated. Vertex order and count, polygons (any number of corners), texture
// coordinates and groups survive unchanged from input to every output; nothing here is welded, split or
// sorted. Topology is in topology.h, triangles in triangulate.h, files in read_mesh.h.
#pragma once
#include "sinew/types.h"
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace sinew {

// Polygons that belong together in the input file.
enum class PolygonGroupKind { group, object, material };
struct PolygonGroup {
    PolygonGroupKind kind = PolygonGroupKind::group;
    std::string name;
    std::vector<int> polygons; // ascending
};

// One number or vector per vertex beyond the position: "normal" (3), "color" (3), user properties of a PLY
// file.
struct VertexAttribute {
    std::string name;
    int components = 1;
    std::vector<double> values; // vertex_count * components
};

struct PolygonMesh {
    std::vector<Real3> positions;             // [m] once units are converted
    std::vector<int> polygon_begin{0};        // CSR over polygon_vertex, count + 1
    std::vector<int> polygon_vertex;          // corners, counter-clockwise from outside
    std::vector<std::array<double, 2>> uv;    // texture coordinates, empty if none
    std::vector<int> polygon_uv;              // per corner index into uv, -1 = corner
                                              // without; empty if no corner has one
    std::vector<std::array<int, 2>> segments; // links that belong to no polygon
    std::vector<std::pair<std::string, std::vector<int>>> vertex_groups; // name -> vertices, ascending
    std::vector<PolygonGroup> polygon_groups;
    std::vector<VertexAttribute> attributes;
    std::vector<std::string> notes; // what a reader left out or changed, one sentence each, for the log
};

inline int vertex_count(const PolygonMesh& m) { return int(m.positions.size()); }
inline int polygon_count(const PolygonMesh& m) { return int(m.polygon_begin.size()) - 1; }
inline int polygon_size(const PolygonMesh& m, int polygon) {
    return m.polygon_begin[polygon + 1] - m.polygon_begin[polygon];
}

// Adds a polygon without texture coordinates; returns its index.
int add_polygon(PolygonMesh&, const std::vector<int>& vertices);

// Vertices of the named group, nullptr if there is none.
const std::vector<int>* find_vertex_group(const PolygonMesh&, std::string_view name);

// Structural errors: broken CSR, index out of range, polygon with fewer than 3 corners, non-finite number,
// wrong array length. Empty = every function of this folder may be called with the mesh. At most ten errors.
std::vector<Error> validate_mesh(const PolygonMesh&);

struct Bounds {
    Real3 min, max;
};
Bounds compute_bounds(const PolygonMesh&); // of all vertices; both zero for an empty mesh

} // namespace sinew
