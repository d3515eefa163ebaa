// Contact and friction of the position solver (spec U 3.8, V5, V6, V12).
#include "physics/simulation.h"
#include "solver/position_contact.h"
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

namespace {

// [m] the way of the top of six boxes, turned and shifted against each other, on a plate at rest, in 3 s; energy: kinetic at the end [J]
Real creep_of_stack(const char* friction, int iterations, const char* more, Real* energy) {
    auto s = start(fmt::format(R"S({{ "sinew": 1, "time": {{ "fps": 60, "substeps": 1, "seconds": 3 }}, "objects": {{
        "plate": {{ "kind": "box", "size": [1, 0.1, 1], "at": [0, 0.05, 0], "friction": 0.5 }},
        "box": {{ "kind": "box", "size": [0.4, 0.15, 0.4], "density": 300, "friction": 0.5, "rotate": {{ "axis": [0, 1, 0], "angle": "0.15*sin(3*k)" }},
                 "at": ["0.02*sin(2*k)", "0.175 + 0.15*k", 0], "replicate": {{ "count": 6, "index": "k" }} }} }},
        "solver": "position", "solvers": {{ "position": {{ "substeps": 10, "iterations": {}, "friction": "{}"{} }} }} }})S", iterations, friction, more));
    if (!s) return 1e300;
    const int top = frame_count(s->compiled.model) - 1;
    const Vec3 from = vec(s->now.frame.p[top]);
    for (int k = 0; k < 180; ++k)
        if (simulate_step(*s) != Status::ok) return 1e300;
    *energy = s->report.energy_kinetic;
    return (vec(s->now.frame.p[top]) - from).norm();
}

} // namespace

// Forces that are remembered and gaps that are closed at once throw modes about that sweeps do not halve (keep_depths): normal forces go
// to zero now and then, friction lets go, and the stack walks away by centimetres.
TEST(position_contact, a_stack_stays_where_it_is_with_few_iterations) {
    Real energy = 0;
    for (const char* friction : {"cylinder", "cone"})
        for (int iterations : {2, 10}) {
            EXPECT_LT(creep_of_stack(friction, iterations, "", &energy), 5e-4) << friction << ' ' << iterations;
            EXPECT_LT(energy, 1e-5);
        }
    EXPECT_GT(creep_of_stack("cylinder", 10, R"(, "recovery_time": 0)", &energy), 5e-3);
    EXPECT_GT(energy, 1e-4);
}

// part h/(h + T) of the depth per sub-step where a force is remembered, all of it where none is
TEST(position_contact, a_remembered_contact_comes_out_of_its_depth_in_the_recovery_time) {
    constexpr Real h = 0.002, time = 0.1, depth = 1e-3;
    for (Real force : {0.0, 3.0}) {
        Real3 x{0, -depth, 0}, v{};
        const Real inverse = 2;
        DualState to{};
        to.x = &x, to.v = &v, to.point_inverse = &inverse;
        PositionContacts all;
        all.sides.push_back({0, 1, Vec3::Zero()});
        PositionContact c;
        c.sides = 1, c.n = Vec3::UnitY(), c.normal = force, c.gap_start = -depth;
        all.contacts.push_back(c);
        PositionContactOptions o;
        o.h = h;
        keep_depths(o, time, all);
        for (int k = 0; k < 3; ++k) project_contact(o, to, 1, all, all.contacts[0]); // one solve ends it
        const Real left = force > 0 ? depth * time / (h + time) : 0;
        EXPECT_NEAR(x.y, -left, 1e-15);
        restore_depths(to, 1, all);
        EXPECT_NEAR(all.contacts[0].gap_start, -left, 1e-15);
        EXPECT_NEAR(contact_state(all, all.contacts[0], to, 1).gap, x.y, 1e-18);
        EXPECT_EQ(all.contacts[0].kept, 0);
    }
}

// 10 kg on a foot of 0.1 kg that stands on the floor: nothing moves. A remembered force of the floor, which carries both, on the foot alone would throw
// it: 1e5 J and more. What is left trembles, for the sweeps do not end the weld: less than a fall by 2 cm.
TEST(position_contact, a_heavy_body_welded_onto_a_light_foot_stays_where_it_is) {
    for (const char* settings : {"", R"("substeps": 4, "iterations": 6)", R"("substeps": 10, "iterations": 40)"}) {
        auto s = start(R"({ "sinew": 1, "time": { "fps": 60, "substeps": 1, "seconds": 1 }, "objects": { "floor": { "kind": "plane" },
            "foot": { "kind": "box", "size": [0.2, 0.1, 0.2], "mass": 0.1, "at": [0, 0.05, 0] },
            "top": { "kind": "box", "size": [0.2, 0.2, 0.2], "mass": 10, "at": [0, 0.21, 0], "contact": false } },
            "joints": { "w": { "kind": "weld", "between": ["foot", "top"], "at": [0, 0.1, 0] } },
            "solver": "position", "solvers": { "position": { )" + std::string(settings) + " } } }");
        ASSERT_TRUE(s);
        while (!is_finished(*s)) {
            ASSERT_EQ(simulate_step(*s), Status::ok);
            ASSERT_LT(s->report.energy_kinetic, 10.1 * 9.81 * 0.02) << settings;
        }
        EXPECT_NEAR(measure(*s, "top.y"), 0.21, 0.01) << settings;
    }
}
