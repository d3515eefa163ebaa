// Nonlinear conjugate gradients against Newton's method, and the law of the printed variant.
#include "newton_fixture.h"
#include "physics/simulation.h"
#include "solver/nonlinear_cg.h"
#include <fmt/format.h>

using namespace sinew;

namespace {

struct CgRun {
    State now, spare;
    std::unique_ptr<Solver> solver;
    Report report;
    const ModelBuilder& b;
    CgRun(const ModelBuilder& model, const NonlinearCgSettings& s, int threads = 1) : now(model.state), b(model) {
        solver = make_nonlinear_cg({.threads = threads}, b.model, now, &s);
    }
    void steps(int count, Real dt) {
        for (int i = 0; i < count; ++i) {
            report = solver->step(b.model, {}, now, spare, dt, nullptr);
            ASSERT_EQ(report.status, Status::ok) << report.message;
            EXPECT_TRUE(report.warnings.empty()) << report.warnings.front();
            std::swap(now, spare);
        }
    }
};

// the same scene under both solvers, converged; returns the largest distance between points and between twists
Real difference_between_solvers(const std::string& scene, int steps, bool& ok) {
    State state[2];
    const char* solver[2] = {R"("newton", "solvers": { "newton": { "tolerance": 1e-10, "force_tolerance": 1e-12 } })",
                             R"("nonlinear_cg", "solvers": { "nonlinear_cg": { "tolerance": 1e-10, "force_tolerance": 1e-11, "max_iterations": 20000 } })"};
    ok = true;
    for (int k = 0; k < 2; ++k) {
        std::optional<Simulation> s = start(fmt::format(fmt::runtime(scene), solver[k]));
        for (int i = 0; s && i < steps; ++i)
            if (simulate_step(*s) != Status::ok) {
                ADD_FAILURE() << solver[k] << ": " << s->report.message;
                return ok = false, 0;
            }
        if (!s) return ok = false, 0;
        state[k] = s->now;
    }
    Real most = distance_between(state[0], state[1]);
    for (std::size_t i = 0; i < state[0].scalar.s.size(); ++i) most = std::max(most, std::abs(state[0].scalar.s[i] - state[1].scalar.s[i]));
    return most;
}

} // namespace

TEST(nonlinear_cg, agrees_with_newton_for_every_scheme_variant_and_preconditioner) {
    for (const ModelBuilder& b : {make_pendulum(0.2), falling_on_floor(3)})
        for (const char* scheme : {"implicit_euler", "implicit_midpoint", "bdf2", "newmark"}) {
            NewtonRun newton(b, exact_settings(scheme));
            newton.steps(20, 0.01);
            for (const char* variant : {"cg_descent", "fletcher_reeves", "icmcg"})
                for (const char* preconditioner : {"jacobi", "mass", "none"}) {
                    NonlinearCgSettings s;
                    s.scheme = scheme, s.variant = variant, s.preconditioner = preconditioner;
                    s.tolerance = 1e-11, s.force_tolerance = 1e-12, s.max_iterations = 3000;
                    CgRun run(b, s);
                    run.steps(20, 0.01);
                    // residuals of 1e-12 of the largest force, or 1e-11 m/s, over 20 steps
                    EXPECT_LT(distance_between(run.now, newton.now), 1e-9)
                        << scheme << ' ' << variant << ' ' << preconditioner;
                }
        }
}

// Spec U029: for one spring between a fixed and a free point, pulled along itself, the printed residual gives
// c_k = c / (1 + h^2 k w)^k; the corrected one stays at the implicit Euler step c / (1 + h^2 k w).
TEST(nonlinear_cg, printed_residual_gets_stiffer_with_every_iteration) {
    const Real k = 300, mass = 2, h = 0.1, rest = 1, start = 1.5;
    ModelBuilder b;
    begin_object(b, "s", "particles");
    add_points(b, std::vector<Real3>{{0, 0, 0}, {rest, 0, 0}}, std::vector<Real>{1, mass});
    b.model.point.flags[0] = kFixed;
    add_spring(b, 0, 1, k, 0);
    finish_model(b);
    b.state.point.x[1].x = start;
    for (int iterations = 1; iterations <= 6; ++iterations) {
        NonlinearCgSettings s;
        s.variant = "printed", s.preconditioner = "none", s.max_iterations = iterations;
        CgRun run(b, s);
        run.steps(1, h);
        const Real expected = (start - rest) / std::pow(1 + h * h * k / mass, iterations);
        EXPECT_NEAR(run.now.point.x[1].x - rest, expected, 1e-13) << iterations;
    }
    NonlinearCgSettings s;
    s.variant = "fletcher_reeves", s.force_tolerance = 1e-14;
    CgRun run(b, s);
    run.steps(1, h);
    EXPECT_NEAR(run.now.point.x[1].x - rest, (start - rest) / (1 + h * h * k / mass), 1e-12);
}

