// Measurements in expressions (scene/gauge.h, scene/measured_set.h): what is read when, that a run that is continued and any number of threads
// see the same, and that it costs no memory. What is wrong with them is in bad/compile/measured_*.json, the physics in scenes/verify/p_measured_*.json.
#include "allocation_counter.h"
#include "model/field.h"
#include "model/visit.h"
#include "scene/start_text.h"
#include "simulate.h"
#include "sinew/sinew.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace sinew;

namespace {

void run_steps(Simulation& s, int steps) {
    for (int i = 0; i < steps; ++i)
        if (simulate_step(s) == Status::failed) ADD_FAILURE() << s.report.message;
}

// a sheet in a wind that it measures itself, pulled to where a motor moves a body, with an event that sets what it measures
const char* kFlag = R"({ "time": { "dt": 0.005, "substeps": 1, "seconds": 1 },
    "fields": { "gust": { "kind": "wind", "velocity": ["3 - 2*flag.velocity.x", 0, "sin(9*t)*flag.max.x"], "scale": "1 + 0.2*flag.speed" },
                "pull": { "kind": "attractor_point", "at": [1, 1, 0], "strength": "0.5 + slide.slide" } },
    "objects": { "flag": { "kind": "cloth_grid", "size": [0.6, 0.6], "edge": 0.1, "fixed": { "group": "x_min" }, "air": { "drag": 1 },
                           "material": { "density": 0.2, "membrane": { "stiffness": 50, "damping": 0.01 } } },
                 "cart": { "kind": "box", "size": [0.1, 0.1, 0.1], "mass": 1, "at": [3, 0, 0] },
                 "plate": { "kind": "box", "size": [0.1, 0.1, 0.1], "at": [5, 0, 0], "motion": { "move": ["cart.x", "0.1*flag.y", 0] } } },
    "joints": { "slide": { "kind": "slider", "between": ["world", "cart"], "axis": [1, 0, 0], "motor": { "speed": "flag.speed - slide.slide", "limit": 50 } } },
    "events": [ { "at": 0.05, "set": { "gravity": [0, "-5 - cart.x", 0], "slide.motor.limit": "40 + flag.y" } } ],
    "solver": "position" })";

std::uint64_t hash_after(int steps, int threads, int cut) {
    Simulation s = start_text(kFlag, threads);
    run_steps(s, cut);
    if (cut > 0) {
        StateFile kept = save_run(s);
        s = start_text(kFlag, threads);
        continue_from(s, std::move(kept));
    }
    run_steps(s, steps - cut);
    return hash(s.now);
}

} // namespace

TEST(gauges, any_number_of_threads_and_a_run_that_is_continued_give_the_same_state) {
    const std::uint64_t expected = hash_after(30, 1, 0);
    EXPECT_EQ(hash_after(30, 2, 0), expected);
    EXPECT_EQ(hash_after(30, 3, 0), expected);
    for (int cut : {1, 9, 12, 29}) EXPECT_EQ(hash_after(30, 1, cut), expected) << cut; // the event is in step 11
}

TEST(gauges, are_of_the_start_of_the_step_and_remembered_by_the_state) {
    Simulation s = start_text(kFlag);
    run_steps(s, 7);
    State before = s.now;
    run_steps(s, 1);
    const std::vector<double>* held = find_memory(s.now, kGaugeMemory);
    ASSERT_TRUE(held);
    std::vector<double> read;
    read_gauges(s.compiled.script.gauges, s.compiled.model, before, read);
    EXPECT_EQ(*held, read);
}

TEST(gauges, scenes_without_them_remember_nothing) {
    const Compiled c = compile(R"({ "fields": { "gust": { "kind": "wind", "velocity": ["t", 0, 0] } }, "objects": { "ball": { "kind": "sphere", "mass": 1 } } })");
    EXPECT_TRUE(c.script.gauges.empty());
    EXPECT_FALSE(c.model.fields->reads_gauges);
    EXPECT_FALSE(find_memory(c.state, kGaugeMemory));
}

TEST(gauges, in_a_prefab_mean_its_own_objects_first) {
    const Compiled c = compile(R"({ "prefabs": { "crane": { "objects": { "load": { "kind": "sphere", "mass": 1, "at": [1, 0, 0] } },
        "joints": { "rail": { "kind": "slider", "between": ["world", "load"], "axis": [1, 0, 0], "motor": { "speed": "load.x + rail.slide + other.y" } } } } },
        "objects": { "left": { "use": "crane" }, "load": { "kind": "sphere", "mass": 1, "at": [0, 9, 0] }, "other": { "kind": "sphere", "mass": 1, "at": [0, 5, 0] } } })");
    std::vector<std::string> names;
    for (const Gauge& g : c.script.gauges) names.push_back(g.measurement.name);
    EXPECT_EQ(names, (std::vector<std::string>{"left/load.x", "left/rail.slide", "other.y"}));
}

TEST(gauges, of_what_was_removed_keep_their_last_value) {
    Simulation s = start_text(R"({ "gravity": 0, "time": { "dt": 0.1, "substeps": 1, "seconds": 2 },
        "objects": { "ball": { "kind": "sphere", "mass": 1, "velocity": [1, 0, 0] }, "plate": { "kind": "box", "at": [0, 5, 0], "motion": { "at": ["ball.x", 5, 0] } } },
        "events": [ { "at": 0.5, "remove": "ball" } ], "solver": "velocity" })");
    run_steps(s, 10);
    const Id plate = find(s.compiled.model, "plate");
    EXPECT_NEAR(s.now.frame.p[s.compiled.model.objects[plate.index].frames.begin].x, 0.4, 1e-12); // read in the step from 0.4 s on, the last before
}

