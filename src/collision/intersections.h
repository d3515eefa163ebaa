// The judge of "intersection free": which triangles of a mesh, or of two, meet, by exact predicates
// (geometry/exact.h) on the pairs whose boxes overlap. No tolerance: touching counts.
//   no common vertex    they meet at all
//   one common vertex   they meet in more than that point
//   a common edge       one is folded onto the other
//   all vertices equal  always
// Triangles without area count as their longest edge. Pairs are sorted; no allocation once the scratch has
// grown.
#pragma once
#include "collision/aabb_tree.h"
#include <span>

namespace sinew {

struct TriangleSet {
    std::span<const Real3> x; // [m]
    std::span<const std::array<int, 3>> triangles;
};

struct IntersectScratch {
    std::vector<Aabb> boxes[2];
    AabbTree trees[2];
    TreeScratch tree;
    PairScratch pairs;
};

// Pairs i < j of one mesh. False, and no pairs, if a coordinate is not finite.
bool find_self_intersections(const Parallel&, const TriangleSet&, IntersectScratch&, std::vector<Pair>& out);
// Triangle i of a and j of b; vertices of different meshes are never common.
bool find_intersections(const Parallel&, const TriangleSet& a, const TriangleSet& b, IntersectScratch&,
                        std::vector<Pair>& out);
// Edge i and triangle j of one set of points without a common vertex: the test for rods, and for edges alone.
bool find_edge_intersections(const Parallel&, const TriangleSet&, std::span<const std::array<int, 2>> edges,
                             IntersectScratch&, std::vector<Pair>& out);

} // namespace sinew
