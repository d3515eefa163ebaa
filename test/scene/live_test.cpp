// Live parameters (scene/live.h): what an event or a program may set while a scene runs, what is refused and why, and that
// the bits of the run stay the same whatever the machinery does.
#include "scene/start_text.h"
#include "model/visit.h"
#include "simulate.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

void run_to(Simulation& s, std::int64_t step) {
    while (s.now.step < step)
        if (simulate_step(s) == Status::failed) {
            ADD_FAILURE() << s.report.message;
            return;
        }
}

// a weight of 2 kg on a spring; the events are what is tried
std::string weight(const std::string& events, const std::string& solver = "newton") {
    return R"({ "time": { "dt": 0.01, "substeps": 1, "seconds": 8 }, "solver": ")" + solver + R"(",
        "objects": { "weight": { "kind": "particles", "positions": [[0, 0, 0], [0, -1, 0]], "mass": 2, "links": [[0, 1]],
                                 "fixed": { "index": 0 },
                                 "material": { "rod": { "model": "spring", "stiffness": 400, "damping": 40 } } } },
        "events": [)" + events + "] }";
}

// cloth of links on a ball, with a wind; explicit, newton, position and velocity all take it
std::string drape(const std::string& solver, const std::string& settings = "{}") {
    return R"({ "time": { "dt": 0.002, "substeps": 1, "seconds": 1 }, "solver": ")" + solver + R"(", "solvers": { ")" + solver + R"(": )" + settings + R"( },
        "fields": { "pull": { "kind": "attractor_point", "at": [0.3, 1, 0], "strength": 0.5 } },
        "objects": { "ball": { "kind": "sphere", "radius": 0.3, "friction": 0.1 },
                     "sheet": { "kind": "cloth_grid", "size": [0.6, 0.6], "edge": 0.1, "at": [0, 0.31, 0], "thickness": 0.01,
                                "material": { "density": 0.2, "membrane": { "stiffness": 50, "damping": 0.01 }, "shear": { "stiffness": 5 } } } },
        "events": [ { "at": 0.02, "set": { "sheet.material.membrane.stiffness": "70 N/m", "sheet.material.membrane.damping": 0.02 } },
                    { "at": 0.03, "set": { "ball.friction": 0.9, "gravity": [1, -5, 0] } },
                    { "at": 0.04, "set": { "fields.pull.strength": 0.1, "sheet.thickness": "12 mm" } },
                    { "at": 0.05, "set": { "sheet.material.membrane.stiffness": 50, "gravity": 9.81 } } ] })";
}

constexpr int kSteps = 35; // all events are past

std::uint64_t hash_of(const std::string& scene, int threads, bool drop_caches) {
    Simulation s = start_text(scene, threads);
    s.drop_caches = drop_caches;
    run_to(s, kSteps);
    return hash(s.now);
}

std::string build_error(const std::string& scene) {
    const Result<Scene> r = parse({}, scene);
    std::vector<Error> errors = r.errors;
    if (r) errors = build({}, *r.value).errors;
    return errors.empty() ? "" : to_string(errors[0]);
}

} // namespace

TEST(live, a_spring_that_is_made_stiffer_carries_its_weight_higher) {
    // extension m g / k: 0.04905 m with 400 N/m, 0.01962 m with 1000 N/m, 0.00324 m under the moon's gravity; the damped
    // oscillation (c / 2m = 10 /s) has fallen below 1e-9 m after the 2 s between the events
    Simulation s = start_text(weight(R"({ "at": 2, "set": { "weight.material.rod.stiffness": "1 kN/m" } }, { "at": 4, "set": { "gravity": 1.62 } },
                                   { "at": 6, "set": { "weight.material.rod.stiffness": 400, "gravity": [0, -9.81, 0] } })"));
    const auto extension = [&] { return -1 - s.now.point.x[1].y; };
    run_to(s, 199);
    EXPECT_NEAR(extension(), 2 * 9.81 / 400, 1e-7);
    run_to(s, 399);
    EXPECT_NEAR(extension(), 2 * 9.81 / 1000, 1e-7);
    run_to(s, 599);
    EXPECT_NEAR(extension(), 2 * 1.62 / 1000, 1e-7);
    run_to(s, 799);
    EXPECT_NEAR(extension(), 2 * 9.81 / 400, 1e-7); // back to what the scene says
}

TEST(live, damping_that_is_taken_away_lets_a_spring_swing_on) {
    // released at the natural length, undamped: it swings between 0 and 2 m g / k; the trapezoidal rule keeps the energy
    const std::string text = R"({ "time": { "dt": 0.001, "substeps": 1, "seconds": 2 }, "solver": "newton",
        "solvers": { "newton": { "scheme": "implicit_midpoint", "tolerance": 1e-12 } },
        "objects": { "weight": { "kind": "particles", "positions": [[0, 0, 0], [0, -1, 0]], "mass": 2, "links": [[0, 1]],
                                 "fixed": { "index": 0 },
                                 "material": { "rod": { "model": "spring", "stiffness": 400, "damping": 400 } } } },
        "events": [ { "at": 0, "set": { "weight.material.rod.damping": 0 } } ] })";
    Simulation s = start_text(text);
    double lowest = 0;
    while (!is_finished(s)) {
        run_to(s, s.now.step + 1);
        lowest = std::min(lowest, s.now.point.x[1].y);
    }
    // w = sqrt(400 / 2) / s, dt 1e-3: the lowest of the steps is off by at most A (w dt)^2 / 8 = 1.3e-6 m
    EXPECT_NEAR(lowest, -1 - 2 * 2 * 9.81 / 400, 5e-6);
}

