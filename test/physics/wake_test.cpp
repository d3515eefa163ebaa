// What sleeps wakes when the scene or the program changes what held it: gravity, friction, a joint, its own velocity. Both
// solvers that let islands sleep, and a run that is resumed ends with the same bits.
#include "core/math.h"
#include "physics/simulation.h"
#include "sinew/sinew.h"
#include <fmt/format.h>

using namespace sinew;

namespace {

const char* const kSolvers[] = {"velocity", "articulated"};

// a stack of two boxes on a ramp of 10 degrees, which friction of 0.6 holds; asleep after a second
std::string ramp(const std::string& solver, const std::string& event) {
    return fmt::format(R"({{ "sinew": 1, "solver": "{}", "time": {{ "fps": 60, "seconds": 2.5 }},
        "objects": {{ "ramp": {{ "kind": "box", "size": [8, 0.2, 2], "motion": "static", "at": [0, -0.1, 0], "friction": 0.6,
                                 "rotate": {{ "axis": [0, 0, 1], "angle": "10 deg" }} }},
                      "low": {{ "kind": "box", "size": [0.4, 0.2, 0.4], "mass": 1, "friction": 0.6, "at": [-0.0174, 0.0985, 0],
                                "rotate": {{ "axis": [0, 0, 1], "angle": "10 deg" }} }},
                      "high": {{ "kind": "box", "size": [0.4, 0.2, 0.4], "mass": 1, "friction": 0.6, "at": [-0.0521, 0.2954, 0],
                                 "rotate": {{ "axis": [0, 0, 1], "angle": "10 deg" }} }} }},
        "events": [ {} ] }})", solver, event);
}

// runs to its end and again from a checkpoint at each of the times; how far the body has gone, and whether it slept before the event at 2 s
struct Woken {
    int asleep = 0;
    double way = 0; // [m]
};
Woken run(const std::string& text, const char* body, std::initializer_list<double> times = {1.8, 2.0, 2.1}) {
    Woken out;
    auto s = start(text);
    if (!s) return out;
    const int frame = s->compiled.model.objects[find(s->compiled.model, body).index].frames.begin;
    std::vector<StateFile> saved;
    Vec3 before = Vec3::Zero();
    while (!is_finished(*s)) {
        if (simulate_step(*s) == Status::failed) {
            ADD_FAILURE() << s->report.message;
            return out;
        }
        for (double t : times)
            if (std::abs(s->now.time - t) < 1e-6) saved.push_back(save_run(*s));
        if (s->now.time < 1.99) out.asleep = s->report.asleep, before = vec(s->now.frame.p[frame]);
    }
    out.way = (vec(s->now.frame.p[frame]) - before).norm();
    EXPECT_EQ(saved.size(), times.size());
    for (StateFile& file : saved) {
        auto other = start(text);
        if (!other) return out;
        continue_from(*other, std::move(file));
        run_to_end(*other);
        EXPECT_EQ(hash(other->now), hash(s->now));
    }
    return out;
}

} // namespace

// Gravity turns to 35 degrees from the ramp's normal, uphill: the stack slides at 9.9 (sin 35 - 0.6 cos 35) m/s^2.
TEST(wake, bodies_asleep_slide_when_gravity_turns) {
    for (const char* solver : kSolvers) {
        const Woken w = run(ramp(solver, R"({ "at": 2, "set": { "gravity": [7, -7, 0] } })"), "low");
        EXPECT_EQ(w.asleep, 2) << solver;
        EXPECT_NEAR(w.way, 0.5 * 0.814 * 0.25, 0.01) << solver; // Euler's steps: 1/60 s of 0.4 m/s
        // and by the program's own hand
        auto s = start(ramp(solver, ""));
        ASSERT_TRUE(s);
        while (s->now.time < 2) ASSERT_NE(simulate_step(*s), Status::failed);
        EXPECT_EQ(s->report.asleep, 2) << solver;
        ASSERT_TRUE(set(s->compiled.script, s->compiled.model, s->now, "gravity", "[7, -7, 0]").empty());
        ASSERT_NE(simulate_step(*s), Status::failed);
        EXPECT_EQ(s->report.asleep, 0) << solver;
    }
}

// What sleeps at once wakes too: a time at rest of zero is that of what is awake.
TEST(wake, bodies_that_sleep_at_once_wake) {
    for (const char* solver : kSolvers) {
        std::string text = ramp(solver, R"({ "at": 2, "set": { "gravity": [7, -7, 0] } })");
        text.insert(1, fmt::format(R"( "solvers": {{ "{}": {{ "sleep_after": 0 }} }},)", solver));
        const Woken w = run(text, "low");
        EXPECT_EQ(w.asleep, 2) << solver;
        EXPECT_GT(w.way, 0.05) << solver; // 10 cm where nothing sleeps
    }
}

