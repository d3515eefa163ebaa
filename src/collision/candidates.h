// Candidates of a collision surface: pairs of elements that may come within reach of each other, at rest or
// on the way from one set of positions to another. A superset, by boxes; distances and times are the narrow
// phase's business.
//
//   vertex-triangle   every vertex against every triangle
//   edge-edge         every edge against every edge
//   vertex-edge       vertices without edge or triangle (particles) against edges without triangle (rods)
//   vertex-vertex     vertices without edge or triangle against each other
// The last two complete the first two: all other vertex-edge and vertex-vertex contacts are limits of those.
//
// Element a's box is grown by its thickness (the largest of its vertices) and half the margin, so that a pair
// with
//   distance <= thickness_a + thickness_b + margin   at some time of the motion
// is never left out. Left out are elements that share a vertex or lie within `rings - 1` edges of each other,
// elements of groups that do not meet, and pairs of objects on the list of exclusions.
#pragma once
#include "collision/aabb_tree.h"
#include <cstdint>

namespace sinew {

// Views; all but edges and triangles are per vertex and may be empty. An element takes object, group and mask
// from its first vertex.
struct SurfaceTopology {
    int vertex_count = 0;
    std::span<const std::array<int, 2>> edges; // of triangles and of rods, each once
    std::span<const std::array<int, 3>> triangles;
    std::span<const Real> thickness; // [m] radius of the surface around the vertex; empty = 0
    std::span<const int> object;     // empty = one object
    std::span<const std::uint32_t> group,
        mask;                            // a meets b if group_a & mask_b and group_b & mask_a; empty = all
    std::span<const std::uint8_t> alive; // 0: elements with this vertex meet nothing; empty = all alive
    std::span<const Pair> excluded;      // objects a <= b that never meet, sorted; (a, a) = no self-collision
};

// What of the topology does not change while it stays: made once.
struct SurfaceNeighbors {
    int rings = 1;
    std::vector<int> free_vertices; // in no edge and no triangle, ascending
    std::vector<int> free_edges;    // in no triangle, ascending
    std::vector<int> near_begin,
        near; // CSR, only for rings > 1: per vertex those within rings - 1 edges, ascending
};
// False if an edge or a triangle names a vertex that does not exist, or an array has the wrong length.
bool build_neighbors(const SurfaceTopology&, int rings, SurfaceNeighbors&);

struct Candidates {
    std::vector<Pair> vertex_triangle, edge_edge, vertex_edge,
        vertex_vertex; // each sorted; equal kinds have i < j
};

struct CandidateScratch {
    std::vector<Aabb> boxes[3]; // vertices, edges, triangles
    AabbTree trees[3];          // of those; refitted from call to call while the counts stay
    std::vector<Aabb> free_boxes[2];
    AabbTree free_trees[2]; // free vertices, free edges
    TreeScratch tree;
    PairScratch pairs;
};

// Positions x [m], or from x_t0 to x_t1 along straight lines. False, and no candidates, if a position of a
// living vertex is NaN; infinite ones are allowed.
bool find_candidates(const Parallel&, const SurfaceTopology&, const SurfaceNeighbors&,
                     std::span<const Real3> x, Real margin, CandidateScratch&, Candidates&);
bool find_candidates(const Parallel&, const SurfaceTopology&, const SurfaceNeighbors&,
                     std::span<const Real3> x_t0, std::span<const Real3> x_t1, Real margin, CandidateScratch&,
                     Candidates&);

// The two halves of it: boxes and trees, then pairs.
bool update_candidate_trees(const Parallel&, const SurfaceTopology&, const SurfaceNeighbors&,
                            std::span<const Real3> x_t0, std::span<const Real3> x_t1, Real margin, CandidateScratch&);
void search_candidates(const Parallel&, const SurfaceTopology&, const SurfaceNeighbors&, CandidateScratch&,
                       Candidates&);

} // namespace sinew
