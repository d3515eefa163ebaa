// Joints against closed forms, under every solver that takes them. Explicit steps see rigid joints as springs of 1e7 N/m,
// dual solvers as exact rows; tolerances below name the larger of the two errors.
#include "physics/simulation.h"
#include "constraint/joint_object.h"
#include "model/edit.h"
#include "sinew/sinew.h"
#include <cmath>
#include <fmt/format.h>

using namespace sinew;

namespace {

std::vector<std::string> able_solvers() {
    std::vector<std::string> names{"explicit"};
    for (const char* name : {"velocity", "articulated", "position"})
        if (find_solver(name)) names.push_back(name);
    return names;
}

struct JointTest : testing::TestWithParam<std::string> {
    std::string solver = GetParam();
    bool is_explicit() const { return solver == "explicit"; }
    double dt() const { return is_explicit() ? 1e-4 : 1e-3; }
    // rows that turn a thin rod are too stiff for explicit steps of 1e-4 s at 1e7 N m: 1e5 N m / 0.0033 kg m^2 has 5500 rad/s
    double compliance() const { return is_explicit() ? 1e-5 : 0; }
    // a scene of the given members, run to its end
    std::optional<Simulation> run(const std::string& members, double seconds) const {
        std::optional<Simulation> s = begin(members, seconds);
        while (s && !is_finished(*s))
            if (simulate_step(*s) == Status::failed) {
                ADD_FAILURE() << s->report.message;
                return std::nullopt;
            }
        return s;
    }
    std::optional<Simulation> begin(const std::string& members, double seconds) const {
        return start(fmt::format(R"({{ "sinew": 1, "solver": "{}", "time": {{ "dt": {}, "substeps": 10, "seconds": {} }}, {} }})", solver,
                                 dt(), seconds, members));
    }
};
INSTANTIATE_TEST_SUITE_P(solvers, JointTest, testing::ValuesIn(able_solvers()), [](const auto& info) { return info.param; });

// rod of 1 m, 0.1 m thick, hung at its end from the origin by a hinge, swung out by `angle` about z
std::string rod_scene(double angle, double compliance, const std::string& kind = R"("kind": "hinge", "axis": [0, 0, 1])") {
    return fmt::format(R"("objects": {{ "rod": {{ "kind": "box", "size": [0.1, 1, 0.1], "mass": 2, "contact": false,
          "at": [{}, {}, 0], "rotate": {{ "axis": [0, 0, 1], "angle": {} }} }} }},
        "joints": {{ "pivot": {{ {}, "between": ["world", "rod"], "at": [0, 0, 0], "compliance": {} }} }})",
                       0.5 * std::sin(angle), -0.5 * std::cos(angle), angle, kind, compliance);
}
constexpr double kRodInertia = 2 * (1.01 / 12 + 0.25); // about the pivot
double pendulum_period(double angle) {
    double a = 1, b = std::cos(angle / 2);
    for (int i = 0; i < 10; ++i) {
        const double mean = (a + b) / 2;
        b = std::sqrt(a * b), a = mean;
    }
    return 2 * kPi * std::sqrt(kRodInertia / (2 * 9.81 * 0.5)) / a;
}

} // namespace

// Half a period takes the rod to the other side: T = 2 pi sqrt(I/(m g d)) / AGM(1, cos(angle/2)).
TEST_P(JointTest, pendulum_keeps_its_period) {
    const double angle = 0.5, half = pendulum_period(angle) / 2;
    const auto s = run(rod_scene(angle, compliance()), half);
    ASSERT_TRUE(s);
    // order 1 in dt: error of phase w dt/2 turns into a second-order error of the angle at the turning point; damping of
    // implicit velocity steps shows as w^2 dt T/4 of the amplitude
    EXPECT_NEAR(measure(*s, "pivot.angle"), -2 * angle, is_explicit() ? 2e-3 : 2e-2);
    EXPECT_LT(measure(*s, "pivot.joint_error"), 1e-3); // explicit: twice m g alpha and the centrifugal force, 6e-4 m
}

