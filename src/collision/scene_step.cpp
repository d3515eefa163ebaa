#include "collision/scene_step.h"
#include "collision/ccd.h"
#include "collision/obstacle_step.h"
#include "geometry/distance_closest.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr int kTurnGrain = 64;
constexpr int kDepth = 40; // halvings of the time: the interval is then shorter than the tolerance of the search

struct Turning {
    const Model& m;
    const SceneMotion& motion;
    const SceneStepScratch& s;
    const SafeStepOptions& options;
};

struct StencilPair {
    SafeStep::Kind kind;
    int count, on_a;               // vertices, those of side a
    std::array<int, 4> vertex;
};

StencilPair stencil_of_pair(const Model& m, SafeStep::Kind kind, const Pair& p) {
    const Surface& s = m.surface;
    switch (kind) {
    case SafeStep::vertex_triangle: return {kind, 4, 1, {p[0], s.triangles[p[1]][0], s.triangles[p[1]][1], s.triangles[p[1]][2]}};
    case SafeStep::edge_edge: return {kind, 4, 2, {s.edges[p[0]][0], s.edges[p[0]][1], s.edges[p[1]][0], s.edges[p[1]][1]}};
    case SafeStep::vertex_edge: return {kind, 3, 1, {p[0], s.edges[p[1]][0], s.edges[p[1]][1], -1}};
    default: return {SafeStep::vertex_vertex, 2, 1, {p[0], p[1], -1, -1}};
    }
}

Real distance_of(const StencilPair& k, const CcdPoints& x) {
    switch (k.kind) {
    case SafeStep::vertex_triangle: return std::sqrt(closest_vertex_triangle(x[0], x[1], x[2], x[3]).squared);
    case SafeStep::edge_edge: return std::sqrt(closest_edge_edge(x[0], x[1], x[2], x[3]).squared);
    case SafeStep::vertex_edge: return std::sqrt(closest_vertex_edge(x[0], x[1], x[2]).squared);
    default: return (x[0] - x[1]).norm();
    }
}

Real impact_of(const StencilPair& k, const CcdPoints& a, const CcdPoints& b, Real separation) {
    const CcdOptions o{separation, 1};
    switch (k.kind) {
    case SafeStep::vertex_triangle: return find_impact_vertex_triangle(a, b, o);
    case SafeStep::edge_edge: return find_impact_edge_edge(a, b, o);
    case SafeStep::vertex_edge: return find_impact_vertex_edge(a, b, o);
    default: return find_impact_vertex_vertex(a, b, o);
    }
}

CcdPoints points_at(const Turning& w, const StencilPair& k, Real t) {
    CcdPoints x;
    for (int i = 0; i < 4; ++i)
        x[i] = i < k.count ? moved_vertex(w.m, w.motion, w.m.surface.vertices[k.vertex[i]], t) : Vec3(Vec3::Zero());
    return x;
}

// largest bend of the two sides together over an interval of this length, with the rounding of the positions
Real bend_of(const Turning& w, const StencilPair& k, Real length) {
    Real bend[2] = {}, rounding[2] = {};
    for (int i = 0; i < k.count; ++i) {
        const int side = i < k.on_a ? 0 : 1;
        bend[side] = std::max(bend[side], w.s.bend[k.vertex[i]]);
        rounding[side] = std::max(rounding[side], w.s.rounding[k.vertex[i]]);
    }
    return (bend[0] + bend[1]) * length * length + rounding[0] + rounding[1];
}

// how far both sides stand out of their triangles
Real inscribed_of(const Turning& w, const StencilPair& k) {
    return w.s.inscribed.by[k.vertex[0]] + w.s.inscribed.by[k.vertex[k.on_a]]; // the same for all vertices of an object
}

