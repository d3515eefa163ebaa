#include "solver/position_way.h"
#include "collision/ccd.h"
#include "geometry/distance_closest.h"
#include "model/surface.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr int kPairGrain = 1024;
constexpr Real kKeep = 0.5;   // of the distance at the start, where the thickness is not there any more
constexpr Real kAlmost = 0.9; // a pair that starts within its bend
constexpr Real kFarther = 1.25, kReachSlack = 0.5; // reach: times the way to the prediction, and a part of the thickness

using Kind = SafeStep::Kind;

Impact stencil_of_pair(const Model& m, Kind kind, const Pair& p) {
    const Surface& s = m.surface;
    switch (kind) {
    case SafeStep::vertex_triangle: return {kind, p, 1, 4, 1, {p[0], s.triangles[p[1]][0], s.triangles[p[1]][1], s.triangles[p[1]][2]}};
    case SafeStep::edge_edge: return {kind, p, 1, 4, 2, {s.edges[p[0]][0], s.edges[p[0]][1], s.edges[p[1]][0], s.edges[p[1]][1]}};
    case SafeStep::vertex_edge: return {kind, p, 1, 3, 1, {p[0], s.edges[p[1]][0], s.edges[p[1]][1], -1}};
    default: return {SafeStep::vertex_vertex, p, 1, 2, 1, {p[0], p[1], -1, -1}};
    }
}

Closest closest_of(Kind kind, const CcdPoints& x) {
    switch (kind) {
    case SafeStep::vertex_triangle: return closest_vertex_triangle(x[0], x[1], x[2], x[3]);
    case SafeStep::edge_edge: return closest_edge_edge(x[0], x[1], x[2], x[3]);
    case SafeStep::vertex_edge: return closest_vertex_edge(x[0], x[1], x[2]);
    default: return closest_vertex_vertex(x[0], x[1]);
    }
}

Real impact_time(Kind kind, const CcdPoints& a, const CcdPoints& b, Real separation) {
    const CcdOptions o{separation, 1};
    switch (kind) {
    case SafeStep::vertex_triangle: return find_impact_vertex_triangle(a, b, o);
    case SafeStep::edge_edge: return find_impact_edge_edge(a, b, o);
    case SafeStep::vertex_edge: return find_impact_vertex_edge(a, b, o);
    default: return find_impact_vertex_vertex(a, b, o);
    }
}

struct Judge {
    const Model& m;
    const RuleTable& rules;
    const Way& way;
    Real part;