// Spec P V18, all ten angles under `velocity`: T is twice the time between two crossings of zero, each interpolated within its step.
namespace {

double period_error(const std::string& settings, double degrees, double dt) { // part of T
    const double first = degrees * kPi / 180, mass = 2, radius = 0.1, about = 1 + 0.4 * radius * radius; // I/m about the pivot, l = 1
    auto s = start(fmt::format(R"({{ "sinew": 1, "solver": "velocity", "solvers": {{ "velocity": {{ {} }} }}, "time": {{ "dt": {}, "seconds": 20 }},
        "objects": {{ "bob": {{ "kind": "sphere", "radius": {}, "mass": {}, "contact": false, "at": [{}, {}, 0] }} }},
        "joints": {{ "pivot": {{ "kind": "hinge", "axis": [0, 0, 1], "between": ["world", "bob"], "at": [0, 0, 0] }} }} }})",
                               settings, dt, radius, mass, std::sin(first), -std::cos(first)));
    if (!s) return 1e300;
    const auto angle = [&] { return std::atan2(measure(*s, "bob.x"), -measure(*s, "bob.y")); };
    std::vector<double> crossings;
    for (double before = angle(); crossings.size() < 2 && !is_finished(*s);) {
        const double then = s->now.time;
        if (simulate_step(*s) == Status::failed) return 1e300;
        const double now = angle();
        if (before * now <= 0 && std::abs(now) < 1) crossings.push_back(then + (s->now.time - then) * before / (before - now));
        before = now;
    }
    double a = 1, b = std::cos(first / 2);
    for (int i = 0; i < 10; ++i) {
        const double mean = (a + b) / 2;
        b = std::sqrt(a * b), a = mean;
    }
    const double period = 2 * kPi * std::sqrt(about / 9.81) / a;
    return crossings.size() < 2 ? 1e300 : 2 * (crossings[1] - crossings[0]) / period - 1;
}

} // namespace

// Second order: -(w h)^2/24 of T for small angles, as of symplectic steps, w^2 = g/l. Up to 120 degrees both errors have that order; beyond, T
// depends on the amplitude ever more (like the log of the distance to the top) and so does its error, a hundred times (w h)^2 at 179 degrees.
TEST(velocity_pendulum, its_period_is_that_of_the_elliptic_integral_at_the_ten_angles) {
    for (const std::string settings : {R"("method": "auto")", R"("method": "direct")"})
        for (const double degrees : {5.0, 10.0, 30.0, 45.0, 60.0, 90.0, 120.0, 150.0, 170.0, 179.0}) {
            const std::string where = fmt::format("{} {}", settings, degrees);
            const double h = 1e-3, square = 9.81 * h * h, coarse = period_error(settings, degrees, 2 * h), fine = period_error(settings, degrees, h);
            EXPECT_LT(std::abs(fine), (degrees <= 150 ? 0.25 : degrees <= 170 ? 2 : 100) * square) << where;
            if (degrees <= 120) { EXPECT_NEAR(coarse / fine, 4, 0.4) << where; }
            if (degrees <= 10) { EXPECT_NEAR(fine, -square / 24, 0.1 * square / 24) << where; } // (1 - cos) of the angle, 1.5 %, and round-off of the crossings
            testing::Test::RecordProperty(fmt::format("{}_{}", settings.find("auto") != std::string::npos ? "auto" : "direct", int(degrees)), fmt::format("{:.3g} {:.3g}", coarse, fine));
        }
}

// At rest the pivot carries the weight: 2 kg times 9.81 m/s^2, upward on the second body.
TEST_P(JointTest, force_of_a_hanging_body_is_its_weight) {
    const auto s = run(rod_scene(0, compliance()), 0.1);
    ASSERT_TRUE(s);
    EXPECT_NEAR(measure(*s, "pivot.force.y"), 2 * 9.81, is_explicit() ? 20 : 0.05); // explicit: the spring rings with m g
    EXPECT_NEAR(measure(*s, "pivot.force.x"), 0, 1e-6);
}

// A cantilever: the weld carries weight and moment m g d about z.
TEST_P(JointTest, weld_carries_force_and_moment) {
    const auto s = run(R"("objects": { "arm": { "kind": "box", "size": [1, 0.1, 0.1], "mass": 2, "contact": false, "at": [0.5, 0, 0] } },
        "joints": { "root": { "kind": "weld", "between": ["world", "arm"], "at": [0, 0, 0], "compliance": 1e-6 } })",
                       solver == "position" ? 3 : 0.2); // small steps of h = 1e-5 s damp its 700 rad/s by w^2 h/2 per second only: exp(-7) is left
    ASSERT_TRUE(s);
    if (is_explicit()) return; // it rings undamped
    EXPECT_NEAR(measure(*s, "root.force.y"), 2 * 9.81, 0.1);
    EXPECT_NEAR(measure(*s, "root.torque.z"), 2 * 9.81 * 0.5, 0.1);
}

