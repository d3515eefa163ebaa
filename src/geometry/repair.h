// Makes a polygon mesh fit for simulation and says what it did: vertices at the same place become one, polygons
// without area and repeated polygons go, neighbours agree about orientation (closed parts outwards, cavities inwards),
// at most two polygons meet at an edge and one fan at a vertex, unused vertices go. Polygons, texture coordinates,
// groups and attributes stay; vertices and polygons keep their order. A second repair changes nothing.
//   weld        transitive closure of "closer than the tolerance"; the lowest index stays where it is
//   thin        a triangle whose height is below `thin` times its longest edge has no area; dropping it would open the
//               surface, so its longest edge is flipped with the neighbour (dropped only at a border)
//   duplicate   same vertices in the same cyclic order; the first stays. The two sides of a wall are not duplicates.
//   edges       around an edge with more than two polygons, sorted by angle, the two that bound the same wedge of
//               material stay together (cutting and stitching after Gueziec et al. 2001)
//   orient      spread from the lowest polygon of each part through shared edges; a closed part that lies in no other
//               one is turned so that its volume is positive, and takes the parts inside it along
#pragma once
#include "geometry/mesh.h"

namespace sinew {

struct RepairOptions {
    Real weld = 0;             // [m] vertices this close become one; 0 = identical positions only, < 0 = no welding
    Real thin = 1e-9;          // height / longest edge of a triangle without area; 0 = exactly none
    bool orient = true;        // neighbours agree, closed parts outwards
    bool split = true;         // non-manifold edges and vertices
    bool remove_unused = true; // vertices in no polygon and no segment
};

// Indices are those of the mesh before the repair, ascending, each once.
struct RepairReport {
    std::vector<int> welded;                            // vertices that became an earlier one
    std::vector<int> repeated_corners;                  // polygons that named a vertex twice in a row
    std::vector<int> degenerate;                        // polygons dropped: no area
    std::vector<int> flipped;                           // triangles without area, removed by flipping their longest edge
    std::vector<int> duplicate;                         // polygons dropped: repeated
    std::vector<int> reversed;                          // polygons turned over
    std::vector<std::array<int, 2>> split_edges;        // edges of more than two polygons, cut
    std::vector<int> split_vertices;                    // vertices of several fans, cut
    std::vector<int> unused;                            // vertices removed
    std::vector<std::array<int, 2>> unorientable_edges; // left: neighbours that cannot agree (Moebius strip)
    std::vector<int> thin_left;                         // left: no area, but neither flipping nor dropping is safe
};
bool changed_anything(const RepairReport&);
// One line per kind of change with its count and first indices; empty if nothing was done and nothing is left.
std::vector<std::string> describe(const RepairReport&);

struct RepairedMesh {
    PolygonMesh mesh;
    RepairReport report;
    std::vector<int> vertex_source;  // per vertex the one it was made from, before the repair
    std::vector<int> polygon_source; // per polygon likewise
};
// The mesh must pass validate_mesh.
RepairedMesh repair_mesh(const PolygonMesh&, const RepairOptions&);

// Triangle or polygon that covers no area: fewer than three vertices, or thin as above. `thin` = 0: exactly none.
bool has_no_area(const PolygonMesh&, int polygon, Real thin);
// Polygons that repeat an earlier one: same vertices, same cyclic order. Ascending.
std::vector<int> find_duplicate_polygons(const PolygonMesh&);

// Tetrahedra with (x1 - x0) . (x2 - x0) x (x3 - x0) <= tolerance * (longest edge)^3: inverted or flat. Ascending.
std::vector<int> find_inverted_tetrahedra(const std::vector<Real3>& points, const std::vector<std::array<int, 4>>& tetrahedra,
                                          Real tolerance = 1e-12);

} // namespace sinew
