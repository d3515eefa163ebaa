// Choice of the broad phase, brute force; sweep in sweep.cpp, grids in grid.cpp.
#include "collision/broad_phase.h"
#include <algorithm>

namespace sinew {

std::string_view name_of(BroadPhase b) { return kBroadPhaseNames[int(b)]; }
std::optional<BroadPhase> broad_phase_of(std::string_view name) {
    for (int i = 0; i < int(std::size(kBroadPhaseNames)); ++i)
        if (name == kBroadPhaseNames[i]) return BroadPhase(i);
    return {};
}

static void brute_force_pairs(const Parallel& parallel, std::span<const Aabb> boxes, PairScratch& s) {
    constexpr int grain = 64;
    const int n = int(boxes.size());
    start_pieces(s, chunk_count(n, grain));
    parallel_for(parallel, n, grain, [&](int b, int e) {
        for (int i = b; i < e; ++i) {
            if (is_empty(boxes[i])) continue;
            for (int j = i + 1; j < n; ++j)
                if (overlap(boxes[i], boxes[j]) && !is_empty(boxes[j])) add_pair(s.pieces[b / grain], i, j);
        }
    });
}

bool find_pairs(const Parallel& parallel, BroadPhase method, std::span<const Aabb> boxes,
                const PairFilter& filter, BroadPhaseScratch& s, std::vector<Pair>& out) {
    out.clear();
    if (method == BroadPhase::tree) {
        if (!update_tree(parallel, boxes, s.tree_scratch, s.tree)) return false;
        find_self_pairs(parallel, s.tree, filter, s.pairs, out);
        return true;
    }
    if (method == BroadPhase::dynamic_tree) {
        if (!update_boxes(s.dynamic, boxes)) return false;
        find_self_pairs(parallel, s.dynamic, filter, s.pairs, out);
        return true;
    }
    if (std::any_of(boxes.begin(), boxes.end(), [](const Aabb& b) { return b.lo.hasNaN() || b.hi.hasNaN(); }))
        return false;
    if (method == BroadPhase::kept_pairs) {
        find_kept_pairs(parallel, boxes, filter, s.kept, s.pairs, out);
        return true;
    }
    if (method == BroadPhase::sweep)
        sweep_pairs(parallel, boxes, s);
    else if (method == BroadPhase::brute_force)
        brute_force_pairs(parallel, boxes, s.pairs);
    else
        grid_pairs(parallel, boxes, method == BroadPhase::hierarchical_grid, s);
    join_pieces(parallel, int(boxes.size()), filter, s.pairs, out);
    // two cells of one pair might have the same hash
    if (method == BroadPhase::grid || method == BroadPhase::hierarchical_grid)
        out.erase(std::unique(out.begin(), out.end()), out.end());
    return true;
}

} // namespace sinew
