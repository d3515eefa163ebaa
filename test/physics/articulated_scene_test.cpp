// What the articulated solver says about contacts of a scene.
#include "core/math.h"
#include "paths.h"
#include "physics/simulation.h"
#include "sinew/solver.h"
#include <fmt/format.h>

using namespace sinew;

// Two rods joined by a hinge lie on a plank: the contacts bear the weight, 3 kg in all, push upwards on the rods, and name both
// objects. The sweeps end at 1e-8 m/s, which over a step of 1/60 s is 2e-6 N for 3 kg; gravity is taken at the start of steps.
TEST(articulated_scene, contacts_bear_the_weight_of_what_lies_on_them) {
    auto s = start(R"({ "sinew": 1, "solver": "articulated", "time": { "fps": 60, "seconds": 1 },
        "objects": { "plank": { "kind": "box", "size": [4, 0.2, 1], "motion": "static", "at": [0, -0.1, 0] },
                     "a": { "kind": "box", "size": [1, 0.1, 0.1], "mass": 1, "at": [-0.5, 0.05, 0] },
                     "b": { "kind": "box", "size": [1, 0.1, 0.1], "mass": 2, "at": [0.5, 0.05, 0] } },
        "joints": { "knee": { "kind": "hinge", "between": ["a", "b"], "at": [0, 0.05, 0], "axis": [0, 0, 1] } } })");
    ASSERT_TRUE(s);
    while (!is_finished(*s)) ASSERT_NE(simulate_step(*s), Status::failed);
    const int plank = find(s->compiled.model, "plank").index;
    double sum = 0;
    for (const ContactForce& c : s->solver->contacts()) {
        ASSERT_TRUE((c.object_a == plank) != (c.object_b == plank));
        sum += (c.object_b == plank ? 1 : -1) * c.force.y;
    }
    EXPECT_NEAR(sum, 3 * 9.81, 1e-3);
}

namespace {

// a lying pair of hinged rods and a ball that drops on one of them after about 1.4 s
std::string rods(const std::string& solver, double ball) {
    return fmt::format(R"({{ "sinew": 1, "solver": "{}", "time": {{ "fps": 60, "substeps": 2, "seconds": 3 }},
        "objects": {{ "plank": {{ "kind": "box", "size": [4, 0.2, 1], "motion": "static", "at": [0, -0.1, 0] }},
                      "a": {{ "kind": "box", "size": [1, 0.1, 0.1], "mass": 1, "at": [-0.5, 0.05, 0] }},
                      "b": {{ "kind": "box", "size": [1, 0.1, 0.1], "mass": 2, "at": [0.5, 0.05, 0] }},
                      "ball": {{ "kind": "sphere", "radius": 0.1, "mass": 0.5, "at": [0.5, {}, 0] }} }},
        "joints": {{ "knee": {{ "kind": "hinge", "between": ["a", "b"], "at": [0, 0.05, 0], "axis": [0, 0, 1], "friction": 0.01 }} }} }})", solver, ball);
}

} // namespace

// Islands come to rest, sleep and wake when something lands on them, in generalised coordinates as with bodies; while they sleep
// contacts and joints say the forces that they carry, and no touch ends.
TEST(articulated_scene, trees_at_rest_sleep_and_wake_as_bodies_do) {
    for (const char* solver : {"articulated", "velocity"}) {
        auto s = start(rods(solver, 10));
        ASSERT_TRUE(s);
        int most = 0;
        std::vector<TouchEvent> seen;
        const Model& m = s->compiled.model;
        const int plank = find(m, "plank").index, ball = find(m, "ball").index;
        while (!is_finished(*s)) {
            ASSERT_NE(simulate_step(*s), Status::failed);
            if (s->now.time < 1.3) {
                most = std::max(most, s->report.asleep);
                EXPECT_LE(s->report.islands, 1) << solver;
                seen.insert(seen.end(), s->report.touches.begin(), s->report.touches.end());
                if (s->report.asleep > 0) {
                    double sum = 0;
                    for (const ContactForce& c : s->solver->contacts()) sum += (c.object_b == plank ? 1 : c.object_a == plank ? -1 : 0) * c.force.y;
                    EXPECT_NEAR(sum, 3 * 9.81, 0.05) << solver; // what the last step awake left: sweeps to 1e-8, soft steps to 1e-3 m/s
                }
            }
            // it falls 9.8 m in 1.41 s
            if (s->now.time > 1.5 && s->now.time < 1.55) {
                EXPECT_EQ(s->report.asleep, 0) << solver;
            }
        }
        EXPECT_EQ(most, 2) << solver;
        EXPECT_EQ(seen.size(), 2u) << solver; // each rod began to touch the plank, once
        for (const TouchEvent& e : seen) EXPECT_TRUE(e.began && e.object_a == plank && e.object_b != ball) << solver;
    }
}

