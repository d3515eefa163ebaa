#include "solver/position_mix.h"
#include <algorithm>

namespace sinew {

void step_by_velocities(const Parallel& parallel, const Model& m, const Evaluation& start, const Sweep& w, const PositionContactOptions& o,
                        int iterations, DualScratch& s, PositionProblem& p, PositionContacts& contacts) {
    const Dofs dofs = dofs_of(m);
    static const PositionContacts none; // its colours take memory
    build_dual_rows(m, p, none, o, w.damping_time, s.rows);
    DualRows& r = s.rows;
    refresh_dual_rows(parallel, dofs, p, none, o, start, w.to, true, w.h, r);
    // rows with damping have their rate in c already, which changes with u: only C itself is kept
    for (int g = 0; g < r.group_count(); ++g)
        for (int k = 0; k < r.rows_of(g); ++k) {
            const int i = r.row_begin[g] + k;
            if (!r.velocity[i] && r.rho[i] > 0) r.c[i] -= r.rho[i] * row_velocity(dofs, r, g, k, w.to);
        }
    for (int round = 0; round < iterations; ++round) {
        for (int g = 0; g < r.group_count(); ++g)
            for (int k = 0; k < r.rows_of(g); ++k) {
                const int i = r.row_begin[g] + k;
                const Real d = row_response(dofs, p, r, g, k);
                if (!(d > 0)) continue;
                const Real u = row_velocity(dofs, r, g, k, w.to), time = r.velocity[i] ? w.h : w.h + r.rho[i];
                const Real error = (r.velocity[i] ? w.h * (u - r.rate[i]) : r.c[i] + time * u) + r.alpha[i] * r.lambda[i];
                Real l = r.lambda[i] - error / (time * w.h * d + r.alpha[i]);
                if (r.bound[g] == Bound::lower) l = std::max(0.0, l);
                if (r.bound[g] == Bound::box) l = std::clamp(l, -r.limit[g], r.limit[g]);
                move_row(dofs, p, r, g, k, l - r.lambda[i], w.to, w.h * w.h, w.h);
                r.lambda[i] = l;
            }
        project_contacts(parallel, o, w.to, dofs.points, contacts);
    }
    for (PositionContact& c : contacts.contacts) c.normal = 0, c.tangential.setZero();
}

} // namespace sinew
