// Mode-reduced integration (spec P V34): each mode by its closed form, all modes together as the full linear model.
#include "physics/simulation.h"
#include "solver/modes.h"
#include <cmath>
#include <fmt/format.h>

using namespace sinew;

namespace {

std::string modal_bar(const std::string& solver, double dt, const char* damping, const char* gravity = "0", double seconds = 0.4) {
    return fmt::format(R"({{ "sinew": 1, "gravity": {}, "time": {{ "dt": {}, "substeps": 1, "seconds": {} }}, {},
        "objects": {{ "bar": {{ "kind": "solid", "size": [1, 0.2, 0.2], "cells": [3, 1, 1], "fixed": {{ "group": "x_min" }},
            "material": {{ "solid_density": 1000, "solid": {{ "model": "linear", "young": 1e6, "poisson": 0.3{} }} }} }} }} }})",
        gravity, dt, seconds, solver, damping);
}
const std::string kModal = R"("solver": "modal", "solvers": { "modal": { "modes": 1000 } })";
const std::string kMidpoint = R"("solver": "newton", "solvers": { "newton": { "scheme": "implicit_midpoint", "tolerance": 1e-12, "force_tolerance": 1e-12 } })";

ModeResult modes_at(const Simulation& s, int count) {
    ModeSettings settings;
    settings.count = count;
    ModeResult r = find_modes(*make_parallel(Context{}), s.compiled.model, s.now, settings);
    EXPECT_TRUE(r.ok) << r.message;
    return r;
}
// a kick that excites every mode
void kick(Simulation& s) {
    for (int i = 0; i < point_count(s.compiled.model); ++i)
        if (!(s.compiled.model.point.flags[i] & kFixed))
            s.now.point.v[i] = {1e-3 * std::sin(3.0 * i), 1e-3 * std::cos(2.0 * i), 1e-3 * std::sin(1.0 + i)};
}
std::vector<Real3> finish(Simulation& s) {
    while (!is_finished(s))
        if (simulate_step(s) == Status::failed) {
            ADD_FAILURE() << s.report.message;
            break;
        }
    return s.now.point.x;
}
Real distance(const std::vector<Real3>& a, const std::vector<Real3>& b) {
    Real most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, (vec(a[i]) - vec(b[i])).norm());
    return most;
}

} // namespace

TEST(modal, one_mode_swings_and_decays_by_its_closed_form_in_steps_of_any_length) {
    for (const char* damping : {"", R"(, "damping": { "mass": 0.7, "stiffness": 0.002 })"})
        for (const double dt : {0.01, 0.1}) { // the second is several periods of the mode
            std::optional<Simulation> s = start(modal_bar(kModal, dt, damping));
            ASSERT_TRUE(s);
            const ModeResult r = modes_at(*s, 4);
            const int mode = 3;
            const Real w = std::sqrt(r.squares[mode]), zeta = *damping ? 0.5 * (0.002 * w + 0.7 / w) : 0, wd = w * std::sqrt(1 - zeta * zeta);
            const Real start_q = 1e-4;
            for (int i = 0; i < point_count(s->compiled.model); ++i)
                vec(s->now.point.x[i]) += start_q * Vec3::Map(r.shapes[mode].data() + 3 * i);
            finish(*s);
            Real q = 0;
            for (int i = 0; i < point_count(s->compiled.model); ++i)
                q += s->compiled.model.point.mass[i] * (vec(s->now.point.x[i]) - vec(s->compiled.model.point.rest[i])).dot(Vec3::Map(r.shapes[mode].data() + 3 * i));
            const Real t = s->now.time;
            const Real expected = start_q * std::exp(-zeta * w * t) * (std::cos(wd * t) + zeta * w / wd * std::sin(wd * t));
            // the modes are known to 1e-8, which turns the phase by w t times that squared, and to other modes by 1e-8
            EXPECT_NEAR(q, expected, 1e-6 * start_q) << damping << " " << dt;
            EXPECT_TRUE(!*damping || zeta > 0.02);
        }
}

TEST(modal, all_modes_together_move_as_the_full_linear_model_to_the_error_of_its_step) {
    const char* damping = R"(, "damping": { "mass": 0.5, "stiffness": 0.001 })";
    std::optional<Simulation> reduced = start(modal_bar(kModal, 0.02, damping, "[0, -9.81, 0]"));
    ASSERT_TRUE(reduced);
    kick(*reduced);
    const std::vector<Real3> exact = finish(*reduced);
    Real error[2] = {};
    for (int k = 0; k < 2; ++k) {
        std::optional<Simulation> full = start(modal_bar(kMidpoint, k ? 2.5e-4 : 5e-4, damping, "[0, -9.81, 0]"));
        ASSERT_TRUE(full);
        kick(*full);
        error[k] = distance(finish(*full), exact);
    }
    const Real moved = distance(exact, reduced->compiled.model.point.rest);
    EXPECT_GT(moved, 1e-3);
    EXPECT_LT(error[1], 1e-3 * moved);
    EXPECT_NEAR(error[0] / error[1], 4, 0.6); // second order of the midpoint rule: nothing else is between them
}

TEST(modal, few_modes_hold_the_slow_part_of_the_motion) {
    const auto at = [](int modes) {
        std::optional<Simulation> s = start(modal_bar(fmt::format(R"("solver": "modal", "solvers": {{ "modal": {{ "modes": {} }} }})", modes), 0.01,
                                                      R"(, "damping": { "mass": 16 })", "[0, -9.81, 0]", 4));
        EXPECT_TRUE(s);
        return finish(*s);
    };
    // at rest under weight: the static sag, whose parts fall with 1/w^2
    const std::vector<Real3> all = at(1000), few = at(6), two = at(2);
    std::optional<Simulation> still = start(modal_bar(R"("solver": "newton", "solvers": { "newton": { "scheme": "quasi_static", "force_tolerance": 1e-12 } })", 0.1, "",
                                                      "[0, -9.81, 0]"));
    ASSERT_TRUE(still);
    const std::vector<Real3> sag = finish(*still);
    const Real depth = distance(sag, still->compiled.model.point.rest);
    EXPECT_LT(distance(all, sag), 1e-4 * depth); // what is left of the swing falls at 3/s or more
    EXPECT_LT(distance(few, sag), 0.05 * depth);
    EXPECT_LT(distance(few, sag), distance(two, sag));
}

TEST(modal, refuses_obstacles_and_moving_holds) {
    std::optional<Compiled> c;
    Result<Scene> scene = parse_scene(R"({ "sinew": 1, "objects": { "floor": { "kind": "plane" }, "b": { "kind": "solid", "at": [0, 2, 0] } },
                                          "solver": "modal" })", "scene.json");
    ASSERT_TRUE(scene);
    EXPECT_FALSE(compile_scene(*scene.value));
}
