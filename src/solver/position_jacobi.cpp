#include "solver/position_jacobi.h"
#include "solver/accelerated_gradient.h"
#include <algorithm>
#include <array>
#include <cmath>

namespace sinew {

namespace {

BatchNumbers jacobi_numbers(const DualOptions& o, const Sweep& w, const PositionPack& p, bool first) {
    BatchNumbers n = batch_numbers(w, false, first, p);
    n.omega = w.softness == Softness::factor ? o.relaxation * w.stiffness : o.relaxation;
    return n;
}

// r.dl of the iteration before, and r.D^-1 r
std::array<Real, 2> slope_and_size(const Parallel& parallel, const DualOptions& o, const Sweep& w, const PositionProblem& p, PackedJacobi& s) {
    std::array<Real, 2> sum{};
    for (std::size_t t = 0; t < p.tables.size(); ++t) {
        const PositionPack& pack = p.tables[t].pack;
        const BatchNumbers n = jacobi_numbers(o, w, pack, false);
        const int count = pack.plan.batch_count(), chunks = chunk_count(count, kSumBatches);
        s.partial.resize(std::max<std::size_t>(s.partial.size(), 2 * std::size_t(chunks)));
        parallel_for(parallel, count, kSumBatches, [&](int begin, int end) {
            batch_loops(pack).link_slope(pack.links.data(), s.change[t].data(), begin, end, n, s.partial.data() + 2 * (begin / kSumBatches));
        });
        for (int c = 0; c < chunks; ++c) sum[0] += s.partial[2 * c], sum[1] += s.partial[2 * c + 1];
    }
    return sum;
}

void move_points(const Parallel& parallel, const Sweep& w, int points, std::vector<Real>& push) {
    parallel_for(parallel, points, kGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            const Real by = w.reach * w.to.point_inverse[i];
            Real* f = push.data() + 3 * std::size_t(i);
            w.to.x[i].x += by * f[0], w.to.x[i].y += by * f[1], w.to.x[i].z += by * f[2];
            f[0] = f[1] = f[2] = 0;
        }
    });
}

Real largest_link_error(const Parallel& parallel, const Sweep& w, const PositionProblem& p, std::vector<Real>& scratch) {
    Real worst = 0;
    for (const DualTable& t : p.tables) worst = std::max(worst, largest_error(parallel, w, t.pack, scratch, true));
    return worst;
}

// of the start, where they stay
void find_directions(const Parallel& parallel, const DualOptions& o, const PositionProblem& p, PackedJacobi& s) {
    s.directions.resize(o.frozen ? p.tables.size() : 0);
    for (std::size_t t = 0; t < s.directions.size(); ++t) {
        const PositionPack& pack = p.tables[t].pack;
        s.directions[t].resize(kLanes * std::size_t(pack.plan.batch_count()));
        parallel_for(parallel, pack.plan.batch_count(), kSumBatches, [&](int begin, int end) {
            batch_loops(pack).link_directions(pack.links.data(), s.directions[t].data(), begin, end, &o.start->x);
        });
    }
}
const Lane4* directions_of(const PackedJacobi& s, std::size_t table) { return s.directions.empty() ? nullptr : s.directions[table].data(); }

} // namespace

bool rows_are_packed_links(const DualOptions& o, const PositionProblem& p) {
    return (!o.frozen || o.start) && !o.go_on && o.damping_time == 0 && p.whole.empty() &&
           std::all_of(p.tables.begin(), p.tables.end(),
                       [](const DualTable& t) { return t.packed && t.pack.kind == PackKind::link && !t.pack.damped(); });
}
bool jacobi_is_packed(const DualOptions& o, const PositionProblem& p) {
    return o.method.ends_with("jacobi") && !o.incidence && !o.by_radius && rows_are_packed_links(o, p);
}

DualResult solve_packed_jacobi(const Parallel& parallel, const DualOptions& o, const Sweep& w, int points, const IterationWatch& watch,
                               PackedJacobi& s, PositionProblem& p) {
    s.change.resize(p.tables.size());
    for (std::size_t t = 0; t < p.tables.size(); ++t) s.change[t].resize(p.tables[t].pack.plan.batch_count());
    s.push.assign(3 * std::size_t(points), 0);
    find_directions(parallel, o, p, s);
    Nesterov nesterov;
    MomentumRestart restart;
    DualResult result;
    Real beta = 0;
    for (DualTable& t : p.tables) // those of the sub-step before
        for (LinkBatch& b : t.pack.links) b.lambda = {};
    for (int k = 0; k < o.iterations; ++k) {
        if (watch) watch(k, beta);
        if (o.tolerance > 0 && largest_link_error(parallel, w, p, s.partial) <= o.tolerance) break;
        ++result.iterations;
        if (o.method == "improved_jacobi") {
            beta = std::min(1.0, o.momentum_factor * std::pow(Real(k) / o.iterations, o.momentum_power));
        } else if (o.method == "accelerated_jacobi") {
            if (k > 0) {
                const auto [slope, size] = slope_and_size(parallel, o, w, p, s);
                restart.look(slope, size, nesterov);
            }
            beta = nesterov.next();
        }
        for (std::size_t t = 0; t < p.tables.size(); ++t) {
            PositionPack& pack = p.tables[t].pack;
            BatchNumbers n = jacobi_numbers(o, w, pack, k == 0);
            n.beta = beta, n.push = s.push.data(), n.directions = directions_of(s, t);
            for_each_task(parallel, pack.plan, [&](int begin, int end) {
                batch_loops(pack).relax_links(pack.links.data(), s.change[t].data(), begin, end, n);
            });
        }
        move_points(parallel, w, points, s.push);
    }
    if (watch && result.iterations == o.iterations) watch(o.iterations, beta);
    result.violation = largest_link_error(parallel, w, p, s.partial);
    return result;
}

DualResult solve_packed_sweeps(const Parallel& parallel, const DualOptions& o, const Sweep& w, const IterationWatch& watch, PackedJacobi& s,
                               PositionProblem& p) {
    find_directions(parallel, o, p, s);
    DualResult result;
    Sweep sweep = w;
    sweep.relaxation = o.relaxation;
    for (int k = 0; k < o.iterations; ++k) {
        if (watch) watch(k, 0);
        if (k > 0 && o.tolerance > 0 && largest_link_error(parallel, w, p, s.partial) <= o.tolerance) break;
        ++result.iterations;
        for (std::size_t t = 0; t < p.tables.size(); ++t)
            project_pack(parallel, sweep, false, k == 0, p.tables[t].pack, directions_of(s, t));
    }
    if (watch && result.iterations == o.iterations) watch(o.iterations, 0);
    result.violation = largest_link_error(parallel, w, p, s.partial);
    return result;
}

} // namespace sinew
