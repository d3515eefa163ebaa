// Constraints of an implicit step as rows with multipliers, not as stiff springs (spec C18-C20). One Newton step on
//   grad Phi(d) - J^T lambda = 0,   C(x + d) + alpha lambda = 0:
//   [ A + G  -J^T  ] [ p          ]   [ -residual ]
//   [ J       alpha ] [ lambda_new ] = [ -C        ]      G = -sum_r lambda_r Hess C_r
//   A matrix of the step [N/m], J = dC/dx, alpha compliance [m/N], lambda force along the constraint [N], positive
//   where it raises C; G geometric stiffness with the multipliers of the last iteration
//
// alpha > 0: the converged step is that of the energy 1/2 C^T C/alpha, but 1/alpha never enters the matrix. alpha = 0:
// hard. One solve per step (linearly_implicit) is the velocity-level step of Tournier et al. (2015) with h lambda = mu;
// `hard_velocity` leaves -C out, so that only velocities obey and lengths drift (comparison method). G is what keeps
// taut strings from swinging up sideways when only one solve is made.
//
// One-sided rows C >= 0, lambda >= 0 take part while lambda - sigma (C + alpha lambda) > 0, the primal-dual active set (Hintermueller,
// Ito and Kunisch 2003), with sigma = 1/(J (M scale)^-1 J^T) [N/m], the row's own inertia. C < 0 or lambda > 0 alone would
// not do: a hard row ends at C = 0 up to rounding, of either sign, and would hold while it pushes. Without inertia, sigma = 0,
// the sign of lambda decides, and of C where lambda = 0. A single solve lets rows go that would push and solves again. Multipliers live in State.memory
// ("newton.lambda"): the first G of a step needs them.
#pragma once
#include "linalg/saddle.h"
#include "model/rows.h"
#include "solver/linear_step.h"

namespace sinew {

enum class ConstraintForm { penalty, compliant, hard, hard_velocity };

struct KktStep {
    ConstraintForm form = ConstraintForm::penalty;
    bool geometric_stiffness = true;
    bool single_solve = false; // one linear system per step
    Rows rows;
    std::vector<Real> lambda;  // [N] per scalar row
    Real violation = 0;        // [m] largest |C + alpha lambda| over active rows
    SparseRows jacobian;
    std::vector<Real> compliance, right, push;
    std::vector<unsigned char> active;
    SaddleSolver solver;
};

// at the start of a time step: rows of the model's constraints, multipliers from the state's memory
void begin_kkt(const StepProblem&, KktStep&);
// rows at the positions of objective.points; takes J^T lambda out of objective.residual and gradient
void add_constraint_forces(const StepProblem&, Objective&, KktStep&);
// p into x, new multipliers into kkt.lambda; objective.matrix as of compute_matrix
LinearOutcome solve_kkt(const StepProblem&, Objective&, std::span<const Real> b, KktStep&, std::span<Real> x, Report&);
void remember_multipliers(const KktStep&, State& next);

} // namespace sinew
