#include "core/math.h"
#include "scene/motion.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace sinew;

namespace {
const Pose kRest{{1, 2, 3}, {std::sqrt(0.5), 0, 0, std::sqrt(0.5)}}; // 90 degrees about z
Motion motion(std::string_view text, const Pose& container = {}, const Pose& rest = {}) {
    const Result<Value> v = parse_value(text, "f.json");
    Motion m;
    std::vector<Error> errors;
    SceneTime time;
    time.fps = 10;
    time.first_frame = 100;
    EXPECT_TRUE(v && parse_motion(*v.value, make_scope({{"a", 2}}, kTimeSlots), time, container, rest,
                                  "motion", m, errors))
        << text;
    for (const Error& e : errors) ADD_FAILURE() << to_string(e);
    return m;
}
Vec3 position(const Motion& m, double t) { return vec(evaluate_motion(m, t).position); }
double turned(const Motion& m, double t) { // angle about y [rad]
    const Real4 q = evaluate_motion(m, t).rotation;
    return 2 * std::atan2(q.y, q.w);
}
} // namespace

TEST(motion, static_objects_stay) {
    const Pose p = evaluate_motion(motion(R"("static")", {}, kRest), 7);
    EXPECT_EQ(p.position, kRest.position);
    EXPECT_EQ(p.rotation, kRest.rotation);
}

TEST(motion, expressions_of_time_and_frame_move_the_object) {
    Motion m = motion(R"({ "at": ["a*t", "frame", 1] })");
    EXPECT_NEAR((position(m, 0.5) - Vec3(1, 105, 1)).norm(), 0, 1e-12);
    m = motion(R"({ "move": ["a*t", 0, "1 cm"] })", {}, kRest);
    EXPECT_NEAR((position(m, 0.5) - Vec3(2, 2, 3.01)).norm(), 0, 1e-12);
    m = motion(R"({ "rotate": { "axis": [0, 2, 0], "angle": "t^2" } })");
    EXPECT_NEAR(turned(m, 1.5), 2.25, 1e-12);
    // inside a prefab that is turned and moved
    m = motion(R"({ "at": ["t", 0, 0] })", Pose{{0, 10, 0}, {std::sqrt(0.5), 0, 0, std::sqrt(0.5)}});
    EXPECT_NEAR((position(m, 3) - Vec3(0, 13, 0)).norm(), 0, 1e-12);
}

TEST(motion, spin_turns_by_rate_times_time_with_smooth_start_and_end) {
    Motion m = motion(R"({ "spin": { "axis": [0, 1, 0], "rate": "90 deg/s", "from": "1 s" } })");
    EXPECT_EQ(turned(m, 0.5), 0);
    EXPECT_NEAR(turned(m, 2), M_PI / 2, 1e-12);
    // the ramp takes half of its duration away: way = rate (to - from - ease)
    m = motion(R"({ "spin": { "axis": [0, 1, 0], "rate": 1, "from": 1, "to": 3, "ease": 0.5 } })");
    EXPECT_NEAR(turned(m, 3), 1.5, 1e-12);
    EXPECT_NEAR(turned(m, 99), 1.5, 1e-12);
    EXPECT_NEAR(turned(m, 2), 0.75, 1e-12); // halfway by symmetry
    // speed is the smoothstep: finite differences, h^2 error
    const double h = 1e-5;
    for (double t : {1.1, 1.3, 1.499, 1.7, 2.6, 2.9}) {
        const double u = t < 1.5 ? (t - 1) / 0.5 : t > 2.5 ? (3 - t) / 0.5 : 1;
        EXPECT_NEAR((turned(m, t + h) - turned(m, t - h)) / (2 * h), u * u * (3 - 2 * u), 1e-6) << t;
    }
}

TEST(motion, spin_about_a_center_moves_the_object_on_a_circle) {
    const Motion m = motion(R"({ "spin": { "axis": [0, 0, 1], "rate": "1 turn/s", "center": [0, 0, 0] } })",
                            {}, Pose{{1, 0, 5}, {}});
    EXPECT_NEAR((position(m, 0.25) - Vec3(0, 1, 5)).norm(), 0, 1e-12);
    EXPECT_NEAR((position(m, 1) - Vec3(1, 0, 5)).norm(), 0, 1e-12);
}

