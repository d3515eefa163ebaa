#include "solver/position_residual.h"
#include <algorithm>
#include <array>
#include <cmath>

namespace sinew {

namespace {

constexpr int kSums = 4; // of link_products
constexpr std::string_view kMethods[] = {"minres", "steepest_descent", "conjugate_gradients", "conjugate_residuals", "power_residuals"};

struct Products {
    Real r_Ad = 0, Ad_Ad = 0, r_d = 0, d_Ad = 0;
};
struct Residual {
    Real squares = 0;  // r.r
    Real softened = 0; // r alpha s^2 r
};

struct Solve {
    const Parallel& parallel;
    const DualOptions& o;
    const Sweep& w;
    int points;
    PackedResiduals& s;
    PositionProblem& p;

    BatchNumbers numbers(const PositionPack& pack, bool first) const {
        BatchNumbers n = batch_numbers(w, false, first, pack);
        n.omega = w.softness == Softness::factor ? w.stiffness : 1;
        n.push = s.push.data(), n.way = s.way.data();
        if (o.frozen) n.start = &o.start->x;
        return n;
    }
    // r and J at the positions, y_r and y_d; multipliers take `step` of the iteration before
    Residual find_residual(bool first, Real step) const {
        Residual out;
        for (std::size_t t = 0; t < p.tables.size(); ++t) {
            PositionPack& pack = p.tables[t].pack;
            BatchNumbers n = numbers(pack, first);
            n.step = step;
            const int tasks = int(pack.plan.task_begin.size()) - 1;
            if (int(s.partial.size()) < 2 * tasks) s.partial.resize(2 * std::size_t(tasks));
            for_each_numbered_task(parallel, pack.plan, [&](int task, int begin, int end) {
                batch_loops(pack).link_residuals(pack.links.data(), s.rows[t].data(), begin, end, n, s.partial.data() + 2 * task);
            });
            for (int k = 0; k < tasks; ++k) out.squares += s.partial[2 * k], out.softened += s.partial[2 * k + 1];
        }
        return out;
    }
    // y_r . W y_r
    Real find_push() const {
        return ordered_sum(parallel, points, kGrain, s.partial, [&](int begin, int end) {
            Real sum = 0;
            for (int i = begin; i < end; ++i) {
                const Real* y = s.push.data() + 6 * std::size_t(i);
                sum += w.to.point_inverse[i] * (y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
            }
            return sum;
        });
    }
    // z = W (y_r + beta y_d); pushes are zero again
    void find_way(Real beta) const {
        parallel_for(parallel, points, kGrain, [&](int begin, int end) {
            for (int i = begin; i < end; ++i) {
                Real *y = s.push.data() + 6 * std::size_t(i), *z = s.way.data() + 3 * std::size_t(i);
                const Real by = w.to.point_inverse[i];
                for (int k = 0; k < 3; ++k) z[k] = by * (y[k] + beta * y[3 + k]);
                std::fill_n(y, 6, 0.0);
            }
        });
    }
    Products find_products(bool first, Real beta) const {
        std::array<Real, kSums> sum{};
        for (std::size_t t = 0; t < p.tables.size(); ++t) {
            const PositionPack& pack = p.tables[t].pack;
            BatchNumbers n = numbers(pack, first);
            n.beta = beta;
            const int chunks = chunk_count(pack.plan.batch_count(), kSumBatches);
            if (int(s.partial.size()) < kSums * chunks) s.partial.resize(kSums * std::size_t(chunks));
            parallel_for(parallel, pack.plan.batch_count(), kSumBatches, [&](int begin, int end) {
                batch_loops(pack).link_products(pack.links.data(), s.rows[t].data(), begin, end, n, s.partial.data() + kSums * (begin / kSumBatches));
            });
            for (int c = 0; c < chunks; ++c)
                for (int k = 0; k < kSums; ++k) sum[k] += s.partial[kSums * std::size_t(c) + k];
        }
        return {sum[0], sum[1], sum[2], sum[3]};
    }
    void move_points(Real step) const {
        parallel_for(parallel, points, kGrain, [&](int begin, int end) {
            const Real by = w.reach * step;
            for (int i = begin; i < end; ++i) {
                const Real* z = s.way.data() + 3 * std::size_t(i);
                w.to.x[i].x += by * z[0], w.to.x[i].y += by * z[1], w.to.x[i].z += by * z[2];
            }
        });
    }
    void finish_multipliers(Real step) const {
        for (std::size_t t = 0; t < p.tables.size(); ++t) {
            PositionPack& pack = p.tables[t].pack;
            BatchNumbers n = numbers(pack, false);
            n.step = step;
            parallel_for(parallel, pack.plan.batch_count(), kSumBatches, [&](int begin, int end) {
                batch_loops(pack).link_finish(pack.links.data(), s.rows[t].data(), begin, end, n);
            });
        }
    }
    Real largest_link_error() const {
        Real worst = 0;
        for (const DualTable& t : p.tables) worst = std::max(worst, largest_error(parallel, w, t.pack, s.partial, true));
        return worst;
    }
};

// of the residual of this iteration; `before`: what it compares with in the next one
Real momentum_of(const Solve& v, int k, const Residual& r, Real& before) {
    const DualOptions& o = v.o;
    if (o.method == "power_residuals") return std::min(1.0, o.momentum_factor * std::pow(Real(k) / o.iterations, o.momentum_power));
    const bool residuals = o.method == "conjugate_residuals";
    if (!residuals && o.method != "conjugate_gradients") return 0;
    const Real now = residuals ? v.w.reach * v.find_push() + r.softened : r.squares, quotient = k > 0 && before > 0 ? now / before : 0;
    before = now;
    return residuals ? std::min(1.0, quotient) : quotient;
}

} // namespace

bool residuals_are_packed(const DualOptions& o, const PositionProblem& p) {
    return std::find(std::begin(kMethods), std::end(kMethods), o.method) != std::end(kMethods) && !o.by_radius && !(o.largest_step > 0) &&
           rows_are_packed_links(o, p);
}

DualResult solve_packed_residuals(const Parallel& parallel, const DualOptions& o, const Sweep& w, int points, const IterationWatch& watch,
                                  PackedResiduals& s, PositionProblem& p) {
    const Solve v{parallel, o, w, points, s, p};
    s.rows.resize(p.tables.size());
    for (std::size_t t = 0; t < p.tables.size(); ++t) s.rows[t].resize(p.tables[t].pack.plan.batch_count());
    s.push.assign(6 * std::size_t(points), 0);
    s.way.resize(3 * std::size_t(points));
    for (DualTable& t : p.tables) // those of the sub-step before
        for (LinkBatch& b : t.pack.links) b.lambda = {};
    const bool follows_residual = o.method == "minres" || o.method.ends_with("residuals");
    DualResult result;
    Real beta = 0, before = 0, step = 0; // step: not in the multipliers yet
    const auto settle = [&] {
        if (step != 0) v.finish_multipliers(step);
        step = 0;
    };
    int k = 0;
    for (; k < o.iterations; ++k) {
        if (watch || o.tolerance > 0) settle();
        if (watch) watch(k, beta);
        if (o.tolerance > 0 && v.largest_link_error() <= o.tolerance) break;
        ++result.iterations;
        const Residual r = v.find_residual(k == 0, step);
        beta = momentum_of(v, k, r, before);
        v.find_way(beta);
        const Products m = v.find_products(k == 0, beta);
        const Real above = follows_residual ? m.r_Ad : m.r_d, below = follows_residual ? m.Ad_Ad : m.d_Ad;
        step = 0;
        if (!(below > 0)) break;
        step = above / below;
        v.move_points(step);
    }
    settle();
    if (watch && k == o.iterations) watch(k, beta);
    result.violation = v.largest_link_error();
    return result;
}

} // namespace sinew
