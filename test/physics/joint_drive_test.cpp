// Springs, motors and limits of all coordinates of joints against closed forms, and motors that follow time and input.
#include "physics/simulation.h"
#include "core/math.h"
#include "sinew/sinew.h"
#include <cmath>
#include <fmt/format.h>

using namespace sinew;

namespace {

constexpr double kStep = 1e-3; // [s]

struct JointDriveTest : testing::TestWithParam<std::string> {
    std::optional<Simulation> begin(const std::string& members, double seconds, double gravity = 0) const {
        return start(fmt::format(R"({{ "sinew": 1, "solver": "{}", "gravity": {}, "time": {{ "dt": {}, "seconds": {} }}, {} }})", GetParam(), gravity, kStep, seconds, members));
    }
    std::optional<Simulation> run(const std::string& members, double seconds) const {
        std::optional<Simulation> s = begin(members, seconds);
        while (s && !is_finished(*s))
            if (simulate_step(*s) == Status::failed) {
                ADD_FAILURE() << s->report.message;
                return std::nullopt;
            }
        return s;
    }
};
INSTANTIATE_TEST_SUITE_P(solvers, JointDriveTest, testing::Values("velocity", "articulated", "position"), [](const auto& info) { return info.param; });

// A cube of 6 kg, 1 m: moment of inertia 1 kg m^2 about any axis; held to the world by a joint at its centre.
std::string cube(const std::string& joint, const std::string& more = "") {
    return R"("objects": { "cube": { "kind": "box", "size": [1, 1, 1], "mass": 6, "contact": false)" + more + R"( } },
        "joints": { "j": { "between": ["world", "cube"], )" + joint + " } }";
}
// rotation of the cube, as a vector
Vec3 rotation(const Simulation& s) {
    const int f = s.compiled.model.objects[find(s.compiled.model, "cube").index].frames.begin;
    return log_rotation(quat(s.now.frame.q[f]));
}

} // namespace

// A motor of speed w without a limit turns or moves by w t; the first step brings it to its speed.
TEST_P(JointDriveTest, motors_of_every_coordinate_go_at_their_speed) {
    struct {
        const char *joint, *measured, *still;
    } const cases[] = {
        {R"("kind": "cylindrical", "axis": [1, 0, 0], "twist_motor": { "speed": 2 })", "j.angle", "j.slide"},
        {R"("kind": "cylindrical", "axis": [1, 0, 0], "motor": { "speed": 2 }, "twist_motor": { "speed": 0 })", "j.slide", "j.angle"},
        {R"("kind": "universal", "axis": [1, 0, 0], "second_axis": [0, 1, 0], "motor": { "speed": 2 }, "second_motor": {})", "j.angle", "j.second_angle"},
        {R"("kind": "universal", "axis": [1, 0, 0], "second_axis": [0, 1, 0], "motor": {}, "second_motor": { "speed": 2 })", "j.second_angle", "j.angle"},
        {R"("kind": "planar", "axis": [0, 1, 0], "direction": [1, 0, 0], "motor": { "speed": 2 })", "j.slide", "j.second_slide"},
        {R"("kind": "planar", "axis": [0, 1, 0], "direction": [1, 0, 0], "second_motor": { "speed": 2 })", "j.second_slide", "j.slide"},
        {R"("kind": "planar", "axis": [0, 1, 0], "twist_motor": { "speed": 2 })", "j.angle", "j.slide"},
    };
    for (const auto& c : cases) {
        const auto s = run(cube(c.joint), 0.5);
        ASSERT_TRUE(s) << c.joint;
        EXPECT_NEAR(measure(*s, c.measured), 1, 2 * 2 * kStep) << c.joint;
        EXPECT_NEAR(measure(*s, c.still), 0, 1e-4) << c.joint;
        EXPECT_LT(measure(*s, "j.joint_error"), 1e-4) << c.joint;
    }
}

