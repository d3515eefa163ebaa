// Proofs of the velocity solver's parts that have a closed form: part of the penetration taken back, rolling and torsional friction by
// every method, and reduced against maximal coordinates as the step goes to zero.
#include "physics/simulation.h"
#include "sinew/sinew.h"
#include <cmath>
#include <fmt/format.h>

using namespace sinew;

namespace {

std::optional<Simulation> run_proof(const std::string& text) {
    std::optional<Simulation> s = start(text);
    while (s && !is_finished(*s))
        if (simulate_step(*s) == Status::failed) {
            ADD_FAILURE() << s->report.message;
            return std::nullopt;
        }
    return s;
}

struct velocity_proofs : testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(methods, velocity_proofs,
                         testing::Values("auto", "soft_step", "direct", "sequential_impulses", "block", "apgd", "bb", "mlcp", "articulated"),
                         [](const auto& info) { return info.param; });

// a ball of 1 kg and 0.1 m on the ground, by a method of velocity or by articulated
std::string ball(const std::string& method, double seconds, const std::string& more) {
    const bool reduced = method == "articulated";
    return fmt::format(R"({{ "sinew": 1, "solver": "{}", {} "time": {{ "dt": "1/240", "seconds": {} }},
        "objects": {{ "floor": {{ "kind": "box", "size": [20, 2, 20], "at": [0, -1, 0], "friction": 0.8 }},
                      "ball": {{ "kind": "sphere", "radius": 0.1, "mass": 1, "at": [0, 0.1, 0], "friction": 0.8, {} }} }} }})",
                       reduced ? "articulated" : "velocity",
                       reduced ? std::string() : fmt::format(R"("solvers": {{ "velocity": {{ "method": "{}", "sleep": false, "iterations": 200 }} }},)", method), seconds, more);
}

} // namespace

// Rolling without slip at v: the torque rho N takes power rho m g v/r from 7/10 m v^2, so that a = 5 rho g/(7 r) and the ball stops after
// 7 r v^2/(10 rho g) = 0.7136 m, 1.427 s. First order in the step: v dt/2 = 2 mm.
TEST_P(velocity_proofs, a_ball_with_rolling_friction_stops_at_the_distance_of_its_law) {
    const std::string moving = R"("velocity": [1, 0, 0], "angular_velocity": [0, 0, -10], "rolling_friction": 0.01)";
    const auto half = run_proof(ball(GetParam(), 0.7, moving)), stopped = run_proof(ball(GetParam(), 2, moving));
    ASSERT_TRUE(half && stopped);
    const double a = 5 * 0.01 * 9.81 / (7 * 0.1);
    EXPECT_NEAR(measure(*half, "ball.velocity.x"), 1 - a * 0.7, 0.01);
    EXPECT_NEAR(measure(*stopped, "ball.x"), 0.5 / a, 0.01);
    EXPECT_NEAR(measure(*stopped, "ball.velocity.x"), 0, 1e-3);
}

// Spinning on the spot: dw/dt = -tau m g/I, I = 2/5 m r^2: 2.4525 rad/s^2, 2 rad/s are gone after 0.815 s.
TEST_P(velocity_proofs, the_spin_of_a_ball_with_torsional_friction_falls_linearly) {
    const std::string spinning = R"("angular_velocity": [0, 2, 0], "torsional_friction": 0.001)";
    const auto half = run_proof(ball(GetParam(), 0.4, spinning)), stopped = run_proof(ball(GetParam(), 1, spinning));
    ASSERT_TRUE(half && stopped);
    EXPECT_NEAR(measure(*half, "ball.spin.y"), 2 - 0.4 * 0.001 * 9.81 / (0.4 * 0.01), 0.02); // two steps at most to find its weight
    EXPECT_NEAR(measure(*stopped, "ball.spin.y"), 0, 1e-3);
    // and contacts tell the torque tau m g on the ball
    double torque = 0;
    for (const ContactForce& c : half->solver->contacts()) torque += (c.object_a == find(half->compiled.model, "ball").index ? 1 : -1) * c.torque.y;
    EXPECT_NEAR(torque, -0.001 * 9.81, 1e-4);
}

// Spec U048, U146: v' n = -(gamma/h) gap of what penetrates, so that 1 - gamma of it is left after one step, and gamma = 1 where there
// is a gap: what comes faster than that ends at the surface, whatever gamma is.
TEST(velocity_proof, a_part_gamma_of_the_penetration_is_taken_back_per_step_and_a_gap_is_closed_in_one) {
    const auto scene = [](const char* method, double gamma, double height, double speed) {
        return fmt::format(R"({{ "sinew": 1, "solver": "velocity", "gravity": 0, "time": {{ "dt": 0.01, "seconds": 0.01 }},
            "solvers": {{ "velocity": {{ "method": "{}", "stabilisation": "baumgarte", "erp": {}, "slop": 0, "push_speed": 100, "iterations": 50 }} }},
            "objects": {{ "floor": {{ "kind": "box", "size": [4, 2, 4], "at": [0, -1, 0] }},
                          "ball": {{ "kind": "sphere", "radius": 0.1, "mass": 1, "at": [0, {}, 0], "velocity": [0, {}, 0] }} }} }})", method, gamma, height, speed);
    };
    for (const char* method : {"sequential_impulses", "block", "direct", "apgd", "mlcp"})
        for (double gamma : {0.25, 0.5, 1.0}) {
            const auto deep = run_proof(scene(method, gamma, 0.09, 0)), near = run_proof(scene(method, gamma, 0.104, -1));
            ASSERT_TRUE(deep && near);
            EXPECT_NEAR(measure(*deep, "ball.y"), 0.1 - (1 - gamma) * 0.01, 1e-6) << method << " " << gamma; // apgd to its tolerance
            EXPECT_NEAR(measure(*deep, "ball.velocity.y"), gamma * 0.01 / 0.01, 1e-4) << method << " " << gamma;
            EXPECT_NEAR(measure(*near, "ball.y"), 0.1, 1e-6) << method << " " << gamma;
        }
}