// Spring along a slider: s = v/w sin(w t), w = sqrt(k/m) = 10 rad/s.
TEST_P(JointTest, slider_with_a_spring_oscillates) {
    const auto s = run(
        R"("gravity": 0, "objects": { "cart": { "kind": "box", "size": [0.2, 0.2, 0.2], "mass": 1, "contact": false, "velocity": [1, 0, 0] } },
        "joints": { "rail": { "kind": "slider", "between": ["world", "cart"], "axis": [1, 0, 0], "spring": { "stiffness": 100 } } })",
        0.15 * kPi);
    ASSERT_TRUE(s);
    // three quarters of a period: the lowest point -0.1 m; implicit springs of dual solvers damp by w dt/2 per radian: 2.4 %
    EXPECT_NEAR(measure(*s, "rail.slide"), -0.1, is_explicit() ? 1e-4 : 3e-3);
    EXPECT_NEAR(measure(*s, "cart.y"), 0, 1e-9);
}

// The same with damping on the rate of the joint: x = v/w e^(-c t/2 m) sin w t, w^2 = k/m - (c/2 m)^2.
// Without it the cart would be at -0.1.
TEST_P(JointTest, slider_with_a_damped_spring_dies_down) {
    const double t = 0.15 * kPi, w = std::sqrt(96.0);
    const auto s = run(
        R"("gravity": 0, "objects": { "cart": { "kind": "box", "size": [0.2, 0.2, 0.2], "mass": 1, "contact": false, "velocity": [1, 0, 0] } },
        "joints": { "rail": { "kind": "slider", "between": ["world", "cart"], "axis": [1, 0, 0], "spring": { "stiffness": 100, "damping": 4 } } })",
        t);
    ASSERT_TRUE(s);
    // implicit springs of dual solvers damp by w dt/2 per radian more: 2.4 % of 0.04 m
    EXPECT_NEAR(measure(*s, "rail.slide"), std::exp(-2 * t) * std::sin(w * t) / w,
                is_explicit() ? 1e-4 : 1.5e-3);
}

// A motor with a torque limit: speed L t / I until the target, then the target. I = m/6 a^2 of a cube.
TEST_P(JointTest, motor_speeds_up_at_its_limit_and_then_holds_its_speed) {
    const std::string scene = R"("gravity": 0, "objects": { "wheel": { "kind": "box", "size": [1, 1, 1], "mass": 6, "contact": false } },
        "joints": { "axle": { "kind": "hinge", "between": ["world", "wheel"], "axis": [0, 0, 1], "motor": { "speed": 3, "limit": 2 } } })";
    auto s = begin(scene, 3);
    ASSERT_TRUE(s);
    while (!is_finished(*s)) {
        ASSERT_EQ(simulate_step(*s), Status::ok);
        if (std::abs(s->now.time - 1) < 0.1 * dt()) {
            EXPECT_NEAR(measure(*s, "wheel.spin.z"), 2, 0.01);
        }
    }
    EXPECT_NEAR(measure(*s, "wheel.spin.z"), 3, 0.01); // energy solvers: within 0.1 % of the speed, see joint_drive.h
}

// Dry friction of 2 N m on the same wheel turning at 3 rad/s: stops after I w/L = 1.5 s, having turned w t/2 = 2.25 rad.
TEST_P(JointTest, friction_of_a_hinge_stops_a_wheel) {
    const auto s = run(R"("gravity": 0, "objects": { "wheel": { "kind": "box", "size": [1, 1, 1], "mass": 6, "contact": false, "angular_velocity": [0, 0, 3] } },
        "joints": { "axle": { "kind": "hinge", "between": ["world", "wheel"], "axis": [0, 0, 1], "friction": 2 } })", 2);
    ASSERT_TRUE(s);
    EXPECT_NEAR(measure(*s, "wheel.spin.z"), 0, 1e-3);
    EXPECT_NEAR(measure(*s, "axle.angle"), 2.25, 0.01);
}

