// The long runs of the rigid canon (issue "Rigid bodies, joints and the velocity-level solver", robustness): what stands stands
// for a minute, and a crowd of ragdolls stays in one piece in both formulations.
#include "physics/simulation.h"
#include <cmath>
#include <fmt/format.h>

using namespace sinew;

namespace {

struct Moved {
    double down = 0, aside = 0; // [m] the farthest of all bodies
};
Moved moved(const std::vector<Real3>& from, const std::vector<Real3>& to) {
    Moved m;
    for (std::size_t i = 0; i < from.size(); ++i) {
        m.down = std::max(m.down, std::abs(to[i].y - from[i].y));
        m.aside = std::max(m.aside, std::hypot(to[i].x - from[i].x, to[i].z - from[i].z));
    }
    return m;
}

// It settles within `settle` seconds where it was built, by at most `sinks` of a block downwards and `gives` aside (what the springs of
// contacts give way by, and cards the clearance they were laid with); from then on nothing moves by more than a hundredth of a block
// in the rest of the minute, neither way.
struct Stand {
    double block = 1, settle = 0.5, sinks = 0.01, gives = 0.01;
    double whole = 1e300; // from the start, in 60 s, either way
};
void check_stands(const std::string& name, const Stand& stand, const std::vector<std::string>& set) {
    std::vector<std::string> all = set;
    all.push_back("time.seconds=60");
    auto s = start_file(name, all, 2);
    ASSERT_TRUE(s) << name;
    std::vector<Real3> settled;
    const std::vector<Real3> first = s->now.frame.p;
    Moved drift, whole;
    while (!is_finished(*s)) {
        ASSERT_NE(simulate_step(*s), Status::failed) << name;
        if (settled.empty() && s->now.time >= stand.settle) settled = s->now.frame.p;
        const Moved all = moved(first, s->now.frame.p);
        whole = {std::max(whole.down, all.down), std::max(whole.aside, all.aside)};
        if (settled.empty()) continue;
        const Moved m = moved(settled, s->now.frame.p);
        drift = {std::max(drift.down, m.down), std::max(drift.aside, m.aside)};
    }
    const Moved settling = moved(first, settled);
    fmt::print("{}: settles by {:.3g} m down, {:.3g} m aside in {} s; then moves by {:.3g} m down, {:.3g} m aside; from the start {:.3g} m, {:.3g} m\n", name, settling.down, settling.aside,
               stand.settle, drift.down, drift.aside, whole.down, whole.aside);
    EXPECT_LT(settling.down, stand.sinks * stand.block) << name;
    EXPECT_LT(settling.aside, stand.gives * stand.block) << name;
    EXPECT_LT(drift.down, 0.01 * stand.block) << name;
    EXPECT_LT(drift.aside, 0.01 * stand.block) << name;
    EXPECT_LT(std::max(whole.down, whole.aside), stand.whole * stand.block) << name;
}

// 125 ragdolls fall, 9375 kg; the top layer lands at 1.4 s, columns of them lean and fall over until 5 s, then the heap lies. Joints at the worst
// moment and at the end, speeds, how deep limbs are in each other, how far they get, and what still moves at the end.
struct Crowd {
    double worst_joint, end_joint; // [m]
    double end_energy;             // [J] of motion
};
void check_crowd(const std::string& name, const Crowd& crowd) {
    auto s = start_file(name, {"vars.n=5", "time.seconds=8"}, 2);
    ASSERT_TRUE(s) << name;
    const Model& m = s->compiled.model;
    const MeasurementResult joints = find_measurements(m, "doll/*.joint_error");
    const auto error = [&] {
        double most = 0;
        for (const auto& j : joints.found) most = std::max(most, evaluate(j, m, s->now, s->report));
        return most;
    };
    ASSERT_FALSE(joints.found.empty()) << name << joints.problem;
    // without energy.elastic: to it limits are springs of 1e7 N m/rad, which they are not here
    const auto energy = [&] { return s->report.energy_kinetic + s->report.energy_gravity; };
    double most = 0, fastest = 0, deep = 0, deep_at_rest = 0, least = energy(), gain = 0;
    Vec3 low = Vec3::Constant(1e9), high = -low;
    const double start_energy = least;
    while (!is_finished(*s)) {
        ASSERT_NE(simulate_step(*s), Status::failed) << name;
        most = std::max(most, error());
        for (int f = 0; f < frame_count(m); ++f) {
            if (m.frame.flags[f] & kFixed) continue;
            fastest = std::max(fastest, vec(s->now.frame.v[f]).norm());
            low = low.cwiseMin(vec(s->now.frame.p[f])), high = high.cwiseMax(vec(s->now.frame.p[f]));
        }
        deep = std::max(deep, s->report.penetration);
        if (s->now.time > 6) deep_at_rest = std::max(deep_at_rest, s->report.penetration);
        gain = std::max(gain, energy() - least);
        least = std::min(least, energy());
    }
    fmt::print("{}: joints {:.3g} m at worst, {:.3g} m at the end; {:.3g} m/s at most; {:.3g} J at the end, {} of {} asleep\n", name, most, error(), fastest,
               s->report.energy_kinetic, s->report.asleep, frame_count(m));
    fmt::print("  {:.3g} m deep at worst, {:.3g} m at rest; x {:.2f} to {:.2f}, y {:.2f} to {:.2f}, z {:.2f} to {:.2f}; {:.3g} J gained of {:.3g} J\n", deep, deep_at_rest, low.x(),
               high.x(), low.y(), high.y(), low.z(), high.z(), gain, start_energy - least);
    EXPECT_LT(most, crowd.worst_joint) << name;
    EXPECT_LT(error(), crowd.end_joint) << name;
    EXPECT_LT(fastest, 25) << name; // they fall by 11 m at most, 15 m/s; limbs are whipped
    EXPECT_LT(s->report.energy_kinetic, crowd.end_energy) << name;
    // few sweeps stop a column of five in several steps: less deep than the 15 m/s of the fall go in one of 1/120 s, 12.5 cm
    EXPECT_LT(deep, 15.0 / 120) << name;
    EXPECT_GT(deep, 1e-3) << name; // it is measured
    EXPECT_LT(deep_at_rest, 5e-3) << name; // slop 0.5 mm, and 3 mm of the scenes of fewer
    // The block is 6 m by 3.2 m and 11 m high. Columns fall over along x, in whose planes the dolls are alike, by three quarters of their height at most (10.1 m was seen);
    // across, by a doll and a half. Nothing is thrown up, and no centre is below the floor at -1 m.
    EXPECT_GT(low.x(), -3 - 0.75 * 11) << name;
    EXPECT_LT(high.x(), 3 + 0.75 * 11) << name;
    EXPECT_LT(std::max(-low.z(), high.z()), 1.6 + 1.5 * 1.8) << name;
    EXPECT_GT(low.y(), -1) << name;
    EXPECT_LT(high.y(), 10.5) << name;
    // taking back penetration may lift what lies on it: a ten thousandth of what they fall through
    EXPECT_LT(gain, 1e-4 * (start_energy - least)) << name;
}

} // namespace

