// Broad phase that keeps its pairs from call to call (Verlet 1967's neighbour list, for boxes): pairs of boxes grown by a
// margin stay complete until a box leaves its grown one. Where few have left, only theirs are looked for again, in the
// tree of the last full search and among those that left since; where many have, all are. What is reported is decided
// on the boxes given, so it does not depend on what was kept.
#pragma once
#include "collision/aabb_tree.h"

namespace sinew {

struct KeptPairs {
    Real margin = 0;              // [m]
    std::vector<Aabb> grown;      // per box, what its pairs were found with
    std::vector<Pair> pairs, next; // of grown boxes, sorted
    std::vector<std::uint8_t> state; // per box: 0 as in the tree, 1 left since, 2 left now
    std::vector<int> left, now;   // boxes of state 1 or 2, of state 2
    AabbTree tree;                // of grown boxes at the last full search
    TreeScratch scratch;
    std::vector<Pair> found;
    std::vector<std::vector<int>> near; // per piece
};

// As find_pairs of broad_phase.h, for boxes without NaN.
void find_kept_pairs(const Parallel&, std::span<const Aabb>, const PairFilter&, KeptPairs&, PairScratch&, std::vector<Pair>& out);

} // namespace sinew
