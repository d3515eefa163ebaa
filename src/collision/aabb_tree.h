// Tree over n axis-aligned boxes, made for speed: eight children per node, all leaves at the same depth,
// nodes laid out level by level without pointers, so that a node is an index and refitting is a sweep through
// memory.
//
//   level 0    blocks of 8 leaves; the leaf at position p is lane p % 8 of block p / 8
//   level l    blocks of 8 bounds; lane c of block k bounds block 8 k + c of level l - 1
//
// Built from the top by medians along the longest side of the centres' bounds (as a k-d tree), cut at
// multiples of 8^l, so every node but the last of its level is full. Medians are ranks: outliers, equal boxes
// and any scale do no harm. Nodes hold single-precision boxes, leaves are also kept in double: what is found
// equals the comparison of the given boxes exactly (box_block.h). Refitting keeps the shape of the tree;
// wants_rebuild says when it has got bad.
//
// Boxes are closed: touching counts. Empty boxes (lo > hi on some axis) are found by nothing. NaN is refused.
// Infinite boxes are allowed. Results are sorted and do not depend on the number of threads.
#pragma once
#include "collision/box_block.h"
#include "collision/pairs.h"
#include <span>
#include <vector>

namespace sinew {

struct AabbTree {
    int count = 0;                     // boxes given
    int level_count = 0;               // 0 if there are none
    std::array<int, 12> level_begin{}; // into `block`
    std::vector<BoxBlock> block;       // level 0 first
    std::vector<int> id;               // per leaf position the index of its box, -1 = none
    std::vector<Aabb> box;             // per leaf position the exact box
    Vec3 origin = Vec3::Zero();        // [m] subtracted before rounding: keeps precision far from zero
    Real cost_built = 0, cost = 0;     // [m^2] summed areas of the nodes' boxes when built and now
};

struct TreeItem {
    float center[3]; // from the origin
    int id;
};
struct TreeScratch {
    std::vector<TreeItem> item, other;
    std::vector<std::array<int, 3>> ranges, next; // begin, end, level
    std::vector<Real> partial;
};

// False, and an empty tree, if a number is NaN. The origin, finite, is chosen among the boxes unless given:
// trees that are searched together should have the same.
bool build_tree(const Parallel&, std::span<const Aabb>, TreeScratch&, AabbTree&,
                const Vec3* origin = nullptr);
Vec3 choose_origin(std::span<const Aabb>);
// New boxes for the same tree, as many as it was built with. False if there are
// more or fewer, or, and an empty tree, if a number is NaN.
bool refit_tree(const Parallel&, std::span<const Aabb>, TreeScratch&, AabbTree&);
// Summed areas have grown so far that building anew pays.
bool wants_rebuild(const AabbTree&);
// Builds, refits or builds anew, as fits: the call for boxes that move from step to step.
bool update_tree(const Parallel&, std::span<const Aabb>, TreeScratch&, AabbTree&,
                 const Vec3* origin = nullptr);

// The blocks the tree would have with another origin.
void move_blocks(const Parallel&, const AabbTree&, const Vec3& origin, std::vector<Real>& partial,
                 std::vector<BoxBlock>& out);

Aabb bounds_of(const AabbTree&); // contains all boxes, not tight in the last bits

// Overlapping pairs i < j of one tree, or i of a and j of b; sorted.
void find_self_pairs(const Parallel&, const AabbTree&, const PairFilter&, PairScratch&,
                     std::vector<Pair>& out);
void find_tree_pairs(const Parallel&, const AabbTree& a, const AabbTree& b, const PairFilter&, PairScratch&,
                     std::vector<Pair>& out);

// Boxes that overlap q, ascending.
void find_in_box(const AabbTree&, const Aabb& q, std::vector<int>& out);

// Ray x = start + t direction, 0 <= t <= t_end. The direction need not have unit length.
struct Ray {
    Vec3 start, direction;
    Real t_end = std::numeric_limits<Real>::infinity();
};
// First and last t at which the ray is in the box; t_in > t_out = never.
struct RayInterval {
    Real t_in, t_out;
};
RayInterval intersect(const Ray&, const Aabb&);
// Boxes the ray meets, ascending. Callback versions, nearest first, are in aabb_tree_visit.h.
void find_on_ray(const AabbTree&, const Ray&, std::vector<int>& out);

} // namespace sinew
