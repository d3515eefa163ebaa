// The scenes of the rigid canon at the sizes of their sources, for a few seconds each: every step succeeds, everything stays finite, nothing is deeper in anything else
// than a part of a block or below what holds it, energy is not made, and what the scene expects of itself holds. Smaller sizes are in `make test`, minutes of
// standing and crowds of ragdolls in soak_rigid_test.cpp.
#include "physics/simulation.h"
#include <cmath>
#include <ctime>
#include <fmt/format.h>

using namespace sinew;

namespace {

struct FullSize {
    std::string file; // of scenes/
    std::vector<std::string> set;
    int bodies = 0;          // free ones: that it is the size meant
    double seconds = 1, block = 1; // [s], [m]
    double deep = 0.1;       // of a block: penetration at any time
    double lowest = 0;       // [m] of the centre of a free body
    // What is gained above the least energy so far, of all that is turned over, and at least of what the weight of all makes on the way of a block: contacts are
    // springs, on which what stands swings and what fell comes up again. Negative: the scene is driven, energy comes in.
    double gain = 0.01;
    bool expects = true;     // what the scene expects of its end holds at this one too
};

struct Seen {
    double deep = 0, lowest = 1e300, fastest = 0;
    double least = 0, gain = 0; // [J] least energy so far, most above that
    bool finite = true;
};
double mechanical_energy(const Simulation& s) { return s.report.energy_kinetic + s.report.energy_gravity; }
void look(const Simulation& s, Seen& seen) {
    const Model& m = s.compiled.model;
    for (int f = 0; f < frame_count(m); ++f) {
        if (m.frame.flags[f] & kFixed) continue;
        const Vec3 p = vec(s.now.frame.p[f]), v = vec(s.now.frame.v[f]);
        seen.finite &= p.allFinite() && v.allFinite() && std::isfinite(vec(s.now.frame.w[f]).norm());
        seen.lowest = std::min(seen.lowest, p.y());
        seen.fastest = std::max(seen.fastest, v.norm());
    }
    seen.deep = std::max(seen.deep, s.report.penetration);
    seen.gain = std::max(seen.gain, mechanical_energy(s) - seen.least);
    seen.least = std::min(seen.least, mechanical_energy(s));
}
double weight(const Model& m) { // [N]
    double sum = 0;
    for (int f = 0; f < frame_count(m); ++f)
        if (!(m.frame.flags[f] & kFixed)) sum += 9.81 * m.frame.mass[f];
    return sum;
}
int free_bodies(const Model& m) {
    int n = 0;
    for (int f = 0; f < frame_count(m); ++f) n += !(m.frame.flags[f] & kFixed);
    return n;
}

void check_full_size(const FullSize& scene) {
    const std::clock_t begin = std::clock();
    std::vector<std::string> set = scene.set;
    set.push_back(fmt::format("time.seconds={}", scene.seconds));
    auto s = start_file(scene.file, set, 2);
    ASSERT_TRUE(s);
    EXPECT_EQ(free_bodies(s->compiled.model), scene.bodies);
    Seen seen;
    const double start = seen.least = mechanical_energy(*s);
    double most_kinetic = 0;
    while (!is_finished(*s)) {
        ASSERT_EQ(simulate_step(*s), Status::ok) << s->report.message;
        look(*s, seen);
        most_kinetic = std::max(most_kinetic, s->report.energy_kinetic);
        ASSERT_TRUE(seen.finite) << "at " << s->now.time << " s";
    }
    const double turned = std::max({start - seen.least, most_kinetic, weight(s->compiled.model) * scene.block});
    fmt::print("{}: {} bodies, {:.3g} s of motion in {:.0f} s of processor time; {:.3g} m deep at most, centres above {:.3g} m, {:.3g} m/s at most, {:.2g} of {:.3g} J gained\n", scene.file,
               scene.bodies, s->now.time, double(std::clock() - begin) / CLOCKS_PER_SEC, seen.deep, seen.lowest, seen.fastest, seen.gain / turned, turned);
    EXPECT_LT(seen.deep, scene.deep * scene.block);
    EXPECT_GT(seen.lowest, scene.lowest);
    if (scene.gain >= 0) {
        EXPECT_LE(seen.gain, scene.gain * turned);
    }
    EXPECT_TRUE(s->alarms.empty()) << s->alarms.front();
    if (scene.expects) {
        EXPECT_EQ(s->failure_count, 0) << s->failures.front();
    }
}

} // namespace