// What joints and contacts say is the same in both formulations: a bent arm of two boxes, welded to the world and hinged against
// its limit, with a third body that leans on it.
TEST(articulated_scene, forces_and_torques_of_joints_are_those_of_free_bodies_with_rows) {
    std::array<std::vector<double>, 2> numbers;
    int at = 0;
    for (const char* solver : {"articulated", "velocity"}) {
        auto s = start(fmt::format(R"({{ "sinew": 1, "solver": "{}", "time": {{ "fps": 100, "seconds": 4 }},
            "objects": {{ "upper": {{ "kind": "box", "size": [1, 0.1, 0.1], "mass": 2, "at": [0.5, 0, 0], "contact": false }},
                          "lower": {{ "kind": "box", "size": [0.6, 0.1, 0.1], "mass": 1, "at": [1.3, 0, 0], "contact": false }},
                          "weight": {{ "kind": "box", "size": [0.2, 0.2, 0.2], "mass": 3, "at": [1.6, -0.5, 0.3], "contact": false }} }},
            "joints": {{ "root": {{ "kind": "weld", "between": ["world", "upper"], "at": [0, 0, 0] }},
                         "elbow": {{ "kind": "hinge", "between": ["upper", "lower"], "at": [1, 0, 0], "axis": [0, 0, 1], "limits": [-0.2, 1], "friction": 3 }},
                         "wrist": {{ "kind": "ball", "between": ["lower", "weight"], "at": [1.6, 0, 0], "friction": 2 }} }} }})", solver));
        ASSERT_TRUE(s);
        while (!is_finished(*s)) ASSERT_NE(simulate_step(*s), Status::failed);
        for (const char* joint : {"root", "elbow", "wrist"})
            for (const char* what : {"force.x", "force.y", "force.z", "torque.x", "torque.y", "torque.z"})
                numbers[at].push_back(measure(*s, fmt::format("{}.{}", joint, what)));
        ++at;
    }
    // at rest or nearly: friction of the joints has stopped the swing; 6 kg give 59 N and 60 N m
    for (std::size_t k = 0; k < numbers[0].size(); ++k) EXPECT_NEAR(numbers[0][k], numbers[1][k], 0.6) << k; // 1 %
    EXPECT_NEAR(numbers[0][1], 6 * 9.81, 0.6); // and both are right
}

