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
};
void check_stands(const std::string& name, const Stand& stand, const std::vector<std::string>& set) {
    std::vector<std::string> all = set;
    all.push_back("time.seconds=60");
    auto s = start_file(name, all, 2);
    ASSERT_TRUE(s) << name;
    std::vector<Real3> settled;
    const std::vector<Real3> first = s->now.frame.p;
    Moved drift;
    while (!is_finished(*s)) {
        ASSERT_NE(simulate_step(*s), Status::failed) << name;
        if (settled.empty() && s->now.time >= stand.settle) settled = s->now.frame.p;
        if (settled.empty()) continue;
        const Moved m = moved(settled, s->now.frame.p);
        drift = {std::max(drift.down, m.down), std::max(drift.aside, m.aside)};
    }
    const Moved settling = moved(first, settled);
    fmt::print("{}: settles by {:.3g} m down, {:.3g} m aside in {} s; then moves by {:.3g} m down, {:.3g} m aside\n", name, settling.down, settling.aside,
               stand.settle, drift.down, drift.aside);
    EXPECT_LT(settling.down, stand.sinks * stand.block) << name;
    EXPECT_LT(settling.aside, stand.gives * stand.block) << name;
    EXPECT_LT(drift.down, 0.01 * stand.block) << name;
    EXPECT_LT(drift.aside, 0.01 * stand.block) << name;
}

// 125 ragdolls fall; the top layer lands at 1.4 s. Joints at the worst moment and at the end, speeds, and what still moves then.
void check_crowd(const std::string& name, double seconds, double worst_joint, double end_joint, double end_energy) {
    auto s = start_file(name, {"vars.n=5", fmt::format("time.seconds={}", seconds)}, 2);
    ASSERT_TRUE(s) << name;
    const MeasurementResult joints = find_measurements(s->compiled.model, "doll/*.joint_error");
    const auto error = [&] {
        double most = 0;
        for (const auto& j : joints.found) most = std::max(most, evaluate(j, s->compiled.model, s->now, s->report));
        return most;
    };
    ASSERT_FALSE(joints.found.empty()) << name << joints.problem;
    double most = 0, fastest = 0;
    while (!is_finished(*s)) {
        ASSERT_NE(simulate_step(*s), Status::failed) << name;
        most = std::max(most, error());
        for (const Real3& v : s->now.frame.v) fastest = std::max(fastest, vec(v).norm());
    }
    fmt::print("{}: joints {:.3g} m at worst, {:.3g} m at the end; {:.3g} m/s at most; {:.3g} J at the end, {} of {} asleep\n", name, most, error(), fastest,
               s->report.energy_kinetic, s->report.asleep, frame_count(s->compiled.model));
    EXPECT_LT(most, worst_joint) << name;
    EXPECT_LT(error(), end_joint) << name;
    EXPECT_LT(fastest, 25) << name; // they fall by 11 m at most, 15 m/s; limbs are whipped
    EXPECT_LT(s->report.energy_kinetic, end_energy) << name;
}

} // namespace

TEST(soak_rigid, a_pyramid_of_base_20_stands_for_a_minute) { check_stands("rigid/pyramid_20.json", {.sinks = 0.02}, {}); }
// two sweeps per sub-step: 6 up to 25 layers, 6 sqrt(layers/25) above; settings come first
TEST(rigid_piles, higher_ones_have_more_sub_steps) {
    const auto sweeps = [](int n, const std::vector<std::string>& more) {
        std::vector<std::string> set{fmt::format("vars.n={}", n)};
        set.insert(set.end(), more.begin(), more.end());
        auto s = start_file("rigid/pyramid_20.json", set, 2);
        if (!s) return 0;
        simulate_step(*s);
        return s->report.iterations;
    };
    EXPECT_EQ(sweeps(20, {}), 12);
    EXPECT_EQ(sweeps(40, {}), 2 * 8); // 39 layers
    EXPECT_EQ(sweeps(40, {"solvers.velocity.substeps=5"}), 10);
}
// 40 layers lean ever more with the sub-steps that carry 20; nobody sleeps
TEST(soak_rigid, a_pyramid_of_base_40_stands_for_a_minute) {
    check_stands("rigid/pyramid_20.json", {.settle = 5, .sinks = 0.25, .gives = 0.25}, {"vars.n=40"});
}
// leans by 24 cm in its first second, comes to rest within ten and sleeps; without sleep it begins to lean after 20 s
TEST(soak_rigid, a_pyramid_of_base_100_comes_to_rest_and_stands_for_a_minute) { check_stands("rigid/pyramid_100.json", {.settle = 5, .sinks = 0.25, .gives = 0.25}, {}); }
TEST(soak_rigid, a_card_house_of_5_levels_stands_for_a_minute) { check_stands("rigid/card_house_5.json", {.block = 0.4, .sinks = 0.08}, {}); }
TEST(soak_rigid, an_arch_of_25_stones_stands_for_a_minute) { check_stands("rigid/arch_25.json", {.block = 0.4, .sinks = 0.02}, {}); }
TEST(soak_rigid, a_block_of_ten_tons_on_four_of_one_kilogram_stands_for_a_minute) { check_stands("rigid/mass_block.json", {.block = 0.2}, {}); }
TEST(soak_rigid, a_cube_of_a_ton_on_five_of_a_kilogram_stands_for_a_minute) { check_stands("rigid/mass_stack.json", {}, {}); }
TEST(soak_rigid, chains_with_a_ton_below_hang_for_a_minute) {
    check_stands("rigid/chain_20_heavy.json", {.block = 0.1}, {}); // length kept to 1 mm
}

// as in the scenes of fewer: 2 cm at the worst moment, 2 mm at rest; coordinates cannot open
TEST(soak_ragdolls, a_hundred_and_twenty_five_stay_together_as_bodies_with_rows) { check_crowd("joints/ragdoll_pile.json", 8, 0.02, 0.002, 1); }
TEST(soak_ragdolls, a_hundred_and_twenty_five_stay_together_in_generalised_coordinates) {
    check_crowd("articulated/ragdoll_pile.json", 2, 1e-8, 1e-8, 1e6); // still falling: their energy of 2e5 J at most
}
