// Shapes placed in the world, collision/detect_shapes.h.
#include "collision/detect_shapes.h"
#include "geometry/shape_bounds.h"
#include <cmath>
#include <limits>

namespace sinew {

namespace {

constexpr int kLeafGrain = 256;
constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN();

struct Placer {
    const Model& m;
    const FrameState& frames;
    const Reach& reach;
    Real grown; // [m] half of what boxes must reach
    ShapeScratch& s;
};

Placement place_within(const Placement& outer, const Pose& inner) {
    const bool plain = inner.rotation.w == 1 && inner.rotation.x == 0 && inner.rotation.y == 0 && inner.rotation.z == 0;
    if (plain) return {outer.R, at(outer, vec(inner.position))};
    const Placement own = make_placement(inner);
    return {outer.R * own.R, at(outer, own.p)};
}

int part_count(const Model& m, const ShapeCache& cache, int collider) {
    const Shape& shape = m.colliders[collider].shape;
    if (shape.kind != Shape::compound) return 1;
    if (shape.data < 0 || shape.data >= int(cache.compounds.size())) return 0;
    return int(cache.compounds[shape.data].size());
}

// [m] distance of the leaf's core from the origin of its frame
Real lever_of(const ShapeLeaf& leaf, const Vec3& origin, const Aabb& box) {
    if (leaf.convex && is_bounded(*leaf.convex) && leaf.convex->core != Convex::hull)
        return radius_about(*leaf.convex, from(leaf.place, origin)) - leaf.convex->radius;
    const Real most = (box.hi - origin).cwiseAbs().cwiseMax((box.lo - origin).cwiseAbs()).norm();
    return std::isfinite(most) ? most : 0;
}

// the way ahead in the box and the leaf
void look_ahead(const Placer& w, int frame, ShapeLeaf& leaf, Aabb& box) {
    leaf.spin = 0;
    if (!(w.reach.ahead > 0) || is_empty(box)) return;
    const Vec3 way = w.reach.ahead * vec(w.frames.v[frame]);
    const Real turn = w.reach.ahead * vec(w.frames.w[frame]).norm();
    if (turn > 0) leaf.spin = std::min(turn, Real(2)) * lever_of(leaf, vec(w.frames.p[frame]), box);
    box.lo += way.cwiseMin(0.0) - Vec3::Constant(leaf.spin);
    box.hi += way.cwiseMax(0.0) + Vec3::Constant(leaf.spin);
}

void place_leaf(const Placer& w, int k, int part, const Shape& shape, const Placement& place, int at) {
    const Collider& c = w.m.colliders[k];
    ShapeLeaf& leaf = w.s.leaves[at];
    leaf.collider = k, leaf.part = part, leaf.frame = c.frame, leaf.object = c.object;
    w.s.tags[at] = {c.frame, c.object, (w.m.frame.flags[c.frame] & kFixed) != 0, w.m.objects[c.object].alive};
    leaf.shape = shape;
    leaf.place = place;
    leaf.convex = make_convex(store_of(w.s.cache), shape);
    Aabb box = leaf.convex ? shape_bounds(*leaf.convex, place) : shape_bounds(w.s.cache, shape, place);
    look_ahead(w, c.frame, leaf, box);
    w.s.boxes[at] = grow(box, w.grown);
}

void place_collider(const Placer& w, int k) {
    const Collider& c = w.m.colliders[k];
    const int first = w.s.leaf_begin[k], part = w.s.ordinal[k] << 16;
    if (!vec(w.frames.p[c.frame]).allFinite() || !quat(w.frames.q[c.frame]).coeffs().allFinite()) {
        for (int i = first; i < w.s.leaf_begin[k + 1]; ++i) w.s.boxes[i] = {Vec3::Constant(kNan), Vec3::Constant(kNan)};
        return;
    }
    // what touches nothing has no place
    if (const Object& o = w.m.objects[c.object]; o.touches == 0 || o.groups == 0) {
        for (int i = first; i < w.s.leaf_begin[k + 1]; ++i) {
            w.s.boxes[i] = Aabb{};
            w.s.tags[i] = {c.frame, c.object, true, false};
        }
        return;
    }
    w.s.body[k] = make_placement({w.frames.p[c.frame], w.frames.q[c.frame]});
    const Placement place = place_within(w.s.body[k], c.pose);
    if (c.shape.kind != Shape::compound) return place_leaf(w, k, part, c.shape, place, first);
    for (int i = first; i < w.s.leaf_begin[k + 1]; ++i) {
        const PlacedShape& p = w.s.cache.compounds[c.shape.data][i - first];
        Shape shape = p.shape;
        shape.rounding += c.shape.rounding;
        place_leaf(w, k, part + i - first + 1, shape, place_within(place, p.pose), i);
    }
}

} // namespace

void build_leaves(const Parallel& parallel, const Model& m, const FrameState& frames, const Reach& reach, ShapeScratch& s) {
    build_rule_table(m, s.rules);
    update_shape_cache(m.shapes, s.cache);
    Real most = reach.margin;
    for (const ContactRule& r : m.contact_rules) most = std::max(most, reach.margin + r.thickness);
    const int n = int(m.colliders.size());
    s.body.resize(n);
    s.ordinal.resize(n);
    s.leaf_begin.resize(n + 1);
    s.leaf_begin[0] = 0;
    for (int k = 0; k < n; ++k) {
        s.leaf_begin[k + 1] = s.leaf_begin[k] + part_count(m, s.cache, k);
        s.ordinal[k] = k && m.colliders[k - 1].object == m.colliders[k].object ? s.ordinal[k - 1] + 1 : 0;
    }
    s.leaves.resize(s.leaf_begin[n]);
    s.boxes.resize(s.leaf_begin[n]);
    s.tags.resize(s.leaf_begin[n]);
    const Placer placer{m, frames, reach, 0.5 * most, s};
    parallel_for(parallel, n, kLeafGrain, [&](int begin, int end) {
        for (int k = begin; k < end; ++k) place_collider(placer, k);
    });
}

} // namespace sinew