// Springs: x = v/w sin w t with w = 10 rad/s, seen after three quarters of a period; k = 100 N m with I = 1 kg m^2, 600 N/m with 6 kg.
// Implicit springs of dual solvers damp by w dt/2 per radian: exp(-0.005 * 4.7) = 2.4 %.
TEST_P(JointDriveTest, springs_of_every_coordinate_have_their_period) {
    struct {
        const char *joint, *start, *measured;
    } const cases[] = {
        {R"("kind": "cylindrical", "axis": [1, 0, 0], "twist_spring": { "stiffness": 100 })", R"(, "angular_velocity": [1, 0, 0])", "j.angle"},
        {R"("kind": "universal", "axis": [1, 0, 0], "second_axis": [0, 1, 0], "spring": { "stiffness": 100 })", R"(, "angular_velocity": [1, 0, 0])", "j.angle"},
        {R"("kind": "universal", "axis": [1, 0, 0], "second_axis": [0, 1, 0], "second_spring": { "stiffness": 100 })", R"(, "angular_velocity": [0, 1, 0])", "j.second_angle"},
        {R"("kind": "planar", "axis": [0, 1, 0], "direction": [0, 0, 1], "spring": { "stiffness": 600 })", R"(, "velocity": [0, 0, 1])", "j.slide"},
        {R"("kind": "planar", "axis": [0, 1, 0], "direction": [0, 0, 1], "second_spring": { "stiffness": 600 })", R"(, "velocity": [1, 0, 0])", "j.second_slide"},
        {R"("kind": "planar", "axis": [0, 1, 0], "twist_spring": { "stiffness": 100 })", R"(, "angular_velocity": [0, 1, 0])", "j.angle"},
    };
    for (const auto& c : cases) {
        const auto s = run(cube(c.joint, c.start), 0.15 * kPi);
        ASSERT_TRUE(s) << c.joint;
        EXPECT_NEAR(measure(*s, c.measured), -0.1, 4e-3) << c.joint;
    }
}

// A ball on a spring of rest length 1 m, w = 10 rad/s; with damping c/2m = 2/s: x = 1 + v/w' exp(-2 t) sin w' t.
TEST_P(JointDriveTest, distance_with_a_spring_oscillates_about_its_length) {
    const auto scene = [](const char* spring) {
        return fmt::format(R"("objects": {{ "ball": {{ "kind": "sphere", "radius": 0.1, "mass": 1, "at": [1, 0, 0], "velocity": [1, 0, 0], "contact": false }} }},
            "joints": {{ "j": {{ "kind": "distance", "between": ["world", "ball"], "at": [0, 0, 0], "spring": {} }} }})", spring);
    };
    const double t = 0.15 * kPi, w = std::sqrt(96.0);
    const auto free = run(scene(R"({ "stiffness": 100 })"), t), damped = run(scene(R"({ "stiffness": 100, "damping": 4 })"), t);
    ASSERT_TRUE(free && damped);
    EXPECT_NEAR(measure(*free, "j.length"), 0.9, 4e-3); // as above
    EXPECT_NEAR(measure(*damped, "j.length"), 1 + std::exp(-2 * t) * std::sin(w * t) / w, 2e-3);
}

// A winch draws 2 kg up at 0.5 m/s against their weight, until the least length.
TEST_P(JointDriveTest, a_winch_draws_its_load_to_the_least_length) {
    auto s = begin(R"("objects": { "load": { "kind": "sphere", "radius": 0.1, "mass": 2, "at": [0, -1, 0], "contact": false } },
        "joints": { "j": { "kind": "distance", "between": ["world", "load"], "at": [0, 0, 0], "limits": [0.7, 2], "motor": { "speed": -0.5, "limit": 1000 } } })", 1, 9.81);
    ASSERT_TRUE(s);
    while (!is_finished(*s)) {
        ASSERT_EQ(simulate_step(*s), Status::ok);
        if (std::abs(s->now.time - 0.4) < 0.1 * kStep) {
            EXPECT_NEAR(measure(*s, "j.length"), 0.8, 2 * 0.5 * kStep);
        }
    }
    EXPECT_NEAR(measure(*s, "j.length"), 0.7, 1e-2); // a motor of 1000 N against a limit that takes back a part of its error per step
}

