// Rows at the end of the step (spec U 3.8.1-3.8.3, U133, U137): what holds is c(x') = 0, or c(x') >= 0 with its
// complementary impulse, and not its linearisation at the start. Rounds of Newton's method: in each the rows are those of
// the place x_k that the round before has got to with velocities v_k, and the problem is
//   r = (c(x_k) + h J_k (v - v_k))/h
// A fixed point is the fully implicit step. With the impulses in cones this is the conic projection of positions: methods on
// the velocities (direct) solve it in its primal form, methods on the impulses (apgd, bb, jacobi, sweeps) in its dual.
#pragma once
#include "solver/velocity_problem.h"

namespace sinew {

// After the groups are built with the whole of c/h as bias: takes back what the velocities given have moved. Held bodies are
// where they were at the start, and keep their rates.
void set_end_bias(const Rows& constraints, const std::vector<Vec3>& v, const std::vector<Vec3>& w, RowProblem&);

} // namespace sinew
