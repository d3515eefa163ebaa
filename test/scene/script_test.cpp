// Times of events and expectations against the steps of a run, and paths that name objects.
#include "compile_text.h"
#include "simulate.h"
#include <cmath>

using namespace sinew;

namespace {

std::string ball(const std::string& time, const std::string& more) {
    return R"({ "time": { )" + time + R"( }, "solver": "explicit", "objects": { "ball": { "kind": "particles", "positions": [[0, 0, 0]] },
        "jet": { "kind": "emitter", "rate": 10, "capacity": 100 } }, )" + more + " }";
}
// when the first event happened, in steps
std::vector<std::int64_t> steps_of_event(const std::string& scene) {
    Result<Simulation> made = make_simulation(Context{.threads = 1}, compile(scene));
    EXPECT_TRUE(made);
    std::vector<std::int64_t> steps;
    if (!made) return steps;
    measure_start(*made.value);
    while (!is_finished(*made.value)) {
        const std::int64_t step = made.value->now.step;
        EXPECT_EQ(simulate_step(*made.value), Status::ok);
        for (const std::string& what : made.value->events)
            if (what.find("events[0]") != std::string::npos) steps.push_back(step);
    }
    return steps;
}
std::string notes_of(const std::string& scene) {
    std::string all;
    for (const std::string& n : compile(scene).notes) all += n + "\n";
    return all;
}
std::vector<Error> errors_of(const std::string& scene) {
    const Result<Scene> r = parse_scene(scene, "scene.json");
    return r ? compile_scene(*r.value).errors : r.errors;
}

const std::string kTime = R"("fps": 10, "substeps": 1, "seconds": 1)";
std::string repeated(const std::string& times) { return ball(kTime, R"("events": [ { )" + times + R"(, "set": { "jet.rate": 20 } } ])"); }

} // namespace

TEST(script, events_faster_than_the_steps_happen_once_a_step_and_never_after_until) {
    using Steps = std::vector<std::int64_t>;
    EXPECT_EQ(steps_of_event(repeated(R"("at": 0.2, "every": 0.01, "until": 0.5)")), (Steps{2, 3, 4, 5}));
    EXPECT_EQ(steps_of_event(repeated(R"("at": 0.2, "every": 0.01, "until": 0.45)")), (Steps{2, 3, 4}));
    EXPECT_EQ(steps_of_event(repeated(R"("at": 0.2, "every": 1e-11, "until": 0.5)")), (Steps{2, 3, 4, 5})); // more than an int counts
    EXPECT_EQ(steps_of_event(repeated(R"("at": 0.2, "every": 1e-300, "until": 0.5)")), (Steps{2, 3, 4, 5}));
    EXPECT_EQ(steps_of_event(repeated(R"("at": 0.2, "every": 0.1, "until": 0.5)")), (Steps{2, 3, 4, 5}));
    EXPECT_EQ(steps_of_event(repeated(R"("at": 0, "every": 0.25)")), (Steps{0, 3, 5, 8}));
    EXPECT_EQ(steps_of_event(repeated(R"("at": 0, "every": 0.25, "until": 0.25)")), (Steps{0})); // step 3 begins after it
}

TEST(script, repeated_events_that_steps_cannot_keep_up_with_are_told) {
    EXPECT_NE(notes_of(repeated(R"("at": 0, "every": 0.01)")).find("events[0] happens once in each step, every 0.1 s and not every 0.01 s"), std::string::npos);
    EXPECT_NE(notes_of(repeated(R"("at": 0, "every": 0.25, "until": 0.25)")).find("events[0] does not happen at 0.25 s"), std::string::npos);
    for (const char* fine : {R"("at": 0, "every": 0.1)", R"("at": 0, "every": 0.25, "until": 0.4)", R"("at": 0, "every": 0.1, "until": 0.3)", R"("at": 0.3)"})
        EXPECT_EQ(notes_of(repeated(fine)).find("events[0]"), std::string::npos) << fine;
}

