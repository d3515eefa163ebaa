// Per iteration of position projection, for whoever asks for a trace (spec U184): what is left of the rows and how fast they
// move. Nothing of it runs otherwise.
//   residual       largest |C + rho dC/dt + alpha lambda|, one-sided rows where violated
//   residual_sum   sum of the same, residual_norm root of the sum of squares
//   rate_sum       sum of |J u|; of one-sided rows those that push or are violated
//   momentum       beta of the iteration that led there
// Rows at the level of velocities, friction among them, are left out.
#pragma once
#include "solver/position_rows.h"
#include "sinew/solver.h"

namespace sinew {

// `r`: minus what is left of each row, the direction of descent
void add_row_sums(const Dofs&, const DualRows&, std::span<const Real> r, const DualState&, TraceEntry&);

// The same where sweeps work on tables and contacts; their multipliers are up to date. `rows` is scratch.
struct TracedStep {
    const PositionContactOptions& contact;
    const Sweep& sweep;
    const Evaluation& at;
};
TraceEntry trace_rows(const Parallel&, const Model&, const TracedStep&, const PositionProblem&, const PositionContacts&, DualRows& rows);

} // namespace sinew
