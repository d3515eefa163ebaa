// Implicit time stepping by nonlinear conjugate gradients: settings and entry. Nothing is factored but blocks of 3 x 3;
// the Jacobi preconditioner and icmcg assemble the matrix, the other variants with other preconditioners do not.
#pragma once
#include "core/fields.h"
#include "solver/solver.h"

namespace sinew {

struct NonlinearCgSettings {
    std::string scheme = "implicit_euler";
    double beta = 0.25, gamma = 0.5;
    std::string variant = "cg_descent";
    std::string preconditioner = "jacobi";
    double tolerance = 1e-4, force_tolerance = 1e-6;
    int max_iterations = 500;
    double still = 1e-3;

    template <class V> static void fields(NonlinearCgSettings& s, V&& v) {
        v("scheme", s.scheme,
          Field{.allowed = {"implicit_euler", "implicit_midpoint", "bdf2", "newmark", "quasi_static"},
                .doc = "how time advances; quasi_static leaves inertia out"});
        v("beta", s.beta,
          Field{.min = 0, .max = 1, .min_exclusive = true,
                .doc = "of newmark: weight of the new acceleration in positions"});
        v("gamma", s.gamma,
          Field{.min = 0, .max = 1, .min_exclusive = true,
                .doc = "of newmark: weight of the new acceleration in velocities"});
        v("variant", s.variant,
          Field{.allowed = {"cg_descent", "fletcher_reeves", "icmcg", "printed"},
                .doc = "cg_descent: Hager and Zhang 2005; fletcher_reeves: one step of exact length on the "
                       "quadratic model per iteration; icmcg: Newton directions by conjugate gradients that make the matrix "
                       "positive as they go (for comparison); printed: the same as fletcher_reeves with the residual that forgets "
                       "inertia, too stiff after the first iteration (for comparison)"});
        v("preconditioner", s.preconditioner,
          Field{.allowed = {"jacobi", "mass", "none"},
                .doc = "blocks of the Hessian at the start of the step, masses alone, or nothing"});
        v("tolerance", s.tolerance,
          Field{.min = 0, .min_exclusive = true, .unit = "m/s",
                .doc = "largest correction of a velocity that the preconditioned residual asks for"});
        v("force_tolerance", s.force_tolerance,
          Field{.min = 0, .max = 1,
                .doc = "largest unbalanced force by the largest force; meeting either tolerance ends the iteration"});
        v("still", s.still,
          Field{.min = 0, .unit = "m/s", .doc = "contact slower than this sticks: friction grows to its limit up to here; 0 = none"});
        v("max_iterations", s.max_iterations, Field{.min = 1, .doc = "per step; printed: always that many"});
    }
};

Needs nonlinear_cg_needs();
std::unique_ptr<Solver> make_nonlinear_cg(const Context&, const Model&, State&, const void* settings);

} // namespace sinew
