// Damped rows that want a rate: motors that go to a place with a speed, force = k (rest - c) + b (speed - dc/dt) (constraint/joint_drive.h).
#include "physics/simulation.h"
#include "position/position_fixture.h"
#include <cmath>
#include <fmt/format.h>

using namespace sinew;

namespace {

constexpr double kMass = 6, kStiffness = 600, kDamping = 120; // w = 10 rad/s, critically damped

// a cube on a slider along y, for two seconds in steps of 10 ms
std::optional<Simulation> slide(const std::string& motor, const std::string& settings, double gravity = 0, double speed = 0) {
    auto s = start(fmt::format(
        R"({{ "sinew": 1, "gravity": {}, "time": {{ "dt": 0.01, "seconds": 2 }},
             "objects": {{ "cube": {{ "kind": "box", "size": [1, 1, 1], "mass": {}, "velocity": [0, {}, 0], "contact": false }} }},
             "joints": {{ "j": {{ "kind": "slider", "between": ["world", "cube"], "axis": [0, 1, 0],
                               "motor": {{ "stiffness": {}, "damping": {}, {} }} }} }},
             "solver": "position", "solvers": {{ "position": {{ {} }} }} }})",
        gravity, kMass, speed, kStiffness, kDamping, motor, settings));
    while (s && !is_finished(*s))
        if (simulate_step(*s) != Status::ok) {
            ADD_FAILURE() << s->report.message;
            return std::nullopt;
        }
    return s;
}
std::string method_of(const std::string& method, const char* more = "") {
    return fmt::format(R"("method": "{}", "iterations": 10, "substeps": 1{})", method, more);
}

} // namespace

// The target goes 0.5 m/s and the cube does so from the start: no force, whatever damps. Without the rate it would be b v/k = 0.1 m behind.
TEST(position_servo, what_goes_with_its_target_feels_no_force) {
    for (const std::string& method : kDualMethods)
        for (const char* more : {"", R"(, "damping_time": "0.5 s")", R"(, "damping": "velocity", "damping_part": 0.3)"}) { // less and more than b/k = 0.2 s
            const auto s = slide(R"("position": "0.5*t")", method_of(method, more), 0, 0.5);
            ASSERT_TRUE(s) << method;
            EXPECT_NEAR(measure(*s, "j.slide"), 1, 1e-11) << method << more; // round-off of 200 steps
        }
}

// A place and a speed that contradict each other balance at k x = b v, and with a weight at k x = b v - m g.
TEST(position_servo, a_speed_beside_a_fixed_place_moves_the_balance) {
    for (const std::string& method : kDualMethods) {
        const auto s = slide(R"("position": 0, "speed": 0.5)", method_of(method));
        ASSERT_TRUE(s) << method;
        EXPECT_NEAR(measure(*s, "j.slide"), kDamping * 0.5 / kStiffness, 1e-6) << method; // (1 + w t) exp(-w t) of 20 is 4e-8 of 0.1 m
    }
    for (const std::string method : {"gauss_seidel", "fast_projection", "newton"}) // exact where one row acts along the slider
        for (const char* motor : {R"("position": 0, "speed": 0.5)", R"("position": 0, "speed": 0.5, "limit": 60)"}) {
            const auto s = slide(motor, method_of(method), 9.81);
            ASSERT_TRUE(s) << method;
            EXPECT_NEAR(measure(*s, "j.slide"), (kDamping * 0.5 - kMass * 9.81) / kStiffness, 1e-6) << method << motor;
        }
}

// The residual of a step counts the rate too: sub-steps stop at the first iteration that is good enough.
TEST(position_servo, the_residual_is_that_of_the_rows_with_their_rate) {
    const auto s = slide(R"("position": "0.5*t")", R"("iterations": 50, "substeps": 1, "tolerance": 1e-9)", 0, 0.5);
    ASSERT_TRUE(s);
    EXPECT_LT(s->report.residual, 1e-9);
    EXPECT_EQ(s->report.iterations, 1);
}
