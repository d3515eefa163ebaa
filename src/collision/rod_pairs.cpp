#include "collision/rod_pairs.h"
#include "geometry/distance_closest.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

bool is_rod(const Object& o) { return o.alive && o.kind == "rod" && o.edges.count() > 0; }

void add_rod(const Model& m, int k, RodPairScratch& s) {
    const Object& o = m.objects[k];
    const int first = int(s.vertex.size()) - o.surface.begin;
    for (int v = o.surface.begin; v < o.surface.end; ++v) {
        s.vertex.push_back(v);
        s.thickness.push_back(m.surface.thickness[v]);
        s.object.push_back(k);
    }
    Real along = 0;
    for (int e = o.edges.begin; e < o.edges.end; ++e) {
        const auto& ends = m.surface.edges[e];
        const auto rest = [&](int v) { return vec(m.point.rest[m.surface.vertices[v].index]); };
        const Real length = (rest(ends[1]) - rest(ends[0])).norm();
        s.edge.push_back({ends[0] + first, ends[1] + first});
        s.number.push_back(e);
        s.arc.push_back({along, along + length});
        s.longest = std::max(s.longest, length);
        along += length;
    }
    const bool closed = m.surface.edges[o.edges.end - 1][1] == m.surface.edges[o.edges.begin][0];
    s.loop[k] = closed ? along : 0;
}

// rest length of the rod between two of its edges
Real arc_between(const RodPairScratch& s, int object, int i, int j) {
    const auto &a = s.arc[std::min(i, j)], &b = s.arc[std::max(i, j)];
    const Real open = b[0] - a[1], round = s.loop[object] + a[0] - b[1];
    return s.loop[object] > 0 ? std::min(open, round) : open;
}

Real thickness_of(const RodPairScratch& s, int edge) {
    return std::max(s.thickness[s.edge[edge][0]], s.thickness[s.edge[edge][1]]);
}

// thickness 0 = the pair does not count
RodPair measure_pair(const Model& m, const RodPairScratch& s, int i, int j, Real margin) {
    RodPair out;
    const auto &a = s.edge[i], &b = s.edge[j];
    const int object_a = s.object[a[0]], object_b = s.object[b[0]];
    const PairRule rule = find_pair_rule(m, s.rules, object_a, object_b);
    if (!rule.touches) return out;
    const Real thickness = rule.thickness >= 0 ? rule.thickness : thickness_of(s, i) + thickness_of(s, j);
    if (object_a == object_b && arc_between(s, object_a, i, j) < 0.5 * kPi * thickness) return out;
    const Closest near = closest_edge_edge(vec(s.x[a[0]]), vec(s.x[a[1]]), vec(s.x[b[0]]), vec(s.x[b[1]]));
    out.distance = std::sqrt(near.squared);
    if (!(out.distance - thickness < margin)) return out;
    out.thickness = thickness;
    out.vertex = {s.vertex[a[0]], s.vertex[a[1]], s.vertex[b[0]], s.vertex[b[1]]};
    out.edge = {s.number[i], s.number[j]};
    out.rest = {s.arc[i][1] - s.arc[i][0], s.arc[j][1] - s.arc[j][0]};
    return out;
}

SurfaceTopology topology_of(const RodPairScratch& s) {
    SurfaceTopology t;
    t.vertex_count = int(s.vertex.size());
    t.edges = s.edge;
    t.thickness = s.thickness;
    t.object = s.object;
    t.alive = s.alive;
    t.excluded = s.excluded;
    return t;
}

} // namespace

bool rods_meet(const Model& m) {
    int rods = 0;
    for (const Object& o : m.objects) {
        if (!is_rod(o)) continue;
        if (o.self_contact || ++rods > 1) return true;
    }
    return false;
}

bool refresh_rod_pairs(const Model& m, RodPairScratch& s) {
    const bool same = s.topology == m.topology_revision && s.values == m.values_revision && s.owner == m.elements.get();
    if (same) return s.valid;
    s = {};
    s.topology = m.topology_revision, s.values = m.values_revision, s.owner = m.elements.get();
    if (!rods_meet(m)) return false;
    s.loop.assign(m.objects.size(), 0);
    for (int k = 0; k < int(m.objects.size()); ++k) {
        if (!is_rod(m.objects[k])) continue;
        add_rod(m, k, s);
        if (!m.objects[k].self_contact) s.excluded.push_back({k, k});
    }
    build_rule_table(m, s.rules);
    for (const ContactRule& r : m.contact_rules) s.rule_thickness = std::max(s.rule_thickness, Real(r.thickness));
    for (Real t : s.thickness) s.thickest = std::max(s.thickest, 2 * t);
    s.thickest = std::max(s.thickest, s.rule_thickness);
    return s.valid = build_neighbors(topology_of(s), 1, s.neighbors);
}

bool find_rod_pairs(const Parallel& parallel, const Model& m, const PointState& points, Real margin, RodPairScratch& s,
                    std::vector<RodPair>& out) {
    out.clear();
    if (!refresh_rod_pairs(m, s)) return true;
    const int n = int(s.vertex.size());
    s.x.resize(n);
    s.alive.resize(n);
    for (int i = 0; i < n; ++i) {
        const int point = m.surface.vertices[s.vertex[i]].index;
        s.x[i] = points.x[point];
        s.alive[i] = points.alive.empty() || points.alive[point];
    }
    if (!find_candidates(parallel, topology_of(s), s.neighbors, s.x, margin + s.rule_thickness, s.boxes, s.candidates)) return false;
    const auto& pairs = s.candidates.edge_edge;
    s.found.resize(pairs.size());
    parallel_for(parallel, int(pairs.size()), 256, [&](int begin, int end) {
        for (int k = begin; k < end; ++k) s.found[k] = measure_pair(m, s, pairs[k][0], pairs[k][1], margin);
    });
    for (const RodPair& p : s.found)
        if (p.thickness > 0) out.push_back(p);
    return true;
}

} // namespace sinew