// The largest one of which nothing moves by a hundredth of a block from where it was built, neither down nor aside: 9.6 mm, awake or not
TEST(soak_rigid, a_pyramid_of_base_16_stays_within_a_hundredth_of_a_block_of_its_start) {
    for (const char* sleep : {"true", "false"})
        check_stands("rigid/pyramid_100.json", {.whole = 0.01}, {"vars.n=16", std::string("solvers.velocity.sleep=") + sleep});
}
TEST(soak_rigid, a_pyramid_of_base_20_stands_for_a_minute) { check_stands("rigid/pyramid_20.json", {.sinks = 0.02}, {}); }
// two sweeps per sub-step: 6 up to 25 layers of a metre, 6 sqrt(layers/25 g h^2/L : 9.81/3600) above, 32 at most; settings come first
TEST(rigid_piles, higher_ones_have_more_sub_steps) {
    const auto sweeps = [](int n, const std::vector<std::string>& more, const char* scene = "rigid/pyramid_20.json") {
        std::vector<std::string> set{fmt::format("vars.n={}", n)};
        set.insert(set.end(), more.begin(), more.end());
        auto s = start_file(scene, set, 2);
        if (!s) return 0;
        simulate_step(*s);
        return s->report.iterations;
    };
    EXPECT_EQ(sweeps(20, {}), 12);
    EXPECT_EQ(sweeps(40, {}), 2 * 8); // 39 layers
    EXPECT_EQ(sweeps(40, {"solvers.velocity.substeps=5"}), 10);
    const char* small = "rigid/pyramid_tiny.json";
    EXPECT_EQ(sweeps(30, {}, small), 2 * 29);                   // 29 layers of 5 cm: 6 sqrt(29/25 * 20)
    EXPECT_EQ(sweeps(30, {"gravity=2.4525"}, small), 2 * 15);   // a quarter of the pull: half as many
    EXPECT_EQ(sweeps(30, {"vars.a=0.01"}, small), 2 * 32);      // 65 would be needed
}
// 40 layers lean ever more with the sub-steps that carry 20; nobody sleeps
TEST(soak_rigid, a_pyramid_of_base_40_stands_for_a_minute) {
    check_stands("rigid/pyramid_20.json", {.settle = 5, .sinks = 0.25, .gives = 0.25}, {"vars.n=40"});
}
// Not within a hundredth of a block of its start: it leans by 24 cm in its first second, comes to rest so, and keeps still from 5 s on, asleep within ten;
// without sleep it begins to lean after 20 s
TEST(soak_rigid, a_pyramid_of_base_100_leans_comes_to_rest_and_keeps_still_from_then_on) { check_stands("rigid/pyramid_100.json", {.settle = 5, .sinks = 0.25, .gives = 0.25}, {}); }
TEST(soak_rigid, a_card_house_of_5_levels_stands_for_a_minute) { check_stands("rigid/card_house_5.json", {.block = 0.4, .sinks = 0.08}, {}); }
TEST(soak_rigid, an_arch_of_25_stones_stands_for_a_minute) { check_stands("rigid/arch_25.json", {.block = 0.4, .sinks = 0.02}, {}); }
TEST(soak_rigid, a_block_of_ten_tons_on_four_of_one_kilogram_stands_for_a_minute) { check_stands("rigid/mass_block.json", {.block = 0.2}, {}); }
TEST(soak_rigid, a_cube_of_a_ton_on_five_of_a_kilogram_stands_for_a_minute) { check_stands("rigid/mass_stack.json", {}, {}); }
TEST(soak_rigid, chains_with_a_ton_below_hang_for_a_minute) {
    check_stands("rigid/chain_20_heavy.json", {.block = 0.1}, {}); // length kept to 1 mm
}

// as in the scenes of fewer: 2 cm at the worst moment, 2 mm at rest; all of them at 1.5 cm/s have 1 J
TEST(soak_ragdolls, a_hundred_and_twenty_five_stay_together_as_bodies_with_rows) {
    check_crowd("joints/ragdoll_pile.json", {.worst_joint = 0.02, .end_joint = 0.002, .end_energy = 1});
}
// coordinates cannot open; here and there an arm still slides down, one limb at 0.5 m/s: 5 J are all of them at 3 cm/s
TEST(soak_ragdolls, a_hundred_and_twenty_five_stay_together_in_generalised_coordinates) {
    check_crowd("articulated/ragdoll_pile.json", {.worst_joint = 1e-8, .end_joint = 1e-8, .end_energy = 5});
}