// The motor of a ball joint holds an angular velocity at any angle: 4 rad in 2 s, beyond half a turn.
TEST_P(JointDriveTest, ball_motor_turns_at_its_speed_beyond_half_a_turn) {
    const auto s = run(cube(R"("kind": "ball", "motor": { "speed": [0, 2, 0] })"), 2);
    ASSERT_TRUE(s);
    EXPECT_LT((rotation(*s) - Vec3(0, 4 - 2 * kPi, 0)).norm(), 2 * 2 * kStep);
}

// Dry friction of 2 N m at a ball joint stops 3 rad/s after I w/L = 1.5 s and w t/2 = 2.25 rad, wherever that is.
TEST_P(JointDriveTest, friction_of_a_ball_joint_is_the_same_at_every_angle) {
    const auto s = run(cube(R"("kind": "ball", "friction": 2)", R"(, "angular_velocity": [0, 0, 3])"), 2);
    ASSERT_TRUE(s);
    EXPECT_LT((rotation(*s) - Vec3(0, 0, 2.25)).norm(), 3 * kStep); // first order: w dt/2
}

// Servos follow what moves: by the speed of the target that goes with it nothing is left behind. k 2000, c 100, I 1: the slow root -27/s.
TEST_P(JointDriveTest, servos_follow_expressions_keys_and_rotations_of_time) {
    const std::string servo = R"("stiffness": 2000, "damping": 100)";
    const auto swing = run(cube(R"x("kind": "hinge", "axis": [0, 0, 1], "motor": { "position": "0.5*sin(2*t)", )x" + servo + " }"), 1);
    ASSERT_TRUE(swing);
    EXPECT_NEAR(measure(*swing, "j.angle"), 0.5 * std::sin(2.0), 2e-3);
    const auto keys = run(cube(R"("kind": "hinge", "axis": [0, 0, 1], "motor": { "keys": [ { "t": 0, "position": 0 }, { "t": 0.5, "position": "30 deg" }, { "t": 1, "position": "-15 deg" } ], )" + servo + " }"), 0.8);
    ASSERT_TRUE(keys);
    EXPECT_NEAR(measure(*keys, "j.angle"), (30 - 0.6 * 45) * kPi / 180, 2e-3);
    // about a skew axis, and back from there by keys of rotations
    const Vec3 axis = Vec3(1, 2, 2) / 3;
    for (const char* kind : {R"("kind": "ball")", R"("kind": "cone_twist", "axis": [0, 1, 0])"}) {
        const auto turn = run(cube(std::string(kind) + R"(, "motor": { "target": { "rotate": { "axis": [1, 2, 2], "angle": "0.8*t" } }, )" + servo + " }"), 1);
        ASSERT_TRUE(turn);
        EXPECT_LT((rotation(*turn) - 0.8 * axis).norm(), 3e-3) << kind;
    }
}