// A rod falls against the limit of its hinge and stays there.
TEST_P(JointTest, limit_of_a_hinge_holds_a_falling_rod) {
    const auto s = run(rod_scene(1, compliance(), R"("kind": "hinge", "axis": [0, 0, 1], "limits": [-0.5, 0.5], "friction": 0.5)"), 3);
    ASSERT_TRUE(s);
    if (is_explicit()) {
        EXPECT_GT(measure(*s, "pivot.angle"), -0.502); // it bounces: nothing dissipates in the limit itself
    } else {
        EXPECT_NEAR(measure(*s, "pivot.angle"), -0.5, 5e-3);
    }
}

// The rope is slack until the ball has fallen its length, and never longer.
TEST_P(JointTest, rope_is_slack_and_then_taut) {
    const auto s = run(R"("objects": { "ball": { "kind": "sphere", "radius": 0.1, "mass": 1, "contact": false } },
        "joints": { "rope": { "kind": "distance", "between": ["world", "ball"], "at": [0, 0, 0], "limits": [0, 0.5] } })", 0.3);
    ASSERT_TRUE(s);
    EXPECT_NEAR(measure(*s, "ball.y"), -0.5 * 9.81 * 0.09, 2e-3); // free fall, first order in dt
    const auto taut = run(R"("objects": { "ball": { "kind": "sphere", "radius": 0.1, "mass": 1, "contact": false } },
        "joints": { "rope": { "kind": "distance", "between": ["world", "ball"], "at": [0, 0, 0], "limits": [0, 0.5] } })", 0.6);
    ASSERT_TRUE(taut);
    EXPECT_LT(measure(*taut, "rope.length"), 0.5 + 2e-3);
}

// 10 kg on a joint that bears 50 N: it breaks in the first steps and the body falls freely after that.
TEST_P(JointTest, overloaded_joint_breaks_and_is_gone) {
    auto s = begin(R"("objects": { "load": { "kind": "sphere", "radius": 0.1, "mass": 10, "contact": false } },
        "joints": { "hook": { "kind": "ball", "between": ["world", "load"], "breaks_at": "50 N" } })", 0.5);
    ASSERT_TRUE(s);
    std::vector<std::string> events;
    while (!is_finished(*s)) {
        ASSERT_EQ(simulate_step(*s), Status::ok);
        events.insert(events.end(), s->events.begin(), s->events.end());
    }
    ASSERT_EQ(events.size(), 1u);
    EXPECT_NE(events[0].find("hook"), std::string::npos);
    EXPECT_FALSE(find(s->compiled.model, "hook"));
    EXPECT_NEAR(measure(*s, "load.velocity.y"), -9.81 * 0.5, 9.81 * 0.01); // less than 10 ms on the hook
}

