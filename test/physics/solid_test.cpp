// Solids of tetrahedra as whole bodies: beam theory, vibrations, damping, momentum, plasticity (spec P V14, V33, V34; spec C 8.3).
#include "core/math.h"
#include "physics/simulation.h"
#include "solver/modes.h"
#include <cmath>
#include <fmt/format.h>

using namespace sinew;

namespace {


ModeResult modes_of_text(const std::string& text, int count, std::optional<Compiled>& compiled) {
    compiled = compile_text(text);
    if (!compiled) return {};
    ModeSettings settings;
    settings.count = count;
    return find_modes(*make_parallel(Context{}), compiled->model, compiled->state, settings);
}

std::string solid_bar(const char* extra, const char* solid, const std::string& cells, const char* size = "[1, 0.1, 0.1]") {
    return fmt::format(R"json("bar": {{ "kind": "solid", "size": {}, "cells": {}, {}
        "material": {{ "solid_density": 1000, "solid": {{ {} }} }} }})json", size, cells, extra, solid);
}

std::optional<Simulation> run_scene(const std::string& text) {
    std::optional<Simulation> s = start(text);
    while (s && !is_finished(*s))
        if (simulate_step(*s) == Status::failed) {
            ADD_FAILURE() << s->report.message;
            break;
        }
    return s;
}

} // namespace

// spec P V14c: end deflection w L^4/(8 E I) + shear under its own weight; linear tetrahedra converge from below, error h^2
TEST(solid, cantilever_converges_to_beam_theory_from_below) {
    const Real E = 1e7, w = 1000 * 0.1 * 0.01, I = 1e-4 / 12; // gravity 0.1 m/s^2
    const Real expected = w / (8 * E * I) + w / (2 * 5.0 / 6 * E / 2 * 0.01);
    Real last = 0;
    std::vector<Real> error;
    for (const int n : {2, 4, 8}) {
        const auto s = run_scene(fmt::format(R"json({{ "sinew": 1, "gravity": 0.1, "time": {{ "dt": 1, "substeps": 1, "frames": 1 }},
            "objects": {{ {} }}, "solver": "newton",
            "solvers": {{ "newton": {{ "scheme": "quasi_static", "force_tolerance": 1e-9, "max_iterations": 100 }} }} }})json",
            solid_bar(R"("fixed": { "group": "x_min" },)", R"("model": "linear", "young": 1e7, "poisson": 0)",
                      fmt::format("[{}, {}, {}]", 10 * n, n, n))));
        ASSERT_TRUE(s);
        const Real deflection = -(measure(*s, "bar.min.y") + 0.05);
        EXPECT_GT(deflection, last);
        EXPECT_LT(deflection, 1.005 * expected); // the section turns a little: its lower edge, not its centre
        last = deflection;
        error.push_back(1 - deflection / expected);
    }
    // halving the cells divides the error by about four once they resolve the bending; extrapolated by that, it vanishes
    EXPECT_GT(error[1] / error[2], 3);
    EXPECT_LT(error[2], 0.05);
    EXPECT_LT(std::abs(4 * error[2] - error[1]) / 3, 0.01);
}

TEST(solid, free_body_has_six_rigid_modes_at_zero) {
    std::optional<Compiled> c;
    for (const char* model : {"linear", "corotated", "stvk", "neohookean", "stable_neohookean"}) {
        const ModeResult r = modes_of_text("{ \"sinew\": 1, \"gravity\": 0, \"objects\": { " +
            solid_bar("", fmt::format("\"model\": \"{}\", \"young\": 1e5, \"poisson\": 0.3", model).c_str(), "[5, 1, 1]") + " } }", 8, c);
        ASSERT_EQ(r.squares.size(), 8u) << r.message;
        for (int i = 0; i < 6; ++i) EXPECT_LT(std::abs(r.squares[i]), 1e-8 * r.squares[6]) << model; // rounding of K
        EXPECT_GT(r.squares[6], 1) << model;
    }
}