TEST(nonlinear_cg, gives_the_same_bits_for_any_number_of_threads) {
    const ModelBuilder b = make_pendulum(0.1);
    std::uint64_t expected = 0;
    for (int threads : {1, 2, 3, 8}) {
        CgRun run(b, {}, threads);
        run.steps(10, 0.02);
        if (threads == 1) expected = hash(run.now);
        EXPECT_EQ(hash(run.now), expected) << threads;
    }
}

// energy of an oscillator falls by 1/(1 + omega^2 h^2) per step of implicit Euler (spec U 3.2)
TEST(nonlinear_cg, damps_an_oscillator_as_implicit_euler_does) {
    const Real omega = 7, h = 0.03;
    const ModelBuilder b = make_oscillator(2, omega, {0.3, 0, 0}, {0, 0.5, 0});
    NonlinearCgSettings s;
    s.force_tolerance = 1e-13, s.tolerance = 1e-13;
    CgRun run(b, s);
    const auto energy = [&] {
        return 0.5 * 2 * (vec(run.now.point.v[0]).squaredNorm() + omega * omega * vec(run.now.point.x[0]).squaredNorm());
    };
    const Real before = energy();
    run.steps(1, h);
    EXPECT_NEAR(energy() / before, 1 / (1 + omega * omega * h * h), 1e-11);
}

// Dampers are forces without potential. Where c/h is far above k and m/h^2, a search that takes the force of the start as constant runs
// away: energies of 1e11 J, then NaN. With the change of the force along the direction in the merit the method converges as without.
TEST(nonlinear_cg, takes_dampers_that_are_stiffer_than_springs_and_inertia) {
    const Real h = 0.01;
    const ModelBuilder b = make_pendulum(500); // c/h = 5e4, m/h^2 = 4e3, k = 60 to 100
    for (const char* scheme : {"implicit_euler", "implicit_midpoint", "bdf2", "newmark"}) {
        NewtonRun newton(b, exact_settings(scheme));
        newton.steps(20, h);
        for (const char* variant : {"cg_descent", "fletcher_reeves"}) {
            NonlinearCgSettings s;
            s.scheme = scheme, s.variant = variant;
            s.tolerance = 1e-11, s.force_tolerance = 1e-12, s.max_iterations = 3000;
            CgRun run(b, s);
            run.steps(20, h);
            EXPECT_LT(distance_between(run.now, newton.now), 1e-9) << scheme << ' ' << variant;
        }
    }
}

// the same of a solid: D = a K with a = 50 h
TEST(nonlinear_cg, takes_solids_whose_viscosity_is_stiffer_than_they_are) {
    bool ok;
    const Real most = difference_between_solvers(R"({{ "sinew": 1, "time": {{ "fps": 50, "substeps": 1, "seconds": 1 }},
        "objects": {{ "beam": {{ "kind": "solid", "size": [0.3, 0.1, 0.1], "cells": [3, 1, 1], "fixed": {{ "group": "x_min" }},
            "material": {{ "solid_density": 1000, "solid": {{ "model": "stable_neohookean", "young": "20 kPa", "damping": {{ "stiffness": "1 s" }} }} }} }} }},
        "solver": {} }})", 5, ok);
    ASSERT_TRUE(ok);
    EXPECT_LT(most, 1e-8); // both are converged to 1e-10 m/s over five steps of 0.02 s
}

// Twist angles are unknowns like any other: a bent, twisted, viscous rod moves as under newton.
TEST(nonlinear_cg, moves_rods_with_their_twist_as_newton_does) {
    bool ok;
    const Real most = difference_between_solvers(R"({{ "sinew": 1, "time": {{ "dt": 5e-3, "substeps": 1, "seconds": 1 }},
        "objects": {{ "r": {{ "kind": "rod", "to": [0.3, 0, 0.1], "count": 8, "radius": 0.003, "radius2": 0.002, "young": 1e6, "viscosity": 20,
                              "natural": "curved", "curvature1": 5, "clamp": "both", "twist_rate": 20 }} }}, "solver": {} }})", 20, ok);
    ASSERT_TRUE(ok);
    EXPECT_LT(most, 1e-6); // positions to 1e-10 m/s over 0.1 s; angles of edges are softer than points by 1/radius
}
