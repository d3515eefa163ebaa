#include "solver/position_solve.h"
#include "solver/position_violation.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr int kFirstPowers = 20, kPowers = 2;
constexpr Real kGrows = 1.02; // a quotient that still grows by more has not found the mode: other rows may have come, as many as went

} // namespace

Real DualSolve::dot(const std::vector<Real>& a, const std::vector<Real>& b) const {
    return ordered_sum(parallel, int(a.size()), kSumRows, s.partial, [&](int begin, int end) {
        Real sum = 0;
        for (int i = begin; i < end; ++i) sum += a[i] * b[i];
        return sum;
    });
}

void DualSolve::apply_operator(const std::vector<Real>& d, std::vector<Real>& out) const {
    const DualRows& r = rows();
    s.y.resize(dofs.size());
    out.resize(r.row_count());
    apply_transposed(parallel, dofs, r, d, s.y);
    apply_inverse_mass(parallel, dofs, p, s.y);
    apply_rows(parallel, dofs, r, s.y, out);
    for (int i = 0; i < r.row_count(); ++i) out[i] = reach().of(r, i) * out[i] + r.alpha[i] * d[i];
}

void DualSolve::build_scale() const {
    const DualRows& r = rows();
    s.scale.resize(r.row_count());
    for (int g = 0; g < r.group_count(); ++g)
        for (int k = 0; k < r.rows_of(g); ++k) {
            const Real d = r.diagonal[r.diagonal_begin[g] + k * (r.rows_of(g) + 1)];
            s.scale[r.row_begin[g] + k] = d > 0 ? 1 / std::sqrt(d) : 0;
        }
}

void DualSolve::keep_in_set(int g, Real* l) const {
    const DualRows& r = rows();
    const int n = r.rows_of(g);
    const Real limit = r.limit[g];
    if (g < r.contact_group) {
        if (r.bound[g] == Bound::lower)
            for (int k = 0; k < n; ++k) l[k] = std::max(0.0, l[k]);
        if (r.bound[g] == Bound::box)
            for (int k = 0; k < n; ++k) l[k] = std::clamp(l[k], -limit, limit);
        return;
    }
    if (o.contact.friction == FrictionSet::box) {
        l[0] = std::max(0.0, l[0]);
        for (int k = 1; k < 3; ++k) l[k] = std::clamp(l[k], -limit * l[0], limit * l[0]);
    } else {
        const Real factor = keep_in_friction_set(o.contact.friction, limit, std::hypot(l[1], l[2]), l[0]);
        l[1] *= factor, l[2] *= factor;
    }
}

void DualSolve::keep_all_in_sets(std::vector<Real>& l) const {
    const DualRows& r = rows();
    parallel_for(parallel, r.group_count(), kGrain, [&](int begin, int end) {
        for (int g = begin; g < end; ++g) keep_in_set(g, l.data() + r.row_begin[g]);
    });
}

void DualSolve::take(bool keep) const {
    DualRows& r = rows();
    if (keep) keep_all_in_sets(s.wanted);
    s.change.resize(r.row_count());
    for (int i = 0; i < r.row_count(); ++i) {
        s.change[i] = s.wanted[i] - r.lambda[i];
        r.lambda[i] = s.wanted[i];
    }
    s.y.resize(dofs.size());
    apply_transposed(parallel, dofs, r, s.change, s.y);
    apply_inverse_mass(parallel, dofs, p, s.y);
    move_all(parallel, dofs, w.to, s.y, w.reach, w.kick);
}

Real DualSolve::violation() const {
    Real worst = 0;
    const DualRows& r = rows();
    for (int g = 0; g < r.group_count(); ++g) {
        if (r.bound[g] == Bound::box && g < r.contact_group) continue;
        const bool one_sided = g >= r.contact_group || r.bound[g] == Bound::lower;
        const Real lightest = lightest_of(dofs, p, std::span(r.block).subspan(r.block_begin[g], r.block_begin[g + 1] - r.block_begin[g]));
        for (int k = 0; k < (g >= r.contact_group ? 1 : r.rows_of(g)); ++k) {
            const int i = r.row_begin[g] + k;
            const Real error = one_sided ? std::max(0.0, s.r[i]) : std::abs(s.r[i]);
            if (r.velocity[i] || error == 0) continue;
            const Real reach = this->reach().of(r, i);
            worst = std::max(worst, correction_of(error, row_response(dofs, p, r, g, k), r.alpha[i] / reach, lightest));
        }
    }
    if (contacts_are_rows) return worst;
    return std::max(worst, contact_violation(o.contact, w.to, dofs.points, contacts));
}

void DualSolve::keep_predicted() const {
    s.x_predicted.assign(w.to.x, w.to.x + dofs.points);
    s.p_predicted.assign(w.to.p, w.to.p + dofs.frames), s.q_predicted.assign(w.to.q, w.to.q + dofs.frames);
    s.s_predicted.assign(w.to.s, w.to.s + dofs.scalars);
}

