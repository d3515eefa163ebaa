// Pairs of overlapping boxes by descending two trees (or one against itself) together. The top of the descent
// is done breadth first until there are enough node pairs to share out; how they are cut does not depend on
// the threads.
#include "collision/aabb_tree.h"
#include <bit>

namespace sinew {

namespace {

constexpr int kPieces = 256; // tasks, and lists of pairs, of one search

// blocks of a tree, or a copy of them for another origin
struct TreeSide {
    const AabbTree& tree;
    const BoxBlock* block;
};
struct Descent {
    TreeSide a, b;
    bool self;
    const BlockKernels& kernels = block_kernels();
};

const BoxBlock& block_at(const TreeSide& s, int level, int k) { return s.block[s.tree.level_begin[level] + k]; }

// of one node against itself: each pair once, and at the leaves no box with itself
constexpr std::uint64_t upper(int first) {
    std::uint64_t m = 0;
    for (int i = 0; i < kBlock; ++i)
        for (int j = i + first; j < kBlock; ++j) m |= std::uint64_t(1) << (kBlock * i + j);
    return m;
}

// bounds of block k: a lane of its parent; the root has none, they are made
struct BoundsLane {
    BoxBlock made;
    const BoxBlock* block;
    int lane;
};
void find_bounds(const Descent& d, int level, int k, BoundsLane& out) {
    if (level + 1 < d.b.tree.level_count) {
        out.block = &block_at(d.b, level + 1, k / kBlock), out.lane = k % kBlock;
        return;
    }
    d.kernels.merge(block_at(d.b, level, k), 0, out.made);
    out.block = &out.made, out.lane = 0;
}

std::uint64_t meet_nodes(const Descent& d, int level, int i, int j) {
    BoundsLane bounds;
    find_bounds(d, level, j, bounds);
    const std::uint64_t m =
        d.kernels.meet(block_at(d.a, level, i), block_at(d.b, level, j), *bounds.block, bounds.lane);
    return d.self && i == j ? m & upper(0) : m;
}

void meet_leaves(const Descent& d, int i, int j, PairBuffer& out) {
    BoundsLane bounds;
    find_bounds(d, 0, j, bounds);
    Meetings m = d.kernels.meet_leaves(d.a.block[i], d.b.block[j], *bounds.block, bounds.lane);
    if (d.self && i == j) m.may &= upper(1);
    if (!m.may) return;
    const std::size_t first_a = kBlock * std::size_t(i), first_b = kBlock * std::size_t(j);
    const int *id_a = &d.a.tree.id[first_a], *id_b = &d.b.tree.id[first_b];
    // equal rounded numbers: look at the exact ones
    for (std::uint64_t left = m.may & ~m.sure; left; left &= left - 1) {
        const int bit = std::countr_zero(left);
        if (!overlap(d.a.tree.box[first_a + bit / kBlock], d.b.tree.box[first_b + bit % kBlock]))
            m.may &= ~(std::uint64_t(1) << bit);
    }
    reserve_pairs(out, kBlock * kBlock);
    Pair* to = out.pair.data() + out.count;
    for (std::uint64_t left = m.may; left; left &= left - 1) {
        const int bit = std::countr_zero(left), p = id_a[bit / kBlock], q = id_b[bit % kBlock];
        *to++ = d.self && q < p ? Pair{q, p} : Pair{p, q};
    }
    out.count = std::size_t(to - out.pair.data());
}

void descend(const Descent& d, int level, int i, int j, PairBuffer& out) {
    if (level == 0) return meet_leaves(d, i, j, out);
    for (std::uint64_t m = meet_nodes(d, level, i, j); m; m &= m - 1) {
        const int bit = std::countr_zero(m);
        descend(d, level - 1, kBlock * i + bit / kBlock, kBlock * j + bit % kBlock, out);
    }
}

// The deeper tree is opened down to the level of the other's root, against that root.
void open_deeper(const Descent& d, bool is_a, int level, std::vector<std::array<int, 2>>& tasks,
                 std::vector<std::array<int, 2>>& next) {
    const TreeSide &deep = is_a ? d.a : d.b, &other = is_a ? d.b : d.a;
    BoxBlock root;
    d.kernels.merge(block_at(other, level, 0), 0, root);
    const float q[6] = {root.lo[0][0], root.lo[1][0], root.lo[2][0],
                        root.hi[0][0], root.hi[1][0], root.hi[2][0]};
    for (int l = deep.tree.level_count - 1; l > level; --l) {
        next.clear();
        for (const auto& task : tasks)
            for (unsigned m = d.kernels.meet_box(block_at(deep, l, task[!is_a]), q); m; m &= m - 1) {
                const int child = kBlock * task[!is_a] + std::countr_zero(m);
                next.push_back(is_a ? std::array<int, 2>{child, 0} : std::array<int, 2>{0, child});
            }
        std::swap(tasks, next);
    }
}

void search(const Parallel& parallel, const Descent& d, const PairFilter& filter, PairScratch& s,
            std::vector<Pair>& out) {
    out.clear();
    const int depth_a = d.a.tree.level_count, depth_b = d.b.tree.level_count;
    if (!depth_a || !depth_b) return;
    int level = std::min(depth_a, depth_b) - 1;
    s.tasks.assign(1, {0, 0});
    if (depth_a != depth_b) open_deeper(d, depth_a > depth_b, level, s.tasks, s.next);
    for (; level > 0 && int(s.tasks.size()) < kPieces; --level) {
        s.next.clear();
        for (const auto& [i, j] : s.tasks)
            for (std::uint64_t m = meet_nodes(d, level, i, j); m; m &= m - 1) {
                const int bit = std::countr_zero(m);
                s.next.push_back({kBlock * i + bit / kBlock, kBlock * j + bit % kBlock});
            }
        std::swap(s.tasks, s.next);
    }
    const int tasks = int(s.tasks.size()), grain = std::max(1, (tasks + kPieces - 1) / kPieces);
    start_pieces(s, chunk_count(tasks, grain));
    parallel_for(parallel, tasks, grain, [&](int b, int e) {
        for (int t = b; t < e; ++t) descend(d, level, s.tasks[t][0], s.tasks[t][1], s.pieces[b / grain]);
    });
    join_pieces(parallel, d.a.tree.count, filter, s, out);
}

} // namespace

void find_self_pairs(const Parallel& parallel, const AabbTree& tree, const PairFilter& filter, PairScratch& s,
                     std::vector<Pair>& out) {
    const TreeSide side{tree, tree.block.data()};
    search(parallel, {side, side, true}, filter, s, out);
}

void find_tree_pairs(const Parallel& parallel, const AabbTree& a, const AabbTree& b, const PairFilter& filter,
                     PairScratch& s, std::vector<Pair>& out) {
    const bool same_origin = a.origin == b.origin;
    if (!same_origin) move_blocks(parallel, b, a.origin, s.partial, s.moved);
    search(parallel, {{a, a.block.data()}, {b, same_origin ? b.block.data() : s.moved.data()}, false}, filter,
           s, out);
}

} // namespace sinew