// a number that cannot be set is not, and the run says so
TEST(measured_sets, that_come_out_wrong_are_left_out) {
    Simulation s = start_text(R"({ "gravity": 0, "time": { "dt": 0.1, "substeps": 1, "seconds": 2 },
        "objects": { "ball": { "kind": "sphere", "mass": 1, "at": [1, 0, 0], "velocity": [-2, 0, 0] }, "jet": { "kind": "emitter", "rate": 5, "at": [0, 9, 0] } },
        "events": [ { "at": 0.2, "set": { "jet.rate": "10*ball.x" } }, { "at": 1, "set": { "jet.rate": "10*ball.x" } } ], "solver": "explicit" })");
    run_steps(s, 5);
    EXPECT_NEAR(s.compiled.model.emitters[0].rate, 6, 1e-9);
    std::string said;
    for (int i = 0; i < 8; ++i) {
        run_steps(s, 1);
        for (const std::string& e : s.events) said += e + "\n";
    }
    EXPECT_NEAR(s.compiled.model.emitters[0].rate, 6, 1e-9);
    EXPECT_NE(said.find("out of range, nothing is set"), std::string::npos) << said;
}

// What is refused leaves what was set before in force, in the run and after a restart: friction 0.6, then -1 is measured.
TEST(measured_sets, that_are_refused_leave_the_last_good_number_also_after_a_restart) {
    const std::string scene = R"({ "time": { "dt": 0.1, "substeps": 1, "seconds": 2 },
        "objects": { "floor": { "kind": "plane", "friction": 0.9 }, "probe": { "kind": "sphere", "mass": 1, "gravity": false, "at": [1, 5, 0], "velocity": [-2, 0, 0] },
                     "box": { "kind": "box", "size": [1, 1, 1], "mass": 1, "at": [0, 0.5, 3], "velocity": [0, 0, 4] } },
        "events": [ { "at": 0.2, "every": 0.8, "until": 1.5, "set": { "floor.friction": "probe.x" } } ], "solver": "velocity" })";
    Simulation whole = start_text(scene);
    run_steps(whole, 5);
    StateFile early = save_run(whole);
    run_steps(whole, 8);
    StateFile late = save_run(whole);
    run_steps(whole, 4);
    for (StateFile* from : {&early, &late}) {
        Simulation again = start_text(scene);
        const int cut = from == &early ? 5 : 13;
        continue_from(again, std::move(*from));
        run_steps(again, 17 - cut);
        EXPECT_EQ(hash(again.now), hash(whole.now)) << cut;
    }
}

// of what was spawned too: a friction below zero does not get in
TEST(measured_sets, of_what_was_spawned_are_checked) {
    Simulation s = start_text(R"({ "gravity": 0, "time": { "dt": 0.1, "substeps": 1, "seconds": 2 },
        "objects": { "probe": { "kind": "sphere", "mass": 1, "at": [1, 5, 0], "velocity": [-2, 0, 0] } },
        "events": [ { "at": 0.1, "spawn": { "ball": { "kind": "sphere", "mass": 1, "friction": 0.3 } } },
                    { "at": 0.2, "every": 0.8, "until": 1.5, "set": { "ball.friction": "probe.x" } } ], "solver": "velocity" })");
    std::string said;
    for (int i = 0; i < 15; ++i) {
        run_steps(s, 1);
        for (const std::string& e : s.events) said += e + "\n";
    }
    EXPECT_NE(said.find("nothing is set"), std::string::npos) << said;
    const Id ball = find(s.compiled.model, "ball");
    ASSERT_TRUE(ball);
    EXPECT_NEAR(s.compiled.model.objects[ball.index].friction, 0.6, 1e-9);
}

// allocations of four steps, from the input on; the names are measurements
long count_in_steps(const std::string& x, const std::string& y, const std::string& slide, const std::string& force) {
    Simulation s = start_text(fmt::format(R"({{ "gravity": 0, "time": {{ "dt": 0.01, "substeps": 1, "seconds": 2 }},
        "fields": {{ "pull": {{ "kind": "attractor_point", "at": [0, 9, 0], "strength": "{0} + {2}" }},
                    "gust": {{ "kind": "wind", "velocity": ["{1}", 0, 0], "scale": "{0}" }}, "air": {{ "kind": "drag", "linear": 0.1 }} }},
        "objects": {{ "bead": {{ "kind": "sphere", "mass": 1, "at": [1, 0, 0] }}, "cart": {{ "kind": "box", "mass": 1, "at": [0, 3, 0] }},
                     "plate": {{ "kind": "box", "at": [9, 0, 0], "motion": {{ "move": ["{0}", 0, 0] }} }} }},
        "joints": {{ "rail": {{ "kind": "slider", "between": ["world", "cart"], "axis": [1, 0, 0],
                              "motor": {{ "speed": "{0} - {2} + 1e-3*{3}", "position": "{1}", "stiffness": 1 }} }} }}, "solver": "velocity" }})", x, y, slide, force));
    const Compiled& c = s.compiled;
    run_steps(s, 4);
    const long before = allocation_count();
    for (int i = 0; i < 4; ++i) {
        EXPECT_TRUE(fill_input(c.script, c.model, s.now, c.dt, s.input).empty());
        EXPECT_EQ(advance_step(*s.solver, c.model, s.input, s.now, s.spare, c.dt, s.report, 0), Status::ok);
    }
    return allocation_count() - before;
}

TEST(gauges, of_steady_steps_take_no_memory) {
    SINEW_NEEDS_ALLOCATION_COUNT;
    EXPECT_EQ(count_in_steps("bead.x", "bead.y", "rail.slide", "rail.force.x"), 0);
}