// Two pairs of hinged rods meet in free space: linear momentum to rounding whatever contacts, friction and joints do; angular momentum
// up to the speed at which penetration is taken back, which moves positions and not velocities.
TEST(articulated_scene, trees_that_meet_keep_their_momentum) {
    auto s = start(R"({ "sinew": 1, "gravity": 0, "solver": "articulated", "time": { "fps": 100, "seconds": 1.5 },
        "objects": { "a": { "kind": "box", "size": [1, 0.1, 0.1], "mass": 1, "at": [-0.5, 0, 0], "velocity": [0, 1, 0] },
                     "b": { "kind": "box", "size": [1, 0.1, 0.1], "mass": 2, "at": [0.5, 0, 0], "velocity": [0, 1, 0] },
                     "c": { "kind": "box", "size": [0.1, 0.1, 1], "mass": 1, "at": [0.3, 0.6, -0.5], "velocity": [0, -0.5, 0.1] },
                     "d": { "kind": "box", "size": [0.1, 0.1, 1], "mass": 3, "at": [0.3, 0.6, 0.5], "velocity": [0, -0.5, 0.1] } },
        "joints": { "knee": { "kind": "hinge", "between": ["a", "b"], "at": [0, 0, 0], "axis": [0, 0, 1], "limits": [-1, 1], "friction": 0.05 },
                    "elbow": { "kind": "ball", "between": ["c", "d"], "at": [0.3, 0.6, 0] } } })");
    ASSERT_TRUE(s);
    const Vec3 p = vec(s->report.momentum), l = vec(s->report.angular_momentum);
    const double energy = s->report.energy_kinetic;
    int touching = 0;
    while (!is_finished(*s)) {
        ASSERT_NE(simulate_step(*s), Status::failed);
        touching += s->report.contact_count > 0;
        EXPECT_LT((vec(s->report.momentum) - p).norm(), 1e-12); // 3 kg m/s, 150 steps
        EXPECT_LE(s->report.energy_kinetic, energy * (1 + 1e-3)); // order one in the step
    }
    EXPECT_GT(touching, 0);
    EXPECT_LT((vec(s->report.angular_momentum) - l).norm(), 1e-3);
}

// The ragdoll of scenes/articulated/heap.json, whose tied hands close a loop, among a hundred free boxes: it pushes boxes out of
// their places and they carry it, with the loop and all joints closed to rounding.
TEST(articulated_scene, a_ragdoll_with_a_closed_loop_pushes_a_heap_of_boxes_and_is_pushed) {
    Result<Scene> scene = load_scene(source_dir() + "/scenes/articulated/heap.json", std::vector<std::string>{"time.seconds=0.8"});
    ASSERT_TRUE(scene);
    Result<Compiled> compiled = compile_scene(*scene.value);
    ASSERT_TRUE(compiled);
    Result<Simulation> made = make_simulation(Context{}, std::move(*compiled.value));
    ASSERT_TRUE(made);
    Simulation& s = *made.value;
    const Model& m = s.compiled.model;
    const std::vector<Real3> first = s.now.frame.p;
    const auto is_crate = [&](int object) { return m.objects[object].name.starts_with("crate/"); };
    const auto is_hero = [&](int object) { return m.objects[object].name.starts_with("hero/"); };
    double impulse = 0, loop = 0;
    while (!is_finished(s)) {
        ASSERT_NE(simulate_step(s), Status::failed) << s.report.message;
        loop = std::max(loop, measure(s, "rope.joint_error"));
        for (const ContactForce& c : s.solver->contacts()) {
            if (is_hero(c.object_a) && is_crate(c.object_b)) impulse += c.force.y * s.report.dt;
            if (is_crate(c.object_a) && is_hero(c.object_b)) impulse -= c.force.y * s.report.dt;
        }
    }
    double farthest = 0;
    for (int f = 0; f < frame_count(m); ++f)
        if (is_crate(m.frame.object[f])) farthest = std::max(farthest, (vec(s.now.frame.p[f]) - vec(first[f])).norm());
    EXPECT_GT(farthest, 0.05);  // a quarter of a box
    EXPECT_GT(impulse, 75.0);   // boxes have stopped it from more than 1 m/s: it fell by half a metre
    EXPECT_LT(loop, 1e-9);      // closed to 1e-13, read through the lengths of arms
}