    Real largest(const std::span<const int> vertices, std::span<const Real> of) const {
        Real most = 0;
        for (int v : vertices) most = std::max(most, of[v]);
        return most;
    }
    Real thickness(const Impact& k) const {
        const PairRule rule = find_pair_rule(m, rules, m.surface.object[k.vertex[0]], m.surface.object[k.vertex[k.on_a]]);
        if (!rule.touches) return -1;
        if (rule.thickness >= 0) return rule.thickness;
        const std::span<const int> all(k.vertex.data(), k.count);
        const auto of = [&](std::span<const int> side) {
            Real most = 0;
            for (int v : side) most = std::max(most, Real(m.surface.thickness[v]));
            return most;
        };
        return of(all.first(k.on_a)) + of(all.subspan(k.on_a));
    }
    // of the boxes of its two sides: no more than that of the pair
    static Real box_distance2(const Impact& k, const CcdPoints& x) {
        Vec3 low[2] = {x[0], x[k.on_a]}, high[2] = {x[0], x[k.on_a]};
        for (int i = 1; i < k.count; ++i) {
            const int side = i >= k.on_a;
            low[side] = low[side].cwiseMin(x[i]), high[side] = high[side].cwiseMax(x[i]);
        }
        return (low[1] - high[0]).cwiseMax(low[0] - high[1]).cwiseMax(0).squaredNorm();
    }
    // false: apart on the whole way
    bool judge(Impact& k) const {
        CcdPoints a, b;
        Vec3 mean = Vec3::Zero();
        for (int i = 0; i < k.count; ++i) {
            a[i] = vec(way.x_t0[k.vertex[i]]), b[i] = vec(way.x_t1[k.vertex[i]]);
            mean += b[i] - a[i];
        }
        mean /= k.count;
        Real reach[2] = {};
        for (int i = 0; i < k.count; ++i) {
            Real& most = reach[i >= k.on_a];
            most = std::max(most, (b[i] - a[i] - mean).squaredNorm());
        }
        const Real approach = std::sqrt(reach[0]) + std::sqrt(reach[1]);
        if (approach == 0) return false;
        const Real far = approach + 4 * (largest_thickness + largest_bend);
        if (box_distance2(k, a) > far * far) return false;
        const Real start = std::sqrt(closest_of(k.kind, a).squared);
        if (!(start > 0)) return false;
        if (start > far) return false;
        const Real thick = thickness(k);
        if (thick < 0) return false;
        const std::span<const int> all(k.vertex.data(), k.count);
        const Real bend = way.bend.empty() ? 0 : largest(all.first(k.on_a), way.bend) + largest(all.subspan(k.on_a), way.bend);
        Real separation = part * thick;
        if (part == 1 && start <= separation) return false; // a contact at the start already
        separation = std::min(separation, kKeep * start) + bend;
        if (part == 1) separation = thick + bend;
        separation = std::min(separation, kAlmost * start);
        if (start - separation > approach) return false;
        k.time = impact_time(k.kind, a, b, separation);
        return k.time <= 1;
    }
    Real largest_thickness = 0, largest_bend = 0;
};

// True if the pairs at hand do for this way; else reaches are such that a new search will do for it, and for ends a little further.
bool keeps_within_reach(const Way& way, std::span<const std::uint8_t> alive, Real bend, Real slack, WayPairs& a) {
    const std::size_t n = way.x_t0.size();
    const bool begun = a.begun && a.reach.size() == n;
    if (!begun) {
        a.reach.assign(n, 0);
        a.drift.setZero(), a.bend = 0;
        std::size_t count = 0;
        for (std::size_t i = 0; i < n; ++i)
            if (alive[i]) a.drift += vec(way.x_t1[i]) - vec(way.x_t0[i]), ++count;
        if (count) a.drift /= Real(count);
        a.begun = true;
    }
    bool within = begun && bend <= a.bend;
    a.bend = std::max(a.bend, bend);
    for (std::size_t i = 0; i < n; ++i) {
        const Real length = alive[i] ? (vec(way.x_t1[i]) - vec(way.x_t0[i]) - a.drift).norm() : 0;
        if (begun && length <= a.reach[i]) continue;
        a.reach[i] = kFarther * length + slack;
        within = false;
    }
    return within;
}

bool search_ahead(const Parallel& parallel, const Model& m, const Way& way, const SurfaceScratch& surface, SurfaceTopology topology,
                  WayPairs& a) {
    a.grown.resize(a.reach.size());
    for (std::size_t i = 0; i < a.grown.size(); ++i) a.grown[i] = a.reach[i] + m.surface.thickness[i];
    topology.thickness = a.grown;
    ++a.searches;
    a.begun = find_candidates(parallel, topology, surface.neighbors, way.x_t0, 2 * a.bend + surface.rule_thickness, a.boxes, a.pairs);
    return a.begun;
}

Real rotation_angle(const Real4& from, const Real4& to) {
    const Quat turn = quat(to) * quat(from).conjugate();
    return 2 * std::atan2(turn.vec().norm(), std::abs(turn.w()));
}

} // namespace

void find_bends(const Model& m, std::span<const Real4> q_t0, std::span<const Real4> q_t1, std::vector<Real>& bend) {
    bend.clear();
    bool any = false;
    for (std::size_t f = 0; f < q_t0.size() && !any; ++f) any = rotation_angle(q_t0[f], q_t1[f]) > 0;
    if (!any) return;
    bend.assign(m.surface.vertices.size(), 0);
    for (std::size_t i = 0; i < bend.size(); ++i) {
        const SurfaceVertex& v = m.surface.vertices[i];
        if (v.kind != SurfaceVertex::frame) continue;
        const Real angle = rotation_angle(q_t0[v.index], q_t1[v.index]);
        bend[i] = angle * angle * vec(v.local).norm() / 8;
    }
}

