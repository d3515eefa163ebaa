// Forces and velocities whatever the scheme: joints, ropes, motors, matched shapes, pressures, contacts (spec U 3.3), and rattle's second half.
#include "constraint/distance.h"
#include "energy/gravity.h"
#include "model/visit.h"
#include "physics/simulation.h"
#include "position/position_fixture.h"
#include <cmath>
#include <fmt/format.h>

using namespace sinew;

namespace {

constexpr const char* kBodySchemes[] = {"symplectic", "verlet", "rattle"};
constexpr const char* kSchemes[] = {"symplectic", "verlet", "rattle", "newmark"};
constexpr const char* kMethods[] = {"gauss_seidel", "jacobi", "conjugate_residuals", "fast_projection"};

// for so many steps of 1/60 s
std::optional<Simulation> run_scene(const std::string& objects, const std::string& settings, int steps, const std::string& gravity = "9.8") {
    auto s = start(fmt::format(R"({{ "sinew": 1, "gravity": {}, "time": {{ "fps": 60, "substeps": 1, "seconds": 100 }}, {},
        "solver": "position", "solvers": {{ "position": {{ {} }} }} }})", gravity, objects, settings));
    for (int k = 0; s && k < steps; ++k)
        if (simulate_step(*s) != Status::ok) {
            ADD_FAILURE() << s->report.message;
            return std::nullopt;
        }
    return s;
}
std::string settings_of(const char* scheme, const char* method, int iterations, const char* more = "", int substeps = 1) {
    return fmt::format(R"("scheme": "{}", "method": "{}", "iterations": {}, "substeps": {}, "newmark_gamma": 0.75 {})", scheme, method, iterations, substeps, more);
}
double lowest(const Simulation& s) {
    double least = 1e300;
    for (const Real3& x : s.now.point.x) least = std::min(least, x.y);
    return least;
}
double mean_radius(const Simulation& s) {
    Vec3 center = Vec3::Zero();
    for (const Real3& x : s.now.point.x) center += vec(x) / double(s.now.point.x.size());
    double sum = 0;
    for (const Real3& x : s.now.point.x) sum += (vec(x) - center).norm() / double(s.now.point.x.size());
    return sum;
}

// a point of 2 kg below one that is held
ModelBuilder hang_on_rope(Real compliance) {
    ModelBuilder b;
    b.model.gravity = {0, -9.8, 0};
    begin_object(b, "rope", "chain");
    add_points(b, std::vector<Real3>{{0, 0, 0}, {0, -1, 0}}, std::vector<Real>{1, 2});
    b.model.point.flags[0] = kFixed;
    const Distance::Params p{compliance, true};
    add_constraint(b, *find_constraint("distance"), &p, std::array<int, 2>{0, 1});
    const Gravity::Params g{Real3{0, -9.8, 0}};
    add_energy(b, *find_energy("gravity"), &g, std::array<int, 1>{1});
    finish_model(b);
    return b;
}

} // namespace

TEST(position_half, a_joint_bears_the_weight_that_hangs_on_it_in_every_scheme) {
    for (const char* scheme : kBodySchemes)
        for (const char* method : kMethods) {
            const auto s = run_scene(R"("objects": { "load": { "kind": "box", "size": [0.2, 0.2, 0.2], "mass": 2, "at": [0, -1, 0], "contact": false } },
                                        "joints": { "hook": { "kind": "ball", "between": ["world", "load"], "at": [0, 0, 0] } })",
                                     settings_of(scheme, method, 60), 30);
            ASSERT_TRUE(s) << scheme << ' ' << method;
            EXPECT_NEAR(measure(*s, "hook.force"), 19.6, 1e-6) << scheme << ' ' << method; // jacobi halves its error 60 times
            EXPECT_NEAR(vec(s->now.frame.v[0]).norm(), 0, 1e-6) << scheme << ' ' << method;
        }
}