// first bending frequency of a clamped beam: (1.87510^2/(2 pi)) sqrt(E I/(rho A L^4)), from above as the cells shrink
TEST(solid, clamped_beam_vibrates_as_euler_and_bernoulli_say) {
    const Real expected = 1.8751040687 * 1.8751040687 / (2 * kPi) * std::sqrt(1e6 * 0.01 / (12 * 1000));
    Real last = 1e9, before = 0;
    for (const int n : {2, 4, 8}) {
        std::optional<Compiled> c;
        const ModeResult r = modes_of_text("{ \"sinew\": 1, \"gravity\": 0, \"objects\": { " +
            solid_bar(R"("fixed": { "group": "x_min" },)", R"("model": "corotated", "young": 1e6, "poisson": 0)",
                      fmt::format("[{}, {}, {}]", 10 * n, n, n)) + " } }", 2, c);
        ASSERT_TRUE(r.ok) << r.message;
        const Real f = std::sqrt(r.squares[0]) / (2 * kPi);
        EXPECT_LT(f, last);
        before = last;
        last = f;
    }
    EXPECT_LT(last, 1.03 * expected); // bending of linear elements, h^2
    const Real limit = (4 * last - before) / 3;
    EXPECT_NEAR(limit, 0.993 * expected, 0.01 * expected); // shear and rotary inertia lower it by 0.7 %
}

// spec P V14b: fixed-free bar, c = 10 m/s, first longitudinal frequency 2.5 Hz, error O(h^2)
TEST(solid, longitudinal_frequency_of_a_bar_converges_with_the_square_of_the_cell) {
    std::vector<Real> error;
    for (const int n : {4, 8, 16}) {
        std::optional<Compiled> c;
        const ModeResult r = modes_of_text("{ \"sinew\": 1, \"gravity\": 0, \"objects\": { " +
            solid_bar(R"("fixed": { "group": "x_min" }, "split": "six",)", R"("model": "linear", "young": 1e5, "poisson": 0)",
                      fmt::format("[{}, 1, 1]", n), "[1, 0.3, 0.3]") + " } }", 16, c);
        ASSERT_TRUE(r.ok) << r.message;
        // the lowest mode that moves along the bar
        Real found = 0;
        for (std::size_t k = 0; k < r.squares.size() && found == 0; ++k) {
            Real along = 0, all = 0;
            for (int i = 0; i < point_count(c->model); ++i)
                for (int a = 0; a < 3; ++a) {
                    const Real energy = c->model.point.mass[i] * r.shapes[k][3 * i + a] * r.shapes[k][3 * i + a];
                    all += energy;
                    if (a == 0) along += energy;
                }
            if (along > 0.95 * all) found = std::sqrt(r.squares[k]) / (2 * kPi);
        }
        error.push_back(found - 2.5);
    }
    EXPECT_NEAR(error[0] / error[1], 4, 0.8);
    EXPECT_NEAR(error[1] / error[2], 4, 0.8);
    EXPECT_LT(std::abs(error[2]), 0.01);
}

// spec P V34: a body struck in the shape of a mode moves in it, q(t) = sin(w t)/w; and Rayleigh damping takes
// exp(-zeta w t) from it, zeta = (a w + b/w)/2
TEST(solid, modes_move_as_the_full_simulation_and_are_damped_as_rayleigh_says) {
    for (const bool damped : {false, true}) {
        std::optional<Compiled> c;
        const std::string text = "{ \"sinew\": 1, \"gravity\": 0, \"time\": { \"dt\": 1e-3, \"substeps\": 1, \"frames\": 1000 }, "
            "\"solver\": \"newton\", \"solvers\": { \"newton\": { \"scheme\": \"implicit_midpoint\", \"tolerance\": 1e-13, "
            "\"force_tolerance\": 1e-13 } }, \"objects\": { " +
            solid_bar(R"("fixed": { "group": "x_min" },)", damped ? R"("model": "corotated", "young": 1e6, "damping": { "mass": 0.5, "stiffness": 2e-3 })"
                                                            : R"("model": "corotated", "young": 1e6)", "[8, 1, 1]") + " } }";
        const ModeResult r = modes_of_text(text, 3, c);
        ASSERT_TRUE(r.ok) << r.message;
        std::optional<Simulation> s = start(text);
        ASSERT_TRUE(s);
        const int mode = 2;
        const Real w = std::sqrt(r.squares[mode]), speed = 1e-6;
        for (int i = 0; i < point_count(c->model); ++i)
            vec(s->now.point.v[i]) = speed * Vec3::Map(r.shapes[mode].data() + 3 * i);
        const Real zeta = damped ? 0.5 * (2e-3 * w + 0.5 / w) : 0, wd = w * std::sqrt(1 - zeta * zeta);
        const int steps = int(2.25 * 2 * kPi / wd / 1e-3); // two periods and a quarter
        Real work = 0;
        for (int k = 0; k < steps; ++k) {
            ASSERT_EQ(simulate_step(*s), Status::ok);
            work += s->report.work_damping;
        }
        const Real t = steps * 1e-3;
        Real q = 0; // modal coordinate
        for (int i = 0; i < point_count(c->model); ++i)
            q += c->model.point.mass[i] *
                 (vec(s->now.point.x[i]) - vec(c->model.point.rest[i])).dot(Vec3::Map(r.shapes[mode].data() + 3 * i));
        // midpoint: phase error t w (w h)^2/12
        const Real within = 2 * t * w * std::pow(w * 1e-3, 2) / 12 + 1e-4;
        EXPECT_NEAR(q, speed / wd * std::exp(-zeta * w * t) * std::sin(wd * t), within * speed / wd);
        if (damped) {
            EXPECT_GT(zeta, 0.02);
            const Real lost = 0.5 * speed * speed - energy_total(s->report);
            EXPECT_NEAR(work, -lost, 1e-3 * lost); // the report's damping work is what the energy lost
        }
    }
}