// Loads of 1, 4, 6 and 7 kg on hooks that bear 50 N, and an arm on a weld that bears 5 N m: the last three break, in the same step,
// each with one event and the load that broke it, in the order of objects; the others go on carrying theirs.
TEST_P(JointTest, each_joint_that_is_overloaded_breaks_with_an_event_of_its_own) {
    if (is_explicit()) return; // its springs ring at twice the load
    auto s = begin(R"x("objects": {
          "load": { "kind": "sphere", "radius": 0.1, "mass": "k < 1 ? 1 : 3 + k + (k > 1 ? 1 : 0)", "contact": false,
                    "replicate": { "count": 4, "index": "k", "at": ["k", 0, 0] } },
          "arm": { "kind": "box", "size": [1, 0.1, 0.1], "mass": 2, "at": [0, 1, 5], "contact": false } },
        "joints": { "hook0": { "kind": "ball", "between": ["world", "load/0"], "at": [0, 0, 0], "breaks_at": "50 N" },
                    "hook1": { "kind": "ball", "between": ["world", "load/1"], "at": [1, 0, 0], "breaks_at": "50 N" },
                    "hook2": { "kind": "ball", "between": ["world", "load/2"], "at": [2, 0, 0], "breaks_at": "50 N" },
                    "hook3": { "kind": "ball", "between": ["world", "load/3"], "at": [3, 0, 0], "breaks_at": "50 N" },
                    "root": { "kind": "weld", "between": ["world", "arm"], "at": [-0.5, 1, 5], "breaks_torque": 5 } })x", 0.2);
    ASSERT_TRUE(s);
    const Model& m = s->compiled.model;
    ASSERT_EQ(simulate_step(*s), Status::ok);
    const std::vector<JointBreak> broken = overloaded_joints(m, s->now);
    ASSERT_EQ(broken.size(), 3u);
    const std::array<const char*, 3> names{"hook2", "hook3", "root"};
    const std::array<double, 3> force{6 * 9.81, 7 * 9.81, 2 * 9.81};
    for (int k = 0; k < 3; ++k) {
        EXPECT_EQ(m.objects[broken[k].joint.index].name, names[k]);
        EXPECT_NEAR(broken[k].force, force[k], 0.1); // one step of 1 ms from rest: the static load
    }
    EXPECT_NEAR(broken[2].torque, 2 * 9.81 * 0.5, 0.1);
    std::vector<std::string> events;
    while (!is_finished(*s)) {
        ASSERT_EQ(simulate_step(*s), Status::ok);
        events.insert(events.end(), s->events.begin(), s->events.end());
    }
    ASSERT_EQ(events.size(), 3u);
    for (int k = 0; k < 3; ++k) EXPECT_NE(events[k].find(names[k]), std::string::npos);
    EXPECT_TRUE(overloaded_joints(m, s->now).empty());
    EXPECT_NEAR(measure(*s, "hook1.force.y"), 4 * 9.81, 0.1);
    EXPECT_NEAR(measure(*s, "load/2.velocity.y"), -9.81 * 0.2, 9.81 * 0.004); // it hung for one step, of two parts at most
}

// Body and joint removed between steps: the joint goes with the body, the other body falls; the same edits give the same bits.
TEST_P(JointTest, joints_go_with_their_bodies_and_edits_replay) {
    const std::string scene = R"("objects": { "a": { "kind": "sphere", "radius": 0.1, "mass": 1, "at": [0, 0, 0], "contact": false },
          "b": { "kind": "sphere", "radius": 0.1, "mass": 1, "at": [0.5, 0, 0], "contact": false } },
        "joints": { "top": { "kind": "ball", "between": ["world", "a"] }, "link": { "kind": "ball", "between": ["a", "b"], "at": [0.25, 0, 0] } })";
    std::vector<std::uint64_t> hashes;
    for (int run = 0; run < 2; ++run) {
        auto s = begin(scene, 0.1);
        ASSERT_TRUE(s);
        for (int k = 0; k < 20; ++k) ASSERT_EQ(simulate_step(*s), Status::ok);
        Model& m = s->compiled.model;
        const Id link = find(m, "link");
        EXPECT_TRUE(remove_object(m, s->now, find(m, "a")));
        EXPECT_FALSE(find(m, "link"));
        EXPECT_FALSE(find(m, "top"));
        EXPECT_FALSE(remove_object(m, s->now, link)); // an old id is refused
        while (!is_finished(*s)) ASSERT_EQ(simulate_step(*s), Status::ok);
        hashes.push_back(hash(s->now));
    }
    EXPECT_EQ(hashes[0], hashes[1]);
}

// Motor targets from the input hold until others come.
TEST_P(JointTest, motor_follows_the_input) {
    auto s = begin(R"("gravity": 0, "objects": { "wheel": { "kind": "box", "size": [1, 1, 1], "mass": 6, "contact": false } },
        "joints": { "axle": { "kind": "hinge", "between": ["world", "wheel"], "axis": [0, 0, 1], "motor": { "limit": 50 } } })", 1);
    ASSERT_TRUE(s);
    s->input.motors = {{find(s->compiled.model, "axle"), 0, 2}};
    while (!is_finished(*s)) ASSERT_EQ(simulate_step(*s), Status::ok);
    EXPECT_NEAR(measure(*s, "wheel.spin.z"), 2, 0.01);
    EXPECT_TRUE(set_motor(s->compiled.model, find(s->compiled.model, "axle").index, "on", 0));
    EXPECT_FALSE(set_motor(s->compiled.model, find(s->compiled.model, "wheel").index, "on", 0));
    EXPECT_FALSE(set_motor(s->compiled.model, find(s->compiled.model, "axle").index, "colour", 0));
}
