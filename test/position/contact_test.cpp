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

// part h/(h + T) of the depth per sub-step with a remembered force, the recovery speed with none, and all of it `at_once`
TEST(position_contact, a_contact_comes_out_of_its_depth_in_the_recovery_time) {
    constexpr Real h = 0.002, time = 0.1, depth = 1e-2;
    for (const auto& [force, at_once] : {std::pair{0.0, false}, std::pair{3.0, false}, std::pair{0.0, true}}) {
        Real3 x{0, -depth, 0}, v{};
        const Real inverse = 2;
        DualState to{};
        to.x = &x, to.v = &v, to.point_inverse = &inverse;
        PositionContacts all;
        all.sides.push_back({0, 1, Vec3::Zero()});
        PositionContact c;
        c.sides = 1, c.n = Vec3::UnitY(), c.normal = force, c.gap_start = -depth, c.at_once = at_once;
        all.contacts.push_back(c);
        PositionContactOptions o;
        o.h = h;
        keep_depths(o, time, all);
        for (int k = 0; k < 3; ++k) project_contact(o, to, 1, all, all.contacts[0]); // one solve ends it
        const Real left = at_once ? 0 : force > 0 ? depth * time / (h + time) : depth - kRecoverySpeed * h;
        EXPECT_NEAR(x.y, -left, 1e-15);
        restore_depths(to, 1, all);
        EXPECT_NEAR(all.contacts[0].gap_start, -left, 1e-15);
        EXPECT_NEAR(contact_state(all, all.contacts[0], to, 1).gap, x.y, 1e-18);
        EXPECT_EQ(all.contacts[0].kept, 0);
    }
}

// A box on its way to lie down on a floor, and a grain dropped beside it: the report has the least height of a corner and of the grain where the step
// ended, along the normal of the floor, which does not turn. Gaps of the start are off by the way of a step in the fall, and 6 mm deep at first.
TEST(position_contact, gaps_are_reported_where_the_step_ended) {
    for (const char* settings : {"", R"("continuous": true)", R"("method": "jacobi", "iterations": 20)", R"("substeps": 1, "iterations": 5)",
                                 R"("contact_compliance": 1e-4)", R"("warm_start": false)", R"("friction": "post")"}) {
        auto s = start(R"({ "sinew": 1, "time": { "fps": 60, "substeps": 1, "seconds": 1 }, "objects": { "floor": { "kind": "plane" },
            "box": { "kind": "box", "size": [0.2, 0.1, 0.2], "mass": 1, "at": [0, 0.16, 0], "rotate": { "axis": [1, 0, 0.4], "angle": "20 deg" } },
            "grain": { "kind": "particles", "positions": [[0.5, -0.004, 0]], "masses": [1], "thickness": 0.002 } },
            "solver": "position", "solvers": { "position": { "margin": 0.3, )" + std::string(*settings ? settings : "\"rounds\": 4") + " } } }");
        ASSERT_TRUE(s) << settings;
        const int box = s->compiled.model.objects[1].frames.begin;
        Real most = 0;
        while (!is_finished(*s)) {
            ASSERT_EQ(simulate_step(*s), Status::ok) << settings;
            Real least = s->now.point.x[0].y - 0.002;
            for (int k = 0; k < 8; ++k) {
                const Vec3 corner(k & 1 ? 0.1 : -0.1, k & 2 ? 0.05 : -0.05, k & 4 ? 0.1 : -0.1);
                least = std::min(least, s->now.frame.p[box].y + (quat(s->now.frame.q[box]) * corner).y());
            }
            EXPECT_NEAR(s->report.gap, least, 1e-12) << settings << ' ' << s->now.time; // rounding of the offset
            EXPECT_EQ(s->report.penetration, std::max(0.0, -s->report.gap));
            most = std::max(most, s->report.penetration);
        }
        if (std::string_view(settings).find("compliance") == std::string_view::npos) {
            EXPECT_LT(most, 0.004) << settings; // the grain began 6 mm deep
        }
        EXPECT_GE(s->report.contact_count, 5) << settings;
    }
}

// Warm starting (spec U084): six boxes at rest, few sweeps in each of ten sub-steps. What the forces of the sub-step before carry, sweeps would
// have to find anew from the bottom to the top, and meanwhile the boxes sink and slide.
TEST(position_contact, forces_of_the_sub_step_before_leave_less_error_in_as_many_iterations) {
    struct Error {
        Real row = 1e300, sunk = 1e300; // [m] largest residual in the second after the first; of the top box at the end
    };
    const auto run = [](bool warm, int iterations) {
        auto s = start(fmt::format(R"({{ "sinew": 1, "time": {{ "fps": 60, "substeps": 1, "seconds": 2 }}, "objects": {{ "floor": {{ "kind": "plane" }},
            "box": {{ "kind": "box", "size": [0.3, 0.1, 0.3], "mass": 1, "at": [0, "0.05 + 0.1*k", 0], "replicate": {{ "count": 6, "index": "k" }} }} }},
            "solver": "position", "solvers": {{ "position": {{ "iterations": {}, "warm_start": {} }} }} }})", iterations, warm));
        Error e;
        if (!s) return e;
        e.row = 0;
        while (!is_finished(*s)) {
            if (simulate_step(*s) != Status::ok) return Error{};
            if (s->now.time > 1) e.row = std::max(e.row, s->report.residual);
        }
        e.sunk = std::abs(0.55 - measure(*s, "box/5.y"));
        return e;
    };
    for (int iterations : {1, 2, 5, 10}) { // seen: 20 to 150 times less, 10 to 350 times less
        const Error warm = run(true, iterations), cold = run(false, iterations);
        EXPECT_LT(warm.row, 0.1 * cold.row) << iterations << ' ' << cold.row;
        EXPECT_LT(warm.sunk, 0.2 * cold.sunk) << iterations << ' ' << cold.sunk;
    }
    Real energy = 0;
    EXPECT_GT(creep_of_stack("cylinder", 2, R"(, "warm_start": false)", &energy), 0.01); // 45 mm; 0.1 with it
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
