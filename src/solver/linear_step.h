// One linear system of an implicit step, made positive definite if it is not:
//   (matrix + diagonal + lambda mean(diagonal) I + gas) x = b,   gas: terms of rank one (energy/gas.h)
// lambda = 0 as long as factorisation (or conjugate gradients) finds the matrix positive definite; otherwise
// it grows from 1e-8 by factors of 10: a step between Newton's and steepest descent (Levenberg 1944).
// Equilibria without inertia start with 1e-3, because slack springs leave whole directions without stiffness;
// it falls after full steps and grows after short ones.
#pragma once
#include "linalg/linear_solver.h"
#include "sinew/report.h"
#include "solver/objective.h"

namespace sinew {

struct LinearStep {
    std::unique_ptr<LinearSolver> solver;
    std::string trouble; // why there is no solver
    Real lambda = 0;
    std::vector<Real> diagonal; // scratch
    LowRankScratch low_rank;
};

enum class LinearOutcome { solved, indefinite, failed };
LinearOutcome fail_linear(const std::string& message, Report&); // into the report; returns failed
// Adds objective.mass and lambda to objective.matrix and solves; x is zero on fixed blocks. Without
// `regularise` a matrix that is not positive definite is left for the caller to project. Failed: see the
// report.
LinearOutcome solve_linear(const StepProblem&, Objective&, std::span<const Real> b, bool regularise,
                           LinearStep&, std::span<Real> x, Report&);

// lambda for the next iteration after a line search that accepted `length`, 0 = none
void adapt_lambda(bool has_inertia, Real length, LinearStep&);

} // namespace sinew
