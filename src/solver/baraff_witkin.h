// One linear step about the start of the step (Baraff and Witkin 1998, eq. 6):
//   (M - h df/dv - h^2 df/dx) dv = h (f + h df/dx v),   x' = x + h (v + dv)
// with f, df/dx and df/dv at (x, v). In the displacements of a stage (integrate.h), for any of its schemes:
//   A (d - d_0) = -M scale (d_0 - travel) + f + df/dx d_0,   A = M scale - rate df/dv - df/dx,
//   d_0 = (v - drift)/rate, the displacement at which the stage has the velocity v
// which for implicit Euler (d_0 = travel = h v) is the equation above. Fixed points: their known displacement
// goes to the right-hand side, in conjugate gradients the filter keeps them. Against the linearly implicit
// option: forces without potential are taken at v instead of at w = 0, so the two agree for linear damping
// and differ for quadratic drag.
#pragma once
#include "solver/linear_step.h"

namespace sinew {

struct BaraffWitkinScratch {
    std::vector<Real> start, product, rhs, change; // d_0, df/dx d_0, right-hand side, d - d_0
};
// d: displacements of the fixed points on entry, of all on return. False: see the report.
bool solve_baraff_witkin(const StepProblem&, const HessianTerms&, Objective&, LinearStep&, BaraffWitkinScratch&,
                         std::span<Real> d, Report&);

} // namespace sinew
