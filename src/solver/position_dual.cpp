#include "solver/position_dual.h"
#include "solver/position_direct.h"
#include "solver/position_trace.h"
#include "solver/position_violation.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr int kRows = 4096;         // per chunk of a sum
constexpr int kPowerIterations = 20;

// what the methods of residuals carry from one iteration to the next
struct Walk {
    Real before = 0;      // r.Ar, or r.r
    Real largest = 1e300; // step
    Real beta = 0;        // of the last iteration
};

struct DualSolve {
    const Parallel& parallel;
    const DualOptions& o;
    const Sweep& w;
    const Evaluation& ev;
    Dofs dofs;
    DualScratch& s;
    PositionProblem& p;
    PositionContacts& contacts;
    bool contacts_are_rows;

    DualRows& rows() const { return s.rows; }
    Real dot(const std::vector<Real>& a, const std::vector<Real>& b) const {
        return ordered_sum(parallel, int(a.size()), kRows, s.partial, [&](int begin, int end) {
            Real sum = 0;
            for (int i = begin; i < end; ++i) sum += a[i] * b[i];
            return sum;
        });
    }
    // out = A d, d in the units of lambda
    void apply_operator(const std::vector<Real>& d, std::vector<Real>& out) const {
        const DualRows& r = rows();
        s.y.resize(dofs.size());
        out.resize(r.row_count());
        apply_transposed(parallel, dofs, r, d, s.y);
        apply_inverse_mass(parallel, dofs, p, s.y);
        apply_rows(parallel, dofs, r, s.y, out);
        const RowReach reach{w.h, w.reach, w.kick};
        for (int i = 0; i < r.row_count(); ++i) out[i] = reach.of(r, i) * out[i] + r.alpha[i] * d[i];
    }
    // one scale for rows of all units: D^-1/2
    void build_scale() const {
        const DualRows& r = rows();
        s.scale.resize(r.row_count());
        for (int g = 0; g < r.group_count(); ++g)
            for (int k = 0; k < r.rows_of(g); ++k) {
                const Real d = r.diagonal[r.diagonal_begin[g] + k * (r.rows_of(g) + 1)];
                s.scale[r.row_begin[g] + k] = d > 0 ? 1 / std::sqrt(d) : 0;
            }
    }
    // s.wanted, multipliers, into the set of their group
    void keep_in_set(int g, Real* l) const {
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
        if (o.contact.friction == ContactFriction::box) {
            l[0] = std::max(0.0, l[0]);
            for (int k = 1; k < 3; ++k) l[k] = std::clamp(l[k], -limit * l[0], limit * l[0]);
        } else {
            const Real factor = keep_in_friction_set(o.contact.friction, limit, std::hypot(l[1], l[2]), l[0]);
            l[1] *= factor, l[2] *= factor;
        }
    }
    // multipliers to s.wanted, unknowns along with them; s.change is what came of it
    void take() const {
        DualRows& r = rows();
        parallel_for(parallel, r.group_count(), kGrain, [&](int begin, int end) {
            for (int g = begin; g < end; ++g) keep_in_set(g, s.wanted.data() + r.row_begin[g]);
        });
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
    // [m] of all rows, as largest_violation has it
    Real violation() const {
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
                const Real reach = RowReach{w.h, w.reach, w.kick}.of(r, i);
                worst = std::max(worst, correction_of(error, row_response(dofs, p, r, g, k), r.alpha[i] / reach, lightest));
            }
        }
        if (contacts_are_rows) return worst;
        return std::max(worst, contact_violation(o.contact, w.to, dofs.points, contacts));
    }

    // what rows outside of the direct solve move is part of where it starts from, or newton would take it back
    template <class F> void shift_predicted(bool direct, const F& sweep) const {
        if (!direct) return sweep();
        for (int i = 0; i < dofs.points; ++i) vec(s.x_predicted[i]) -= vec(w.to.x[i]);
        sweep();
        for (int i = 0; i < dofs.points; ++i) vec(s.x_predicted[i]) += vec(w.to.x[i]);
    }
    void jacobi(Real beta) const;
    bool follow_residual(int k, Walk&) const;
    void descend(const std::vector<Real>& direction, Real step) const;
    void sweep(bool bounded_only) const;
    Real spectral_radius() const;
};

