// Who is next to whom in a polygon mesh, and whether the mesh bounds a volume.
// A corner c is an index into polygon_vertex; it also names the directed edge from its vertex to the vertex
// of the next corner of the same polygon. All functions expect a mesh for which validate_mesh is empty.
#pragma once
#include "geometry/mesh.h"
#include <algorithm>

namespace sinew {

// Lists of indices in compressed rows: row i is index[begin[i]] ... index[begin[i + 1] - 1].
struct IndexRows {
    std::vector<int> begin{0};
    std::vector<int> index;
};

// Union-find: parent[i] = i at the root of a set.
inline int find_root(std::vector<int>& parent, int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}
inline void join_roots(std::vector<int>& parent, int a, int b) {
    a = find_root(parent, a), b = find_root(parent, b);
    parent[std::max(a, b)] = std::min(a, b); // the root stays the lowest index
}

struct EdgeTable {
    std::vector<std::array<int, 2>> edges; // a < b, sorted, each once: polygon edges and segments
    IndexRows corners;                     // per edge the corners whose directed edge lies on it, ascending
    std::vector<int> corner_edge;          // per corner its edge, -1 where both ends are the same vertex
    std::vector<int> corner_polygon;       // per corner its polygon
};
EdgeTable build_edges(const PolygonMesh&);

// Edges of all polygons and all segments: a < b, sorted, each once.
std::vector<std::array<int, 2>> unique_edges(const PolygonMesh&);

IndexRows edge_polygons(const EdgeTable&);     // per edge its polygons, ascending
IndexRows vertex_polygons(const PolygonMesh&); // per vertex its polygons, ascending, each once
IndexRows vertex_neighbors(const EdgeTable&,
                           int vertex_count);      // per vertex the other ends of its edges, ascending
std::vector<int> boundary_edges(const EdgeTable&); // edges with exactly one polygon
std::vector<int> boundary_vertices(const PolygonMesh&,
                                   const EdgeTable&); // ends of those, and free ends of segments

// What a mesh is and, where it is not, why not. Edges are pairs of vertices. A polygon with fewer than three
// different vertices is listed as degenerate and otherwise left out, as its neighbours meet across it.
struct MeshCheck {
    bool closed = false;   // at least one polygon and no edge with an odd number of polygons
    bool oriented = false; // the polygons at an edge run through it in opposite directions
    bool manifold = false; // at most two polygons at each edge, one fan at each vertex
    std::vector<std::array<int, 2>> open_edges;        // odd number of polygons
    std::vector<std::array<int, 2>> misoriented_edges; // more polygons in one direction than in the other
    std::vector<std::array<int, 2>> nonmanifold_edges; // more than two polygons
    std::vector<int> nonmanifold_vertices;             // several fans meet
    std::vector<int> degenerate_polygons;              // a vertex appears more than once
    std::vector<int> unused_vertices;                  // in no polygon and no segment
};
MeshCheck check_mesh(const PolygonMesh&);

// Closed and oriented: the divergence theorem holds on it.
inline bool bounds_volume(const MeshCheck& c) { return c.closed && c.oriented; }

// One sentence per kind of defect with its count and first indices; empty if there is none.
std::string describe(const MeshCheck&);

// A vertex or polygon, or an edge by its ends, in sentences about meshes.
inline std::string index_text(int i) { return std::to_string(i); }
inline std::string index_text(const std::array<int, 2>& edge) { return std::to_string(edge[0]) + "-" + std::to_string(edge[1]); }

} // namespace sinew
