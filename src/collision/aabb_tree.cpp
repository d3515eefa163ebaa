// Building and refitting; see aabb_tree.h.
#include "collision/aabb_tree.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr int kSubtree = 4096;   // leaves that one task builds
constexpr int kBlockGrain = 128; // blocks of one chunk when refitting
constexpr int kFetchAhead = 3;   // blocks
constexpr int kSamples = 63;     // boxes looked at for the origin
constexpr Real kRebuild =
    1.7; // growth of the summed areas at which a tree is built anew; chosen, not measured

constexpr Real kBig = 1e150; // stands for infinity where numbers are averaged or multiplied

Real finite(Real x) { return std::clamp(x, -kBig, kBig); }
Vec3 center_of(const Aabb& b) {
    return {0.5 * finite(b.lo.x()) + 0.5 * finite(b.hi.x()), 0.5 * finite(b.lo.y()) + 0.5 * finite(b.hi.y()),
            0.5 * finite(b.lo.z()) + 0.5 * finite(b.hi.z())};
}

void set_levels(int count, AabbTree& tree) {
    tree.count = count;
    tree.level_count = 0;
    int blocks = 0;
    for (int n = count; n > 0;) {
        n = (n + kBlock - 1) / kBlock;
        tree.level_begin[tree.level_count++] = blocks;
        blocks += n;
        if (n == 1) break;
    }
    tree.block.resize(blocks);
    const int leaves = (count + kBlock - 1) / kBlock * kBlock;
    tree.id.assign(leaves, -1);
    tree.box.resize(leaves);
    tree.cost = 0;
}

int longest_axis(const TreeItem* item, int count) {
    float lo[3], hi[3];
    for (int k = 0; k < 3; ++k) lo[k] = hi[k] = item[0].center[k];
    for (int i = 1; i < count; ++i)
        for (int k = 0; k < 3; ++k) {
            lo[k] = std::min(lo[k], item[i].center[k]);
            hi[k] = std::max(hi[k], item[i].center[k]);
        }
    int axis = 0;
    for (int k = 1; k < 3; ++k)
        if (hi[k] - lo[k] > hi[axis] - lo[axis]) axis = k;
    return axis;
}

// Cuts [begin, end) in two at a multiple of the largest power of 8 that leaves both parts at least one node;
// returns where, or `end` where the range is one block.
int split_range(TreeItem* item, int begin, int end) {
    const int count = end - begin;
    if (count <= kBlock) return end;
    long unit = kBlock;
    while (unit * kBlock < count) unit *= kBlock;
    const long children = (count + unit - 1) / unit;
    const int middle = begin + int(unit * ((children + 1) / 2));
    const int axis = longest_axis(item + begin, count);
    std::nth_element(item + begin, item + middle, item + end, [axis](const TreeItem& a, const TreeItem& b) {
        return a.center[axis] < b.center[axis];
    });
    return middle;
}
void split_all(TreeItem* item, int begin, int end) {
    while (end - begin > kBlock) {
        const int middle = split_range(item, begin, end);
        split_all(item, begin, middle);
        begin = middle;
    }
}

// leaf order: breadth first while ranges are large, each a task of its own, then depth first
void sort_items(const Parallel& parallel, int count, TreeScratch& s) {
    s.ranges.assign(1, {0, count, 0});
    while (!s.ranges.empty()) {
        const int ranges = int(s.ranges.size());
        parallel_for(parallel, ranges, 1, [&](int r, int) {
            auto& [begin, end, middle] = s.ranges[r];
            if (end - begin > kSubtree) {
                middle = split_range(s.item.data(), begin, end);
            } else {
                split_all(s.item.data(), begin, end);
                middle = end;
            }
        });
        s.next.clear();
        for (const auto& [begin, end, middle] : s.ranges)
            if (middle < end) {
                s.next.push_back({begin, middle, 0});
                s.next.push_back({middle, end, 0});
            }
        std::swap(s.ranges, s.next);
    }
}

// half the surface areas of the boxes of a block; what is infinite counts nothing
Real area_of(const BoxBlock& b) {
    Real sum = 0;
    for (int j = 0; j < kBlock; ++j) {
        const Real x = b.hi[0][j] - b.lo[0][j], y = b.hi[1][j] - b.lo[1][j], z = b.hi[2][j] - b.lo[2][j];
        const Real area = x * y + y * z + z * x;
        sum += area < kBig ? area : 0; // false for NaN, too
    }
    return sum;
}

// levels above the leaves; returns the summed areas
Real merge_levels(const Parallel& parallel, const AabbTree& tree, std::vector<Real>& partial,
                  BoxBlock* block) {
    const BlockKernels& kernels = block_kernels();
    Real cost = 0;
    int below = int(tree.id.size()) / kBlock;
    for (int l = 1; l < tree.level_count; ++l) {
        const BoxBlock* from = block + tree.level_begin[l - 1];
        BoxBlock* to = block + tree.level_begin[l];
        const int here = (below + kBlock - 1) / kBlock;
        cost += ordered_sum(parallel, here, kBlockGrain, partial, [&](int b, int e) {
            Real sum = 0;
            for (int k = b; k < e; ++k) {
                for (int j = 0; j < kBlock; ++j)
                    if (kBlock * k + j < below)
                        kernels.merge(from[kBlock * k + j], j, to[k]);
                    else
                        for (int c = 0; c < 3; ++c)
                            to[k].lo[c][j] = to[k].hi[c][j] = std::numeric_limits<float>::quiet_NaN();
                sum += area_of(to[k]);
            }
            return sum;
        });
        below = here;
    }
    return cost;
}

