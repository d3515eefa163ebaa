#include "solver/position_half.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

// m of a row at the velocities of now; `l` its multiplier of the loop, `u` its velocity there
Real second_multiplier(const DualRows& r, const Sweep& w, int g, int row, Real l, Real u, Real velocity, Real response) {
    const Real m = r.lambda[row], alpha = r.alpha[row];
    const bool boxed = r.bound[g] == Bound::box, rigid = alpha == 0 || r.velocity[row];
    if (boxed && !r.velocity[row] && !(std::abs(l) < r.limit[g])) return l;
    const Real time = r.velocity[row] ? w.h : std::max(w.h, r.rho[row]);
    const Real error = rigid ? alpha * m + time * (velocity - r.rate[row]) : alpha * (m - l) + time * (velocity - u);
    Real wanted = m - error / (alpha + time * w.kick * response);
    if (r.bound[g] == Bound::lower) wanted = std::max(0.0, wanted);
    if (boxed) wanted = std::clamp(wanted, -r.limit[g], r.limit[g]);
    return wanted;
}

void sweep_second_rows(const Dofs& dofs, const Sweep& w, const PositionProblem& p, DualScratch& s) {
    DualRows& r = s.rows;
    for (int g = 0; g < r.group_count(); ++g)
        for (int k = 0; k < r.rows_of(g); ++k) {
            const int row = r.row_begin[g] + k;
            if (r.bound[g] == Bound::lower && !(s.d[row] > 0)) continue;
            const Real response = row_response(dofs, p, r, g, k);
            if (!(response > 0)) continue;
            const Real wanted = second_multiplier(r, w, g, row, s.d[row], s.r[row], row_velocity(dofs, r, g, k, w.to), response);
            move_row(dofs, p, r, g, k, wanted - r.lambda[row], w.to, 0, w.kick);
            r.lambda[row] = wanted;
        }
}

void rub(const PositionContactOptions& o, const DualState& s, int points, const PositionContacts& all, PositionContact& c) {
    const bool rubs = c.friction > 0 && o.friction != FrictionSet::post && o.friction != FrictionSet::none;
    const Vec3 u = contact_state(all, c, s, points).velocity, ut = u - c.n.dot(u) * c.n;
    const Real slip = ut.norm();
    if (!rubs || !(slip > 0)) return;
    Vec3 tangential = c.tangential - ut / (o.h * contact_response(all, c, s, points, ut / slip));
    Real normal = c.normal;
    // the cone for a given normal part is the cylinder
    project_friction(o.friction == FrictionSet::box ? FrictionSet::box : FrictionSet::cylinder, c.friction, normal, tangential, c.n);
    move_contact(all, c, s, points, tangential - c.tangential, 0, o.h);
    c.tangential = tangential;
}

} // namespace

void begin_second_half(const Parallel& parallel, const Model& m, const Evaluation& ev, const Sweep& w, DualScratch& s, PositionProblem& p) {
    static const PositionContacts none; // its colours take memory
    const Dofs dofs = dofs_of(m);
    PositionContactOptions o;
    o.h = w.h;
    build_dual_rows(m, p, none, o, w.damping_time, s.rows);
    refresh_dual_rows(parallel, dofs, p, none, o, ev, w.to, true, w.h, s.rows);
    DualRows& r = s.rows;
    for (std::size_t t = 0; t < p.tables.size(); ++t)
        std::copy(p.tables[t].lambda.begin(), p.tables[t].lambda.end(), r.lambda.begin() + r.row_begin[r.table_group[t]]);
    s.d = r.lambda;
    s.r.resize(r.row_count());
    for (int g = 0; g < r.group_count(); ++g)
        for (int k = 0; k < r.rows_of(g); ++k) s.r[r.row_begin[g] + k] = row_velocity(dofs, r, g, k, w.to);
    s.v_half.assign(w.to.v, w.to.v + dofs.points);
}

void begin_contact_halves(const ContactHalf& half, const PositionContactOptions& o, const DualState& s, int points, PositionContacts& all) {
    for (PositionContact& c : all.contacts) {
        c.first = c.normal;
        c.rate_half = (contact_state(all, c, s, points).gap + c.kept - c.gap_start) / o.h;
    }
    if (half.compliance == 0) return;
    for (PositionContact& c : all.contacts) {
        if (!(c.first > 0)) continue;
        const Real more = (1 / half.part - 1) * c.first;
        move_contact(all, c, s, points, more * c.n, 0, o.h);
        c.normal += more;
    }
}

void sweep_contact_halves(const ContactHalf& half, const PositionContactOptions& o, const DualState& s, int points, PositionContacts& all) {
    const Real rest = 1 - half.part, time = std::max(o.h, o.damping_time);
    for (int i : all.colours.order) {
        PositionContact& c = all.contacts[i];
        const Real response = o.h * contact_response(all, c, s, points, c.n);
        if (!(c.first > 0) || !(response > 0)) continue;
        const Real un = c.n.dot(contact_state(all, c, s, points).velocity);
        Real change = -un / response;
        if (half.compliance > 0) {
            const Real error = half.compliance * ((c.normal - c.first) / rest - c.first / half.part) + time * (un - c.rate_half);
            change = rest > 0 ? -error / (half.compliance / rest + time * response) : 0;
        }
        change = std::max(change, c.first - c.normal);
        c.normal += change;
        move_contact(all, c, s, points, change * c.n, 0, o.h);
        rub(o, s, points, all, c);
    }
}

void end_second_half(const Parallel& parallel, const Model& m, const Sweep& w, int iterations, const ContactHalf& half, const PositionContactOptions& o,
                     DualScratch& s, PositionProblem& p, PositionContacts& contacts) {
    const Dofs dofs = dofs_of(m);
    // loads, and all rows as they pushed in the loop
    s.y.resize(dofs.size());
    apply_transposed(parallel, dofs, s.rows, s.rows.lambda, s.y);
    for (int i = 0; i < dofs.size(); ++i) s.y[i] += p.f[i];
    apply_inverse_mass(parallel, dofs, p, s.y);
    move_all(parallel, dofs, w.to, s.y, 0, w.kick);
    push_whole_rows(w, p.whole);
    for (int k = 0; k < iterations; ++k) {
        sweep_second_rows(dofs, w, p, s);
        project_whole_velocities(parallel, w, s.v_half, p.whole);
        sweep_contact_halves(half, o, w.to, dofs.points, contacts);
    }
}

} // namespace sinew