// First time in [t0, t1] at which the pair may be within the separation, a lower bound; infinity if never. Intervals are
// searched from the left; one that is not proven free is halved until its bend is small against the gap at its start.
Real search_turning(const Turning& w, const StencilPair& k, Real separation, Real t0, Real t1, Real limit, int depth) {
    if (t0 >= limit) return kNoImpact;
    const CcdPoints a = points_at(w, k, t0), b = points_at(w, k, t1);
    const Real bend = bend_of(w, k, t1 - t0);
    const Real t = impact_of(k, a, b, separation + bend);
    if (t == kNoImpact) return kNoImpact;
    const Real gap = distance_of(k, a) - separation;
    if (depth == 0 || bend <= 0.01 * gap) return t0 + t * (t1 - t0);
    const Real middle = 0.5 * (t0 + t1);
    const Real first = search_turning(w, k, separation, t0, middle, limit, depth - 1);
    return first < kNoImpact ? first : search_turning(w, k, separation, middle, t1, limit, depth - 1);
}

SafeStep search_chunk(const Turning& w, SafeStep::Kind kind, std::span<const Pair> pairs) {
    SafeStep best;
    for (const Pair& p : pairs) {
        const StencilPair k = stencil_of_pair(w.m, kind, p);
        const Real inscribed = inscribed_of(w, k), start = distance_of(k, points_at(w, k, 0)) - inscribed;
        const Real separation = w.options.separation > 0 ? std::min(w.options.separation, w.options.keep * start) : 0;
        const Real t = start > 0 ? search_turning(w, k, separation + inscribed, 0, 1, best.step, kDepth) : 0;
        if (t < best.step) best = {t, kind, p};
    }
    return best;
}

// bend of a vertex over the whole motion
Real find_bend(const SceneMotion& motion, const Dofs& dofs, const SurfaceVertex& v) {
    if (v.kind != SurfaceVertex::frame) return 0;
    const Vec3 turn = Eigen::Map<const Vec3>(motion.direction.data() + dofs.frame_offset(v.index) + 3);
    return turn.squaredNorm() * vec(v.local).norm() / 8;
}

// Bound of the rounding of moved_vertex. Frames: exp_rotation errs by less than 8 u, each of the two rotations of a
// vector by less than 16 u |local|, the sums by 3 u of their parts: below 64 u of all parts together. Points: 2 u.
Real find_rounding(const SceneMotion& motion, const Dofs& dofs, const SurfaceVertex& v, const Real3& x_t0, const Real3& x_t1) {
    if (v.kind != SurfaceVertex::frame)
        return v.kind == SurfaceVertex::embedded ? 16 * kUnitRoundoff * (vec(x_t0).norm() + vec(x_t1).norm()) : 0;
    const Vec3 move = Eigen::Map<const Vec3>(motion.direction.data() + dofs.frame_offset(v.index));
    return 64 * kUnitRoundoff * (vec(motion.now.frame.p[v.index]).norm() + move.norm() + vec(v.local).norm());
}

bool may_touch(const Turning& w, const StencilPair& k) {
    const std::vector<int>& object = w.m.surface.object;
    return find_pair_rule(w.m, w.s.surface.rules, object[k.vertex[0]], object[k.vertex[k.on_a]]).touches;
}

void split(const Turning& w, SafeStep::Kind kind, const std::vector<Pair>& all, std::vector<Pair>& linear, std::vector<Pair>& turning) {
    linear.clear();
    turning.clear();
    for (const Pair& p : all) {
        const StencilPair k = stencil_of_pair(w.m, kind, p);
        if (!may_touch(w, k)) continue;
        Real bend = inscribed_of(w, k);
        for (int i = 0; i < k.count; ++i) bend = std::max(bend, w.s.bend[k.vertex[i]]);
        (bend > 0 ? turning : linear).push_back(p);
    }
}

} // namespace