// boxes of a later block on their way from memory: they lie apart there
void fetch(const Aabb* boxes, const int* id) {
    for (int j = 0; j < kBlock; ++j) {
        if (id[j] < 0) return;
        __builtin_prefetch(&boxes[id[j]].lo);
        __builtin_prefetch(&boxes[id[j]].hi.z());
    }
}

// false if there is a NaN
bool fit(const Parallel& parallel, std::span<const Aabb> boxes, TreeScratch& s, AabbTree& tree) {
    const BlockKernels& kernels = block_kernels();
    const Real bad =
        ordered_sum(parallel, int(tree.id.size()) / kBlock, kBlockGrain, s.partial, [&](int b, int e) {
            bool bad = false;
            for (int k = b; k < e; ++k) {
                const std::size_t first = kBlock * std::size_t(k);
                if (k + kFetchAhead < e) fetch(boxes.data(), &tree.id[first + kBlock * kFetchAhead]);
                bad |= kernels.round(boxes.data(), &tree.id[first], tree.origin, &tree.box[first],
                                     tree.block[k]);
            }
            return bad ? 1.0 : 0.0;
        });
    if (bad > 0) {
        set_levels(0, tree);
        return false;
    }
    tree.cost = merge_levels(parallel, tree, s.partial, tree.block.data());
    return true;
}

// centres of all boxes; false if there is a NaN
bool make_items(const Parallel& parallel, std::span<const Aabb> boxes, const Vec3& origin, TreeScratch& s) {
    const int n = int(boxes.size());
    s.item.resize(n);
    return ordered_sum(parallel, n, 4 * kGrain, s.partial, [&](int b, int e) {
               bool bad = false;
               for (int i = b; i < e; ++i) {
                   const Vec3 c = center_of(boxes[i]) - origin;
                   bad |= (c.x() != c.x()) || (c.y() != c.y()) || (c.z() != c.z());
                   s.item[i] = {{float(c.x()), float(c.y()), float(c.z())}, i};
               }
               return bad ? 1.0 : 0.0;
           }) == 0;
}

} // namespace

// median of a sample of the centres: near most boxes even when some are far away
Vec3 choose_origin(std::span<const Aabb> boxes) {
    if (boxes.empty()) return Vec3::Zero();
    const std::size_t n = std::min<std::size_t>(boxes.size(), kSamples);
    Real sample[kSamples];
    Vec3 origin;
    for (int k = 0; k < 3; ++k) {
        for (std::size_t i = 0; i < n; ++i) sample[i] = center_of(boxes[i * boxes.size() / n])[k];
        std::nth_element(sample, sample + n / 2, sample + n);
        origin[k] = sample[n / 2];
    }
    return origin;
}

bool build_tree(const Parallel& parallel, std::span<const Aabb> boxes, TreeScratch& s, AabbTree& tree,
                const Vec3* origin) {
    const int n = int(boxes.size());
    set_levels(0, tree);
    if (n == 0) return true;
    tree.origin = origin ? *origin : choose_origin(boxes);
    if (!tree.origin.allFinite() || !make_items(parallel, boxes, tree.origin, s)) return false;
    set_levels(n, tree);
    sort_items(parallel, n, s);
    for (int i = 0; i < n; ++i) tree.id[i] = s.item[i].id;
    const bool fitted = fit(parallel, boxes, s, tree);
    tree.cost_built = tree.cost;
    return fitted;
}

bool refit_tree(const Parallel& parallel, std::span<const Aabb> boxes, TreeScratch& s, AabbTree& tree) {
    if (int(boxes.size()) != tree.count) return false;
    return !tree.count || fit(parallel, boxes, s, tree);
}

bool wants_rebuild(const AabbTree& tree) { return tree.cost > kRebuild * tree.cost_built; }

bool update_tree(const Parallel& parallel, std::span<const Aabb> boxes, TreeScratch& s, AabbTree& tree,
                 const Vec3* origin) {
    if (int(boxes.size()) != tree.count) return build_tree(parallel, boxes, s, tree, origin);
    if (!refit_tree(parallel, boxes, s, tree)) return false;
    return !wants_rebuild(tree) || build_tree(parallel, boxes, s, tree, origin);
}

void move_blocks(const Parallel& parallel, const AabbTree& tree, const Vec3& origin,
                 std::vector<Real>& partial, std::vector<BoxBlock>& out) {
    const BlockKernels& kernels = block_kernels();
    constexpr int in_order[kBlock] = {0, 1, 2, 3, 4, 5, 6, 7};
    out.resize(tree.block.size());
    parallel_for(parallel, int(tree.id.size()) / kBlock, kBlockGrain, [&](int b, int e) {
        for (int k = b; k < e; ++k)
            kernels.round(&tree.box[kBlock * std::size_t(k)], in_order, origin, nullptr, out[k]);
    });
    merge_levels(parallel, tree, partial, out.data());
}

Aabb bounds_of(const AabbTree& tree) {
    Aabb all;
    if (!tree.level_count) return all;
    const BoxBlock& top = tree.block[tree.level_begin[tree.level_count - 1]];
    for (int j = 0; j < kBlock; ++j) {
        if (!(top.lo[0][j] == top.lo[0][j])) continue;
        for (int k = 0; k < 3; ++k) {
            all.lo[k] = std::min(all.lo[k], exact_lo(top.lo[k][j], tree.origin[k]));
            all.hi[k] = std::max(all.hi[k], exact_hi(top.hi[k][j], tree.origin[k]));
        }
    }
    return all;
}

} // namespace sinew
