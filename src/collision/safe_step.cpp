#include "collision/safe_step.h"
#include "collision/ccd.h"
#include "geometry/distance_closest.h"

namespace sinew {

namespace {

constexpr int kPairGrain = 2048;

struct Motion {
    std::span<const Real3> x_t0, x_t1;
    const SurfaceTopology& topology;
};

// the stencil of a pair
int stencil(const SurfaceTopology& s, SafeStep::Kind kind, const Pair& p, std::array<int, 4>& v) {
    switch (kind) {
    case SafeStep::vertex_triangle: {
        const std::array<int, 3>& t = s.triangles[p[1]];
        v = {p[0], t[0], t[1], t[2]};
        return 4;
    }
    case SafeStep::edge_edge: {
        const std::array<int, 2>&a = s.edges[p[0]], &b = s.edges[p[1]];
        v = {a[0], a[1], b[0], b[1]};
        return 4;
    }
    case SafeStep::vertex_edge: {
        const std::array<int, 2>& e = s.edges[p[1]];
        v = {p[0], e[0], e[1], e[1]};
        return 3;
    }
    default:
        v = {p[0], p[1], p[1], p[1]};
        return 2;
    }
}

Real start_distance(SafeStep::Kind kind, const CcdPoints& x) {
    switch (kind) {
    case SafeStep::vertex_triangle:
        return std::sqrt(closest_vertex_triangle(x[0], x[1], x[2], x[3]).squared);
    case SafeStep::edge_edge:
        return std::sqrt(closest_edge_edge(x[0], x[1], x[2], x[3]).squared);
    case SafeStep::vertex_edge:
        return std::sqrt(closest_vertex_edge(x[0], x[1], x[2]).squared);
    default:
        return (x[0] - x[1]).norm();
    }
}

Real find_impact(SafeStep::Kind kind, const CcdPoints& x_t0, const CcdPoints& x_t1, const CcdOptions& o) {
    switch (kind) {
    case SafeStep::vertex_triangle:
        return find_impact_vertex_triangle(x_t0, x_t1, o);
    case SafeStep::edge_edge:
        return find_impact_edge_edge(x_t0, x_t1, o);
    case SafeStep::vertex_edge:
        return find_impact_vertex_edge(x_t0, x_t1, o);
    default:
        return find_impact_vertex_vertex(x_t0, x_t1, o);
    }
}

// one chunk in order; the time found so far only cuts the search short (ccd.h: earlier times do not depend on
// it)
SafeStep search(const Motion& m, const SafeStepOptions& o, SafeStep::Kind kind, std::span<const Pair> pairs) {
    SafeStep best;
    std::array<int, 4> v;
    CcdPoints x_t0, x_t1;
    for (const Pair& p : pairs) {
        const int n = stencil(m.topology, kind, p, v);
        for (int i = 0; i < n; ++i) x_t0[i] = vec(m.x_t0[v[i]]), x_t1[i] = vec(m.x_t1[v[i]]);
        const Real separation =
            o.separation > 0 ? std::min(o.separation, o.keep * start_distance(kind, x_t0)) : 0;
        const Real t = find_impact(kind, x_t0, x_t1, {separation, best.step});
        if (t < best.step) best = {t, kind, p};
    }
    return best;
}

} // namespace

SafeStep find_safe_step(const Parallel& parallel, const SurfaceTopology& topology, const Candidates& c,
                        std::span<const Real3> x_t0, std::span<const Real3> x_t1, const SafeStepOptions& o,
                        SafeStepScratch& scratch) {
    const Motion m{x_t0, x_t1, topology};
    const std::vector<Pair>* lists[] = {&c.vertex_triangle, &c.edge_edge, &c.vertex_edge, &c.vertex_vertex};
    SafeStep best;
    for (int k = 0; k < 4; ++k) {
        const SafeStep::Kind kind = SafeStep::Kind(k + 1);
        const int count = int(lists[k]->size()), chunks = chunk_count(count, kPairGrain);
        if (int(scratch.chunk.size()) < chunks) scratch.chunk.resize(chunks);
        parallel_for(parallel, count, kPairGrain, [&](int begin, int end) {
            scratch.chunk[begin / kPairGrain] =
                search(m, o, kind, std::span(*lists[k]).subspan(begin, end - begin));
        });
        for (int i = 0; i < chunks; ++i)
            if (scratch.chunk[i].step < best.step) best = scratch.chunk[i];
    }
    return best;
}

} // namespace sinew
