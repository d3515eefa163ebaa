// Contact and friction of the position solver (spec U 3.8, V5, V6, V12).
#include "physics/simulation.h"
#include <cmath>
#include <fmt/format.h>

using namespace sinew;

namespace {

// a particle of 1 kg on a floor, gravity turned by the angle
std::string ball_on_plane(const std::string& settings, double friction, double speed, double degrees = 0) {
    const double a = degrees * kPi / 180;
    return fmt::format(R"({{ "sinew": 1, "time": {{ "fps": 60, "substeps": 1, "seconds": 3 }}, "gravity": [{}, {}, 0],
        "objects": {{ "floor": {{ "kind": "plane", "friction": {} }},
            "p": {{ "kind": "particles", "positions": [[0, 0, 0]], "masses": [1], "material": {{ "friction": {} }}, "thickness": 0,
                    "velocity": [{}, 0, 0] }} }},
        "solver": "position", "solvers": {{ "position": {{ "substeps": 1, {} }} }} }})",
        9.8 * std::sin(a), -9.8 * std::cos(a), friction, friction, speed, settings);
}

} // namespace

TEST(position_contact, what_slides_stops_where_coulomb_says) {
    for (const char* friction : {"cone", "cylinder", "box", "single"}) {
        auto s = start(ball_on_plane(R"("iterations": 20, "friction": ")" + std::string(friction) + "\"", 0.5, 5));
        ASSERT_TRUE(s);
        Real gap = 0;
        while (!is_finished(*s)) {
            ASSERT_EQ(simulate_step(*s), Status::ok);
            gap = std::max(gap, std::abs(s->now.point.x[0].y));
        }
        EXPECT_NEAR(s->now.point.x[0].x, 2.5095, 2e-3) << friction; // v^2/(2 mu g) less O(h), as the spec computed
        EXPECT_LT(gap, 1e-9) << friction;                           // V6: no lift
    }
    // without the correction of De Saxce the cone lifts by h mu |v_t|
    auto s = start(ball_on_plane(R"("friction": "cone", "de_saxce": false, "iterations": 200)", 0.5, 5));
    ASSERT_TRUE(s);
    ASSERT_EQ(simulate_step(*s), Status::ok);
    EXPECT_NEAR(s->now.point.x[0].y, 0.5 / 60 * std::abs(s->now.point.v[0].x), 1e-9);
    EXPECT_GT(s->now.point.x[0].y, 0.03);
}

TEST(position_contact, an_incline_holds_up_to_the_coefficient) {
    for (const char* friction : {"cone", "cylinder", "box", "single"}) {
        const std::string settings = R"("iterations": 20, "friction": ")" + std::string(friction) + "\"";
        auto holds = start(ball_on_plane(settings, 0.505, 0, 26.565));
        auto slides = start(ball_on_plane(settings, 0.495, 0, 26.565));
        ASSERT_TRUE(holds && slides);
        while (!is_finished(*holds)) ASSERT_EQ(simulate_step(*holds), Status::ok);
        while (!is_finished(*slides)) ASSERT_EQ(simulate_step(*slides), Status::ok);
        EXPECT_LT(std::abs(holds->now.point.x[0].x), 1e-6) << friction;
        const Real a = 26.565 * kPi / 180, g = 9.8 * (std::sin(a) - 0.495 * std::cos(a));
        EXPECT_NEAR(slides->now.point.x[0].x, 0.5 * g * 9, 0.02 * 0.5 * g * 9) << friction; // first order in h
    }
}

TEST(position_contact, energy_never_grows_by_friction) {
    auto s = start(ball_on_plane(R"("iterations": 20)", 0.3, 5));
    ASSERT_TRUE(s);
    Real last = 1e300;
    while (!is_finished(*s)) {
        ASSERT_EQ(simulate_step(*s), Status::ok);
        const Real e = 0.5 * vec(s->now.point.v[0]).squaredNorm();
        EXPECT_LE(e, last * (1 + 1e-12) + 1e-30); // V12; at rest what is left is rounding
        last = e;
    }
}

// how far contacts are searched is a matter of each: one that is fast finds the others, these do not find each other
TEST(position_contact, one_fast_particle_makes_no_contacts_among_the_slow) {
    std::string at, masses, v;
    for (int i = 0; i < 100; ++i) at += fmt::format("[{}, 0, {}], ", i % 10, i / 10), masses += "1, ", v += "[0, 0, 0], ";
    auto s = start(R"({ "sinew": 1, "gravity": 0, "time": { "fps": 60, "substeps": 1, "seconds": 1 }, "objects": {
        "slow": { "kind": "particles", "radius": 0.05, "thickness": 0.05, "self_contact": true, "positions": [)" + at.substr(0, at.size() - 2) +
                   R"(], "masses": [)" + masses.substr(0, masses.size() - 2) + R"(] },
        "fast": { "kind": "particles", "radius": 0.05, "thickness": 0.05, "positions": [[4.5, 3, 4.5]], "masses": [1], "velocity": [0, 1000, 0] } },
        "solver": "position" })");
    ASSERT_TRUE(s);
    ASSERT_EQ(simulate_step(*s), Status::ok);
    EXPECT_LE(s->report.contact_count, 100);
}