// A brake holds a rod, which falls asleep; switched off, the rod wakes and falls.
TEST(articulated_scene, a_sleeping_tree_wakes_when_the_motor_that_held_it_is_switched_off) {
    for (const char* solver : {"articulated", "velocity"}) {
        auto s = start(fmt::format(R"({{ "sinew": 1, "solver": "{}", "time": {{ "fps": 60, "seconds": 2 }},
            "objects": {{ "rod": {{ "kind": "box", "size": [1, 0.1, 0.1], "mass": 1, "at": [0.5, 0, 0], "contact": false }} }},
            "joints": {{ "hinge": {{ "kind": "hinge", "between": ["world", "rod"], "at": [0, 0, 0], "axis": [0, 0, 1], "motor": {{ "speed": 0, "limit": 100 }} }} }},
            "events": [ {{ "at": "1.5 s", "set": {{ "hinge.motor": "off" }} }} ] }})", solver));
        ASSERT_TRUE(s);
        int most = 0;
        while (!is_finished(*s)) {
            ASSERT_NE(simulate_step(*s), Status::failed);
            if (s->now.time < 1.45) most = std::max(most, s->report.asleep);
        }
        EXPECT_EQ(most, 1) << solver;
        EXPECT_LT(measure(*s, "hinge.angle"), -0.5) << solver; // half a second of falling: 3/4 g t^2 = 1.8 rad at first order
    }
}

// An arm that hangs straight from a shoulder within a wedge that it leans on. A hand cannot move along a
// straight arm: the block of its contact is singular. The shoulder's end cannot move at all: what is left of
// its row is rounding. At whatever angle impulses stay what the weight of the arm makes them: it falls by
// less than its own height, 10.8 J.
TEST(articulated_scene, contacts_at_a_joint_and_along_a_straight_arm_push_no_harder_than_its_weight) {
    for (int k = 0; k < 60; ++k) {
        const double lean = 0.02 + 0.01 * k, c = std::cos(lean), d = std::sin(lean);
        const auto at = [&](double s) { return fmt::format("[{}, {}, 0]", s * d, -s * c); }; // so far along the arm
        auto s = start(fmt::format(R"({{ "sinew": 1, "solver": "articulated", "time": {{ "fps": 120, "seconds": 0.5 }},
            "objects": {{ "wedge": {{ "kind": "box", "size": [0.4, 2, 1], "motion": "static", "at": [{}, -0.7, 0], "rotate": {{ "axis": [0, 0, 1], "angle": {} }} }},
                          "upper": {{ "kind": "capsule", "radius": 0.04, "height": 0.3, "mass": 2, "at": {}, "rotate": {{ "axis": [0, 0, 1], "angle": {} }} }},
                          "lower": {{ "kind": "capsule", "radius": 0.04, "height": 0.4, "mass": 1.6, "at": {}, "rotate": {{ "axis": [0, 0, 1], "angle": {} }} }} }},
            "joints": {{ "shoulder": {{ "kind": "ball", "between": ["world", "upper"], "at": [0, 0, 0] }},
                         "elbow": {{ "kind": "hinge", "between": ["upper", "lower"], "at": {}, "axis": [1, 0, 0], "limits": ["-140 deg", "2 deg"] }} }} }})",
            -0.2, 0.3 * lean, at(0.15), lean, at(0.5), lean, at(0.3)));
        ASSERT_TRUE(s);
        while (!is_finished(*s)) {
            ASSERT_NE(simulate_step(*s), Status::failed);
            EXPECT_LT(s->report.energy_kinetic, 10.8) << k << " at " << s->now.time;
        }
    }
}

// Two hinged boxes begin 1 cm within the plank: the report says so. A fifth (erp) of what is beyond the slop is taken back in a step, until the
// slop is left; also while they sleep.
TEST(articulated_scene, penetration_is_reported) {
    auto s = start(R"({ "sinew": 1, "solver": "articulated", "time": { "fps": 60, "substeps": 1, "seconds": 3 },
        "objects": { "plank": { "kind": "box", "size": [4, 0.2, 1], "motion": "static", "at": [0, -0.1, 0] },
                     "a": { "kind": "box", "size": [1, 0.1, 0.1], "mass": 1, "at": [-0.5, 0.04, 0] },
                     "b": { "kind": "box", "size": [1, 0.1, 0.1], "mass": 2, "at": [0.5, 0.04, 0] } },
        "joints": { "knee": { "kind": "hinge", "between": ["a", "b"], "at": [0, 0.04, 0], "axis": [0, 0, 1] } } })");
    ASSERT_TRUE(s);
    ASSERT_NE(simulate_step(*s), Status::failed);
    EXPECT_NEAR(s->report.penetration, 0.01, 1e-9); // where the step began
    EXPECT_NEAR(s->report.gap, -0.01, 1e-9);
    ASSERT_NE(simulate_step(*s), Status::failed);
    EXPECT_NEAR(s->report.penetration, 0.01 - 0.2 * (0.01 - 5e-4), 1e-5);
    while (!is_finished(*s)) ASSERT_NE(simulate_step(*s), Status::failed);
    EXPECT_EQ(s->report.asleep, 2);
    EXPECT_GT(s->report.penetration, 4e-4);
    EXPECT_LT(s->report.penetration, 6e-4); // the slop
}