TEST(live, friction_that_is_raised_stops_a_sliding_block) {
    // without friction it slides on at 1 m/s; from t = 0.5 s it stops within v^2 / (2 mu g) = 0.102 m
    const std::string text = R"({ "time": { "fps": 60, "seconds": 2 }, "solver": "velocity",
        "objects": { "floor": { "kind": "plane", "friction": 0 },
                     "block": { "kind": "box", "size": [1, 0.2, 1], "at": [0, 0.1, 0], "density": 100, "friction": 0, "velocity": [1, 0, 0] } },
        "contact": [ { "between": ["floor", "block"], "friction": 0 } ],
        "events": [ { "at": 0.5, "set": { "contact[0].friction": 0.5 } } ] })";
    Simulation s = start_text(text);
    while (!is_finished(s)) run_to(s, s.now.step + 1);
    const int body = s.compiled.model.objects[find(s.compiled.model, "block").index].frames.begin;
    EXPECT_NEAR(s.now.frame.p[body].x, 0.5 + 1 / (2 * 0.5 * 9.81), 0.02); // a step of sliding is 1/60 m
    EXPECT_NEAR(s.now.frame.v[body].x, 0, 1e-3);
}

TEST(live, the_bits_are_the_same_with_caches_dropped_with_any_threads_and_after_every_interruption) {
    for (const char* solver : {"explicit", "newton", "position", "velocity", "nonlinear_cg"}) {
        const std::string scene = drape(solver);
        Simulation whole = start_text(scene);
        std::vector<StateFile> saved;
        while (whole.now.step < kSteps) {
            saved.push_back(save_run(whole));
            run_to(whole, whole.now.step + 1);
        }
        const std::uint64_t expected = hash(whole.now);
        EXPECT_EQ(hash_of(scene, 1, true), expected) << solver << ": caches dropped";
        EXPECT_EQ(hash_of(scene, 3, false), expected) << solver << ": threads";
        for (int step : {9, 10, 11, 16, 21, 26, 30}) {
            Result<Simulation> again = make_simulation({.threads = 1}, compile(scene));
            ASSERT_TRUE(again);
            continue_from(*again.value, saved[std::size_t(step)]);
            run_to(*again.value, kSteps);
            EXPECT_EQ(hash(again.value->now), expected) << solver << ": continued from step " << step;
        }
        // the events have done something at all
        std::string other = scene;
        other.replace(other.find("70 N/m"), 6, "71 N/m");
        EXPECT_NE(hash_of(other, 1, false), expected) << solver;
    }
}

TEST(live, settings_of_the_solver_change_between_steps) {
    const std::string scene = drape("position", R"({ "iterations": 2 })");
    std::string fewer = scene;
    fewer.replace(fewer.find("\"ball.friction\": 0.9"), 20, "\"solvers.position.iterations\": 9");
    std::vector<StateFile> saved;
    Simulation whole = start_text(fewer);
    while (whole.now.step < kSteps) {
        saved.push_back(save_run(whole));
        run_to(whole, whole.now.step + 1);
    }
    EXPECT_NE(hash(whole.now), hash_of(scene, 1, false));
    for (int step : {5, 15, 16, 20, 30}) {
        Result<Simulation> again = make_simulation({.threads = 1}, compile(fewer));
        ASSERT_TRUE(again);
        continue_from(*again.value, saved[std::size_t(step)]);
        run_to(*again.value, kSteps);
        EXPECT_EQ(hash(again.value->now), hash(whole.now)) << step;
    }
}

