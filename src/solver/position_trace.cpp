#include "solver/position_trace.h"
#include <algorithm>
#include <cmath>

namespace sinew {

void add_row_sums(const Dofs& dofs, const DualRows& rows, std::span<const Real> r, const DualState& to, TraceEntry& out) {
    Real squares = 0;
    for (int g = 0; g < rows.group_count(); ++g) {
        const bool contact = g >= rows.contact_group;
        if (!contact && rows.bound[g] == Bound::box) continue;
        const bool one_sided = contact || rows.bound[g] == Bound::lower;
        for (int k = 0; k < (contact ? 1 : rows.rows_of(g)); ++k) {
            const int i = rows.row_begin[g] + k;
            if (rows.velocity[i]) continue;
            const Real left = one_sided ? std::max(0.0, r[i]) : std::abs(r[i]);
            out.residual = std::max(out.residual, left);
            out.residual_sum += left;
            squares += left * left;
            if (!one_sided || rows.lambda[i] > 0 || left > 0) out.rate_sum += std::abs(row_velocity(dofs, rows, g, k, to));
        }
    }
    out.residual_norm = std::sqrt(squares);
}

TraceEntry trace_rows(const Parallel& parallel, const Model& m, const TracedStep& step, const PositionProblem& p,
                      const PositionContacts& contacts, DualRows& rows) {
    const Dofs dofs = dofs_of(m);
    const Sweep& w = step.sweep;
    build_dual_rows(m, p, contacts, step.contact, w.damping_time, rows);
    for (std::size_t t = 0; t < p.tables.size(); ++t)
        std::copy_n(p.tables[t].lambda.data(), p.tables[t].lambda.size(), rows.lambda.data() + rows.row_begin[rows.table_group[t]]);
    for (std::size_t i = 0; i < contacts.contacts.size(); ++i)
        rows.lambda[rows.row_begin[rows.contact_group + int(i)]] = contacts.contacts[i].normal;
    refresh_dual_rows(parallel, dofs, p, contacts, step.contact, step.at, w.to, true, w.h, rows);
    std::vector<Real> r(rows.row_count());
    for (int i = 0; i < rows.row_count(); ++i)
        r[i] = -rows.c[i] - (w.softness == Softness::feedback ? rows.alpha[i] * rows.lambda[i] : 0);
    TraceEntry out;
    out.step_length = 1;
    add_row_sums(dofs, rows, r, w.to, out);
    return out;
}

} // namespace sinew
