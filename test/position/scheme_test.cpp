// What schemes remember, how far rows of velocities reach in them, what contacts report, and what a residual is (spec U 3.3, 3.4).
#include "energy/gravity.h"
#include "energy/tet_stable_neohookean.h"
#include "physics/simulation.h"
#include "position/position_fixture.h"
#include <cmath>
#include <fmt/format.h>

using namespace sinew;

namespace {

// a particle of 1 kg on a floor
std::string ball_on_floor(const std::string& settings, double friction, double speed, const std::string& more = "") {
    return fmt::format(R"({{ "sinew": 1, "time": {{ "fps": 60, "substeps": 1, "seconds": 1 }}, "gravity": 9.8,
        "objects": {{ "floor": {{ "kind": "plane", "friction": {} }},
            "p": {{ "kind": "particles", "positions": [[0, 0, 0]], "masses": [1], "material": {{ "friction": {} }}, "thickness": 0,
                    "velocity": [{}, 0, 0] }} {} }},
        "solver": "position", "solvers": {{ "position": {{ "substeps": 1, {} }} }} }})", friction, friction, speed, more, settings);
}

} // namespace

TEST(position_scheme, a_point_that_is_moved_or_kicked_begins_anew) {
    const ModelBuilder b = make_chain({1, 0, 0}, 1, 1, 1, 0, 9.8);
    for (const char* scheme : {"verlet", "newmark"})
        for (const bool moved : {false, true}) {
            PositionSettings s = plain_settings();
            s.scheme = scheme, s.iterations = 50;
            PositionRun run(b, s);
            run.steps(20, 1.0 / 60);
            run.now.point.v[1] = {0, 0, 1};
            if (moved) run.now.point.x[1] = {0, -1, 0}; // as an emitter does
            PositionRun fresh(b, s);
            fresh.now.point = run.now.point;
            run.steps(20, 1.0 / 60), fresh.steps(20, 1.0 / 60);
            EXPECT_LT((run.x(1) - fresh.x(1)).norm(), 1e-12) << scheme << ' ' << moved; // the same numbers
        }
}

TEST(position_scheme, a_change_of_the_step_begins_verlet_anew) {
    // free fall: x = -g t^2/2 to rounding with any sequence of steps, if the backward difference is that of the step
    ModelBuilder b;
    b.model.gravity = {0, -10, 0};
    begin_object(b, "p", "particles");
    add_points(b, std::vector<Real3>{{0, 0, 0}}, std::vector<Real>{1});
    const Gravity::Params g{Real3{0, -10, 0}};
    add_energy(b, *find_energy("gravity"), &g, std::array<int, 1>{0});
    finish_model(b);
    PositionSettings s = plain_settings();
    s.scheme = "verlet";
    PositionRun run(b, s);
    run.steps(10, 0.01), run.steps(10, 0.02), run.steps(10, 0.005);
    EXPECT_NEAR(run.x(0).y(), -5 * 0.35 * 0.35, 1e-9); // the first acceleration is that of a tiny step
}

TEST(position_scheme, contacts_report_the_force_that_carries_whatever_the_scheme_and_method) {
    for (const char* scheme : {"symplectic", "verlet", "rattle", "newmark"})
        for (const char* method : {"gauss_seidel", "jacobi", "conjugate_residuals", "fast_projection"}) {
            auto s = start(ball_on_floor(fmt::format(R"("scheme": "{}", "method": "{}", "iterations": 60, "newmark_gamma": 0.75)", scheme, method),
                                         0, 0));
            ASSERT_TRUE(s);
            for (int k = 0; k < 30; ++k) ASSERT_EQ(simulate_step(*s), Status::ok);
            ASSERT_EQ(s->solver->contacts().size(), 1u) << scheme << ' ' << method;
            EXPECT_NEAR(s->solver->contacts()[0].force.y, 9.8, 1e-6) << scheme << ' ' << method; // jacobi halves its error 60 times
            EXPECT_NEAR(s->now.point.v[0].y, 0, 1e-6) << scheme << ' ' << method;
        }
}

