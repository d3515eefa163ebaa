// Walks through a tree with the caller's function at the leaves: boxes in a box, along a ray nearest first,
// around a point nearest first. What is reported is decided on the exact boxes; nodes are widened so that
// none is missed.
#pragma once
#include "collision/aabb_tree.h"
#include <algorithm>
#include <bit>

namespace sinew {

// f(id) for every box that overlaps q, in the order of the tree. q without NaN.
template <class F> void visit_box(const AabbTree& tree, const Aabb& q, F&& f) {
    if (!tree.level_count || is_empty(q)) return;
    const BlockKernels& kernels = block_kernels();
    float rounded[6];
    for (int k = 0; k < 3; ++k) {
        rounded[k] = round_monotone(q.lo[k] - tree.origin[k]);
        rounded[3 + k] = round_monotone(q.hi[k] - tree.origin[k]);
    }
    // at most seven siblings wait per level
    std::array<std::array<int, 2>, 8 * 12> stack;
    int height = 0;
    stack[height++] = {tree.level_count - 1, 0};
    while (height) {
        const auto [level, k] = stack[--height];
        for (unsigned m = kernels.meet_box(tree.block[tree.level_begin[level] + k], rounded); m; m &= m - 1) {
            const int child = kBlock * k + std::countr_zero(m);
            if (level)
                stack[height++] = {level - 1, child};
            else if (overlap(tree.box[child], q))
                f(tree.id[child]);
        }
    }
}

// What is waiting in a search by distance, and the order in which it is taken.
struct TreeVisit {
    Real key;
    int level, k; // level -1: leaf position k
};
struct TreeVisitStack {
    std::array<TreeVisit, 8 * 13> entry;
    int height = 0;
};
// Children are pushed with the nearest on top, the first of equals above the others.
inline void push_sorted(const TreeVisit& child, int begin, TreeVisitStack& s) {
    int at = s.height++;
    for (; at > begin && s.entry[at - 1].key <= child.key; --at) s.entry[at] = s.entry[at - 1];
    s.entry[at] = child;
}

// Widened box of lane j of a node.
inline Aabb widened_box(const AabbTree& tree, const BoxBlock& b, int j) {
    Aabb box;
    for (int k = 0; k < 3; ++k) {
        box.lo[k] = exact_lo(b.lo[k][j], tree.origin[k]);
        box.hi[k] = exact_hi(b.hi[k][j], tree.origin[k]);
    }
    return box;
}

// Common descent: key(box) is a lower bound that grows from parent to child; a place is looked at while key
// <= limit. f(id, key) returns the new limit.
template <class Key, class F> void visit_nearest_first(const AabbTree& tree, Real limit, Key&& key, F&& f) {
    if (!tree.level_count) return;
    TreeVisitStack s;
    s.entry[s.height++] = {-std::numeric_limits<Real>::infinity(), tree.level_count - 1, 0};
    while (s.height) {
        const TreeVisit top = s.entry[--s.height];
        if (!(top.key <= limit)) continue;
        if (top.level < 0) {
            limit = f(tree.id[top.k], top.key);
            continue;
        }
        const BoxBlock& block = tree.block[tree.level_begin[top.level] + top.k];
        const int begin = s.height;
        for (int j = 0; j < kBlock; ++j) {
            if (!(block.lo[0][j] == block.lo[0][j])) continue;
            const int k = kBlock * top.k + j;
            const Real value = key(top.level ? widened_box(tree, block, j) : tree.box[k]);
            if (value <= limit) push_sorted({value, top.level - 1, k}, begin, s);
        }
    }
}

// f(id, t_in) for every box the ray meets with t_in <= limit, nearly nearest first; f returns the new limit
// on t: its own hit, or what it was. Boxes are visited in order of t_in within a node.
template <class F> void visit_ray(const AabbTree& tree, const Ray& ray, F&& f) {
    if (!ray.start.allFinite() || !ray.direction.allFinite()) return;
    visit_nearest_first(
        tree, ray.t_end,
        [&](const Aabb& b) {
            const RayInterval t = intersect(ray, b);
            return t.t_in <= t.t_out ? t.t_in : std::numeric_limits<Real>::quiet_NaN();
        },
        f);
}

// f(id, d2) for boxes whose squared distance d2 [m^2] from p is at most the limit; f returns the new limit.
template <class F> void visit_near(const AabbTree& tree, const Vec3& p, Real limit, F&& f) {
    if (!p.allFinite()) return;
    visit_nearest_first(
        tree, limit, [&](const Aabb& b) { return squared_distance(b, p); }, f);
}

} // namespace sinew
