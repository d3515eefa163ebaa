#include "collision/detect_shapes.h"
#include "collision/manifold.h"
#include "core/hash.h"
#include "geometry/shape_bounds.h"
#include "model/surface.h"
#include <algorithm>

namespace sinew {

namespace {

constexpr int kShapeGrain = 64;

struct Narrow {
    const Model& m;
    const FrameState& frames;
    const ShapeScratch& s;
    const ShapeStore& store;
    Real margin;
};

Placement compose(const Placement& outer, const Pose& inner) {
    const Placement own = make_placement(inner);
    return {outer.R * own.R, outer.R * own.p + outer.p};
}

bool may_meet(const Model& m, const Collider& a, const Collider& b) {
    if (a.frame == b.frame || a.object == b.object) return false;
    if ((m.frame.flags[a.frame] & kFixed) && (m.frame.flags[b.frame] & kFixed)) return false;
    return m.objects[a.object].alive && m.objects[b.object].alive;
}

// a body's own axes
Real3 to_local(const FrameState& frames, int frame, const Vec3& x) {
    return real3(quat(frames.q[frame]).conjugate() * (x - vec(frames.p[frame])));
}

struct Side {
    int collider;
    Shape shape;
    Placement place;
    int part; // which of the object's shapes << 16 | which part of a compound
};

int ordinal(const Model& m, int collider) {
    int first = collider;
    while (first > 0 && m.colliders[first - 1].object == m.colliders[collider].object) --first;
    return (collider - first) << 16;
}

void add_manifold(const Narrow& n, const Side& a, const Side& b, const PairRule& rule, const Manifold& manifold,
                  std::vector<PointContact>& out) {
    const Collider &ca = n.m.colliders[a.collider], &cb = n.m.colliders[b.collider];
    const Real own = a.shape.rounding + b.shape.rounding, thickness = rule.thickness >= 0 ? rule.thickness : own;
    const std::uint64_t parts = a.part || b.part ? mix64(std::uint64_t(a.part) << 32 | std::uint32_t(b.part)) : 0;
    for (int k = 0; k < manifold.count; ++k) {
        const ManifoldPoint& p = manifold.point[k];
        PointContact c;
        c.gap = p.gap + own - thickness;
        if (!(c.gap < n.margin)) continue;
        c.source = PointContact::shapes;
        c.key = std::uint64_t(std::uint32_t(ca.object)) << 32 | std::uint32_t(cb.object);
        c.feature = p.key ^ parts;
        c.object_a = ca.object, c.object_b = cb.object;
        c.a = {SurfaceVertex::frame, ca.frame, to_local(n.frames, ca.frame, p.on_a)};
        c.b = {SurfaceVertex::frame, cb.frame, to_local(n.frames, cb.frame, p.on_b)};
        c.normal = c.normal_frozen = real3(-manifold.normal);
        c.at = real3(p.on_b);
        const Vec3 r = p.on_b - vec(n.frames.p[cb.frame]);
        c.velocity = real3(vec(n.frames.v[cb.frame]) + vec(n.frames.w[cb.frame]).cross(r));
        c.thickness = thickness, c.friction = rule.friction;
        out.push_back(c);
    }
}

// false if no narrow phase knows the pair
bool collide(const Narrow& n, const Side& a, const Side& b, const PairRule& rule, std::vector<PointContact>& out) {
    for (const bool first : {true, false}) { // compounds by their parts
        const Side& whole = first ? a : b;
        if (whole.shape.kind != Shape::compound) continue;
        if (whole.shape.data < 0 || whole.shape.data >= int(n.store.compounds.size())) return false;
        const CompoundShape& compound = n.store.compounds[whole.shape.data];
        bool known = true;
        for (std::size_t k = 0; k < compound.parts.size(); ++k) {
            Side part{whole.collider, compound.parts[k], compose(whole.place, compound.poses[k]), whole.part + int(k) + 1};
            part.shape.rounding += whole.shape.rounding;
            if (part.shape.kind == Shape::compound) known = false; // no compounds of compounds
            else known = (first ? collide(n, part, b, rule, out) : collide(n, a, part, rule, out)) && known;
        }
        return known;
    }
    const std::optional<Convex> ca = make_convex(n.store, a.shape), cb = make_convex(n.store, b.shape);
    if (!ca || !cb) return false;
    const Real own = a.shape.rounding + b.shape.rounding;
    const Real reach = n.margin + std::max(0.0, rule.thickness - own);
    Manifold manifold;
    if (collide_convex(*ca, a.place, *cb, b.place, reach, manifold)) add_manifold(n, a, b, rule, manifold, out);
    return true;
}

// poses and boxes; half the reach on each side
bool build_boxes(const Model& m, const FrameState& frames, const ShapeStore& store, Real margin, ShapeScratch& s) {
    build_rule_table(m, s.rules);
    Real reach = margin;
    for (const ContactRule& r : m.contact_rules) reach = std::max(reach, margin + r.thickness);
    s.place.resize(m.colliders.size());
    s.boxes.resize(m.colliders.size());
    for (std::size_t k = 0; k < m.colliders.size(); ++k) {
        const Collider& c = m.colliders[k];
        if (!vec(frames.p[c.frame]).allFinite() || !quat(frames.q[c.frame]).coeffs().allFinite()) return false;
        s.place[k] = compose(make_placement({frames.p[c.frame], frames.q[c.frame]}), c.pose);
        const Pose pose{real3(s.place[k].p), real4(Quat(s.place[k].R))};
        s.boxes[k] = grow(shape_bounds(store, c.shape, pose), 0.5 * reach);
    }
    return true;
}

} // namespace

bool detect_shapes(const Parallel& parallel, const Model& m, const FrameState& frames, Real margin, ShapeScratch& s,
                   Contacts& out) {
    static const ShapeStore none;
    const ShapeStore& store = m.shapes ? *m.shapes : none;
    s.found.clear();
    s.skipped = 0;
    const bool valid = build_boxes(m, frames, store, margin, s) && update_tree(parallel, s.boxes, s.tree_scratch, s.tree);
    if (!valid) {
        replace_points(PointContact::shapes, s.found, out);
        return false;
    }
    find_self_pairs(parallel, s.tree, {}, s.pair_scratch, s.pairs);
    const int count = int(s.pairs.size()), chunks = chunk_count(count, kShapeGrain);
    if (int(s.chunks.size()) < chunks) s.chunks.resize(chunks), s.chunk_skipped.resize(chunks);
    const Narrow narrow{m, frames, s, store, margin};
    parallel_for(parallel, count, kShapeGrain, [&](int begin, int end) {
        std::vector<PointContact>& found = s.chunks[begin / kShapeGrain];
        int& skipped = s.chunk_skipped[begin / kShapeGrain];
        found.clear();
        skipped = 0;
        for (int k = begin; k < end; ++k) {
            int i = s.pairs[k][0], j = s.pairs[k][1];
            if (!may_meet(m, m.colliders[i], m.colliders[j])) continue;
            if (m.colliders[j].object < m.colliders[i].object) std::swap(i, j);
            const PairRule rule = find_pair_rule(m, s.rules, m.colliders[i].object, m.colliders[j].object);
            if (!rule.touches) continue;
            const Side a{i, m.colliders[i].shape, s.place[i], ordinal(m, i)};
            const Side b{j, m.colliders[j].shape, s.place[j], ordinal(m, j)};
            skipped += !collide(narrow, a, b, rule, found);
        }
    });
    std::size_t total = 0;
    for (int k = 0; k < chunks; ++k) total += s.chunks[k].size(), s.skipped += s.chunk_skipped[k];
    if (s.found.capacity() < total) s.found.reserve(2 * total); // growing contacts must not allocate every time
    for (int k = 0; k < chunks; ++k) s.found.insert(s.found.end(), s.chunks[k].begin(), s.chunks[k].end());
    // pairs come in order of shapes, which are in order of objects but for what edits appended
    std::sort(s.found.begin(), s.found.end(), [](const PointContact& a, const PointContact& b) {
        if (a.key != b.key) return a.key < b.key;
        if (a.feature != b.feature) return a.feature < b.feature;
        return std::lexicographical_compare(&a.at.x, &a.at.x + 3, &b.at.x, &b.at.x + 3);
    });
    replace_points(PointContact::shapes, s.found, out);
    return true;
}

} // namespace sinew
