// Nonlinear conjugate gradients on sheets and solids: converged, they end where Newton's method ends.
#include "model/visit.h"
#include "physics/simulation.h"
#include <cmath>
#include <fmt/format.h>

using namespace sinew;

namespace {

// the places of all points after `steps` of 5 ms
std::vector<Real3> run_object(const std::string& object, const std::string& solver, const std::string& settings, int steps, const std::string& what) {
    std::optional<Simulation> s = start(fmt::format(R"({{ "sinew": 1, "time": {{ "dt": 0.005, "substeps": 1, "frames": {} }}, "objects": {{ "it": {{ {} }} }},
        "solver": "{}", "solvers": {{ "{}": {{ {} }} }} }})", steps, object, solver, solver, settings));
    if (!s) return {};
    while (!is_finished(*s))
        if (simulate_step(*s) == Status::failed) {
            ADD_FAILURE() << what << ": " << s->report.message;
            return {};
        }
    EXPECT_TRUE(s->report.warnings.empty()) << what << ": " << s->report.warnings.front();
    return s->now.point.x;
}

// Newton's steps are exact to 1e-11 m/s. Those of conjugate gradients end where the preconditioned residual asks for less than 1e-10 m/s:
// times the step 5e-13 m, which the softest modes may exceed by the condition of the preconditioned matrix, some thousand.
void agree(const std::string& object, const std::string& what, const std::vector<std::string>& variants) {
    const int steps = 8;
    const std::string exact = R"("tolerance": 1e-11, "force_tolerance": 1e-13, "max_iterations": 200)";
    const std::vector<Real3> expected = run_object(object, "newton", exact, steps, what);
    for (const std::string& variant : variants) {
        const std::string settings = fmt::format(R"("variant": "{}", "tolerance": 1e-10, "force_tolerance": 1e-12, "max_iterations": 20000)", variant);
        const std::vector<Real3> x = run_object(object, "nonlinear_cg", settings, steps, what + ' ' + variant);
        ASSERT_EQ(x.size(), expected.size()) << what << variant;
        ASSERT_FALSE(x.empty()) << what;
        Real worst = 0;
        for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, (vec(x[i]) - vec(expected[i])).norm());
        EXPECT_LT(worst, 1e-8) << what << ' ' << variant;
    }
}

} // namespace

TEST(nonlinear_cg, sheets_of_triangles_and_hinges_end_where_newton_ends) {
    for (const char* membrane : {"tri_stvk", "tri_baraff_witkin", "tri_neohookean"})
        for (const char* bend : {"hinge_tan", "hinge_theta"})
            agree(fmt::format(R"("kind": "cloth_grid", "size": [0.3, 0.2], "edge": 0.1, "model": "shell", "velocity": [0, 1, 0], "angular_velocity": [1, 2, 3],
                "fixed": {{ "index": [0] }}, "material": {{ "density": 0.2, "membrane": {{ "model": "{}", "young": 2e4, "thickness": 0.001 }},
                "bend": {{ "model": "{}", "stiffness": 1e-4 }} }})", membrane, bend), fmt::format("{} {}", membrane, bend), {"cg_descent", "icmcg"});
}

TEST(nonlinear_cg, tetrahedra_end_where_newton_ends) {
    for (const char* model : {"stvk", "corotated", "neohookean", "stable_neohookean", "arap", "ogden"})
        agree(fmt::format(R"("kind": "solid", "size": [0.4, 0.1, 0.1], "cells": [3, 1, 1], "angular_velocity": [1, 2, 3], "fixed": {{ "group": "x_min" }},
            "material": {{ "solid_density": 1000, "solid": {{ "model": "{}" }} }})", model), model, {"cg_descent", "fletcher_reeves", "icmcg"});
}

// Dampers of links are potentials in steps of implicit Euler: a sheet with c/h = 100 and 10 000 times its stiffness falls on a ball, and every step of
// newton converges. As lagged forces they took it hundreds of iterations a step, then a failure, and conjugate gradients to NaN at the
// first touch; these may end a step of folds short of their tolerance, but descend.
TEST(nonlinear_cg, strongly_damped_links_meet_a_ball_under_both_solvers) {
    for (const auto& [solver, most] : {std::pair{"newton", 60}, std::pair{"nonlinear_cg", 500}})
        for (const Real damping : {1.0, 100.0}) {
            std::optional<Simulation> s = start(fmt::format(R"({{ "sinew": 1, "time": {{ "fps": 100, "substeps": 1, "seconds": 0.25 }},
                "objects": {{ "ball": {{ "kind": "sphere", "radius": 0.15, "friction": 0.3 }},
                    "sheet": {{ "kind": "cloth_grid", "size": [0.5, 0.5], "edge": 0.06, "at": [0, 0.2, 0],
                        "material": {{ "density": 0.3, "membrane": {{ "stiffness": 500, "damping": {} }}, "bend": {{ "stiffness": 0.1, "damping": 0.01 }} }} }} }},
                "solver": "{}", "solvers": {{ "{}": {{ "max_iterations": {} }} }} }})", damping, solver, solver, most));
            ASSERT_TRUE(s);
            bool touched = false;
            while (!is_finished(*s)) {
                ASSERT_EQ(simulate_step(*s), Status::ok) << solver << ' ' << damping << ' ' << s->report.message;
                ASSERT_TRUE(solver == std::string_view("nonlinear_cg") || s->report.warnings.empty()) << damping << ' ' << s->report.warnings.front();
                ASSERT_LT(s->report.energy_kinetic, 2 * s->report.mass * 9.81 * 0.2); // what falling gives at most
                touched = touched || s->report.contact_count > 0;
            }
            EXPECT_TRUE(touched);
        }
}