// The same chain of three boxes on ball joints, swung out of the plane, in generalised coordinates and by the default of velocity. Both are of
// first order: halving the step halves the way between them, and each comes as near to the other as to its own limit.
TEST(velocity_proof, reduced_and_maximal_coordinates_meet_with_first_order_at_the_defaults) {
    const auto end = [](const char* solver, int steps) {
        std::string objects, joints;
        for (int k = 0; k < 3; ++k) {
            objects += fmt::format(R"({}"b{}": {{ "kind": "box", "size": [0.4, 0.1, 0.1], "mass": {}, "at": [{}, 0, 0], "contact": false, "velocity": [0, 0, {}], "angular_velocity": [0, -1, 0] }})",
                                   k ? ", " : "", k, 1 + k, 0.2 + 0.4 * k, 0.2 + 0.4 * k);
            joints += fmt::format(R"({}"j{}": {{ "kind": "ball", "between": ["{}", "b{}"], "at": [{}, 0, 0] }})", k ? ", " : "", k, k ? fmt::format("b{}", k - 1) : "world", k, 0.4 * k);
        }
        const auto s = run_proof(fmt::format(R"({{ "sinew": 1, "solver": "{}", "time": {{ "dt": {}, "seconds": 0.4 }}, "objects": {{ {} }}, "joints": {{ {} }} }})", solver, 0.4 / steps, objects, joints));
        std::vector<double> out;
        for (int k = 0; s && k < 3; ++k)
            for (const char* axis : {"x", "y", "z"}) out.push_back(measure(*s, fmt::format("b{}.{}", k, axis)));
        return out;
    };
    const auto apart = [&](int steps) {
        const std::vector<double> a = end("articulated", steps), b = end("velocity", steps);
        double sum = 0;
        for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
        return std::sqrt(sum);
    };
    const double coarse = apart(100), middle = apart(200), fine = apart(400);
    EXPECT_GT(std::log2(coarse / middle), 0.8);
    EXPECT_GT(std::log2(middle / fine), 0.8);
    EXPECT_LT(fine, 5e-3); // [m] after a swing of a metre
    RecordProperty("metres_apart_at_100_200_400_steps", fmt::format("{:.3g} {:.3g} {:.3g}", coarse, middle, fine));
}

// Heavy on light at the defaults, beyond what is solved directly: a pyramid of base 12 (78 boxes of 1 kg) with a top of 300 kg, and a hundred
// cubes of 1 kg under a slab of 5000 kg. With sub-steps for equal masses they sink by 8 and 17 cm.
TEST(velocity_proof, heavy_bodies_on_light_piles_do_not_sink_at_the_defaults) {
    std::string rows, cubes;
    for (int r = 0; r < 12; ++r)
        rows += fmt::format(R"(, "row{0}": {{ "kind": "box", "size": [1, 1, 1], "mass": {1}, "friction": 0.6, "replicate": {{ "count": {2}, "index": "k", "at": ["{3} + 1.01*k", {4}, 0] }} }})",
                            r, r == 11 ? 300 : 1, 12 - r, -0.505 * (11 - r), 0.5 + r);
    for (int k = 0; k < 20; ++k)
        cubes += fmt::format(R"(, "cube{0}": {{ "kind": "box", "size": [1, 1, 1], "mass": 1, "friction": 0.6, "replicate": {{ "count": 5, "index": "k", "at": ["1.01*k - 2.02", {1}, {2}] }} }})",
                             k, 0.5 + k / 5, 1.01 * (k % 5) - 2.02);
    const auto scene = [](const std::string& objects) {
        return R"({ "sinew": 1, "solver": "velocity", "time": { "fps": 60, "seconds": 2 }, "objects": { "floor": { "kind": "box", "size": [80, 2, 80], "at": [0, -1, 0], "friction": 0.6 })" + objects + " } }";
    };
    const auto pyramid = run_proof(scene(rows));
    ASSERT_TRUE(pyramid);
    EXPECT_NEAR(measure(*pyramid, "row11/0.y"), 11.5, 0.03); // a quarter of a percent of its height
    EXPECT_NEAR(measure(*pyramid, "row11/0.x"), 0, 0.01);
    const auto pile = run_proof(scene(cubes + R"(, "slab": { "kind": "box", "size": [5, 1, 5], "mass": 5000, "friction": 0.6, "at": [0, 4.5, 0] })"));
    ASSERT_TRUE(pile);
    EXPECT_NEAR(measure(*pile, "slab.y"), 4.5, 0.03);
    EXPECT_NEAR(measure(*pile, "slab.x"), 0, 0.01);
}
