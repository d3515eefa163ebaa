// Newton's step within a region in which the quadratic model is trusted (More and Sorensen 1983):
//   p = argmin  residual . p + 1/2 p . A p   with  |p|_D <= radius,   |p|_D^2 = sum m_i |p_i|^2 / sum m_i
// that is (A + lambda D) p = -residual with A + lambda D positive definite, lambda >= 0, and either lambda = 0 or
// |p|_D = radius. A is the Hessian as it is, indefinite or not: lambda takes the place of projections.
//   A = scale M + H [N/m], D = diag(m_i)/sum m_i, lambda [N/m], radius [m] the root mean square of the displacements
//
// lambda by Newton's method on 1/|p| = 1/radius (Reinsch 1971), which needs one more solve per try:
//   lambda += (|p| / radius - 1) |p|^2 / (p . D (A + lambda D)^-1 D p)
// kept between the largest lambda known to be too small and the smallest known to be large enough. The length
// may be off by a tenth: the region itself is a guess.
//
// The radius follows the agreement rho = (decrease of Phi) / (decrease of the model): a quarter of the step below
// 1/4, twice the radius above 3/4 at the border (Nocedal and Wright 2006, algorithm 4.1). The first step of a
// time step has no limit, as Newton's has none.
#pragma once
#include "solver/linear_step.h"

namespace sinew {

struct TrustRegion {
    Real radius = 0;          // [m]; 0 = no limit yet
    Real lambda = 0;          // [N/m] of the last step
    Real length = 0;          // [m] of the last step
    Real predicted = 0;       // [J] decrease of the model by the last step
    Real rho = 0;             // agreement of the last step
    std::vector<Real> weight; // D, zero where nothing is free
    std::vector<Real> diagonal, scaled, derivative;
};

// at the start of a time step
void begin_trust_region(const StepProblem&, TrustRegion&);
// Adds objective.mass and lambda D to objective.matrix and solves with b = -residual.
LinearOutcome solve_trust_region(const StepProblem&, Objective&, std::span<const Real> b, LinearStep&,
                                 TrustRegion&, std::span<Real> x, Report&);
// Whether the step to `trial` is taken; sets the next radius.
bool judge_step(const Merit& start, const Merit& trial, TrustRegion&);

} // namespace sinew
