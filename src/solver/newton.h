// Implicit time stepping of points by Newton's method: settings and entry. The step is in newton.cpp, the
// schemes in integrate.h, what is minimised in objective.h.
#pragma once
#include "core/fields.h"
#include "solver/solver.h"

namespace sinew {

struct NewtonSettings {
    std::string scheme = "implicit_euler";
    std::string linearisation = "full";
    double beta = 0.25, gamma = 0.5;
    double tolerance = 1e-4, force_tolerance = 1e-8;
    int max_iterations = 50;
    std::string globalisation = "line_search";
    std::string line_search = "armijo";
    std::string merit = "energy";
    std::string projection = "on_demand";
    double still = 1e-3;
    std::string constraints = "penalty";
    bool geometric_stiffness = true;
    std::string linear_solver = "default";
    std::string ordering = "amd";
    std::string preconditioner = "jacobi";
    std::string forcing = "fixed";
    double cg_tolerance = 1e-6;
    int cg_iterations = 1000;

    template <class V> static void fields(NewtonSettings& s, V&& v) {
        v("scheme", s.scheme,
          Field{.allowed = {"implicit_euler", "implicit_midpoint", "bdf2", "newmark", "quasi_static"},
                .doc = "how time advances; quasi_static leaves inertia out"});
        v("linearisation", s.linearisation,
          Field{.allowed = {"full", "linearly_implicit", "baraff_witkin"},
                .doc = "iterate to convergence, or take one linear solve about the start of the step; "
                       "baraff_witkin takes "
                       "forces without potential at the start velocity"});
        v("beta", s.beta,
          Field{.min = 0,
                .max = 1,
                .min_exclusive = true,
                .doc = "of newmark: weight of the new acceleration in positions"});
        v("gamma", s.gamma,
          Field{.min = 0,
                .max = 1,
                .min_exclusive = true,
                .doc = "of newmark: weight of the new acceleration in velocities"});
        v("tolerance", s.tolerance,
          Field{.min = 0,
                .min_exclusive = true,
                .unit = "m/s",
                .doc = "largest correction of a velocity in the last iteration"});
        v("force_tolerance", s.force_tolerance,
          Field{.min = 0,
                .max = 1,
                .doc = "largest unbalanced force by the largest force; meeting either tolerance ends the "
                       "iteration"});
        v("max_iterations", s.max_iterations, Field{.min = 1, .doc = "of Newton's method per step"});
        v("globalisation", s.globalisation,
          Field{.allowed = {"line_search", "trust_region"},
                .doc = "what keeps far steps safe; trust_region takes the Hessian as it is and bounds the "
                       "length of a step"});
        v("line_search", s.line_search,
          Field{.allowed = {"armijo", "strong_wolfe", "approximate_wolfe", "none"},
                .doc = "length of a step: sufficient decrease, slopes as well, slopes where the decrease is "
                       "lost in rounding, or always 1"});
        v("merit", s.merit,
          Field{.allowed = {"energy", "residual"},
                .doc = "what a step must lower: the incremental potential, or the square of the unbalanced "
                       "forces (baseline: stops at saddles, armijo only)"});
        v("projection", s.projection,
          Field{.allowed = {"on_demand", "clamp", "eigen", "absolute", "gauss_newton", "none"},
                .doc = "of element Hessians to positive semi-definite; on_demand clamps where the matrix is "
                       "indefinite otherwise; clamp: in closed form where an energy has one, eigen and absolute: negative "
                       "eigenvalues of the element's matrix to 0, or turned; gauss_newton leaves the curvature of lengths, "
                       "of springs, constraints and tri_stvk, and of angles out, and clamps all others"});
        v("still", s.still,
          Field{.min = 0, .unit = "m/s",
                .doc = "contact slower than this sticks: friction grows to its limit up to here; 0 = no friction. One linear solve "
                       "per step and quasi_static have none"});
        v("constraints", s.constraints,
          Field{.allowed = {"penalty", "compliant", "hard", "hard_velocity"},
                .doc = "as springs of stiffness 1/compliance; with multipliers, where soft and stiff converge alike; "
                       "without compliance; or for velocities alone, so that lengths drift (baseline)"});
        v("geometric_stiffness", s.geometric_stiffness,
          Field{.doc = "of constraints with multipliers: tension counts in the matrix"});
        v("linear_solver", s.linear_solver,
          Field{.allowed = {"default", "cholesky", "ldlt", "cg", "banded", "banded_lu"},
                .doc = "for the Newton systems; default: banded where all points belong to rods, banded_lu where their matrix "
                       "is taken as it is to find a root (projection none, merit residual)"});
        v("ordering", s.ordering,
          Field{.allowed = {"amd", "metis"}, .doc = "fill-reducing order of direct solvers"});
        v("preconditioner", s.preconditioner, Field{.allowed = {"jacobi", "ic0", "none"}, .doc = "of cg"});
        v("forcing", s.forcing,
          Field{.allowed = {"fixed", "eisenstat_walker"},
                .doc = "of cg: cg_tolerance in every iteration, or from 0.5 down as the residual falls"});
        v("cg_tolerance", s.cg_tolerance,
          Field{.min = 0, .max = 1, .min_exclusive = true, .max_exclusive = true, .doc = "relative, of cg"});
        v("cg_iterations", s.cg_iterations, Field{.min = 1, .doc = "most iterations of cg per system"});
    }
};

// presets
std::shared_ptr<void> make_linearly_implicit_settings();
std::shared_ptr<void> make_baraff_witkin_settings();

Needs newton_needs();
Needs baraff_witkin_needs(); // points only
std::unique_ptr<Solver> make_newton(const Context&, const Model&, State&, const void* settings);

} // namespace sinew