// The whip of scenes/articulated/chain_100.json by the default scheme, at 2 ms: explicit velocity terms blew up after 2.6 s. A chain of 10 kg that
// falls by up to 10 m: 490 J come and go.
TEST(articulated_scene, a_chain_of_a_hundred_links_keeps_its_energy_by_default) {
    Result<Scene> scene = load_scene(source_dir() + "/scenes/articulated/chain_100.json", std::vector<std::string>{"solvers.articulated.scheme=symplectic_euler"});
    ASSERT_TRUE(scene);
    Result<Compiled> compiled = compile_scene(*scene.value);
    ASSERT_TRUE(compiled);
    Result<Simulation> made = make_simulation(Context{}, std::move(*compiled.value));
    ASSERT_TRUE(made);
    Simulation& s = *made.value;
    double worst = 0;
    while (!is_finished(s)) {
        ASSERT_NE(simulate_step(s), Status::failed) << s.report.message;
        worst = std::max(worst, std::abs(energy_total(s.report)));
    }
    EXPECT_LT(worst, 2); // order one in the step, symplectic
}

namespace {

// two links of 0.4 m, straight at some angle to their flight of 100 m/s along x, towards a wall of 2 cm at x = 2
std::string thrown_links(const std::string& shape, double turn, double back, double dt) {
    const double c = std::cos(turn), d = std::sin(turn);
    const auto at = [&](double s) { return fmt::format("[{}, {}, 0]", s * c - back, s * d); };
    const auto link = [&](double s, double mass) {
        return fmt::format(R"({{ "kind": "{}", {}, "mass": {}, "at": {}, "rotate": {{ "axis": [0, 0, 1], "angle": {} }}, "velocity": [100, 0, 0] }})", shape,
                           shape == "box" ? R"("size": [0.06, 0.4, 0.06])" : R"("radius": 0.03, "height": 0.34)", mass, at(s), turn - 0.5 * kPi);
    };
    return fmt::format(R"({{ "sinew": 1, "gravity": 0, "solver": "articulated", "time": {{ "dt": {}, "substeps": 1, "seconds": 0.05 }},
        "objects": {{ "wall": {{ "kind": "box", "size": [0.02, 8, 8], "motion": "static", "at": [2, 0, 0] }}, "a": {}, "b": {} }},
        "joints": {{ "knee": {{ "kind": "hinge", "between": ["a", "b"], "at": {}, "axis": [0, 0, 1] }} }} }})", dt, link(-0.2, 1), link(0.2, 2), at(0));
}