TEST(position_scheme, rows_of_velocities_are_solved_at_once_in_every_scheme) {
    // one row of friction that may stop the particle: one iteration without relaxation does
    auto s = start(ball_on_floor(R"("scheme": "newmark", "newmark_beta": 0.5, "newmark_gamma": 1, "method": "jacobi", "relaxation": 1, "iterations": 1)",
                                 10, 1));
    ASSERT_TRUE(s);
    ASSERT_EQ(simulate_step(*s), Status::ok);
    EXPECT_NEAR(s->now.point.v[0].x, 0, 1e-12); // reach in place of h kick would turn it round
}

TEST(position_scheme, the_residual_is_a_length_and_counts_damping) {
    // a chain of damped springs, swept until nothing is left: rows without their rate would leave centimetres
    const auto residual = [](const char* method, double damping) {
        auto s = start(fmt::format(R"({{ "sinew": 1, "gravity": 9.8, "time": {{ "fps": 60, "substeps": 1, "seconds": 1 }},
            "objects": {{ "chain": {{ "kind": "chain", "from": [0, 0, 0], "to": [1, 0, 0], "count": 4, "mass": 0.4, "fixed": {{ "index": [0] }} }} }},
            "solver": "position", "solvers": {{ "position": {{ "method": "{}", "iterations": 2000, "substeps": 1, "damping_time": {} }} }} }})",
            method, damping));
        if (!s) return -1.0;
        for (int k = 0; k < 5; ++k)
            if (simulate_step(*s) != Status::ok) return -1.0;
        return s->report.residual;
    };
    EXPECT_LT(residual("gauss_seidel", 0), 1e-10);
    EXPECT_LT(residual("gauss_seidel", 0.1), 1e-10);
    EXPECT_LT(residual("accelerated_jacobi", 0.1), 1e-10);
    // one light and one heavy point of a rigid link that is 1 mm too long: the light one would go all of it
    const ModelBuilder b = make_chain({1, 0, 0}, 1, 1, 0.01, 0, 0);
    PositionSettings s = plain_settings();
    s.iterations = 1, s.tolerance = 1e-12;
    Trace trace;
    PositionRun run(b, s);
    run.now.point.v[1] = {0.06, 0, 0}; // 1 mm in a step
    s.method = "jacobi";
    PositionRun dual(b, s);
    dual.now.point.v[1] = {0.06, 0, 0};
    dual.step(1.0 / 60, &trace);
    ASSERT_FALSE(trace.iterations.empty());
    EXPECT_NEAR(trace.iterations[0].residual, 1e-3, 1e-12);
}