void DualSolve::shift_predicted(Real sign) const {
    for (int i = 0; i < dofs.points; ++i) vec(s.x_predicted[i]) += sign * vec(w.to.x[i]);
    for (int i = 0; i < dofs.scalars; ++i) s.s_predicted[i] += sign * w.to.s[i];
    for (int f = 0; f < dofs.frames; ++f) vec(s.p_predicted[f]) += sign * vec(w.to.p[f]);
    if (sign < 0) {
        s.q_before.assign(w.to.q, w.to.q + dofs.frames);
        return;
    }
    for (int f = 0; f < dofs.frames; ++f)
        s.q_predicted[f] = real4((quat(w.to.q[f]) * quat(s.q_before[f]).conjugate() * quat(s.q_predicted[f])).normalized());
}

void DualSolve::divide_by_diagonal(int g, const Real* at, Real* out) const {
    const DualRows& r = rows();
    const int n = r.rows_of(g);
    const Real* d = r.diagonal.data() + r.diagonal_begin[g];
    if (n > 1 && g < r.contact_group && r.bound[g] == Bound::equality) {
        std::fill(out, out + n, 0.0);
        return solve_small(n, d, at, out);
    }
    // tangents of a contact share the larger response, in a cone all three: see project_contact
    const bool contact = g >= r.contact_group, cone = contact && r.bound[g] == Bound::cone;
    const Real tangent = contact ? std::max({d[4], d[8], cone ? d[0] : 0}) : 0;
    for (int k = 0; k < n; ++k) {
        const Real dk = contact && (k > 0 || cone) ? tangent : d[k * (n + 1)];
        out[k] = dk > 0 ? at[k] / dk : 0;
    }
}

Real DualSolve::residual_size() const {
    const DualRows& r = rows();
    return ordered_sum(parallel, r.group_count(), kSumRows, s.partial, [&](int begin, int end) {
        Real sum = 0;
        for (int g = begin; g < end; ++g) {
            if (r.bound[g] != Bound::equality) continue;
            std::array<Real, 12> step{};
            const Real* at = s.r.data() + r.row_begin[g];
            divide_by_diagonal(g, at, step.data());
            for (int k = 0; k < r.rows_of(g); ++k) sum += at[k] * step[k];
        }
        return sum;
    });
}

void DualSolve::jacobi(Real omega, Real beta) const {
    DualRows& r = rows();
    s.wanted.resize(r.row_count());
    const bool memory = s.change.size() == std::size_t(r.row_count());
    parallel_for(parallel, r.group_count(), kGrain, [&](int begin, int end) {
        for (int g = begin; g < end; ++g) {
            std::array<Real, 12> step{};
            const int row = r.row_begin[g];
            divide_by_diagonal(g, s.r.data() + row, step.data());
            for (int k = 0; k < r.rows_of(g); ++k)
                s.wanted[row + k] = r.lambda[row + k] + omega * step[k] + (memory ? beta * s.change[row + k] : 0);
        }
    });
    take();
}

void DualSolve::descend(const std::vector<Real>& direction, Real step) const {
    DualRows& r = rows();
    s.wanted.resize(r.row_count());
    for (int i = 0; i < r.row_count(); ++i) s.wanted[i] = r.lambda[i] + step * s.scale[i] * direction[i];
    take();
}

void DualSolve::sweep(bool bounded_only) const {
    DualRows& r = rows();
    for (std::size_t t = 0; t < p.tables.size(); ++t) {
        const DualTable& table = p.tables[t];
        const Evaluation at = evaluation_for(p, *table.table, ev);
        for (int e = 0; e < table.table->count(); ++e) {
            const int g = r.table_group[t] + e;
            if (bounded_only && r.bound[g] == Bound::equality) continue;
            std::array<Real, 12> c{};
            table.view->evaluate(*table.table, at, e, e + 1, c.data(), nullptr);
            for (int k = 0; k < r.rows_of(g); ++k) {
                const int row = r.row_begin[g] + k;
                if (k > 0) table.view->evaluate(*table.table, at, e, e + 1, c.data(), nullptr);
                const Real u = r.rho[row] > 0 || r.velocity[row] ? row_velocity(dofs, r, g, k, w.to) : 0;
                const Real response = row_response(dofs, p, r, g, k);
                const Real m = reach().of(r, row) * response + r.alpha[row];
                if (!(m > 0) || !(response > 0)) continue;
                const Real error = r.velocity[row] ? w.h * (u - r.rate[row]) : c[k] + r.rho[row] * (u - r.rate[row]);
                const bool feedback = w.softness == Softness::feedback || r.velocity[row];
                std::array<Real, 12> l{};
                std::copy_n(r.lambda.data() + r.row_begin[g], r.rows_of(g), l.data());
                l[k] -= o.relaxation * (error + (feedback ? r.alpha[row] * l[k] : 0)) / m;
                keep_in_set(g, l.data());
                const Real change = l[k] - r.lambda[row];
                r.lambda[row] = l[k];
                move_row(dofs, p, r, g, k, change, w.to, w.reach, w.kick);
            }
        }
    }
    PositionContactOptions contact = o.contact;
    contact.relaxation = o.relaxation;
    project_contacts(parallel, contact, w.to, dofs.points, contacts);
}

