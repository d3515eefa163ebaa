#include "model/contacts.h"
#include "core/math.h"
#include "geometry/convex_distance.h"
#include <algorithm>
#include <cmath>

namespace sinew {

void replace_points(PointContact::Source source, const std::vector<PointContact>& found, Contacts& contacts) {
    auto& all = contacts.point_point;
    const auto begin = std::find_if(all.begin(), all.end(), [&](const PointContact& c) { return c.source >= source; });
    const auto end = std::find_if(begin, all.end(), [&](const PointContact& c) { return c.source > source; });
    const std::size_t at = std::size_t(begin - all.begin()), old = std::size_t(end - begin);
    // growing contacts must not allocate every time
    const std::size_t needed = all.size() - old + found.size();
    if (all.capacity() < needed) all.reserve(2 * needed);
    if (found.size() > old) all.insert(all.begin() + std::ptrdiff_t(at + old), found.size() - old, PointContact{});
    else all.erase(all.begin() + std::ptrdiff_t(at + found.size()), all.begin() + std::ptrdiff_t(at + old));
    std::copy(found.begin(), found.end(), all.begin() + std::ptrdiff_t(at));
}

ContactFrame contact_frame(const Real3& n) {
    Vec3 s, t;
    contact_frame(Vec3(vec(n)), s, t); // right-handed (s, t, n), so is (n, s, t)
    return {n, real3(s), real3(t)};
}

static std::uint64_t pair_key(int a, int b) {
    return std::uint64_t(std::uint32_t(std::min(a, b))) << 32 | std::uint32_t(std::max(a, b));
}

void build_rule_table(const Model& m, RuleTable& out) {
    out.rules.clear();
    for (std::size_t k = 0; k < m.contact_rules.size(); ++k)
        out.rules.push_back({pair_key(m.contact_rules[k].a, m.contact_rules[k].b), int(k)});
    std::sort(out.rules.begin(), out.rules.end());
    // later rules win: keep the last of each pair
    std::size_t kept = 0;
    for (std::size_t k = 0; k < out.rules.size(); ++k)
        if (k + 1 == out.rules.size() || out.rules[k + 1].first != out.rules[k].first) out.rules[kept++] = out.rules[k];
    out.rules.resize(kept);
}

PairRule find_pair_rule(const Model& m, const RuleTable& rules, int a, int b) {
    const Object &oa = m.objects[a], &ob = m.objects[b];
    PairRule rule{(oa.groups & ob.touches) && (ob.groups & oa.touches), std::sqrt(oa.friction * ob.friction), -1,
                  std::max(oa.restitution, ob.restitution), std::max(oa.rolling_friction, ob.rolling_friction),
                  std::max(oa.torsional_friction, ob.torsional_friction)};
    if (rules.rules.empty()) return rule;
    const auto found = std::lower_bound(rules.rules.begin(), rules.rules.end(), std::pair(pair_key(a, b), 0));
    if (found == rules.rules.end() || found->first != pair_key(a, b)) return rule;
    const ContactRule& r = m.contact_rules[found->second];
    rule.touches = rule.touches && !r.off;
    if (r.friction >= 0) rule.friction = r.friction;
    rule.thickness = r.thickness;
    if (r.restitution >= 0) rule.restitution = r.restitution;
    return rule;
}

} // namespace sinew
