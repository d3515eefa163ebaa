#include "solver/position_dual.h"
#include "solver/position_direct.h"
#include "solver/position_solve.h"
#include "solver/position_trace.h"
#include "solver/position_violation.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

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

// back to where everybody looks for them; h times the force of a contact is its impulse, whatever the scheme. Null: contacts have theirs
void give_multipliers(const Sweep& w, const DualRows& r, PositionProblem& p, PositionContacts* contacts) {
    const Real force = w.kick / w.h;
    for (std::size_t t = 0; t < p.tables.size(); ++t)
        std::copy_n(r.lambda.data() + r.row_begin[r.table_group[t]], p.tables[t].lambda.size(), p.tables[t].lambda.data());
    for (std::size_t i = 0; contacts && i < contacts->contacts.size(); ++i) {
        PositionContact& c = contacts->contacts[i];
        const Real* l = r.lambda.data() + r.row_begin[r.contact_group + int(i)];
        const ContactFrame frame = contact_frame(real3(c.n));
        c.normal = force * l[0];
        c.tangential = force * (l[1] * vec(frame.t0) + l[2] * vec(frame.t1));
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
    if (direct) solve.keep_predicted();
    const bool jacobi = o.method.ends_with("jacobi"), accelerated = o.method == "apgd";
    Real omega = o.relaxation;
    Nesterov nesterov;
    MomentumRestart restart;
    AcceleratedGradient gradients;
    FaceWalk faces;
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
        if (jacobi) {
            if (k == 0 && o.by_radius)
                if (const Real rho = solve.spectral_radius(DualSolve::Precondition::diagonal); rho > 0) omega /= rho;
            if (o.method == "improved_jacobi") {
                beta = std::min(1.0, o.momentum_factor * std::pow(Real(k) / o.iterations, o.momentum_power));
            } else if (o.method == "accelerated_jacobi") {
                if (k > 0) restart.look(solve.dot(s.r, s.change), solve.residual_size(), nesterov);
                beta = nesterov.next();
            }
            solve.jacobi(omega, beta);
        } else if (accelerated) {
            if (k == 0) solve.begin_accelerated();
            solve.advance_accelerated(gradients);
            beta = gradients.beta;
        } else if (o.method == "gpminres") {
            solve.advance_on_faces(k, faces);
            beta = faces.beta;
        } else {
            if (!solve.follow_residual(k, walk)) break;
            beta = walk.beta;
        }
    }
    if (accelerated && result.iterations > 0) solve.end_accelerated();
    project_whole_rows(parallel, w, p.whole);
    residual(false);
    result.violation = std::max(solve.violation(), whole_violation(w, p.whole));
    if (trace && trace->iterations.back().iteration != result.iterations) add_trace(result.iterations);
    give_multipliers(w, r, p, solve.contacts_are_rows ? &contacts : nullptr);
    return result;
}

} // namespace sinew
