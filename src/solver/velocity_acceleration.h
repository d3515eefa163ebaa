// Constraints at the level of accelerations, with Baumgarte's stabilisation (spec U 3.3 a, P 3.16, 3.19): the baseline that
// drifts, for comparison. Each rigid row of a position holds
//   J a + v . H v = -alpha J v - beta C,   v' = v + h a
// which as a row of velocities is J v' + bias = 0 with
//   bias = h (v . H v + beta C) - (1 - h alpha) J v
//   v velocities at the start, H second derivative of C, alpha [1/s], beta [1/s^2]; alpha = beta = 0: no stabilisation
#pragma once
#include "model/element.h"
#include "sinew/state.h"
#include "solver/velocity_problem.h"

namespace sinew {

void set_acceleration_bias(const std::vector<Table>& constraints, const Evaluation&, const Rows&, Real alpha, Real beta,
                           RowProblem&);

} // namespace sinew