// spec C 3.2: implicit Euler changes the angular momentum of a free body by exactly h sum v_next x m v_now, and damps it
TEST(solid, implicit_euler_damps_the_spin_of_a_free_body_by_its_identity) {
    std::optional<Simulation> s = start(fmt::format(R"json({{ "sinew": 1, "gravity": 0, "time": {{ "dt": 0.01, "substeps": 1, "frames": 20 }},
        "objects": {{ {} }}, "solver": "newton", "solvers": {{ "newton": {{ "tolerance": 1e-13, "force_tolerance": 1e-14, "line_search": "none" }} }} }})json",
        solid_bar(R"("angular_velocity": [3, 0, 6],)", "\"model\": \"stable_neohookean\"", "[3, 1, 1]", "[0.3, 0.1, 0.1]")));
    ASSERT_TRUE(s);
    const Real first = vec(s->report.angular_momentum).norm();
    while (!is_finished(*s)) {
        const std::vector<Real3> v_now = s->now.point.v;
        const Vec3 before = vec(s->report.angular_momentum);
        ASSERT_EQ(simulate_step(*s), Status::ok);
        Vec3 change = Vec3::Zero();
        for (std::size_t i = 0; i < v_now.size(); ++i)
            change += 0.01 * s->compiled.model.point.mass[i] * vec(s->now.point.v[i]).cross(vec(v_now[i]));
        // the step is solved to 1e-13 of its forces
        EXPECT_LT((vec(s->report.angular_momentum) - before - change).norm(), 1e-10 * first);
    }
    EXPECT_LT(vec(s->report.angular_momentum).norm(), 0.99 * first);
}

TEST(solid, free_flight_keeps_momentum_and_angular_momentum) {
    for (const char* model : {"corotated", "stvk", "neohookean", "stable_neohookean", "arap", "strain", "anisotropic"}) {
        std::optional<Simulation> s = start(fmt::format(R"json({{ "sinew": 1, "gravity": 0, "time": {{ "dt": 2e-4, "substeps": 1, "frames": 300 }},
            "objects": {{ {} }}, "solver": "explicit", "solvers": {{ "explicit": {{ "scheme": "leapfrog" }} }} }})json",
            solid_bar(R"("velocity": [1, 2, 0], "angular_velocity": [3, 0, 6],)", fmt::format("\"model\": \"{}\"", model).c_str(), "[3, 1, 1]",
                      "[0.3, 0.1, 0.1]")));
        ASSERT_TRUE(s);
        const Report first = s->report;
        while (!is_finished(*s)) ASSERT_EQ(simulate_step(*s), Status::ok);
        EXPECT_LT((vec(s->report.momentum) - vec(first.momentum)).norm(), 1e-12 * vec(first.momentum).norm()) << model;
        EXPECT_LT((vec(s->report.angular_momentum) - vec(first.angular_momentum)).norm(), 1e-11) << model;
        EXPECT_EQ(s->report.inverted, 0) << model;
    }
}

