// Same bits for whole scenes of position projection: all kinds of bodies at once, self-contact found by the way, crowds on a cloth. On 1, 2, 3
// and 8 threads, with every cache dropped before each step, and interrupted after the first step, half way and before the last.
#include "determinism/same_state.h"
#include <fmt/format.h>

using namespace sinew;

namespace {

struct PositionScene {
    const char* file; // of scenes/position, without .json
    int steps;
    int touches = 0; // at least so many at the end: that the scene still is what it is here for
};
void PrintTo(const PositionScene& s, std::ostream* out) { *out << s.file; }

OpenScene position_opener(const PositionScene& scene) {
    return [scene](int threads) { return start_file(fmt::format("position/{}.json", scene.file), {}, threads); };
}
void check_position_threads(const PositionScene& scene) {
    check_thread_counts(position_opener(scene), scene.steps, [&](const Simulation& s) { EXPECT_GE(s.report.contact_count, scene.touches); });
}
std::string position_label(const testing::TestParamInfo<PositionScene>& info) { return info.param.file; }

} // namespace

class position_scenes : public testing::TestWithParam<PositionScene> {};

TEST_P(position_scenes, any_number_of_threads_gives_the_same_state) { check_position_threads(GetParam()); }
TEST_P(position_scenes, caches_dropped_before_every_step_give_the_same_state) { check_dropped_caches(position_opener(GetParam()), GetParam().steps); }
TEST_P(position_scenes, an_interrupted_and_continued_run_gives_the_same_state) { check_continued_runs(position_opener(GetParam()), GetParam().steps); }

// To where everything touches.
class soak_determinism_position : public testing::TestWithParam<PositionScene> {};

TEST_P(soak_determinism_position, threads_caches_and_cuts_do_not_change_the_state) {
    check_position_threads(GetParam());
    check_dropped_caches(position_opener(GetParam()), GetParam().steps);
    check_continued_runs(position_opener(GetParam()), GetParam().steps);
}

INSTANTIATE_TEST_SUITE_P(of, position_scenes,
                         testing::Values(PositionScene{.file = "showcase", .steps = 60, .touches = 10}, PositionScene{.file = "shape_match", .steps = 20},
                                         PositionScene{.file = "joint_hierarchy", .steps = 30}, PositionScene{.file = "limited_cloth", .steps = 8},
                                         PositionScene{.file = "fem_and_links", .steps = 5}, PositionScene{.file = "mixed_projection", .steps = 20}),
                         position_label);
INSTANTIATE_TEST_SUITE_P(of, soak_determinism_position,
                         testing::Values(PositionScene{.file = "showcase", .steps = 90, .touches = 100}, PositionScene{.file = "cloth_twist", .steps = 280, .touches = 1},
                                         PositionScene{.file = "cloth_folds", .steps = 120, .touches = 1},
                                         PositionScene{.file = "particles_on_cloth", .steps = 60, .touches = 100},
                                         PositionScene{.file = "dragon_on_stairs", .steps = 60, .touches = 1},
                                         PositionScene{.file = "water_balloon", .steps = 40, .touches = 1}),
                         position_label);