Vec3 moved_vertex(const Model& m, const SceneMotion& motion, const SurfaceVertex& v, Real t) {
    const Dofs dofs = dofs_of(m);
    const auto d = [&](int offset) { return Vec3(Eigen::Map<const Vec3>(motion.direction.data() + offset)); };
    const State& s = motion.now;
    switch (v.kind) {
    case SurfaceVertex::point: return vec(s.point.x[v.index]) + t * d(dofs.point_offset(v.index));
    case SurfaceVertex::frame: {
        const int at = dofs.frame_offset(v.index);
        return vec(s.frame.p[v.index]) + t * d(at) + exp_rotation(t * d(at + 3)) * (quat(s.frame.q[v.index]) * vec(v.local));
    }
    case SurfaceVertex::animated: {
        const Vec3 x = vec(s.animated.x[v.index]);
        return motion.animated.empty() ? x : Vec3(x + t * (vec(motion.animated[v.index]) - x));
    }
    case SurfaceVertex::embedded: break;
    }
    const Embedding& e = m.surface.embeddings[v.index];
    Vec3 x = Vec3::Zero();
    for (int k = 0; k < 4; ++k)
        if (e.point[k] >= 0) x += e.weight[k] * (vec(s.point.x[e.point[k]]) + t * d(dofs.point_offset(e.point[k])));
    return x;
}

bool find_scene_step(const Parallel& parallel, const Model& m, const SceneMotion& motion, const SafeStepOptions& options,
                     bool everything, SceneStepScratch& s, SafeStep& out) {
    out = {};
    out.step = 0;
    const Dofs dofs = dofs_of(m);
    const std::size_t n = m.surface.vertices.size();
    if (int(motion.direction.size()) != dofs.size()) return false;
    update_inscribed(m, s.inscribed);
    s.x_t0.resize(n), s.x_t1.resize(n), s.bend.resize(n), s.rounding.resize(n), s.grow.resize(n);
    parallel_for(parallel, int(n), kGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            const SurfaceVertex& v = m.surface.vertices[i];
            s.x_t0[i] = real3(moved_vertex(m, motion, v, 0));
            s.x_t1[i] = real3(moved_vertex(m, motion, v, 1));
            s.bend[i] = find_bend(motion, dofs, v);
            s.rounding[i] = find_rounding(motion, dofs, v, s.x_t0[i], s.x_t1[i]);
            s.grow[i] = s.bend[i] + s.rounding[i] + s.inscribed.by[i];
        }
    });
    SurfaceTopology topology;
    const SurfaceOptions surface{.everything = everything, .obstacles = true};
    if (!build_surface_topology(m, motion.now.point.alive, surface, s.surface, topology)) return false;
    Candidates& all = s.surface.candidates;
    topology.thickness = s.grow; // each box by its own bend: one spinning body must not make all boxes large
    if (!find_candidates(parallel, topology, s.surface.neighbors, s.x_t0, s.x_t1, options.separation, s.surface.boxes, all))
        return false;

    const Turning turning{m, motion, s, options};
    split(turning, SafeStep::vertex_triangle, all.vertex_triangle, s.linear.vertex_triangle, s.turning.vertex_triangle);
    split(turning, SafeStep::edge_edge, all.edge_edge, s.linear.edge_edge, s.turning.edge_edge);
    split(turning, SafeStep::vertex_edge, all.vertex_edge, s.linear.vertex_edge, s.turning.vertex_edge);
    split(turning, SafeStep::vertex_vertex, all.vertex_vertex, s.linear.vertex_vertex, s.turning.vertex_vertex);
    out = find_safe_step(parallel, topology, s.linear, s.x_t0, s.x_t1, options, s.step);

    const std::vector<Pair>* lists[] = {&s.turning.vertex_triangle, &s.turning.edge_edge, &s.turning.vertex_edge,
                                        &s.turning.vertex_vertex};
    for (int k = 0; k < 4; ++k) {
        const int count = int(lists[k]->size()), chunks = chunk_count(count, kTurnGrain);
        if (int(s.chunk.size()) < chunks) s.chunk.resize(chunks);
        parallel_for(parallel, count, kTurnGrain, [&](int begin, int end) {
            s.chunk[begin / kTurnGrain] =
                search_chunk(turning, SafeStep::Kind(k + 1), std::span(*lists[k]).subspan(begin, end - begin));
        });
        for (int i = 0; i < chunks; ++i)
            if (s.chunk[i].step < out.step) out = s.chunk[i];
    }
    limit_by_obstacles(parallel, m, motion, options, s, out);
    return true;
}

} // namespace sinew