// A target that moves evenly is met where it is, neither behind nor ahead: what the spring pulls to is the target at the end of the
// step. One off by a step would be off by 0.8 dt, and steps are long here. Where a solver cuts steps into n (`position` into ten), every
// part pulls to the end of the whole, ahead by half of the rest on average: 0.8 dt (n - 1)/(2n).
TEST_P(JointDriveTest, a_servo_meets_an_even_target_where_it_is) {
    const double dt = 0.02;
    for (const char* joint : {R"("kind": "hinge", "axis": [0, 0, 1], "motor": { "position": "0.8*t", "stiffness": 2000, "damping": 100 })",
                              R"("kind": "ball", "motor": { "target": { "rotate": { "axis": [0, 0, 1], "angle": "0.8*t" } }, "stiffness": 2000, "damping": 100 })"}) {
        Simulation s = run_to_end(fmt::format(R"({{ "sinew": 1, "solver": "{}", "gravity": 0, "time": {{ "dt": {}, "seconds": 1 }}, {} }})", GetParam(), dt, cube(joint)));
        const double ahead = std::string(GetParam()) == "position" ? 0.8 * dt * 9 / 20 : 0;
        EXPECT_LT((rotation(s) - Vec3(0, 0, 0.8 + ahead)).norm(), 0.05 * 0.8 * dt) << joint;
    }
}

// The same from outside: three targets are the rotation vector and the spin of a ball joint, two the motors of a cylindrical one in order.
TEST_P(JointDriveTest, several_targets_of_one_joint_go_to_its_coordinates_in_order) {
    const std::string servo = R"({ "stiffness": 2000, "damping": 100 })";
    auto s = begin(cube(R"("kind": "ball", "motor": )" + servo), 0.5);
    ASSERT_TRUE(s);
    const Id ball = find(s->compiled.model, "j");
    s->input.motors = {{ball, 0.1, 0}, {ball, 0.2, 0}, {ball, -0.3, 0}};
    while (!is_finished(*s)) ASSERT_EQ(simulate_step(*s), Status::ok);
    EXPECT_LT((rotation(*s) - Vec3(0.1, 0.2, -0.3)).norm(), 1e-4);
    s = begin(cube(R"("kind": "cylindrical", "axis": [1, 0, 0], "motor": { "stiffness": 12000, "damping": 600 }, "twist_motor": )" + servo), 0.5);
    ASSERT_TRUE(s);
    const Id both = find(s->compiled.model, "j");
    s->input.motors = {{both, 0.2, 0}, {both, -0.4, 0}};
    while (!is_finished(*s)) ASSERT_EQ(simulate_step(*s), Status::ok);
    EXPECT_NEAR(measure(*s, "j.slide"), 0.2, 1e-4);
    EXPECT_NEAR(measure(*s, "j.angle"), -0.4, 1e-4);
}

// A cone of 30 degrees and a twist of 20: what swings or spins against them stops there, and nothing ever goes beyond.
TEST_P(JointDriveTest, cone_and_twist_limits_hold) {
    const double cone = 30 * kPi / 180, twist = 20 * kPi / 180;
    const std::string joint = R"("kind": "cone_twist", "axis": [0, 1, 0], "swing": "30 deg", "twist": ["-20 deg", "20 deg"])";
    for (bool spins : {false, true}) {
        auto s = begin(cube(joint, spins ? R"(, "angular_velocity": [0, 2, 0])" : R"(, "angular_velocity": [1.2, 0, 1.6])"), 0.6);
        ASSERT_TRUE(s);
        double most = 0;
        while (!is_finished(*s)) {
            ASSERT_EQ(simulate_step(*s), Status::ok);
            most = std::max(most, std::abs(measure(*s, spins ? "j.angle" : "j.swing")));
        }
        // one step at 2 rad/s; a limit has no restitution
        EXPECT_NEAR(most, spins ? twist : cone, 2 * kStep);
        EXPECT_NEAR(std::abs(measure(*s, spins ? "j.angle" : "j.swing")), spins ? twist : cone, 2e-3);
    }
    // angles of a universal joint: the second one stops, the first goes on
    const auto s = run(cube(R"("kind": "universal", "axis": [1, 0, 0], "second_axis": [0, 1, 0], "second_limits": ["-10 deg", "10 deg"])", R"(, "angular_velocity": [0, 2, 0])"), 0.5);
    ASSERT_TRUE(s);
    EXPECT_NEAR(measure(*s, "j.second_angle"), 10 * kPi / 180, 2e-3);
}