// Steps of a quarter of a link, a half, a link and two of them, forty times the wall: none gets through, however it comes, and none gains energy.
void expect_none_beyond(int count) {
    for (const double dt : {0.001, 0.002, 0.004, 1.0 / 120}) {
        int beyond = 0;
        double deepest = 0, most = 0;
        for (const char* shape : {"box", "capsule"})
            for (int turn = 0; turn < 12; ++turn)
                for (int back = 0; back < count; ++back) {
                    auto s = start(thrown_links(shape, 0.1 + kPi / 12 * turn, 0.111 / count * back, dt));
                    ASSERT_TRUE(s);
                    const double energy = s->report.energy_kinetic;
                    double farthest = 0;
                    while (!is_finished(*s)) {
                        ASSERT_NE(simulate_step(*s), Status::failed) << s->report.message;
                        for (const Real3& p : s->now.frame.p)
                            if (p.x != 2) farthest = std::max(farthest, p.x); // not the wall
                        most = std::max(most, s->report.energy_kinetic / energy);
                        deepest = std::max(deepest, s->report.penetration);
                    }
                    beyond += farthest >= 2;
                    // a tenth of what it had: it has hit the wall
                    EXPECT_LT(measure(*s, "a.velocity.x") + 2 * measure(*s, "b.velocity.x"), 30) << shape << " at " << turn << ", " << back << ", steps of " << dt;
                }
        EXPECT_EQ(beyond, 0) << "of " << 24 * count << " in steps of " << dt << ", deepest " << deepest;
        EXPECT_LE(most, 1 + 1e-3) << dt; // order one in the step
        EXPECT_LT(deepest, 0.03) << dt;  // half a link
    }
}

} // namespace

TEST(articulated_scene, links_at_100_metres_per_second_do_not_pass_a_wall_of_two_centimetres) { expect_none_beyond(3); }

TEST(soak_articulated_scene, of_240_throws_at_each_step_none_passes_the_wall) { expect_none_beyond(10); }

namespace {

// a box on ice and an arm that hangs, before what comes
std::string before(const std::string& mover, double z, int steps, double seconds) {
    return fmt::format(R"({{ "sinew": 1, "solver": "articulated", "time": {{ "fps": 60, "substeps": {2}, "seconds": {3} }},
        "objects": {{ "floor": {{ "kind": "plane", "friction": 0 }}, "mover": {0},
                      "box": {{ "kind": "box", "size": [0.1, 0.1, 0.1], "mass": 1, "at": [0, 0.05, {1}], "friction": 0 }},
                      "arm": {{ "kind": "box", "size": [0.06, 0.6, 0.06], "mass": 1, "at": [0, 0.5, -{1}] }} }},
        "joints": {{ "hinge": {{ "kind": "hinge", "between": ["world", "arm"], "at": [0, 1.2, -{1}], "axis": [0, 0, 1] }} }} }})", mover, z, steps, seconds);
}

} // namespace

// A wall of 4 cm comes at 10 m/s, 17 cm in a step, at whatever part of a step it arrives: what rests before it goes before it.
TEST(articulated_scene, a_fast_wall_pushes_what_rests_and_does_not_go_through_it) {
    for (int k = 0; k < 10; ++k) {
        auto s = start(before(fmt::format(R"({{ "kind": "box", "size": [0.04, 1, 2], "at": [{}, 0.55, 0], "friction": 0,
            "motion": {{ "slide": {{ "velocity": [10, 0, 0], "from": 0, "to": 1 }} }} }})", -1 - 0.017 * k), 0.5, 1, 0.2));
        ASSERT_TRUE(s);
        run_to_end(*s);
        EXPECT_GT(measure(*s, "box.x"), measure(*s, "mover.x") + 0.069) << k; // half of each; a millimetre of softness
        EXPECT_GT(measure(*s, "hinge.angle"), 0.2) << k;
    }
}

// A paddle that spins, its tips at 15 to 25 m/s: it has no velocity of its own.
TEST(articulated_scene, a_spinning_paddle_pushes_what_rests_and_does_not_go_through_it) {
    for (const double rate : {15.0, 20.0, 25.0}) {
        auto s = start(before(fmt::format(R"({{ "kind": "box", "size": [2, 0.4, 0.03], "at": [0, 0.25, 0], "friction": 0,
            "motion": {{ "spin": {{ "axis": [0, 1, 0], "rate": "{} rad/s" }} }} }})", rate), 0.8, 1, 2.2 / rate)); // until it has turned by 126 degrees
        ASSERT_TRUE(s);
        run_to_end(*s);
        EXPECT_GT(measure(*s, "box.x"), 0.2) << rate;
        EXPECT_LT(measure(*s, "hinge.angle"), -0.2) << rate;
    }
}