void DualSolve::precondition(Precondition kind, const std::vector<Real>& at, std::vector<Real>& out) const {
    const DualRows& r = rows();
    out.resize(r.row_count());
    if (kind != Precondition::diagonal) {
        const bool metric = kind == Precondition::metric;
        for (int i = 0; i < r.row_count(); ++i) out[i] = (metric ? s.push[i] : s.scale[i] * s.scale[i]) * at[i];
        return;
    }
    parallel_for(parallel, r.group_count(), kGrain, [&](int begin, int end) {
        for (int g = begin; g < end; ++g) divide_by_diagonal(g, at.data() + r.row_begin[g], out.data() + r.row_begin[g]);
    });
}

// z <- P A z. Rows divided by their reach make A symmetric, and P A is symmetric in the product of that A: the quotient of Rayleigh
//   Az.PAz/(Az.z)
// is at most rho and its error is of second order in that of z.
Real DualSolve::spectral_radius(Precondition kind) const {
    const DualRows& r = rows();
    const int n = r.row_count();
    s.power.resize(n);
    const bool known = s.mode.size() == std::size_t(dofs.size()) && s.mode_rows == n && n > 0;
    if (known) {
        s.Ad.resize(n);
        apply_rows(parallel, dofs, r, s.mode, s.Ad);
        precondition(kind, s.Ad, s.power);
    }
    Real size = known ? std::sqrt(dot(s.power, s.power)) : 0, rho = 0;
    const int rounds = size > 0 ? kPowers : kFirstPowers;
    if (!(size > 0)) {
        for (int i = 0; i < n; ++i) s.power[i] = 1 + 0.5 * std::sin(1.0 + 12.9898 * i);
        precondition(kind, s.power, s.Pr), s.power.swap(s.Pr); // P alone: rows that nothing moves stay out
        size = std::sqrt(dot(s.power, s.power));
    }
    Real last = 0;
    for (int k = 0; size > 0 && (k < rounds || (k < kFirstPowers && rho > kGrows * last)); ++k) {
        last = rho;
        for (int i = 0; i < n; ++i) s.power[i] /= size;
        apply_operator(s.power, s.Ad);
        precondition(kind, s.Ad, s.Pr);
        for (int i = 0; i < n; ++i) s.Ad[i] /= reach().of(r, i);
        const Real below = dot(s.Ad, s.power);
        rho = below > 0 ? dot(s.Ad, s.Pr) / below : 0;
        s.power.swap(s.Pr);
        size = std::sqrt(dot(s.power, s.power));
    }
    // as displacements, which last longer than rows
    s.mode.resize(dofs.size());
    apply_transposed(parallel, dofs, r, s.power, s.mode);
    apply_inverse_mass(parallel, dofs, p, s.mode);
    s.mode_rows = n;
    return rho;
}

bool DualSolve::follow_residual(int k, Walk& walk) const {
    const int n = rows().row_count();
    build_scale();
    if (k == 0 && (o.largest_step > 0 || o.by_radius)) {
        const Real rho = spectral_radius(Precondition::scale);
        if (rho > 0 && o.largest_step > 0) walk.largest = o.largest_step / rho;
        if (rho > 0 && o.by_radius) walk.step = o.relaxation / rho;
    }
    for (int i = 0; i < n; ++i) s.r[i] *= s.scale[i];
    const auto apply = [&](const std::vector<Real>& d) { // s.Ad = S A S d
        s.power.resize(n);
        for (int i = 0; i < n; ++i) s.power[i] = s.scale[i] * d[i];
        apply_operator(s.power, s.Ad);
        for (int i = 0; i < n; ++i) s.Ad[i] *= s.scale[i];
    };
    Real beta = 0;
    if (o.method == "conjugate_residuals") {
        apply(s.r);
        const Real now = dot(s.r, s.Ad);
        if (k > 0 && walk.before > 0) beta = std::min(1.0, now / walk.before);
        walk.before = now;
    } else if (o.method == "power_residuals") {
        beta = std::min(1.0, o.momentum_factor * std::pow(Real(k) / o.iterations, o.momentum_power));
    } else if (o.method == "conjugate_gradients") {
        const Real now = dot(s.r, s.r);
        if (k > 0 && walk.before > 0) beta = now / walk.before;
        walk.before = now;
    }
    walk.beta = beta;
    if (s.d.size() != std::size_t(n)) s.d.assign(n, 0);
    for (int i = 0; i < n; ++i) s.d[i] = s.r[i] + beta * s.d[i];
    if (walk.step > 0) {
        descend(s.d, std::min(walk.step, walk.largest));
        return true;
    }
    apply(s.d);
    const bool residuals = o.method == "minres" || o.method == "conjugate_residuals" || o.method == "power_residuals";
    const Real above = residuals ? dot(s.r, s.Ad) : dot(s.r, s.d);
    const Real below = residuals ? dot(s.Ad, s.Ad) : dot(s.d, s.Ad);
    if (!(below > 0)) return false;
    descend(s.d, std::min(above / below, walk.largest));
    return true;
}

} // namespace sinew