TEST(wake, bodies_asleep_slide_when_friction_goes) {
    for (const char* solver : kSolvers) {
        const Woken w = run(ramp(solver, R"({ "at": 2, "set": { "ramp.friction": 0 } })"), "low");
        EXPECT_EQ(w.asleep, 2) << solver;
        EXPECT_NEAR(w.way, 0.5 * 9.81 * std::sin(10 * kPi / 180) * 0.25, 0.01) << solver; // Euler's steps: 1/60 s of half of 0.85 m/s
    }
}

// A rod is held by the friction of its hinge, and falls when there is less of it.
TEST(wake, a_rod_that_friction_of_its_hinge_held_falls_when_there_is_less) {
    for (const char* solver : kSolvers) {
        const Woken w = run(fmt::format(R"({{ "sinew": 1, "solver": "{}", "time": {{ "fps": 60, "seconds": 2.5 }},
            "objects": {{ "rod": {{ "kind": "box", "size": [1, 0.1, 0.1], "mass": 1, "at": [0.5, 0, 0], "contact": false }} }},
            "joints": {{ "hinge": {{ "kind": "hinge", "between": ["world", "rod"], "at": [0, 0, 0], "axis": [0, 0, 1], "friction": 20 }} }},
            "events": [ {{ "at": 2, "set": {{ "hinge.friction": 1 }} }} ] }})", solver), "rod");
        EXPECT_EQ(w.asleep, 1) << solver;
        EXPECT_GT(w.way, 0.3) << solver; // half a second of falling
    }
}

// A brake that is too weak for its rod: the motor's wanted speed is still zero.
TEST(wake, a_rod_that_a_brake_held_falls_when_its_limit_is_lowered_and_nobody_else_wakes) {
    for (const char* solver : kSolvers) {
        const std::string text = fmt::format(R"({{ "sinew": 1, "solver": "{}", "time": {{ "fps": 60, "seconds": 2.5 }},
            "objects": {{ "floor": {{ "kind": "plane", "at": [0, -2, 0] }},
                          "box": {{ "kind": "box", "size": [0.2, 0.2, 0.2], "mass": 1, "at": [0, -1.9, 1] }},
                          "rod": {{ "kind": "box", "size": [1, 0.1, 0.1], "mass": 1, "at": [0.5, 0, 0], "contact": false }} }},
            "joints": {{ "hinge": {{ "kind": "hinge", "between": ["world", "rod"], "at": [0, 0, 0], "axis": [0, 0, 1], "motor": {{ "speed": 0, "limit": 100 }} }} }},
            "events": [ {{ "at": 2, "set": {{ "hinge.motor.limit": 1 }} }} ] }})", solver);
        const Woken w = run(text, "rod");
        EXPECT_EQ(w.asleep, 2) << solver;
        EXPECT_GT(w.way, 0.3) << solver;
        auto s = start(text);
        ASSERT_TRUE(s);
        while (!is_finished(*s)) {
            ASSERT_NE(simulate_step(*s), Status::failed);
            if (s->now.time > 2.05) {
                EXPECT_EQ(s->report.asleep, 1) << solver << s->now.time;
            }
        }
        // and by the program's own hand
        auto other = start(text);
        ASSERT_TRUE(other);
        while (other->now.time < 1.9) ASSERT_NE(simulate_step(*other), Status::failed);
        EXPECT_EQ(other->report.asleep, 2) << solver;
        ASSERT_TRUE(set(other->compiled.model, other->now, "hinge.motor.limit", 1).empty());
        ASSERT_NE(simulate_step(*other), Status::failed);
        EXPECT_EQ(other->report.asleep, 1) << solver;
    }
}

// The velocity that a program gives to what sleeps is its own: it slides v^2/(2 mu g), and what it leans on wakes as well.
TEST(wake, what_sleeps_goes_on_with_the_velocity_that_it_is_given) {
    for (const char* solver : kSolvers) {
        auto s = start(fmt::format(R"({{ "sinew": 1, "solver": "{}", "time": {{ "fps": 240, "seconds": 3 }},
            "objects": {{ "floor": {{ "kind": "plane", "friction": 0.5 }},
                          "box": {{ "kind": "box", "size": [0.4, 0.2, 0.4], "mass": 1, "at": [0, 0.1, 0], "friction": 0.5 }} }} }})", solver));
        ASSERT_TRUE(s);
        while (s->now.time < 1.5) ASSERT_NE(simulate_step(*s), Status::failed);
        ASSERT_EQ(s->report.asleep, 1) << solver;
        const int frame = s->compiled.model.objects[find(s->compiled.model, "box").index].frames.begin;
        const double before = s->now.frame.p[frame].x;
        s->now.frame.v[frame] = {1, 0, 0};
        run_to_end(*s);
        EXPECT_NEAR(s->now.frame.p[frame].x - before, 1 / (2 * 0.5 * 9.81), 0.005) << solver; // a step at 1 m/s
        EXPECT_EQ(s->report.asleep, 1) << solver;
        s->now.frame.w[frame] = {0, 3, 0};
        ASSERT_NE(simulate_step(*s), Status::failed);
        EXPECT_EQ(s->report.asleep, 0) << solver;
        EXPECT_GT(s->now.frame.w[frame].y, 2) << solver;
    }
}
