// Who may meet whom: groups and masks as bits, and a list of pairs that never meet.
#pragma once
#include "collision/pairs.h"
#include <algorithm>
#include <cstdint>
#include <span>

namespace sinew {

// Each side must accept the other's group.
inline bool groups_meet(std::uint32_t group_a, std::uint32_t mask_a, std::uint32_t group_b,
                        std::uint32_t mask_b) {
    return (group_a & mask_b) && (group_b & mask_a);
}

// `excluded`: pairs a <= b, sorted.
inline bool is_excluded(std::span<const Pair> excluded, int a, int b) {
    return std::binary_search(excluded.begin(), excluded.end(), a < b ? Pair{a, b} : Pair{b, a});
}
// Puts a list into that form.
inline void sort_exclusions(std::vector<Pair>& pairs) {
    for (Pair& p : pairs)
        if (p[1] < p[0]) std::swap(p[0], p[1]);
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

// Rules for bodies given one by one; empty spans do not apply. `filter_of` makes them a filter for a broad
// phase.
struct PairRules {
    std::span<const std::uint32_t> group, mask; // per box
    std::span<const int> object;                // per box; empty = the box is the object
    std::span<const Pair> excluded;             // objects
};
bool may_meet(const PairRules&, int i, int j);
PairFilter filter_of(const PairRules&); // the rules must outlive the filter

} // namespace sinew