// it leans by a quarter of a block, as soak_rigid_test.cpp says: more than its scene expects of its first half second
TEST(soak_canon, a_pyramid_of_base_100_stands_for_200_steps) {
    check_full_size({.file = "rigid/pyramid_100.json", .set = {"vars.n=100", "solvers.velocity.sleep=false"}, .bodies = 5050, .seconds = 200.0 / 60, .deep = 0.01, .lowest = 0.45, .gain = 0.05, .expects = false});
}
TEST(soak_canon, many_pyramids_stand_for_100_steps) { check_full_size({.file = "rigid/many_pyramids.json", .set = {"vars.n=14"}, .bodies = 10780, .seconds = 100.0 / 60, .deep = 0.01, .lowest = 0.45}); }
TEST(soak_canon, a_square_pyramid_of_15_layers_falls_on_itself) { check_full_size({.file = "rigid/pyramid_3d.json", .set = {"vars.n=15"}, .bodies = 1240, .seconds = 4, .block = 2, .lowest = 0.9}); }
TEST(soak_canon, a_wall_of_50_lands_row_by_row) { check_full_size({.file = "rigid/wall.json", .set = {"vars.n=50"}, .bodies = 455, .seconds = 4, .block = 2, .lowest = 0.9}); }
TEST(soak_canon, a_ball_goes_through_a_wall_of_150_bricks) { check_full_size({.file = "rigid/brick_wall.json", .set = {"vars.n=15"}, .bodies = 151, .seconds = 3, .block = 2, .lowest = 0.9}); }
TEST(soak_canon, a_keva_tower_of_five_tiers_stands) { check_full_size({.file = "rigid/keva.json", .set = {"vars.n=5"}, .bodies = 9913, .seconds = 1, .deep = 0.05, .lowest = 0.45, .gain = 0.2}); }
// the wave has reached the six hundredth by then, and the scene expects it at the end
TEST(soak_canon, dominoes_fall_along_a_spiral_of_4000) {
    check_full_size({.file = "rigid/domino.json", .set = {"vars.n=4000"}, .bodies = 4000, .seconds = 30, .block = 0.2, .lowest = 0.05, .expects = false});
}
// columns of 336 m are still falling after the 500 steps of the source, and so are those of the junkyard, 117 m
TEST(soak_canon, hulls_fall_into_a_pile_of_5120) {
    check_full_size({.file = "rigid/convex_pile.json", .set = {"vars.side=8", "vars.layers=80"}, .bodies = 5120, .seconds = 500.0 / 60, .block = 4, .deep = 0.2, .lowest = 0.8, .expects = false});
}
TEST(soak_canon, a_junkyard_of_10584_rocks_is_stirred) {
    check_full_size({.file = "rigid/junkyard.json", .set = {"vars.m=21", "vars.layers=24", "vars.drop=25", "vars.rate=6"}, .bodies = 10584, .seconds = 6, .block = 3, .deep = 0.2, .lowest = 0.6, .gain = -1, .expects = false});
}
// 20 layers land at 17 m/s, 28 cm per step: deep for a few steps, 2 cm at the end, which the scene expects
TEST(soak_canon, a_washer_turns_8000_cubes) { check_full_size({.file = "rigid/washer.json", .set = {"vars.n=20"}, .bodies = 8000, .seconds = 4, .block = 0.4, .deep = 0.75, .lowest = -16, .gain = -1}); }
TEST(soak_canon, a_mixer_stirs_300_bodies) { check_full_size({.file = "rigid/mixer.json", .set = {"vars.n=100"}, .bodies = 301, .seconds = 5, .block = 1.5, .deep = 0.4, .lowest = 0.6, .gain = -1}); }
TEST(soak_canon, a_wrecking_ball_scatters_560_cubes) {
    check_full_size({.file = "joints/wrecking_ball.json", .set = {"vars.d=14"}, .bodies = 574, .seconds = 4, .block = 0.4, .deep = 0.25, .lowest = 0.15});
}
TEST(soak_canon, a_net_of_100_x_100_hangs) { check_full_size({.file = "bench/joint_grid.json", .set = {"vars.n=100"}, .bodies = 10000, .seconds = 0.25, .lowest = -100}); }
TEST(soak_canon, balls_fall_on_a_ground_of_96100_boxes) { check_full_size({.file = "rigid/static_world.json", .set = {"vars.n=310"}, .bodies = 100, .seconds = 2, .block = 0.5, .lowest = -0.1}); }