TEST(script, a_moment_at_which_no_step_ends_is_an_error_before_the_run) {
    const auto moments = [](const std::string& time, const std::string& when) {
        return errors_of(ball(time, R"("expect": [ { )" + when + R"(, "ball.x": 0, "ball.z": 0 } ])"));
    };
    const std::vector<Error> late = moments(kTime, R"("at": 0.25)");
    ASSERT_EQ(late.size(), 1u); // of two measurements
    EXPECT_EQ(late[0].path, "expect[0].at");
    EXPECT_GT(late[0].line, 0);
    EXPECT_NE(to_string(late[0]).find("0.2 s and 0.3 s are the nearest"), std::string::npos) << to_string(late[0]);
    const std::vector<Error> half = moments(kTime, R"("frame": 2.5)");
    ASSERT_EQ(half.size(), 1u);
    EXPECT_EQ(half[0].path, "expect[0].frame");
    // ends of steps, of frames, of the run also where it ends between two steps, and the start
    for (const char* when : {R"("at": 0.3)", R"("at": "start")", R"("at": "end")", R"("at": 0)", R"("at": 1)", R"("frame": 7)", R"("after": 0.25)",
                             R"("every": "step", "before": 0.25)"})
        EXPECT_TRUE(moments(kTime, when).empty()) << when;
    const std::string cut = R"("fps": 10, "substeps": 4, "seconds": 0.33)";
    for (const char* when : {R"("at": 0.33)", R"("at": "end")", R"("at": 0.325)", R"("frame": 3)", R"("at": "1/40")"})
        EXPECT_TRUE(moments(cut, when).empty()) << when;
    const std::vector<Error> last = moments(cut, R"("at": 0.328)");
    ASSERT_EQ(last.size(), 1u);
    EXPECT_NE(to_string(last[0]).find("0.325 s and 0.33 s are the nearest"), std::string::npos) << to_string(last[0]);
    // thirds of a frame are no decimals
    for (const char* when : {R"("at": "1/24/3")", R"("at": "7/24 + 2/72")", R"("frame": 5)"})
        EXPECT_TRUE(moments(R"("fps": 24, "substeps": 3, "seconds": 1)", when).empty()) << when;
}

TEST(script, expectations_conditions_and_sets_take_paths_that_begin_with_objects) {
    const char* text = R"({ "time": { "dt": 0.1, "substeps": 1, "seconds": 1 }, "solver": "explicit", "gravity": 0,
        "prefabs": { "pair": { "objects": { "a": { "kind": "particles", "positions": [[0, 0, 0]], "velocity": [1, 0, 0] } } } },
        "objects": { "hero": { "use": "pair" }, "jet": { "kind": "emitter", "rate": 10, "capacity": 100 },
                     "sheet": { "kind": "particles", "positions": [[0, 1, 0]], "air": { "drag": 1 } } },
        "events": [ { "when": "objects.hero/a.x > 0.35 && objects.sheet.point[0].y > 0", "once": true,
                      "set": { "objects.jet.rate": 0, "objects.sheet.air.drag": 2 } } ],
        "expect": [ { "objects.hero/a.x": { "min": 0.9 }, "objects.hero/*.velocity.x": { "min": 0.9 }, "objects.sheet.center.y": { "about": 1, "within": "1 mm" } } ] })";
    const Compiled c = compile(text);
    ASSERT_EQ(c.script.events.size(), 1u);
    EXPECT_EQ(c.script.events[0].event.sets[0].target, "jet");
    EXPECT_EQ(c.script.events[0].event.sets[1].parameter, "air.drag");
    ASSERT_EQ(c.script.expectations.size(), 3u);
    EXPECT_EQ(c.script.expectations[0].measurements[0].name, "hero/a.x");
    Result<Simulation> made = make_simulation(Context{.threads = 1}, compile(text));
    ASSERT_TRUE(made);
    measure_start(*made.value);
    int happened = 0;
    while (!is_finished(*made.value)) {
        ASSERT_EQ(simulate_step(*made.value), Status::ok);
        for (const std::string& what : made.value->events) {
            EXPECT_NE(what.find("t = 0.4"), std::string::npos) << what;
            ++happened;
        }
    }
    EXPECT_EQ(happened, 1); // no second sentence about something that cannot be set
    EXPECT_EQ(made.value->failure_count, 0);
    EXPECT_EQ(made.value->compiled.model.emitters[0].rate, 0);
    EXPECT_TRUE(set_by_script(made.value->compiled.script, made.value->compiled.model, made.value->now, "objects.sheet.air.drag", make_number(3)).empty());
}

TEST(script, an_unknown_object_behind_objects_is_named) {
    const std::vector<Error> e = errors_of(ball(kTime, R"("expect": [ { "objects.bell.speed": 0 } ])"));
    ASSERT_EQ(e.size(), 1u);
    EXPECT_NE(to_string(e[0]).find("did you mean \"ball"), std::string::npos) << to_string(e[0]);
}