// D^-1 r by groups, momentum, sets
void DualSolve::jacobi(Real beta) const {
    DualRows& r = rows();
    s.wanted.resize(r.row_count());
    const bool memory = s.change.size() == std::size_t(r.row_count());
    parallel_for(parallel, r.group_count(), kGrain, [&](int begin, int end) {
        for (int g = begin; g < end; ++g) {
            const int n = r.rows_of(g), row = r.row_begin[g];
            const Real* d = r.diagonal.data() + r.diagonal_begin[g];
            std::array<Real, 12> step{};
            if (n > 1 && g < r.contact_group && r.bound[g] == Bound::equality) {
                solve_small(n, d, s.r.data() + row, step.data());
            } else {
                // tangents of a contact share the larger response
                const Real tangent = g >= r.contact_group ? std::max(d[4], d[8]) : 0;
                for (int k = 0; k < n; ++k) {
                    const Real dk = g >= r.contact_group && k > 0 ? tangent : d[k * (n + 1)];
                    step[k] = dk > 0 ? s.r[row + k] / dk : 0;
                }
            }
            for (int k = 0; k < n; ++k)
                s.wanted[row + k] = r.lambda[row + k] + o.relaxation * step[k] + (memory ? beta * s.change[row + k] : 0);
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

// one group after another at the newest unknowns, along the directions in `rows`
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
                const Real m = RowReach{w.h, w.reach, w.kick}.of(r, row) * response + r.alpha[row];
                if (!(m > 0) || !(response > 0)) continue;
                const Real error = r.velocity[row] ? w.h * (u - r.rate[row]) : c[k] + r.rho[row] * u;
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

// largest eigenvalue of the scaled operator by power iteration from a fixed start
Real DualSolve::spectral_radius() const {
    const int n = rows().row_count();
    s.power.resize(n);
    for (int i = 0; i < n; ++i) s.power[i] = 1 + 0.5 * std::sin(1.0 + 12.9898 * i);
    Real size = std::sqrt(dot(s.power, s.power)), rho = 0;
    for (int k = 0; k < kPowerIterations && size > 0; ++k) {
        for (int i = 0; i < n; ++i) s.power[i] *= s.scale[i] / size;
        apply_operator(s.power, s.Ad);
        for (int i = 0; i < n; ++i) s.power[i] = s.scale[i] * s.Ad[i];
        rho = size = std::sqrt(dot(s.power, s.power));
    }
    return rho;
}

// one iteration of minres, steepest descent, conjugate gradients or residuals; false: there is nowhere to go
bool DualSolve::follow_residual(int k, Walk& walk) const {
    const int n = rows().row_count();
    build_scale();
    if (k == 0 && o.largest_step > 0) {
        const Real rho = spectral_radius();
        if (rho > 0) walk.largest = o.largest_step / rho;
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
    apply(s.d);
    const bool residuals = o.method == "minres" || o.method == "conjugate_residuals" || o.method == "power_residuals";
    const Real above = residuals ? dot(s.r, s.Ad) : dot(s.r, s.d);
    const Real below = residuals ? dot(s.Ad, s.Ad) : dot(s.d, s.Ad);
    if (!(below > 0)) return false;
    descend(s.d, std::min(above / below, walk.largest));
    return true;
}

// Nesterov's sequence (spec U081)
struct Nesterov {
    Real theta = 1;
    Real next() {
        const Real after = 0.5 * (-theta * theta + theta * std::sqrt(theta * theta + 4));
        const Real beta = theta * (1 - theta) / (theta * theta + after);
        theta = after;
        return beta;
    }
};

// of the tables and contacts, into the rows
void take_multipliers(const PositionProblem& p, const PositionContacts& contacts, const Sweep& w, DualRows& r) {
    for (std::size_t t = 0; t < p.tables.size(); ++t)
        std::copy_n(p.tables[t].lambda.data(), p.tables[t].lambda.size(), r.lambda.data() + r.row_begin[r.table_group[t]]);
    for (std::size_t i = 0; i < contacts.contacts.size(); ++i) {
        const PositionContact& c = contacts.contacts[i];
        const ContactFrame frame = contact_frame(real3(c.n));
        Real* l = r.lambda.data() + r.row_begin[r.contact_group + int(i)];
        const Vec3 t = w.h / w.kick * c.tangential;
        l[0] = w.h / w.kick * c.normal, l[1] = t.dot(vec(frame.t0)), l[2] = t.dot(vec(frame.t1));
    }
}

} // namespace

DualResult solve_dual(const Parallel& parallel, const Model& m, const DualOptions& o, const Sweep& w, const Evaluation& ev,
                      const FrameState& frames, Trace* trace, DualScratch& s, PositionProblem& p, PositionContacts& contacts) {
    const bool direct = o.method == "fast_projection" || o.method == "newton";
    const DualSolve solve{parallel, o, w, ev, dofs_of(m), s, p, contacts, !direct && !o.gauss_seidel};
    static const PositionContacts none; // its colours take memory
    // contacts of the direct methods and of sweeps are swept on their own
    build_dual_rows(m, p, direct || o.gauss_seidel ? none : contacts, o.contact, o.damping_time, s.rows);
    DualRows& r = s.rows;
    if (o.go_on) take_multipliers(p, direct || o.gauss_seidel ? none : contacts, w, r);
    r.incidence = o.incidence;
    if (w.softness == Softness::factor)
        for (int i = 0; i < r.row_count(); ++i)
            if (!r.velocity[i]) r.alpha[i] = 0;
    const PositionContacts& rows_of = direct || o.gauss_seidel ? none : contacts;
    const auto residual = [&](bool jacobian) {
        refresh_dual_rows(parallel, solve.dofs, p, rows_of, o.contact, ev, w.to, jacobian, w.h, r);
        s.r.resize(r.row_count());
        for (int i = 0; i < r.row_count(); ++i) {
            const bool feedback = w.softness == Softness::feedback || r.velocity[i];
            s.r[i] = -r.c[i] - (feedback ? r.alpha[i] * r.lambda[i] : 0);
            if (w.softness == Softness::factor && !r.velocity[i]) s.r[i] *= w.stiffness;
        }
    };
    if (o.frozen) { // J at the start of the sub-step: the unknowns behind ev's pointers of the start
        Evaluation start = ev;
        start.x = ev.x_now;
        if (ev.p_now) start.p = ev.p_now, start.q = ev.q_now;
        refresh_dual_rows(parallel, solve.dofs, p, rows_of, o.contact, start, w.to, true, w.h, r);
    }
    s.change.clear();
    s.d.clear();
    if (direct) s.x_predicted.assign(w.to.x, w.to.x + solve.dofs.points);
    Nesterov nesterov;
    Walk walk;
    DualResult result;
    Real beta = 0; // of the last iteration, for the trace
    const auto add_trace = [&](int k) {
        TraceEntry& e = trace->iterations.emplace_back(TraceEntry{k, 0, 0, 1});
        add_row_sums(solve.dofs, r, s.r, w.to, e);
        e.momentum = beta;
    };
    for (int k = 0; k < o.iterations; ++k) {
        if (k > 0) refresh_inertias(m, frames, p);
        if (!p.whole.empty()) solve.shift_predicted(direct, [&] { project_whole_rows(parallel, w, p.whole); });
        residual(!o.frozen);
        if (o.tolerance > 0) result.violation = std::max(solve.violation(), whole_violation(w, p.whole));
        if (trace) add_trace(k);
        if (o.tolerance > 0 && result.violation <= o.tolerance) break;
        ++result.iterations;
        if (o.gauss_seidel) {
            solve.sweep(false);
            continue;
        }
        if (direct) {
            result.message = solve_directly(parallel, m, o.method == "newton", w, ev, s, p);
            if (result.ok = result.message.empty(); !result.ok) break;
            solve.shift_predicted(direct, [&] { solve.sweep(true); }); // rows with bounds, and contacts
            continue;
        }
        build_diagonal(parallel, solve.dofs, p, {w.h, w.reach, w.kick}, r);
        if (o.method == "jacobi") {
            solve.jacobi(0);
        } else if (o.method == "improved_jacobi") {
            beta = std::min(1.0, o.momentum_factor * std::pow(Real(k) / o.iterations, o.momentum_power));
            solve.jacobi(beta);
        } else if (o.method == "accelerated_jacobi") {
            if (!s.change.empty() && solve.dot(s.r, s.change) < 0) nesterov = {}; // uphill: begin again
            beta = nesterov.next();
            solve.jacobi(beta);
        } else {
            if (!solve.follow_residual(k, walk)) break;
            beta = walk.beta;
        }
    }
    project_whole_rows(parallel, w, p.whole);
    residual(false);
    result.violation = std::max(solve.violation(), whole_violation(w, p.whole));
    if (trace && trace->iterations.back().iteration != result.iterations) add_trace(result.iterations);
    // multipliers back to where everybody looks for them; h times the force of a contact is its impulse, whatever the scheme
    const Real force = w.kick / w.h;
    for (std::size_t t = 0; t < p.tables.size(); ++t)
        std::copy_n(r.lambda.data() + r.row_begin[r.table_group[t]], p.tables[t].lambda.size(), p.tables[t].lambda.data());
    if (!direct && !o.gauss_seidel)
        for (std::size_t i = 0; i < contacts.contacts.size(); ++i) {
            PositionContact& c = contacts.contacts[i];
            const Real* l = r.lambda.data() + r.row_begin[r.contact_group + int(i)];
            const ContactFrame frame = contact_frame(real3(c.n));
            c.normal = force * l[0];
            c.tangential = force * (l[1] * vec(frame.t0) + l[2] * vec(frame.t1));
        }
    return result;
}

} // namespace sinew
