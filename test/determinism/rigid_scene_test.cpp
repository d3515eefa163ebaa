// Same bits for scenes of rigid bodies, one for each way a step is made: islands solved directly, loops with redundant rows, restitution,
// bodies on their way, sleep, grains, motors, trees in generalised coordinates. As for the heaps of rigid_test.cpp: on 1, 2, 3 and 8 threads,
// with every cache dropped before each step, and interrupted after the first step, half way and before the last.
#include "determinism/same_state.h"
#include <fmt/format.h>

using namespace sinew;

namespace {

struct RigidScene {
    const char* file; // of scenes/, without .json
    int steps;
    int touches = 0, asleep = 0, direct = 0; // at least so many at the end: that the scene still is what it is here for
    std::vector<std::string> set{};
};
void PrintTo(const RigidScene& s, std::ostream* out) { *out << s.file; }

OpenScene opener_of(const RigidScene& scene) {
    return [scene](int threads) { return start_file(fmt::format("{}.json", scene.file), scene.set, threads); };
}
void check_scene_threads(const RigidScene& scene) {
    check_thread_counts(opener_of(scene), scene.steps, [&](const Simulation& s) {
        EXPECT_GE(s.report.contact_count, scene.touches);
        EXPECT_GE(s.report.asleep, scene.asleep);
        EXPECT_GE(s.report.islands_direct, scene.direct);
    });
}
std::string scene_label(const testing::TestParamInfo<RigidScene>& info) {
    std::string out = info.param.file;
    for (char& c : out)
        if (c == '/') c = '_';
    return out;
}

} // namespace

class rigid_scenes : public testing::TestWithParam<RigidScene> {};

TEST_P(rigid_scenes, any_number_of_threads_gives_the_same_state) { check_scene_threads(GetParam()); }
TEST_P(rigid_scenes, caches_dropped_before_every_step_give_the_same_state) { check_dropped_caches(opener_of(GetParam()), GetParam().steps); }
TEST_P(rigid_scenes, an_interrupted_and_continued_run_gives_the_same_state) { check_continued_runs(opener_of(GetParam()), GetParam().steps); }

// Larger ones, and to where they have come to rest.
class soak_determinism_rigid : public testing::TestWithParam<RigidScene> {};

TEST_P(soak_determinism_rigid, threads_caches_and_cuts_do_not_change_the_state) {
    check_scene_threads(GetParam());
    check_dropped_caches(opener_of(GetParam()), GetParam().steps);
    check_continued_runs(opener_of(GetParam()), GetParam().steps);
}

INSTANTIATE_TEST_SUITE_P(of, rigid_scenes,
                         testing::Values(RigidScene{.file = "rigid/mass_stack", .steps = 240, .touches = 24, .direct = 1},
                                         RigidScene{.file = "rigid/chain_20_heavy", .steps = 240, .direct = 1},
                                         RigidScene{.file = "rigid/bullet", .steps = 60},
                                         RigidScene{.file = "rigid/cradle", .steps = 240},
                                         RigidScene{.file = "rigid/cradle_swing", .steps = 600, .touches = 1, .direct = 1}, // first impact at 0.52 s, step 500
                                         RigidScene{.file = "rigid/stack_10", .steps = 120, .touches = 40, .asleep = 10},
                                         RigidScene{.file = "rigid/stack_10_direct", .steps = 300, .touches = 40, .set = {"solvers.velocity.method=soft_step"}},
                                         RigidScene{.file = "rigid/painleve", .steps = 320, .touches = 1, .asleep = 1},
                                         RigidScene{.file = "rigid/domino", .steps = 100, .touches = 100, .asleep = 1},
                                         RigidScene{.file = "rigid/turntable", .steps = 240, .touches = 1, .direct = 1},
                                         // 7 x 9 x 7 grains of the 3000, which are below
                                         RigidScene{.file = "rigid/grains_3000", .steps = 60, .touches = 400, .set = {"objects.sand.size=[0.65, 0.85, 0.65]", "objects.sand.at=[0, 0.6, 0]"}},
                                         RigidScene{.file = "joints/chain_100", .steps = 240, .direct = 1},
                                         RigidScene{.file = "joints/joint_grid", .steps = 60, .direct = 1},
                                         RigidScene{.file = "joints/driven", .steps = 240},
                                         RigidScene{.file = "verify/p_measured_motors", .steps = 120},
                                         RigidScene{.file = "verify/p_measured_fields", .steps = 120}, // the event is in step 51
                                         RigidScene{.file = "articulated/four_bar", .steps = 240},
                                         RigidScene{.file = "articulated/robot_arm", .steps = 240},
                                         RigidScene{.file = "articulated/breaking", .steps = 50},
                                         RigidScene{.file = "articulated/chain_100", .steps = 120},
                                         RigidScene{.file = "articulated/ragdoll", .steps = 75, .touches = 30}),
                         scene_label);
INSTANTIATE_TEST_SUITE_P(of, soak_determinism_rigid,
                         testing::Values(RigidScene{.file = "rigid/grains_3000", .steps = 120, .touches = 3 * kGrain},
                                         RigidScene{.file = "rigid/convex_pile", .steps = 300, .touches = 100},
                                         RigidScene{.file = "joints/joint_grid", .steps = 480, .direct = 1},
                                         RigidScene{.file = "articulated/heap", .steps = 160, .touches = 100, .asleep = 1},
                                         RigidScene{.file = "articulated/ragdoll", .steps = 360, .touches = 40, .asleep = 1}),
                         scene_label);
