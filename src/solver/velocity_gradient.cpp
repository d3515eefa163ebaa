// Gradient methods for the dual problem of one island (spec U 3.6, 3.8.3):
//   min over p in K of  1/2 p^T A p + b^T p,   A = J W J^T + softness,  b = J u_free + drive + bias
// in z = p / scale with one scale per group, 1/sqrt of its largest diagonal: cones stay cones, and A is better conditioned.
// The correction of De Saxce depends on the solution: it is set anew at every restart (a fixed point iteration).
#include "solver/accelerated_gradient.h"
#include "solver/velocity_scratch.h"
#include <algorithm>
#include <cmath>

namespace sinew {

void SolveScratchDelete::operator()(SolveScratch* s) const { delete s; }
SolveScratchPtr make_solve_scratch() { return SolveScratchPtr(new SolveScratch); }
void share_room(std::span<const SolveScratchPtr> all) {
    const auto share = [](auto& a, auto& b) { a.reserve(std::max(a.capacity(), b.capacity())); };
    const auto share_all = [&](SolveScratch& a, SolveScratch& b) {
        for (auto x : {&SolveScratch::scale, &SolveScratch::z, &SolveScratch::y, &SolveScratch::z_old, &SolveScratch::gradient,
                       &SolveScratch::gradient_old, &SolveScratch::trial, &SolveScratch::u, &SolveScratch::u_free, &SolveScratch::du,
                       &SolveScratch::right, &SolveScratch::weight, &SolveScratch::p, &SolveScratch::p_hat, &SolveScratch::p_best,
                       &SolveScratch::rho, &SolveScratch::mass, &SolveScratch::dp})
            share(a.*x, b.*x);
        for (auto x : {&SolveScratch::row, &SolveScratch::count, &SolveScratch::place, &SolveScratch::offset, &SolveScratch::begin,
                       &SolveScratch::neighbor, &SolveScratch::order, &SolveScratch::first})
            share(a.*x, b.*x);
        for (auto x : {&SolveScratch::v, &SolveScratch::w}) share(a.*x, b.*x);
        share(a.matrix.first, b.matrix.first);
        share(a.matrix.begin, b.matrix.begin);
        share(a.matrix.value, b.matrix.value);
    };
    for (std::size_t k = 1; k < all.size(); ++k) share_all(*all[0], *all[k]);
    for (std::size_t k = 1; k < all.size(); ++k) share_all(*all[k], *all[0]);
}

namespace {

struct Dual {
    const SolveOptions& o;
    const IslandView& island;
    SolveScratch& s;
    RowProblem& q;
    int rows = 0;
};

void add_all_impulses(const IslandView& island, Real sign, RowProblem& q) {
    for (int i : island.groups) {
        const RowGroup& g = q.groups[i];
        for (int k = 0; k < g.rows; ++k)
            if (q.impulse[g.row + k] != 0) add_impulse(q, g, k, sign * q.impulse[g.row + k]);
    }
}

// velocities without impulses, scales, z of the impulses at hand
void begin(Dual& d) {
    SolveScratch& s = d.s;
    add_all_impulses(d.island, -1, d.q);
    s.v.resize(d.island.bodies.size());
    s.w.resize(d.island.bodies.size());
    for (std::size_t k = 0; k < d.island.bodies.size(); ++k)
        s.v[k] = d.q.v[d.island.bodies[k]], s.w[k] = d.q.w[d.island.bodies[k]];
    s.row.clear();
    for (int i : d.island.groups) {
        s.row.push_back(d.rows);
        d.rows += d.q.groups[i].rows;
    }
    for (auto* a : {&s.scale, &s.z, &s.y, &s.z_old, &s.gradient, &s.gradient_old, &s.trial}) a->assign(d.rows, 0.0);
    for (std::size_t n = 0; n < d.island.groups.size(); ++n) {
        const RowGroup& g = d.q.groups[d.island.groups[n]];
        Real top = 0;
        for (int k = 0; k < g.rows; ++k) top = std::max(top, d.q.block[g.block + k * g.rows + k] + d.q.softness[g.row + k]);
        for (int k = 0; k < g.rows; ++k) {
            s.scale[s.row[n] + k] = top > 0 ? 1 / std::sqrt(top) : 0;
            if (top > 0) s.z[s.row[n] + k] = d.q.impulse[g.row + k] * std::sqrt(top);
        }
    }
}

// impulses and velocities of z
void place(const Dual& d, const std::vector<Real>& z) {
    for (std::size_t k = 0; k < d.island.bodies.size(); ++k)
        d.q.v[d.island.bodies[k]] = d.s.v[k], d.q.w[d.island.bodies[k]] = d.s.w[k];
    for (std::size_t n = 0; n < d.island.groups.size(); ++n) {
        const RowGroup& g = d.q.groups[d.island.groups[n]];
        for (int k = 0; k < g.rows; ++k) d.q.impulse[g.row + k] = z[d.s.row[n] + k] * d.s.scale[d.s.row[n] + k];
    }
    add_all_impulses(d.island, 1, d.q);
}

// gradient at z, whose velocities are in place
void gradient_here(const Dual& d, std::vector<Real>& out) {
    for (std::size_t n = 0; n < d.island.groups.size(); ++n) {
        const RowGroup& g = d.q.groups[d.island.groups[n]];
        for (int k = 0; k < g.rows; ++k) out[d.s.row[n] + k] = d.s.scale[d.s.row[n] + k] * row_residual(d.q, g, k);
    }
}

void project(const Dual& d, std::vector<Real>& z) {
    for (std::size_t n = 0; n < d.island.groups.size(); ++n) {
        RowGroup g = d.q.groups[d.island.groups[n]];
        const Real scale = d.s.scale[d.s.row[n]];
        if (scale > 0) g.limit /= scale;
        project_impulse(d.o.sets, g, z.data() + d.s.row[n]);
    }
}

SolveResult finish(const Dual& d, int iterations) {
    set_correction(d.o.sets, d.island.groups, d.q);
    return {iterations, natural_residual(d.o.sets, d.island.groups, d.q)};
}

// (a - b) . A (a - b) from the gradients at a and b: A is linear
Real curvature(const std::vector<Real>& a, const std::vector<Real>& b, const std::vector<Real>& ga, const std::vector<Real>& gb,
               Real& square) {
    Real sum = 0;
    square = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += (a[i] - b[i]) * (ga[i] - gb[i]);
        square += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sum;
}

} // namespace

SolveResult solve_jacobi(const SolveOptions& o, const IslandView& island, SolveScratch& s, RowProblem& q) {
    Dual d{o, island, s, q};
    // each body is split among its groups (mass splitting): then the step of a group cannot overshoot
    s.count.assign(q.body_count(), 0);
    for (int i : island.groups)
        for (int k = 0; k < q.groups[i].sides; ++k) ++s.count[q.body[q.groups[i].side + k]];
    begin(d);
    for (std::size_t n = 0; n < island.groups.size(); ++n) { // weight of a group: share of the step
        const RowGroup& g = q.groups[island.groups[n]];
        int most = 1;
        for (int k = 0; k < g.sides; ++k) most = std::max(most, s.count[q.body[g.side + k]]);
        const Real parts = o.split_masses ? Real(most * std::max(1, g.rows - 1)) : 1;
        for (int k = 0; k < g.rows; ++k) s.gradient_old[s.row[n] + k] = o.relaxation / parts;
    }
    place(d, s.z);
    add_trace(o, island, q, 0);
    int iteration = 0;
    while (iteration < o.iterations) {
        set_correction(o.sets, island.groups, q);
        gradient_here(d, s.gradient);
        // a part of the last change again: improved Jacobi (spec U080, with the sign that converges)
        const Real beta = std::min(1.0, o.momentum_factor * std::pow(Real(iteration) / o.iterations, o.momentum_power));
        if (o.momentum_factor > 0) {
            s.y = s.z;
            for (int i = 0; i < d.rows; ++i) s.z[i] += (iteration > 0 ? beta * (s.z[i] - s.z_old[i]) : 0);
            s.z_old = s.y;
        }
        for (int i = 0; i < d.rows; ++i) s.z[i] -= s.gradient_old[i] * s.gradient[i];
        project(d, s.z);
        place(d, s.z);
        ++iteration;
        add_trace(o, island, q, iteration, beta);
        if (iteration % 8 == 0 && natural_residual(o.sets, island.groups, q) <= o.tolerance) break;
    }
    return finish(d, iteration);
}

SolveResult solve_apgd(const SolveOptions& o, const IslandView& island, SolveScratch& s, RowProblem& q) {
    Dual d{o, island, s, q};
    begin(d);
    project(d, s.z);
    s.y = s.z;
    place(d, s.y);
    set_correction(o.sets, island.groups, q);
    add_trace(o, island, q, 0);
    struct Sets {
        const Dual& d;
        void project(std::vector<Real>& z) const { sinew::project(d, z); }
        Real curvature(const std::vector<Real>& trial, const std::vector<Real>& y, Real& square) const {
            place(d, trial);
            gradient_here(d, d.s.gradient_old);
            return sinew::curvature(trial, y, d.s.gradient_old, d.s.gradient, square);
        }
        Real slope(const std::vector<Real>& gradient, const std::vector<Real>& trial, const std::vector<Real>& z) const {
            Real sum = 0;
            for (std::size_t i = 0; i < z.size(); ++i) sum += gradient[i] * (trial[i] - z[i]);
            return sum;
        }
    };
    AcceleratedGradient method;
    int iteration = 0, since = 0;
    gradient_here(d, s.gradient);
    while (iteration < o.iterations) {
        const bool uphill = method.advance(Sets{d}, s.gradient, s.z, s.y, s.trial);
        ++iteration;
        if (++since >= 10 || uphill) {
            place(d, s.z);
            set_correction(o.sets, island.groups, q);
            since = 0;
            if (natural_residual(o.sets, island.groups, q) <= o.tolerance) break;
        }
        if (o.trace) place(d, s.z), add_trace(o, island, q, iteration);
        place(d, s.y);
        gradient_here(d, s.gradient);
    }
    place(d, s.z);
    return finish(d, iteration);
}

SolveResult solve_bb(const SolveOptions& o, const IslandView& island, SolveScratch& s, RowProblem& q) {
    Dual d{o, island, s, q};
    begin(d);
    project(d, s.z);
    place(d, s.z);
    set_correction(o.sets, island.groups, q);
    add_trace(o, island, q, 0);
    gradient_here(d, s.gradient);
    constexpr int kPatience = 40; // spectral steps are not monotone and may cycle: without progress accelerated ones go on
    Real step = 1;
    int iteration = 0, stalled = 0;
    Real best = natural_residual(o.sets, island.groups, q);
    s.y = s.z; // the best so far
    while (iteration < o.iterations && best > o.tolerance) {
        s.z_old = s.z;
        s.gradient_old = s.gradient;
        for (int i = 0; i < d.rows; ++i) s.z[i] -= step * s.gradient[i];
        project(d, s.z);
        place(d, s.z);
        if (iteration % 10 == 9) set_correction(o.sets, island.groups, q);
        gradient_here(d, s.gradient);
        Real square;
        const Real curve = curvature(s.z, s.z_old, s.gradient, s.gradient_old, square);
        Real change = 0;
        for (int i = 0; i < d.rows; ++i) change += std::pow(s.gradient[i] - s.gradient_old[i], 2);
        // the two steps in turn
        if (curve > 0) step = std::clamp(iteration % 2 ? curve / change : square / curve, 1e-3, 1e3);
        ++iteration;
        const Real residual = natural_residual(o.sets, island.groups, q);
        if (residual < best) best = residual, s.y = s.z, stalled = 0;
        else if (++stalled >= kPatience) break;
        add_trace(o, island, q, iteration);
    }
    place(d, s.y);
    const SolveResult found = finish(d, iteration); // with the correction of De Saxce as it is there
    if (found.residual <= o.tolerance || iteration >= o.iterations) return found;
    SolveOptions rest = o;
    rest.iterations -= iteration;
    SolveResult out = solve_apgd(rest, island, s, q);
    out.iterations += iteration;
    return out;
}

} // namespace sinew