TEST(motion, slide_is_a_straight_motion) {
    const Motion m =
        motion(R"({ "slide": { "velocity": [0, "1 m/s", 0], "from": 1, "to": 3, "ease": 0.5 } })");
    EXPECT_EQ(position(m, 1).y(), 0);
    EXPECT_NEAR(position(m, 5).y(), 1.5, 1e-12);
}

TEST(motion, keys_are_met_and_held_outside) {
    for (const char* between : {"smooth", "linear", "ease", "hold"}) {
        const std::string text =
            std::string(R"({ "between": ")") + between +
            R"(", "keys": [ { "t": 1, "at": [0, 0, 0], "rotate": { "axis": [0, 1, 0], "angle": 0 } },
            { "frame": 120, "at": [1, 0, 0], "rotate": { "axis": [0, 1, 0], "angle": 1 } }, { "t": 5,
        "at": [1, 2, 0], "rotate": { "axis": [0, 1, 0], "angle": -1 } } ] })";
        const Motion m = motion(text);
        EXPECT_NEAR((position(m, 0) - Vec3(0, 0, 0)).norm(), 0, 1e-14) << between;
        EXPECT_NEAR((position(m, 2) - Vec3(1, 0, 0)).norm(), 0, 1e-14) << between;
        EXPECT_NEAR((position(m, 9) - Vec3(1, 2, 0)).norm(), 0, 1e-14) << between;
        EXPECT_NEAR(turned(m, 2), 1, 1e-14) << between;
        EXPECT_NEAR(turned(m, 9), -1, 1e-14) << between;
    }
    Motion m = motion(
        R"({ "between": "linear", "keys": [ { "t": 0, "at": [0, 0, 0] }, { "t": 2, "at": [4, 0, 0] } ] })");
    EXPECT_NEAR(position(m, 0.5).x(), 1, 1e-14);
    m = motion(
        R"({ "between": "hold", "keys": [ { "t": 0, "at": [0, 0, 0] }, { "t": 2, "at": [4, 0, 0] } ] })");
    EXPECT_EQ(position(m, 1.99).x(), 0);
    m = motion(
        R"({ "between": "linear", "repeat": true, "keys": [ { "t": 0, "at": [0, 0, 0] }, { "t": 2,
        "at": [4, 0, 0] } ] })");
    EXPECT_NEAR(position(m, 4.5).x(), 1, 1e-12);
    m = motion(R"({ "keys": [ { "t": 1, "at": [3, 0, 0] } ] })");
    EXPECT_EQ(position(m, 0).x(), 3);
}

TEST(motion, smooth_keys_have_continuous_velocity_and_angular_velocity) {
    const Motion m =
        motion(R"({ "keys": [ { "t": 0, "at": [0, 0, 0], "rotate": { "axis": [0, 1, 0], "angle": 0 } },
        { "t": 1, "at": [1, 3, 0], "rotate": { "axis": [1, 1, 0], "angle": 1 } }, { "t": 4,
        "at": [1, 2, 5], "rotate": { "axis": [0, 1, 2], "angle": -1 } },
        { "t": 4.5, "at": [0, 0, 0], "rotate": { "axis": [0, 0, 1], "angle": 0.5 } } ] })");
    const double h = 1e-6;
    const auto spin = [&](double a, double b) {
        return Vec3(log_rotation(quat(evaluate_motion(m, b).rotation) *
                                 quat(evaluate_motion(m, a).rotation).conjugate()) /
                    (b - a));
    };
    for (double t : {0.0, 1.0, 4.0, 4.5}) {
        // one-sided differences: error h times the second derivative, below 100
        EXPECT_NEAR(
            ((position(m, t + h) - position(m, t)) / h - (position(m, t) - position(m, t - h)) / h).norm(), 0,
            2e-4)
            << t;
        EXPECT_NEAR((spin(t, t + h) - spin(t - h, t)).norm(), 0, 2e-4) << t;
    }
    EXPECT_GT(((position(m, 1 + h) - position(m, 1)) / h).norm(), 0.1); // and it does not stop at inner keys
}
