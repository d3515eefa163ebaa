#include "collision/detect_shapes.h"
#include "core/hash.h"
#include "model/surface.h"
#include <algorithm>

namespace sinew {

namespace {

constexpr int kShapeGrain = 16;

struct Narrow {
    const Model& m;
    const FrameState& frames;
    const ShapeScratch& s;
    Real margin;
};

Placement compose(const Placement& outer, const Pose& inner) {
    const Placement own = make_placement(inner);
    return {outer.R * own.R, at(outer, own.p)};
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

int ordinal(const Model& m, int collider) {
    int first = collider;
    while (first > 0 && m.colliders[first - 1].object == m.colliders[collider].object) --first;
    return (collider - first) << 16;
}

void add_contact(const Narrow& n, const ShapeLeaf& a, const ShapeLeaf& b, const PairRule& rule,
                 const ShapePoint& p, std::vector<PointContact>& out) {
    const Collider &ca = n.m.colliders[a.collider], &cb = n.m.colliders[b.collider];
    const Real own = a.shape.rounding + b.shape.rounding,
               thickness = rule.thickness >= 0 ? rule.thickness : own;
    PointContact c;
    c.gap = p.gap + own - thickness;
    if (!(c.gap < n.margin)) return;
    c.source = PointContact::shapes;
    c.key = std::uint64_t(std::uint32_t(ca.object)) << 32 | std::uint32_t(cb.object);
    c.feature = p.key ^ (a.part || b.part ? mix64(std::uint64_t(a.part) << 32 | std::uint32_t(b.part)) : 0);
    c.object_a = ca.object, c.object_b = cb.object;
    c.a = {SurfaceVertex::frame, ca.frame, to_local(n.frames, ca.frame, p.on_a)};
    c.b = {SurfaceVertex::frame, cb.frame, to_local(n.frames, cb.frame, p.on_b)};
    c.normal = c.normal_frozen = real3(-p.normal);
    c.at = real3(p.on_b);
    const Vec3 r = p.on_b - vec(n.frames.p[cb.frame]);
    c.velocity = real3(vec(n.frames.v[cb.frame]) + vec(n.frames.w[cb.frame]).cross(r));
    c.thickness = thickness, c.friction = rule.friction;
    out.push_back(c);
}

void collide_pair(const Narrow& n, Pair pair, ShapeChunk& chunk) {
    const auto object = [&](int leaf) { return n.m.colliders[n.s.leaves[leaf].collider].object; };
    if (object(pair[1]) < object(pair[0])) std::swap(pair[0], pair[1]);
    const ShapeLeaf &a = n.s.leaves[pair[0]], &b = n.s.leaves[pair[1]];
    const PairRule rule = find_pair_rule(n.m, n.s.rules, object(pair[0]), object(pair[1]));
    if (!rule.touches) return;
    const Real own = a.shape.rounding + b.shape.rounding,
               reach = n.margin + std::max(0.0, rule.thickness - own);
    collide_shapes(n.s.cache, a.shape, a.place, b.shape, b.place, reach, chunk.pair, chunk.points);
    for (const ShapePoint& p : chunk.points) add_contact(n, a, b, rule, p, chunk.found);
}

void add_leaves(const Model& m, int collider, const Placement& place, ShapeScratch& s) {
    const Shape& shape = m.colliders[collider].shape;
    const int part = ordinal(m, collider);
    if (shape.kind != Shape::compound) return s.leaves.push_back({collider, part, shape, place});
    if (shape.data < 0 || shape.data >= int(s.cache.compounds.size())) return;
    int k = 0;
    for (const PlacedShape& p : s.cache.compounds[shape.data]) {
        s.leaves.push_back({collider, part + ++k, p.shape, compose(place, p.pose)});
        s.leaves.back().shape.rounding += shape.rounding;
    }
}

// poses and boxes; half the reach on each side
bool build_boxes(const Model& m, const FrameState& frames, Real margin, ShapeScratch& s) {
    build_rule_table(m, s.rules);
    update_shape_cache(m.shapes, s.cache);
    Real reach = margin;
    for (const ContactRule& r : m.contact_rules) reach = std::max(reach, margin + r.thickness);
    s.leaves.clear();
    s.boxes.clear();
    for (std::size_t k = 0; k < m.colliders.size(); ++k) {
        const Collider& c = m.colliders[k];
        if (!vec(frames.p[c.frame]).allFinite() || !quat(frames.q[c.frame]).coeffs().allFinite())
            return false;
        add_leaves(m, int(k), compose(make_placement({frames.p[c.frame], frames.q[c.frame]}), c.pose), s);
    }
    for (const ShapeLeaf& leaf : s.leaves)
        s.boxes.push_back(grow(shape_bounds(s.cache, leaf.shape, leaf.place), 0.5 * reach));
    return true;
}

// parts of one body, and bodies that do not move
std::size_t keep_meeting(const void* data, Pair* pair, std::size_t count) {
    const Narrow& n = *static_cast<const Narrow*>(data);
    std::size_t kept = 0;
    for (std::size_t k = 0; k < count; ++k) {
        const Collider &a = n.m.colliders[n.s.leaves[pair[k][0]].collider],
                       &b = n.m.colliders[n.s.leaves[pair[k][1]].collider];
        if (may_meet(n.m, a, b)) pair[kept++] = pair[k];
    }
    return kept;
}

} // namespace

bool detect_shapes(const Parallel& parallel, const Model& m, const FrameState& frames, Real margin,
                   ShapeScratch& s, Contacts& out) {
    s.found.clear();
    const Narrow narrow{m, frames, s, margin};
    if (!build_boxes(m, frames, margin, s) ||
        !find_pairs(parallel, s.broad_phase, s.boxes, {keep_meeting, &narrow}, s.broad, s.pairs)) {
        replace_points(PointContact::shapes, s.found, out);
        return false;
    }
    const int count = int(s.pairs.size()), chunks = chunk_count(count, kShapeGrain);
    if (int(s.chunks.size()) < chunks) s.chunks.resize(chunks);
    parallel_for(parallel, count, kShapeGrain, [&](int begin, int end) {
        ShapeChunk& chunk = s.chunks[begin / kShapeGrain];
        chunk.found.clear();
        for (int k = begin; k < end; ++k) collide_pair(narrow, s.pairs[k], chunk);
    });
    std::size_t total = 0;
    for (int k = 0; k < chunks; ++k) total += s.chunks[k].found.size();
    if (s.found.capacity() < total)
        s.found.reserve(2 * total); // growing contacts must not allocate every time
    for (int k = 0; k < chunks; ++k)
        s.found.insert(s.found.end(), s.chunks[k].found.begin(), s.chunks[k].found.end());
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