TEST(position_half, a_rope_bears_what_hangs_on_it_and_holds_it_still_in_every_scheme) {
    for (const Real compliance : {0.0, 1e-4})
        for (const char* scheme : kSchemes) {
            const ModelBuilder b = hang_on_rope(compliance);
            PositionSettings settings = plain_settings();
            settings.scheme = scheme, settings.newmark_gamma = 0.75;
            PositionRun run(b, settings);
            run.steps(300, 1.0 / 60);
            const std::vector<Real>* force = find_memory(run.now, "force.distance");
            ASSERT_TRUE(force);
            EXPECT_NEAR((*force)[0], 19.6, 1e-9) << scheme << ' ' << compliance;
            EXPECT_NEAR(run.x(1).y(), -1 - compliance * 19.6, 1e-9) << scheme << ' ' << compliance;
            EXPECT_NEAR(run.v(1).norm(), 0, 1e-9) << scheme << ' ' << compliance;
        }
}

TEST(position_half, a_motor_at_its_limit_delivers_it_in_every_scheme) {
    // 3 N on 2 kg for a second, by a speed and by a place that are never reached
    for (const char* motor : {R"("speed": 100)", R"("stiffness": 1e6, "position": 100)"})
        for (const char* scheme : kBodySchemes) {
            const auto s = run_scene(fmt::format(R"("objects": {{ "cube": {{ "kind": "box", "size": [1, 1, 1], "mass": 2, "contact": false }} }},
                "joints": {{ "j": {{ "kind": "slider", "between": ["world", "cube"], "axis": [0, 1, 0], "motor": {{ {}, "limit": 3 }} }} }})", motor),
                                     settings_of(scheme, "gauss_seidel", 10), 60, "0");
            ASSERT_TRUE(s) << scheme;
            EXPECT_NEAR(s->now.frame.v[0].y, 1.5, 1e-9) << scheme << motor;
        }
}

TEST(position_half, a_matched_shape_sags_the_same_in_every_scheme) {
    const auto sag = [](const char* scheme) {
        const auto s = run_scene(R"("objects": { "block": { "kind": "solid", "size": [0.2, 0.2, 0.2], "cells": [2, 2, 2], "fixed": { "index": [0, 1, 2] },
            "material": { "solid_density": 300, "solid": { "model": "shape_match", "frequency": "5 Hz" } } } })",
                                 settings_of(scheme, "gauss_seidel", 20, R"(, "damping_time": "50 ms")"), 300);
        return s ? lowest(*s) + 0.1 : 0;
    };
    const double symplectic = sag("symplectic");
    EXPECT_LT(symplectic, -0.01);
    for (const char* scheme : kSchemes) EXPECT_NEAR(sag(scheme) / symplectic, 1, 0.02) << scheme; // what 20 sweeps leave
}

TEST(position_half, a_balloon_is_filled_the_same_in_every_scheme) {
    for (const char* pressure : {R"("pressure": "200 Pa")", R"("bulk": "2 GPa", "fill": 1.02)"}) {
        const auto size = [&](const char* scheme) {
            const auto s = run_scene(fmt::format(R"("objects": {{ "ball": {{ "kind": "cloth", "mesh": {{ "shape": "ball", "radius": 0.15, "levels": 1 }}, "pressure": {{ {} }},
                "material": {{ "density": 3, "membrane": {{ "model": "tri_stvk", "young": 4e5, "poisson": 0.3, "thickness": "1 mm", "damping": "2 ms" }} }} }} }})", pressure),
                                     settings_of(scheme, "gauss_seidel", 20, R"(, "damping_time": "20 ms")"), 60, "0");
            return s ? mean_radius(*s) : 0;
        };
        const double symplectic = size("symplectic");
        EXPECT_GT(symplectic, 0.1505) << pressure;
        // what 20 sweeps leave of the growth, up to a quarter; half of the pressure would be half of it
        for (const char* scheme : kSchemes) EXPECT_NEAR(size(scheme), symplectic, 0.3 * (symplectic - 0.15)) << scheme << pressure;
    }
}

