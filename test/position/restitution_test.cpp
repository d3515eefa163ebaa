// Restitution in sub-steps (spec U148): each contact bounces by the approach of its own sub-step.
#include "physics/simulation.h"
#include "position/position_fixture.h"
#include <cmath>
#include <fmt/format.h>

using namespace sinew;

namespace {

// balls of 1 kg and 5 cm in a row along x, by their places; the first goes 10 m/s
std::optional<Simulation> row_of_balls(const std::vector<double>& at, double restitution, const std::string& settings) {
    std::string objects;
    for (std::size_t i = 0; i < at.size(); ++i)
        objects += fmt::format(R"({} "b{}": {{ "kind": "sphere", "radius": 0.05, "mass": 1, "friction": 0, "restitution": {}, "at": [{}, 0, 0], "velocity": [{}, 0, 0] }})",
                               i ? "," : "", i, restitution, at[i], i ? 0 : 10);
    return start(fmt::format(R"({{ "sinew": 1, "gravity": 0, "time": {{ "fps": 60, "substeps": 1, "seconds": 1 }}, "objects": {{ {} }},
        "solver": "position", "solvers": {{ "position": {{ {} }} }} }})", objects, settings));
}
double energy_of(const Simulation& s) {
    double sum = 0;
    for (const Real3& v : s.now.frame.v) sum += 0.5 * vec(v).squaredNorm();
    return sum;
}

} // namespace

TEST(position_restitution, a_blow_is_passed_on_within_a_step) {
    // the way of a sub-step is less than the gap of 5 mm between the second and the third: two impacts one after the other, each an exchange
    auto s = row_of_balls({0, 0.11, 0.215}, 1, R"("substeps": 100, "iterations": 10)");
    ASSERT_TRUE(s);
    for (int k = 0; k < 3; ++k) ASSERT_EQ(simulate_step(*s), Status::ok);
    EXPECT_NEAR(s->now.frame.v[0].x, 0, 1e-9);
    EXPECT_NEAR(s->now.frame.v[1].x, 0, 1e-9);
    EXPECT_NEAR(s->now.frame.v[2].x, 10, 1e-9);
}

TEST(position_restitution, rows_of_balls_keep_momentum_and_never_gain_energy) {
    for (const std::vector<double>& at : {std::vector<double>{0, 0.105, 0.205}, {0, 0.11, 0.21, 0.31}, {0, 0.11, 0.215, 0.322, 0.43}})
        for (const double restitution : {0.5, 1.0})
            for (const int substeps : {1, 4, 10, 40}) {
                auto s = row_of_balls(at, restitution, fmt::format(R"("substeps": {}, "iterations": 10)", substeps));
                ASSERT_TRUE(s);
                double before = energy_of(*s);
                for (int k = 0; k < 12; ++k) {
                    ASSERT_EQ(simulate_step(*s), Status::ok);
                    double momentum = 0;
                    for (const Real3& v : s->now.frame.v) momentum += v.x;
                    EXPECT_NEAR(momentum, 10, 1e-9) << substeps;
                    EXPECT_LT(energy_of(*s), before + 1e-9) << at.size() << " balls, " << restitution << ' ' << substeps << " step " << k;
                    before = energy_of(*s);
                }
            }
}

TEST(position_restitution, a_ball_that_comes_back_within_a_step_bounces_by_the_speed_it_comes_with) {
    // to and fro between a floor and a ball as heavy as a wall, gaps of 10 mm: 20, 10, 5, 2.5, 1.25 and 0.625 m/s within 1/60 s
    auto s = start(R"({ "sinew": 1, "gravity": 0, "time": { "fps": 60, "substeps": 1, "seconds": 1 }, "objects": {
        "floor": { "kind": "plane", "friction": 0, "restitution": 0.5 },
        "ball": { "kind": "sphere", "radius": 0.05, "mass": 1, "friction": 0, "restitution": 0.5, "at": [0, 0.055, 0], "velocity": [0, -20, 0] },
        "above": { "kind": "sphere", "radius": 0.05, "mass": 1e6, "friction": 0, "restitution": 0.5, "at": [0, 0.16, 0] } },
        "solver": "position", "solvers": { "position": { "substeps": 100, "iterations": 10 } } })");
    ASSERT_TRUE(s);
    ASSERT_EQ(simulate_step(*s), Status::ok);
    EXPECT_NEAR(s->now.frame.v[1].y, 0.625, 1e-4); // the wall gives way by 2e-5 m/s
}

TEST(position_restitution, a_bouncing_ball_rises_to_e_squared_of_its_height) {
    // from 1 m, e = 0.8: the tops are 0.64 m and 0.4096 m
    auto s = start(R"({ "sinew": 1, "gravity": 9.8, "time": { "fps": 60, "substeps": 1, "seconds": 3 }, "objects": {
        "floor": { "kind": "plane", "friction": 0, "restitution": 0.8 },
        "ball": { "kind": "sphere", "radius": 0.05, "mass": 1, "friction": 0, "restitution": 0.8, "at": [0, 1.05, 0] } },
        "solver": "position", "solvers": { "position": { "substeps": 100 } } })");
    ASSERT_TRUE(s);
    std::vector<double> tops;
    double before = 0;
    while (!is_finished(*s) && tops.size() < 2) {
        ASSERT_EQ(simulate_step(*s), Status::ok);
        const double v = s->now.frame.v[1].y;
        // of the parabola, by height and speed at the end of the step
        if (before > 0 && v <= 0) tops.push_back(s->now.frame.p[1].y - 0.05 + v * v / 19.6);
        before = v;
    }
    ASSERT_EQ(tops.size(), 2u);
    // a bounce loses up to g times the way of a sub-step, 1/6000 s: 1.5e-3 of 0.64 m, 2e-3 of 0.41 m
    EXPECT_NEAR(tops[0], 0.64, 0.002);
    EXPECT_NEAR(tops[1], 0.4096, 0.003);
}
