// Sequential impulses (spec P 3.18, U 3.8.5) and their block form.
//   row    p' = p - omega r / (A_kk + softness), kept in its set; friction before the normal row, so that the sweep ends
//          with what keeps bodies apart
//   block  p' = the solution of the group's own problem with all others held
// The tangential pair is solved as a 2 x 2 system and clamped by the current normal impulse. With cone friction and the
// correction of De Saxce this has the same fixed points as the cone, Coulomb's law itself; without it the impulse is
// projected on the cone, and sliding contacts lift.
#include "solver/velocity_solve.h"
#include "core/assert.h"
#include "linalg/dense_solve.h"
#include "sinew/solver.h"
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace sinew {

void add_trace(const SolveOptions& o, const IslandView& island, const RowProblem& q, int iteration, Real momentum) {
    if (!o.trace) return;
    TraceEntry& e = o.trace->iterations.emplace_back(TraceEntry{iteration, 0, natural_residual(o.sets, island.groups, q), 1});
    e.momentum = momentum;
    Real squares = 0;
    for (int i : island.groups) {
        const RowGroup& g = q.groups[i];
        if (g.set == RowSet::box) continue;
        const bool one_sided = g.set == RowSet::contact || g.set == RowSet::lower;
        for (int k = 0; k < (g.set == RowSet::contact ? 1 : g.rows); ++k) {
            const Real r = row_residual(q, g, k), left = one_sided ? std::max(0.0, -r) : std::abs(r), rate = row_rate(q, g, k);
            e.residual_sum += left;
            squares += left * left;
            if (!one_sided || q.impulse[g.row + k] > 0 || left > 0) e.rate_sum += std::abs(rate);
        }
    }
    e.residual_norm = std::sqrt(squares);
}

namespace {

void set_impulse(RowProblem& q, const RowGroup& g, int k, Real p) {
    const Real dp = p - q.impulse[g.row + k];
    if (dp == 0) return;
    q.impulse[g.row + k] = p;
    add_impulse(q, g, k, dp);
}

void set_impulses(RowProblem& q, const RowGroup& g, int from, int to, const Real* p) {
    for (int k = from; k < to; ++k) set_impulse(q, g, k, p[k]);
}

// new value of one row if nothing bounds it
Real step_row(const SolveOptions& o, const RowProblem& q, const RowGroup& g, int k) {
    const Real d = q.block[g.block + k * g.rows + k] + q.softness[g.row + k];
    return d > 0 ? q.impulse[g.row + k] - o.relaxation * row_residual(q, g, k) / d : q.impulse[g.row + k];
}

// the two rows from `k` together, for a disc of that radius: sticking by the 2 x 2 system if inside, otherwise a gradient
// step with one scale for both. Clamping the solution of the 2 x 2 system instead would end where the impulse opposes
// A^-1 u_t, not the slip u_t itself: a flat box would slide to a stop 15 % too far.
void step_pair(const SolveOptions& o, const RowProblem& q, const RowGroup& g, int k, Real radius, Real* p) {
    const Real* a = q.block.data() + g.block;
    const Real a00 = a[k * g.rows + k] + q.softness[g.row + k], a01 = a[k * g.rows + k + 1],
               a11 = a[(k + 1) * g.rows + k + 1] + q.softness[g.row + k + 1];
    const Real r0 = row_residual(q, g, k), r1 = row_residual(q, g, k + 1), det = a00 * a11 - a01 * a01;
    if (!(det > 1e-14 * a00 * a11)) { // one direction is not free to move: row by row
        if (a00 > 0) p[k] -= o.relaxation * r0 / a00;
        if (a11 > 0 && !(a00 > 0)) p[k + 1] -= o.relaxation * r1 / a11;
        return;
    }
    const Real x = p[k] - o.relaxation * (a11 * r0 - a01 * r1) / det, y = p[k + 1] - o.relaxation * (a00 * r1 - a01 * r0) / det;
    if (std::hypot(x, y) <= radius) {
        p[k] = x, p[k + 1] = y;
        return;
    }
    const Real d = 0.5 * (a00 + a11) + std::hypot(0.5 * (a00 - a11), a01); // the larger eigenvalue
    p[k] -= o.relaxation * r0 / d;
    p[k + 1] -= o.relaxation * r1 / d;
}

// The two rows from `k` as one, along the slip (spec U142): the accumulated vector takes p_t' = p_t - u_t/d(tau). Half the
// work of two rows, and the same fixed points: u_t = 0, or p_t on the rim against u_t.
void step_slip(const SolveOptions& o, const RowProblem& q, const RowGroup& g, int k, Real* p) {
    const Real* a = q.block.data() + g.block;
    const Real r0 = row_residual(q, g, k), r1 = row_residual(q, g, k + 1), slip = std::hypot(r0, r1);
    if (!(slip > 0)) return;
    const Real x = r0 / slip, y = r1 / slip;
    const Real d = x * x * (a[k * g.rows + k] + q.softness[g.row + k]) + 2 * x * y * a[k * g.rows + k + 1] +
                   y * y * (a[(k + 1) * g.rows + k + 1] + q.softness[g.row + k + 1]);
    if (!(d > 0)) return;
    p[k] -= o.relaxation * r0 / d;
    p[k + 1] -= o.relaxation * r1 / d;
}

// radius of a disc inside the set of friction
Real inside(const SetOptions& o, Real radius) {
    return o.friction == Friction::polyhedral ? radius * std::cos(kPi / o.facets) : radius;
}

bool is_plain_cone(const SolveOptions& o) { return o.sets.friction == Friction::cone && !o.sets.de_saxce; }

// impulse of the whole group by one projected gradient step
void step_cone(const SolveOptions& o, const RowGroup& g, RowProblem& q) {
    std::array<Real, 6> p;
    Real d = 0;
    for (int k = 0; k < g.rows; ++k) d = std::max(d, q.block[g.block + k * g.rows + k] + q.softness[g.row + k]);
    if (!(d > 0)) return;
    for (int k = 0; k < g.rows; ++k) p[k] = q.impulse[g.row + k] - o.relaxation * row_residual(q, g, k) / d;
    project_impulse(o.sets, g, p.data());
    set_impulses(q, g, 0, g.rows, p.data());
}

void sweep_contact(const SolveOptions& o, const RowGroup& g, RowProblem& q) {
    if (is_plain_cone(o) && g.rows >= 3 && g.friction > 0) return step_cone(o, g, q);
    std::array<Real, 6> p;
    std::copy_n(q.impulse.data() + g.row, g.rows, p.data());
    if (g.rows >= 3) {
        if (o.single_tangent) step_slip(o, q, g, 1, p.data());
        else step_pair(o, q, g, 1, inside(o.sets, g.friction * p[0]), p.data());
        if (g.rows == 6) {
            p[3] = step_row(o, q, g, 3);
            step_pair(o, q, g, 4, g.rolling * p[0], p.data());
        }
        clamp_friction(o.sets, g, p.data());
        set_impulses(q, g, 1, g.rows, p.data());
    }
    set_impulse(q, g, 0, std::max(0.0, step_row(o, q, g, 0)));
}

void sweep_rows(const SolveOptions& o, const RowGroup& g, RowProblem& q) {
    for (int k = 0; k < g.rows; ++k) {
        Real p = step_row(o, q, g, k);
        if (g.set == RowSet::lower) p = std::max(0.0, p);
        if (g.set == RowSet::box) p = std::clamp(p, -g.limit, g.limit);
        set_impulse(q, g, k, p);
    }
}

// all rows of a group that nothing bounds; redundant rows share what they carry
void solve_free(const RowGroup& g, RowProblem& q) {
    SINEW_ASSERT(g.rows <= 6); // a weld's
    SmallBlock a(g.rows, g.rows), r(g.rows, 1);
    Real d = 0;
    for (int k = 0; k < g.rows; ++k) {
        r(k, 0) = row_residual(q, g, k);
        for (int l = 0; l < g.rows; ++l) a(k, l) = q.block[g.block + k * g.rows + l];
        a(k, k) += q.softness[g.row + k];
        d = std::max(d, a(k, k));
    }
    if (!(d > 0)) return;
    a.diagonal().array() += 1e-12 * d;
    solve_symmetric(a, r);
    for (int k = 0; k < g.rows; ++k) set_impulse(q, g, k, q.impulse[g.row + k] - r(k, 0));
}

// sticking, if admissible, in one solve; otherwise sweeps over the rows of the contact. Links of one tree may
// have no way to move against each other in some direction (the hand of a straight arm along the arm, against
// the chest): the block is then singular, its inverse nothing but rounding, and only sweeps find what the
// other directions need.
void solve_contact(const SolveOptions& o, const RowGroup& g, RowProblem& q) {
    constexpr int kLocalSweeps = 8;
    constexpr Real kSingular = 1e-10; // of Hadamard's bound; blocks are known to some 1e-14 of it
    if (g.rows == 3 && g.friction > 0 && !is_plain_cone(o)) {
        Mat3 a;
        Vec3 r;
        for (int k = 0; k < 3; ++k) {
            r[k] = row_residual(q, g, k);
            for (int l = 0; l < 3; ++l) a(k, l) = q.block[g.block + 3 * k + l];
            a(k, k) += q.softness[g.row + k];
        }
        if (a.determinant() > kSingular * a(0, 0) * a(1, 1) * a(2, 2)) {
            const Vec3 stick = Eigen::Map<const Vec3>(q.impulse.data() + g.row) - a.inverse() * r;
            Vec3 kept = stick;
            kept[0] = std::max(0.0, kept[0]);
            clamp_friction(o.sets, g, kept.data());
            if (stick.allFinite() && kept == stick) return set_impulses(q, g, 0, 3, stick.data());
        }
    }
    for (int k = 0; k < kLocalSweeps; ++k) sweep_contact(o, g, q);
}

template <class Sweep> SolveResult iterate(const SolveOptions& o, const IslandView& island, RowProblem& q, Sweep&& sweep) {
    SolveResult out;
    add_trace(o, island, q, 0);
    for (int i : island.groups) q.correction[q.groups[i].row] = 0;
    const int check = 4; // the residual costs a sweep
    while (out.iterations < o.iterations) {
        for (int i : island.groups) sweep(q.groups[i]);
        ++out.iterations;
        add_trace(o, island, q, out.iterations);
        if (out.iterations % check == 0 && natural_residual(o.sets, island.groups, q) <= o.tolerance) break;
    }
    set_correction(o.sets, island.groups, q);
    out.residual = natural_residual(o.sets, island.groups, q);
    return out;
}

} // namespace

SolveResult solve_sequential(const SolveOptions& o, const IslandView& island, RowProblem& q) {
    return iterate(o, island, q, [&](const RowGroup& g) {
        if (g.set == RowSet::contact) sweep_contact(o, g, q);
        else sweep_rows(o, g, q);
    });
}

SolveResult solve_block(const SolveOptions& o, const IslandView& island, RowProblem& q) {
    return iterate(o, island, q, [&](const RowGroup& g) {
        if (g.set == RowSet::contact) solve_contact(o, g, q);
        else if (g.set == RowSet::free) solve_free(g, q);
        else sweep_rows(o, g, q);
    });
}

} // namespace sinew
