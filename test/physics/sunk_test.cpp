// What begins inside of an obstacle is pushed out slowly (collision/sunk.h), by solvers with penalties and by position, and a continued run
// goes on in the same way.
#include "collision/sunk.h"
#include "model/visit.h"
#include "simulation.h"
#include "sinew/sinew.h"
#include <algorithm>
#include <fmt/format.h>

using namespace sinew;

namespace {

std::string sunk_dust(const std::string& solver, double y) {
    return fmt::format(R"({{ "gravity": 0, "solver": "{}", "time": {{ "fps": 100, "seconds": 1.5 }}, "objects": {{
        "floor": {{ "kind": "plane" }},
        "dust": {{ "kind": "particles", "positions": [[0, 0, 0]], "at": [0, {}, 0], "mass": 0.1, "radius": 0.01 }} }} }})",
                       solver, y);
}

bool has_warning(const Simulation& s, std::string_view words) {
    return std::any_of(s.compiled.notes.begin(), s.compiled.notes.end(), [&](const std::string& n) { return n.find(words) != n.npos; });
}

} // namespace

// the first example of the scene language: the sheet lies in the middle plane of the ball
TEST(sunk, a_sheet_through_a_ball_runs_on_defaults_and_is_not_thrown_away) {
    auto s = start(R"({ "objects": { "sheet": { "kind": "cloth_grid" }, "ball": { "kind": "sphere" } } })");
    ASSERT_TRUE(s);
    EXPECT_TRUE(has_warning(*s, "sheet begins inside of ball, 1245 vertices up to 0.5 m deep"));
    for (int i = 0; i < 6; ++i) {
        ASSERT_EQ(simulate_step(*s), Status::ok) << s->report.message;
        // lifted by h = 0.65 m at most afterwards: m g h = 0.2 kg 9.81 m/s^2 0.65 m = 1.3 J; a penalty of the whole depth has 264 kJ
        EXPECT_LT(s->report.energy_kinetic + s->report.energy_elastic, 2);
    }
    // the report has the true depth: about v t less than half of a metre
    EXPECT_NEAR(s->report.penetration, 0.5 - 6 * s->compiled.dt * kRiseSpeed, 0.05); // the sheet rises by its stretch too
}

TEST(sunk, what_begins_in_a_floor_rises_at_its_speed_and_stays_out) {
    for (const char* solver : {"newton", "nonlinear_cg", "explicit", "position"}) {
        SCOPED_TRACE(solver);
        auto s = start(sunk_dust(solver, -0.2));
        ASSERT_TRUE(s);
        while (s->now.time < 0.3) ASSERT_EQ(simulate_step(*s), Status::ok) << s->report.message;
        // y = y0 + v t, within one step of it and the length v sqrt(m/k) = 1 mm in which the penalty gives the speed; explicit: at twice the
        // speed of what pushes, as an elastic impact has it; newton: its first step falls short by (m/h^2)/(k + m/h^2) = 9 %, the next makes up for it
        const Real room = kRiseSpeed * s->compiled.dt + 1e-3, risen = kRiseSpeed * s->now.time;
        EXPECT_GT(s->now.point.x[0].y, -0.2 + risen - room);
        EXPECT_LT(s->now.point.x[0].y, -0.2 + (std::string_view(solver) == "explicit" ? 2 : 1.09) * risen + room);
        run_to_end(*s);
        EXPECT_GT(s->now.point.x[0].y, 0.01 - 1e-3); // the radius, and the same length
        EXPECT_LT(vec(s->now.point.v[0]).norm(), 2.1 * kRiseSpeed); // explicit: elastic, up to twice the speed of what pushes
    }
}

TEST(sunk, a_shallow_start_is_left_to_the_contact) {
    // thrown at depth sqrt(k/m) = 15 mm sqrt(1e4/0.1) = 4.7 m/s < 10 m/s: out at once
    auto s = start(sunk_dust("newton", -0.005));
    ASSERT_TRUE(s);
    EXPECT_FALSE(has_warning(*s, "begins inside"));
    ASSERT_EQ(simulate_step(*s), Status::ok);
    EXPECT_GT(s->now.point.x[0].y, 0.0);
}

TEST(sunk, a_continued_run_goes_on_in_the_same_way) {
    auto whole = start(sunk_dust("newton", -0.2)), rest = start(sunk_dust("newton", -0.2));
    ASSERT_TRUE(whole && rest);
    for (int i = 0; i < 20; ++i) ASSERT_EQ(simulate_step(*whole), Status::ok);
    continue_from(*rest, save_run(*whole));
    for (int i = 0; i < 20; ++i) {
        ASSERT_EQ(simulate_step(*whole), Status::ok);
        ASSERT_EQ(simulate_step(*rest), Status::ok);
    }
    EXPECT_EQ(hash(whole->now), hash(rest->now));
    EXPECT_LT(whole->now.point.x[0].y, 0); // it was still inside
}