TEST(live, what_cannot_change_is_refused_by_what_it_would_alter) {
    const auto refused = [](const std::string& set, const std::string& why) {
        const std::string error = build_error(weight(R"({ "at": 1, "set": { )" + set + " } }"));
        EXPECT_NE(error.find("events[0].set."), std::string::npos) << set << ": " << error;
        EXPECT_NE(error.find(why), std::string::npos) << set << ": " << error;
    };
    refused(R"("weight.mass": 3)", "masses");
    refused(R"("weight.positions": [[0, 0, 0], [0, -2, 0]])", "the shape at rest");
    refused(R"("weight.positions": [[0, 0, 0]])", "");
    refused(R"("weight.links": [[1, 0]])", "which elements there are");
    refused(R"("weight.material.rod.model": "spring_zero")", "which elements there are");
    refused(R"("weight.velocity": [1, 0, 0])", "where things start");
    refused(R"("weight.motion": { "spin": { "rate": 1 } })", "before the start");
    refused(R"("weight.material.rod.stiffnes": 3)", "did you mean \"stiffness\"");
    refused(R"("weight.material.rod.stiffness": -3)", "out of range");
    refused(R"("weight.material.rod.stiffness": "3 kg")", "unit");
    refused(R"("gravity": [0, "x", 0])", "unknown name");
    refused(R"("materials.felt.density": 3)", "felt");
    refused(R"("solvers.newton.toleranc": 3)", "tolerance");
}

TEST(live, a_program_sets_what_an_event_can_set) {
    const Result<Scene> scene = parse({}, weight(""));
    ASSERT_TRUE(scene) << to_string(scene.errors[0]);
    Result<Built> built = build({}, *scene.value);
    ASSERT_TRUE(built) << to_string(built.errors[0]);
    auto& [model, now, solver, script, dt, notes] = *built.value;
    State spare = now;
    Report report;
    EXPECT_TRUE(set(*script, model, now, "weight.material.rod.stiffness", "1 kN/m").empty());
    EXPECT_TRUE(set(*script, model, now, "gravity", "[0, -1.62, 0]").empty());
    EXPECT_FALSE(set(*script, model, now, "weight.mass", "3").empty());
    EXPECT_FALSE(set(*script, model, now, "gravity", "[0, -1.62]").empty());
    EXPECT_FALSE(set(*script, model, now, "wait.friction", "3").empty());
    EXPECT_FALSE(renew_solver({}, *script, model, now, solver));
    EXPECT_TRUE(set(*script, model, now, "solvers.newton.max_iterations", "60").empty());
    EXPECT_TRUE(renew_solver({}, *script, model, now, solver));
    for (int i = 0; i < 300; ++i) ASSERT_EQ(advance(*solver, model, {}, now, spare, dt, report), Status::ok);
    EXPECT_NEAR(-1 - now.point.x[1].y, 2 * 1.62 / 1000, 1e-7);
    EXPECT_EQ(model.gravity, (Real3{0, -1.62, 0}));
}

TEST(live, switched_motors_and_broken_joints_stay_as_they_are) {
    // the joint friction changes while the motor was turned off before: it stays off
    const std::string text = R"({ "time": { "fps": 60, "seconds": 2 }, "gravity": 0, "solver": "velocity",
        "objects": { "wheel": { "kind": "box", "size": [1, 1, 0.2], "density": 100 } },
        "joints": { "axle": { "kind": "hinge", "between": ["world", "wheel"], "axis": [0, 0, 1], "motor": { "speed": 3, "limit": 1000 },
                              "friction": 1 } },
        "events": [ { "at": 0.5, "set": { "axle.motor": "off" } }, { "at": 0.6, "set": { "axle.friction": 0.001 } } ] })";
    Simulation s = start_text(text);
    while (!is_finished(s)) run_to(s, s.now.step + 1);
    const int body = s.compiled.model.objects[find(s.compiled.model, "wheel").index].frames.begin;
    // friction of 1 N m slows 3.3 kg m^2 by 0.03 /s in a tenth of a second; a motor at 3 /s would show in nothing: it holds it
    const double inertia = 100 * 0.2 / 6;
    EXPECT_NEAR(s.now.frame.w[body].z, 3 - 0.1 / inertia, 0.01);
    EXPECT_LT(s.now.frame.w[body].z, 3 - 0.02);
}