// the classical Neo-Hookean material refuses inversion: a cube thrown at the floor hard enough to fold a softer material
TEST(solid, neohookean_cube_dropped_hard_never_inverts) {
    std::optional<Simulation> s = start(R"json({ "sinew": 1, "time": { "dt": 0.01, "substeps": 1, "frames": 40 },
        "objects": { "floor": { "kind": "plane", "at": [0, -0.3, 0], "stiffness": 1e4 },
            "cube": { "kind": "solid", "size": [0.4, 0.4, 0.4], "cells": [3, 3, 3], "velocity": [0, -15, 0],
                "material": { "solid_density": 1000, "solid": { "model": "neohookean", "young": 3e4, "poisson": 0.4 } } } },
        "solver": "newton", "solvers": { "newton": { "max_iterations": 200 } } })json");
    ASSERT_TRUE(s);
    Real lowest = 1;
    while (!is_finished(*s)) {
        ASSERT_EQ(simulate_step(*s), Status::ok) << s->report.message;
        EXPECT_EQ(s->report.inverted, 0);
        lowest = std::min(lowest, measure(*s, "cube.max.y") - measure(*s, "cube.min.y"));
    }
    EXPECT_LT(lowest, 0.32); // it was squeezed by a fifth
}

// mid-motion save and restore: plastic strain is part of the state
TEST(solid, plastic_bar_continues_from_a_saved_state_with_the_same_hash) {
    const std::string text = R"json({ "sinew": 1, "gravity": 0, "time": { "dt": 0.02, "substeps": 1, "frames": 40 },
        "objects": { "grip": { "kind": "box", "size": [0.1, 0.1, 0.1], "at": [0.5, 0, 0], "contact": false,
                               "motion": { "slide": { "velocity": [0.5, 0, 0], "to": 0.5 } } },
            "bar": { "kind": "solid", "size": [1, 0.1, 0.1], "cells": [6, 1, 1], "fixed": { "group": "x_min" },
                "material": { "solid": { "model": "corotated", "young": 1e5, "plasticity": { "yield": 3000, "hardening": 1000 },
                                         "damping": { "stiffness": 1e-3 } } } } },
        "attach": [ { "points": { "of": "bar", "group": "x_max" }, "to": "grip" } ], "solver": "newton" })json";
    std::optional<Simulation> whole = start(text), half = start(text), rest = start(text), threads = start(text, 3);
    ASSERT_TRUE(whole && half && rest && threads);
    while (!is_finished(*whole)) ASSERT_EQ(simulate_step(*whole), Status::ok);
    while (!is_finished(*threads)) ASSERT_EQ(simulate_step(*threads), Status::ok);
    for (int k = 0; k < 17; ++k) ASSERT_EQ(simulate_step(*half), Status::ok);
    const auto memory = [](const State& s) {
        const std::vector<double>* found = find_element_memory(s.memory, "tet_corotated_plastic");
        Real most = 0;
        for (std::size_t i = 9; found && i < found->size(); i += 10) most = std::max(most, (*found)[i]);
        return most;
    };
    EXPECT_GT(memory(half->now), 0.05); // it has flowed when it is saved
    StateFile file;
    ASSERT_TRUE(read_state(state_checkpoint(save_run(*half)), file).empty());
    continue_from(*rest, file);
    while (!is_finished(*rest)) ASSERT_EQ(simulate_step(*rest), Status::ok);
    EXPECT_EQ(hash(rest->now), hash(whole->now));
    EXPECT_EQ(hash(threads->now), hash(whole->now));
    EXPECT_GT(memory(whole->now), memory(half->now));
}

// a sealed gas: the ball that swells keeps p V, and its wall carries the rest
TEST(solid, gas_in_a_ball_finds_its_balance) {
    const auto s = run_scene(R"json({ "sinew": 1, "gravity": 0, "time": { "dt": 0.02, "substeps": 1, "frames": 100 },
        "objects": { "ball": { "kind": "solid", "shape": "shell", "radius": 1, "wall": 0.1, "levels": 2,
            "pressure": { "pressure": 2000, "outside": 1e4, "gas": true },
            "material": { "solid_density": 100, "solid": { "model": "stable_neohookean", "young": 1e5, "poisson": 0.3, "damping": { "mass": 20 } } } } },
        "solver": "newton", "solvers": { "newton": { "tolerance": 1e-6, "max_iterations": 200 } } })json");
    ASSERT_TRUE(s);
    EXPECT_LT(s->report.energy_kinetic, 1e-4);
    // thin wall: p R/(2 t) = E e/(1 - nu) with mean radius; the pressure falls to 12 kPa/(1 + e)^3 - 10 kPa
    const Real grown = measure(*s, "ball.max.y") - 1;
    Real e = 0;
    for (int k = 0; k < 100; ++k) e = ((12000 / std::pow(1 + e, 3) - 10000) * 0.95 * 0.7 / (2 * 0.1 * 1e5) + e) / 2;
    EXPECT_NEAR(grown, e, 0.15 * e); // thick wall, flat triangles of one layer
    EXPECT_GT(grown, 0.01);
}