TEST(position_half, stiff_cloth_of_few_iterations_is_not_thrown_apart_in_any_scheme) {
    for (const char* model : {"links", "shell"})
        for (const char* scheme : kSchemes)
            for (const int iterations : {1, 2}) {
                const auto s = run_scene(fmt::format(R"("objects": {{ "cloth": {{ "kind": "cloth_grid", "model": "{}", "size": [2, 2], "edge": 0.1, "material": "cotton",
                    "fixed": {{ "index": [0, 20] }} }} }})", model),
                                         settings_of(scheme, "gauss_seidel", iterations, "", 2), 60);
                ASSERT_TRUE(s) << scheme << ' ' << iterations;
                EXPECT_LT(measure(*s, "energy.kinetic"), 6) << model << ' ' << scheme << ' ' << iterations; // a swing: 2.5 to 4.7 J
            }
}

TEST(position_half, a_stiff_spring_that_is_struck_does_not_ring) {
    // 1e-8 m/N: the velocity along it is gone after some steps, and does not turn round in each of them
    const ModelBuilder b = make_chain({0, -1, 0}, 1, 1, 1, 1e-8, 9.8);
    for (const char* scheme : kBodySchemes) {
        PositionSettings settings = plain_settings();
        settings.scheme = scheme;
        PositionRun run(b, settings);
        run.now.point.v[1] = {0, -1, 0};
        run.steps(20, 1.0 / 60);
        EXPECT_NEAR(run.v(1).norm(), 0, 1e-6) << scheme;
    }
}

TEST(position_half, friction_holds_and_slides_as_coulomb_says_in_every_scheme) {
    // pulled aside by 4 m/s^2 at a weight of 9.8: held by 0.5, with 4 - 0.3 g by 0.3
    const auto slide = [](const char* scheme, const char* method, double friction) {
        return run_scene(fmt::format(R"("objects": {{ "floor": {{ "kind": "plane", "friction": {} }},
            "p": {{ "kind": "particles", "positions": [[0, 0, 0]], "masses": [1], "material": {{ "friction": {} }}, "thickness": 0 }} }})", friction, friction),
                         settings_of(scheme, method, 60), 60, "[4, -9.8, 0]");
    };
    for (const char* scheme : kSchemes)
        for (const char* method : kMethods) {
            const auto held = slide(scheme, method, 0.5), slid = slide(scheme, method, 0.3);
            ASSERT_TRUE(held && slid) << scheme << ' ' << method;
            EXPECT_NEAR(vec(held->now.point.v[0]).norm(), 0, 1e-6) << scheme << ' ' << method;
            const double creeps = scheme == std::string("newmark") ? 0.02 : 2e-3; // whose friction stops velocities alone
            EXPECT_NEAR(held->now.point.x[0].x, 0, creeps) << scheme << ' ' << method;
            EXPECT_NEAR(slid->now.point.v[0].x, 4 - 0.3 * 9.8, 0.04) << scheme << ' ' << method; // a step or two of 1/60 s
        }
}

TEST(position_half, soft_contacts_sink_in_by_compliance_times_weight_in_every_scheme) {
    for (const char* scheme : kSchemes)
        for (const char* method : {"gauss_seidel", "jacobi"}) {
            const auto s = run_scene(R"("objects": { "floor": { "kind": "plane" },
                "p": { "kind": "particles", "positions": [[0, 0, 0]], "masses": [1], "thickness": 0 } })",
                                     settings_of(scheme, method, 100, R"(, "contact_compliance": 1e-4)"), 200);
            ASSERT_TRUE(s) << scheme << ' ' << method;
            EXPECT_NEAR(s->now.point.x[0].y, -9.8e-4, 1e-7) << scheme << ' ' << method;
            EXPECT_NEAR(vec(s->now.point.v[0]).norm(), 0, 1e-5) << scheme << ' ' << method;
        }
}
