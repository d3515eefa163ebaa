// Pairs in parallel chunks, each pair's points in order; then every chunk writes its contacts to their place. Pairs come
// in order of shapes, which are in order of objects but for what edits appended, and but for objects of several
// shapes: only then are the contacts sorted.
#include "collision/detect_shapes.h"
#include "core/hash.h"
#include "model/surface.h"
#include <algorithm>

namespace sinew {

namespace {

constexpr int kShapeGrain = 32;

struct ShapeNarrowPhase {
    const Model& m;
    const FrameState& frames;
    const Reach& reach;
    const ShapeScratch& s;
};

bool may_meet(const LeafTag& a, const LeafTag& b) {
    return a.frame != b.frame && a.object != b.object && !(a.held && b.held) && a.alive && b.alive;
}

// parts of one body, and bodies that do not move
std::size_t keep_meeting(const void* data, Pair* pair, std::size_t count) {
    const ShapeNarrowPhase& n = *static_cast<const ShapeNarrowPhase*>(data);
    std::size_t kept = 0;
    for (std::size_t k = 0; k < count; ++k)
        if (may_meet(n.s.tags[pair[k][0]], n.s.tags[pair[k][1]])) pair[kept++] = pair[k];
    return kept;
}

Real margin_of(const ShapeNarrowPhase& n, const ShapeLeaf& a, const ShapeLeaf& b) {
    if (!(n.reach.ahead > 0)) return n.reach.margin;
    return n.reach.margin + n.reach.ahead * (vec(n.frames.v[a.frame]) - vec(n.frames.v[b.frame])).norm() + a.spin + b.spin;
}

std::uint64_t feature_of(const ShapeLeaf& a, const ShapeLeaf& b, const ShapePoint& p) {
    return p.key ^ (a.part || b.part ? mix64(std::uint64_t(a.part) << 32 | std::uint32_t(b.part)) : 0);
}

bool before(const ShapePoint& p, const ShapePoint& q) {
    if (p.key != q.key) return p.key < q.key;
    return std::lexicographical_compare(p.on_b.data(), p.on_b.data() + 3, q.on_b.data(), q.on_b.data() + 3);
}

// points of a pair of shapes, in any order
void find_points(const ShapeNarrowPhase& n, const ShapeLeaf& a, const ShapeLeaf& b, Real reach, ShapeChunk& chunk) {
    chunk.points.clear();
    if (!a.convex || !b.convex) {
        collide_shapes(n.s.cache, a.shape, a.place, b.shape, b.place, reach, chunk.pair, chunk.points);
        return;
    }
    Manifold m;
    if (!collide_convex(*a.convex, a.place, *b.convex, b.place, reach, m)) return;
    for (int k = 0; k < m.count; ++k)
        chunk.points.push_back({m.point[k].on_a, m.point[k].on_b, m.normal, m.point[k].gap, m.point[k].key});
}

void collide_pair(const ShapeNarrowPhase& n, Pair pair, ShapeChunk& chunk) {
    if (n.s.leaves[pair[1]].object < n.s.leaves[pair[0]].object) std::swap(pair[0], pair[1]);
    const ShapeLeaf &a = n.s.leaves[pair[0]], &b = n.s.leaves[pair[1]];
    const bool plain = n.s.rules.rules.empty(); // then the rule changes no distance, and is looked up for hits only
    ShapeGroup group{pair[0], pair[1], 0, std::uint64_t(std::uint32_t(a.object)) << 32 | std::uint32_t(b.object),
                     a.shape.rounding + b.shape.rounding, {}};
    const Real margin = margin_of(n, a, b);
    Real reach = margin;
    if (!plain) {
        group.rule = find_pair_rule(n.m, n.s.rules, a.object, b.object);
        if (!group.rule.touches) return;
        reach += std::max(0.0, group.rule.thickness - group.own);
    }
    find_points(n, a, b, reach, chunk);
    if (chunk.points.empty()) return;
    if (plain) group.rule = find_pair_rule(n.m, n.s.rules, a.object, b.object);
    if (!group.rule.touches) return;
    const Real extra = group.rule.thickness >= 0 ? group.own - group.rule.thickness : 0;
    const std::size_t first = chunk.found.size();
    for (ShapePoint& p : chunk.points) {
        p.gap += extra;
        if (!(p.gap < margin)) continue;
        p.key = feature_of(a, b, p);
        chunk.found.push_back(p);
    }
    group.count = int(chunk.found.size() - first);
    if (group.count == 0) return;
    std::sort(chunk.found.begin() + std::ptrdiff_t(first), chunk.found.end(), before);
    chunk.sorted = chunk.sorted && (chunk.groups.empty() || chunk.groups.back().key < group.key);
    chunk.groups.push_back(group);
}

void write_contact(const ShapeNarrowPhase& n, const ShapeGroup& g, const ShapePoint& p, PointContact& c) {
    const ShapeLeaf &a = n.s.leaves[g.a], &b = n.s.leaves[g.b];
    c.source = PointContact::shapes;
    c.key = g.key;
    c.feature = p.key;
    c.a = {SurfaceVertex::frame, a.frame, real3(from(n.s.body[a.collider], p.on_a))};
    c.b = {SurfaceVertex::frame, b.frame, real3(from(n.s.body[b.collider], p.on_b))};
    c.vertex = c.obstacle = -1;
    c.stencil = {-1, -1, -1};
    c.weight = {};
    c.object_a = a.object, c.object_b = b.object;
    c.normal = c.normal_frozen = real3(-p.normal);
    c.at = real3(p.on_b);
    const Vec3 r = p.on_b - vec(n.frames.p[b.frame]);
    c.velocity = real3(vec(n.frames.v[b.frame]) + vec(n.frames.w[b.frame]).cross(r));
    c.gap = p.gap;
    c.thickness = g.rule.thickness >= 0 ? g.rule.thickness : g.own;
    c.friction = g.rule.friction;
}

// places of the chunks' contacts; false if they are not in order
bool place_chunks(std::span<ShapeChunk> chunks, std::size_t& total) {
    bool sorted = true, any = false;
    std::uint64_t last = 0;
    total = 0;
    for (ShapeChunk& c : chunks) {
        c.begin = total;
        total += c.found.size();
        if (c.groups.empty()) continue;
        sorted = sorted && c.sorted && (!any || last < c.groups.front().key);
        last = c.groups.back().key;
        any = true;
    }
    return sorted;
}

void write_contacts(const Parallel& parallel, const ShapeNarrowPhase& n, std::span<const ShapeChunk> chunks, PointContact* out) {
    parallel_for(parallel, int(chunks.size()), 1, [&](int begin, int end) {
        for (int k = begin; k < end; ++k) {
            std::size_t i = 0;
            for (const ShapeGroup& g : chunks[k].groups)
                for (int j = 0; j < g.count; ++j, ++i) write_contact(n, g, chunks[k].found[i], out[chunks[k].begin + i]);
        }
    });
}

// the range of this source, the last, with room for `count`
PointContact* make_room(std::size_t count, Contacts& out) {
    auto& all = out.point_point;
    const auto begin = std::partition_point(all.begin(), all.end(), [](const PointContact& c) { return c.source < PointContact::shapes; });
    const std::size_t others = std::size_t(begin - all.begin());
    if (all.capacity() < others + count) all.reserve(2 * (others + count)); // growing contacts must not allocate every time
    all.resize(others + count);
    return all.data() + others;
}

void write_sorted(const Parallel& parallel, const ShapeNarrowPhase& n, ShapeScratch& s, std::span<const ShapeChunk> chunks, std::size_t total,
                  PointContact* out) {
    if (s.found.size() < total) s.found.resize(2 * total), s.order.resize(2 * total);
    write_contacts(parallel, n, chunks, s.found.data());
    const auto order = std::span(s.order).first(total);
    for (std::size_t i = 0; i < total; ++i) order[i] = int(i);
    std::sort(order.begin(), order.end(), [&](int i, int j) {
        const PointContact &a = s.found[i], &b = s.found[j];
        if (a.key != b.key) return a.key < b.key;
        if (a.feature != b.feature) return a.feature < b.feature;
        return std::lexicographical_compare(&a.at.x, &a.at.x + 3, &b.at.x, &b.at.x + 3);
    });
    for (std::size_t i = 0; i < total; ++i) out[i] = s.found[order[i]];
}

} // namespace

bool detect_shapes(const Parallel& parallel, const Model& m, const FrameState& frames, const Reach& reach,
                   ShapeScratch& s, Contacts& out) {
    const ShapeNarrowPhase narrow{m, frames, reach, s};
    build_leaves(parallel, m, frames, reach, s);
    if (!find_pairs(parallel, s.broad_phase, s.boxes, {keep_meeting, &narrow}, s.broad, s.pairs)) {
        make_room(0, out);
        return false;
    }
    const int count = int(s.pairs.size()), chunks = chunk_count(count, kShapeGrain);
    if (int(s.chunks.size()) < chunks) s.chunks.resize(chunks);
    parallel_for(parallel, count, kShapeGrain, [&](int begin, int end) {
        ShapeChunk& chunk = s.chunks[begin / kShapeGrain];
        chunk.found.clear();
        chunk.groups.clear();
        chunk.sorted = true;
        for (int k = begin; k < end; ++k) collide_pair(narrow, s.pairs[k], chunk);
    });
    const auto used = std::span(s.chunks).first(chunks);
    std::size_t total = 0;
    const bool sorted = place_chunks(used, total);
    PointContact* to = make_room(total, out);
    if (sorted) write_contacts(parallel, narrow, used, to);
    else write_sorted(parallel, narrow, s, used, total, to);
    return true;
}

} // namespace sinew
