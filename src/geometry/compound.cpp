#include "geometry/compound.h"
#include "core/math.h"

namespace sinew {

namespace {
constexpr int kDepth = 16;
constexpr std::size_t kParts = 1 << 20; // nesting multiplies: a small store could ask for a huge list

std::optional<Error> expand(const ShapeStore& store, const Shape& s, const Pose& pose, int part, int depth, std::vector<PlacedShape>& out) {
    if (s.kind != Shape::compound) {
        if (out.size() >= kParts) return Error{.message = "the compound has too many parts", .allowed = std::to_string(kParts)};
        out.push_back({s, pose, part});
        return {};
    }
    if (depth == kDepth) return Error{.message = "compounds nested too deep, or in themselves", .allowed = "16 levels"};
    if (s.data < 0 || s.data >= int(store.compounds.size())) return Error{.value = std::to_string(s.data), .message = "there is no such compound"};
    const CompoundShape& c = store.compounds[s.data];
    if (c.parts.size() != c.poses.size()) return Error{.value = std::to_string(s.data), .message = "a compound needs one pose per part"};
    for (std::size_t i = 0; i < c.parts.size(); ++i) {
        const Quat q = quat(pose.rotation);
        const Pose inner{real3(vec(pose.position) + q * vec(c.poses[i].position)), real4((q * quat(c.poses[i].rotation)).normalized())};
        Shape child = c.parts[i];
        child.rounding += s.rounding;
        if (auto e = expand(store, child, inner, depth == 0 ? int(i) : part, depth + 1, out)) return e;
    }
    return {};
}
} // namespace

std::optional<Error> expand_shape(const ShapeStore& store, const Shape& s, std::vector<PlacedShape>& out) {
    out.clear();
    return expand(store, s, {}, 0, 0, out);
}

} // namespace sinew
