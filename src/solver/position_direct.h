// Direct solves of position projection: one Newton step on all bilateral rows (spec U 3.3 e).
//   [ M/reach + G   -J^T  ] [ dx      ]   [ -(M/reach (x - x~) - J^T l) ]
//   [ J              alpha ] [ dl      ] = [ r                          ]      r = -(C + alpha l)
// fast projection: G = 0, the first right-hand side 0 (x - x~ = reach W J^T l up to the turning of J).
// newton: G = -sum_k l_k Hess C_k; of energies, whose l is near -C, it is Hess E - J^T J.
#pragma once
#include "solver/position_dual.h"

namespace sinew {

// Residuals and J are in s.rows and s.r; moves the unknowns and adds to the multipliers. Rows
// with bounds are left to sweeps. A message, if the matrix is singular.
std::string solve_directly(const Parallel&, const Model&, bool newton, const Sweep&, const Evaluation&, DualScratch& s, PositionProblem&);

} // namespace sinew