Real find_way_step(std::span<const Impact> impacts) {
    Real least = 1;
    for (const Impact& k : impacts) least = std::min(least, k.time);
    return least;
}

bool find_impacts(const Parallel& parallel, const Model& m, const State& now, const Way& way, Real part, SurfaceScratch& surface,
                  WayScratch& s) {
    s.impacts.clear();
    SurfaceTopology topology;
    if (!build_surface_topology(m, now.point.alive, surface.options, surface, topology)) return false;
    for (std::size_t i = 0; i < way.x_t0.size(); ++i)
        if (surface.alive[i] && !(vec(way.x_t1[i]) - vec(way.x_t0[i])).allFinite()) return false;
    Judge judge{m, surface.rules, way, part};
    for (Real t : m.surface.thickness) judge.largest_thickness = std::max(judge.largest_thickness, t);
    judge.largest_thickness = std::max(judge.largest_thickness, surface.rule_thickness);
    for (Real b : way.bend) judge.largest_bend = std::max(judge.largest_bend, b);
    if (!keeps_within_reach(way, surface.alive, judge.largest_bend, kReachSlack * judge.largest_thickness, s.ahead) &&
        !search_ahead(parallel, m, way, surface, topology, s.ahead))
        return false;
    const Candidates* found = &s.ahead.pairs;
    const std::array<const std::vector<Pair>*, 4> lists{&found->vertex_triangle, &found->edge_edge, &found->vertex_edge,
                                                        &found->vertex_vertex};
    for (int kind = 0; kind < 4; ++kind) {
        const std::vector<Pair>& list = *lists[kind];
        const int chunks = chunk_count(int(list.size()), kPairGrain);
        if (int(s.chunks.size()) < chunks) s.chunks.resize(chunks);
        parallel_for(parallel, int(list.size()), kPairGrain, [&](int begin, int end) {
            std::vector<Impact>& out = s.chunks[begin / kPairGrain];
            out.clear();
            for (int i = begin; i < end; ++i) {
                Impact k = stencil_of_pair(m, Kind(kind + 1), list[i]);
                if (judge.judge(k)) out.push_back(k);
            }
        });
        for (int c = 0; c < chunks; ++c) s.impacts.insert(s.impacts.end(), s.chunks[c].begin(), s.chunks[c].end());
    }
    return true;
}

bool build_impact_contact(const Model& m, const RuleTable& rules, const Impact& k, const Way& way, SurfaceContact& c) {
    const Judge judge{m, rules, way, 1};
    const Real thickness = judge.thickness(k);
    if (thickness < 0) return false;
    CcdPoints x;
    for (int i = 0; i < k.count; ++i) x[i] = (1 - k.time) * vec(way.x_t0[k.vertex[i]]) + k.time * vec(way.x_t1[k.vertex[i]]);
    const Closest near = closest_of(k.kind, x);
    const Real distance = std::sqrt(near.squared);
    if (!(distance > 0)) return false;
    c = {};
    c.key = std::uint64_t(std::uint32_t(k.pair[0])) << 32 | std::uint32_t(k.pair[1]);
    c.vertex = k.vertex;
    for (int i = 0; i < k.count; ++i) c.weight[i] = i < k.on_a ? near.weight[i] : -near.weight[i];
    const Real sign = k.kind == SafeStep::edge_edge ? -1 : 1; // edge-edge: from a to b
    c.normal = c.normal_frozen = real3(sign / distance * near.difference);
    c.thickness = thickness;
    c.gap = distance - thickness;
    c.friction = find_pair_rule(m, rules, m.surface.object[k.vertex[0]], m.surface.object[k.vertex[k.on_a]]).friction;
    c.count = 1;
    return true;
}

} // namespace sinew
