#include "collision/pair_rules.h"

namespace sinew {

bool may_meet(const PairRules& r, int i, int j) {
    if (!r.group.empty() && !groups_meet(r.group[i], r.mask[i], r.group[j], r.mask[j])) return false;
    if (r.excluded.empty()) return true;
    return !is_excluded(r.excluded, r.object.empty() ? i : r.object[i], r.object.empty() ? j : r.object[j]);
}

PairFilter filter_of(const PairRules& rules) {
    const auto keep = [](const void* data, Pair* pair, std::size_t count) {
        const PairRules& r = *static_cast<const PairRules*>(data);
        return std::size_t(
            std::remove_if(pair, pair + count, [&](Pair p) { return !may_meet(r, p[0], p[1]); }) - pair);
    };
    return {keep, &rules};
}

} // namespace sinew