TEST(position_scheme, the_residual_takes_the_damping_that_the_sweeps_take) {
    // cotton has damping of its own, less than that of all rows; a shape and a volume have none
    const auto residual = [](const std::string& object) {
        auto s = start(R"({ "sinew": 1, "time": { "fps": 60, "substeps": 1, "seconds": 1 }, "objects": { "a": { )" + object + R"( } },
            "solver": "position", "solvers": { "position": { "iterations": 3000, "substeps": 1, "damping_time": 0.1 } } })");
        if (!s) return -1.0;
        for (int k = 0; k < 5; ++k)
            if (simulate_step(*s) != Status::ok) return -1.0;
        return s->report.residual;
    };
    // swept until nothing is left; with another damping of the residual 1e-4 m and more would be
    EXPECT_LT(residual(R"("kind": "cloth_grid", "model": "shell", "size": [0.2, 0.2], "edge": 0.1, "material": "cotton", "fixed": { "index": [0] })"), 1e-9);
    EXPECT_LT(residual(R"("kind": "solid", "size": [0.2, 0.2, 0.2], "cells": [1, 1, 1], "fixed": { "index": [0] },
        "material": { "solid_density": 300, "solid": { "model": "shape_match", "frequency": "5 Hz" } })"), 1e-9);
    EXPECT_LT(residual(R"("kind": "cloth", "mesh": { "shape": "ball", "radius": 0.15, "levels": 1 }, "pressure": { "bulk": "1 MPa", "fill": 1.02 }, "fixed": { "index": [0] },
        "material": { "density": 3, "membrane": { "model": "tri_stvk", "young": 4e3, "poisson": 0.3, "thickness": "1 mm" } })"), 1e-9);
}

TEST(position_scheme, one_tangent_is_refused_where_contacts_are_rows) {
    const ModelBuilder b = make_chain({1, 0, 0}, 1, 1, 1, 0, 9.8);
    for (const std::string& method : kDualMethods) {
        PositionSettings s = plain_settings();
        s.method = method, s.friction = "single";
        const bool sweeps = method == "gauss_seidel" || method == "fast_projection" || method == "newton";
        const auto trouble = find_position_trouble(b.model, s);
        EXPECT_EQ(trouble.empty(), sweeps) << method;
        if (!sweeps && !trouble.empty()) {
            EXPECT_EQ(trouble[0].key, "friction");
        }
    }
}

TEST(position_scheme, solids_without_rows_are_refused_by_name) {
    for (const auto& [poisson, raw] : {std::pair{0.0, true}, std::pair{-0.2, true}, std::pair{-0.2, false}, std::pair{0.3, true}}) {
        ModelBuilder b;
        begin_object(b, "tet", "solid");
        add_points(b, std::vector<Real3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, std::vector<Real>(4, 1));
        TetStableNeohookean::Params p;
        p.young = 1e3, p.poisson = poisson, p.raw = raw;
        add_energy(b, *find_energy("tet_stable_neohookean"), &p, std::array<int, 4>{0, 1, 2, 3});
        finish_model(b);
        const PositionSettings s = plain_settings();
        State now = b.state, next;
        const Report report = make_position({.threads = 1}, b.model, now, &s)->step(b.model, {}, now, next, 0.01, nullptr);
        const bool sound = !raw || poisson > 0;
        EXPECT_EQ(report.status == Status::ok, sound) << poisson << raw << report.message;
        if (!sound) {
            EXPECT_NE(report.message.find("Poisson"), std::string::npos) << report.message;
        }
    }
}

TEST(position_scheme, a_kick_against_the_constraint_does_no_harm) {
    const ModelBuilder b = make_chain({1, 0, 0}, 1, 1, 1, 0, 9.8);
    for (const char* scheme : {"verlet", "newmark"}) {
        PositionSettings s = plain_settings();
        s.scheme = scheme, s.iterations = 50;
        PositionRun run(b, s);
        run.now.point.v[1] = {1, 0, 0}; // along the link
        run.steps(60, 1.0 / 60);
        EXPECT_LT(0.5 * run.v(1).squaredNorm() + 9.8 * run.x(1).y(), 0.6) << scheme; // no more than the kick had, and a little
    }
}

TEST(position_scheme, solids_that_are_no_sum_of_squares_are_refused_when_loaded) {
    const Result<Scene> scene = parse_scene(R"({ "sinew": 1, "objects": { "block": { "kind": "solid", "size": [0.2, 0.2, 0.2], "cells": [1, 1, 1],
        "material": { "solid_density": 1000, "solid": { "model": "stable_neohookean", "young": 1e4, "poisson": 0, "raw": true } } } },
        "solver": "position" })", "scene.json");
    ASSERT_TRUE(scene);
    const Result<Compiled> compiled = compile_scene(*scene.value);
    ASSERT_FALSE(compiled.errors.empty()); // lambda = 0: sqrt(lambda) (J - 1 - mu/lambda) is no number
    EXPECT_NE(compiled.errors[0].message.find("no stable material"), std::string::npos);
}
