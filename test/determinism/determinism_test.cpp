// Same bits whatever the machinery does, for every scene of scenes/verify (at most kSteps steps of each; whole, in all three ways, in make soak):
//   1, 2, 3 and 8 threads; every cache dropped before each step; interrupted, written to a file, read and
//   continued; and at every step saved as the bytes of a checkpoint and continued by a simulation that knows nothing else.
#include "model/visit.h"
#include "output/state_file.h"
#include "simulate.h"
#include "paths.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace sinew;

namespace {

namespace fs = std::filesystem;
constexpr std::int64_t kSteps = 200;
constexpr std::int64_t kCheckpoints = 2000; // most scenes end before

std::vector<std::string> verify_scenes() {
    std::vector<std::string> out;
    for (const auto& f : fs::directory_iterator(source_dir() + "/scenes/verify"))
        if (f.path().extension() == ".json") out.push_back(f.path().stem().string());
    std::sort(out.begin(), out.end());
    return out;
}

constexpr std::uint64_t kGolden = 0xcb757bb537bfc86f;

// a 65 x 65 cloth falls on a ball
std::string large_scene(const std::string& solver) {
    return R"json({ "sinew": 1, "time": { "dt": 0.001, "substeps": 1, "seconds": 1 },
        "objects": { "ball": { "kind": "sphere", "radius": 0.3, "motion": "static" },
                     "sheet": { "kind": "cloth_grid", "size": [1, 1], "edge": 0.015625, "at": [0, 0.302, 0], "thickness": 0.005,
                                "material": { "density": 0.2, "membrane": { "stiffness": 100 }, "shear": { "stiffness": 10 } } } },
        "solver": ")json" + solver + R"json(" })json";
}

// the same with friction, in a gusty wind, under an emitter of dust that the wind drags along
std::string windy_scene(const std::string& solver) {
    return R"json({ "sinew": 1, "time": { "dt": 0.001, "substeps": 1, "seconds": 1 },
        "fields": { "gust": { "kind": "wind", "velocity": ["3 + sin(9*t)", 0, 1], "turbulence": { "speed": 1, "size": 0.3 } } },
        "objects": { "ball": { "kind": "sphere", "radius": 0.3, "motion": "static", "friction": 0.5 },
                     "sheet": { "kind": "cloth_grid", "size": [1, 1], "edge": 0.015625, "at": [0, 0.302, 0], "thickness": 0.005,
                                "air": { "drag": 1, "field": "gust" },
                                "material": { "density": 0.2, "friction": 0.5, "membrane": { "stiffness": 100 }, "shear": { "stiffness": 10 } } },
                     "dust": { "kind": "emitter", "rate": 2e5, "lifetime": 0.015, "size": [1, 0.1, 1], "speed": [0, -2, 0], "at": [0, 0.5, 0],
                               "radius": 0.004, "mass": 1e-6, "air": { "drag": 1e-4, "field": "gust" } } },
        "solver": ")json" + solver + R"json(" })json";
}

// a scene as it is before its start; failures of the test if it does not load
std::optional<Compiled> compile(Result<Scene> scene) {
    for (const Error& e : scene.errors) ADD_FAILURE() << to_string(e);
    if (!scene) return std::nullopt;
    Result<Compiled> compiled = compile_scene(*scene.value);
    for (const Error& e : compiled.errors) ADD_FAILURE() << to_string(e);
    return std::move(compiled.value);
}
std::optional<Compiled> compile(const std::string& name) {
    return compile(load_scene(source_dir() + "/scenes/verify/" + name + ".json"));
}
std::optional<Simulation> start_compiled(Compiled compiled, int threads) {
    Context context;
    context.threads = threads;
    Result<Simulation> made = make_simulation(context, std::move(compiled));
    for (const Error& e : made.errors) ADD_FAILURE() << to_string(e);
    if (made) measure_start(*made.value);
    return std::move(made.value);
}
std::optional<Simulation> start_verify_scene(const std::string& name, int threads) {
    std::optional<Compiled> compiled = compile(name);
    return compiled ? start_compiled(std::move(*compiled), threads) : std::nullopt;
}
std::optional<Simulation> start_text(const std::string& text, int threads) {
    std::optional<Compiled> compiled = compile(parse_scene(text, "scene.json"));
    return compiled ? start_compiled(std::move(*compiled), threads) : std::nullopt;
}
void run_until(Simulation& s, std::int64_t step) {
    while (!is_finished(s) && s.now.step < step)
        if (simulate_step(s) == Status::failed) {
            ADD_FAILURE() << "failed at step " << s.now.step << ": " << s.report.message;
            return;
        }
}
std::uint64_t final_hash(const std::string& name, int threads, bool drop_caches, std::int64_t steps = kSteps) {
    std::optional<Simulation> s = start_verify_scene(name, threads);
    if (!s) return 0;
    s->drop_caches = drop_caches;
    run_until(*s, steps);
    return hash(s->now);
}
constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();

} // namespace

class determinism : public testing::TestWithParam<std::string> {};

TEST_P(determinism, any_number_of_threads_gives_the_same_state) {
    const std::uint64_t one = final_hash(GetParam(), 1, false);
    for (int threads : {2, 3, 8})
        EXPECT_EQ(final_hash(GetParam(), threads, false), one) << threads << " threads";
}

TEST_P(determinism, caches_dropped_before_every_step_give_the_same_state) {
    EXPECT_EQ(final_hash(GetParam(), 2, true), final_hash(GetParam(), 2, false));
}

// To the end of the scene.
class soak_determinism : public testing::TestWithParam<std::string> {};
TEST_P(soak_determinism, a_whole_scene_ends_the_same_for_any_number_of_threads_and_without_caches) {
    const std::uint64_t one = final_hash(GetParam(), 1, false, kAll);
    for (int threads : {2, 3, 8}) EXPECT_EQ(final_hash(GetParam(), threads, false, kAll), one) << threads << " threads";
    EXPECT_EQ(final_hash(GetParam(), 2, true, kAll), one) << "caches dropped";
}

// The run itself goes on after its checkpoints: that to write one changes nothing is what the other suites show.
TEST_P(soak_determinism, a_whole_scene_cut_by_checkpoints_ends_the_same) {
    std::optional<Simulation> whole = start_verify_scene(GetParam(), 1);
    ASSERT_TRUE(whole);
    const std::int64_t last = total_steps(*whole);
    const std::string file = testing::TempDir() + "soak_determinism_" + GetParam() + ".state";
    std::vector<std::int64_t> cuts = {last / 3, 2 * last / 3, last - 1};
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    std::erase_if(cuts, [](std::int64_t cut) { return cut < 1; });
    for (std::int64_t cut : cuts) {
        run_until(*whole, cut);
        ASSERT_TRUE(write_state(fmt::format("{}{}", file, cut), save_run(*whole)).empty());
    }
    run_until(*whole, kAll);
    EXPECT_TRUE(is_finished(*whole));
    for (std::int64_t cut : cuts) {
        const std::string name = fmt::format("{}{}", file, cut);
        StateFile read;
        ASSERT_TRUE(read_state(name, read).empty());
        fs::remove(name);
        EXPECT_EQ(read.state.step, cut);
        std::optional<Simulation> rest = start_verify_scene(GetParam(), 1);
        ASSERT_TRUE(rest);
        continue_from(*rest, std::move(read));
        run_until(*rest, kAll);
        EXPECT_EQ(hash(rest->now), hash(whole->now)) << "cut at step " << cut << " of " << last;
    }
}

TEST_P(determinism, an_interrupted_and_continued_run_gives_the_same_state) {
    std::optional<Simulation> whole = start_verify_scene(GetParam(), 1);
    ASSERT_TRUE(whole);
    run_until(*whole, kSteps);
    const std::int64_t last = whole->now.step;
    const std::string file = testing::TempDir() + "determinism_" + GetParam() + ".state";
    // the first step, the middle, the last but one
    for (std::int64_t cut : {std::int64_t(1), last / 2, last - 1}) {
        if (cut < 1) continue;
        std::optional<Simulation> first = start_verify_scene(GetParam(), 1);
        ASSERT_TRUE(first);
        run_until(*first, cut);
        const StateFile written = save_run(*first);
        ASSERT_TRUE(write_state(file, written).empty());
        StateFile read;
        ASSERT_TRUE(read_state(file, read).empty());
        EXPECT_EQ(hash(read.state), hash(first->now)) << "through the file, cut at step " << cut;
        std::optional<Simulation> second = start_verify_scene(GetParam(), 1);
        ASSERT_TRUE(second);
        continue_from(*second, std::move(read));
        run_until(*second, last);
        EXPECT_EQ(hash(second->now), hash(whole->now)) << "cut at step " << cut;
    }
    fs::remove(file);
}

// If one step from what a checkpoint of step k holds gives the state of step k + 1, for every k, then by induction a run
// interrupted at any step ends in the same state.
TEST_P(determinism, a_checkpoint_of_every_step_continues_to_the_next_state) {
    const std::optional<Compiled> fresh = compile(GetParam());
    ASSERT_TRUE(fresh);
    std::optional<Simulation> whole = start_compiled(*fresh, 1);
    ASSERT_TRUE(whole);
    while (!is_finished(*whole) && whole->now.step < kCheckpoints) {
        const StateFile written = save_run(*whole);
        StateFile read;
        const Bytes bytes = make_checkpoint(state_checkpoint(written), 0);
        Checkpoint parsed;
        ASSERT_TRUE(parse_checkpoint(bytes, true, parsed).empty());
        ASSERT_TRUE(read_state(parsed, read).empty());
        std::optional<Simulation> other = start_compiled(*fresh, 1);
        ASSERT_TRUE(other);
        continue_from(*other, std::move(read));
        ASSERT_EQ(simulate_step(*whole), Status::ok) << whole->report.message;
        ASSERT_EQ(simulate_step(*other), Status::ok) << other->report.message;
        ASSERT_EQ(hash(other->now), hash(whole->now)) << "from step " << whole->now.step - 1;
    }
}

// Scenes of scenes/verify are smaller than one chunk of a loop; here every loop has several.
TEST(large_scenes, any_number_of_threads_gives_the_same_state) {
    for (const char* solver : {"explicit", "linearly_implicit", "newton"}) {
        std::uint64_t one = 0;
        for (int threads : {1, 2, 3, 8}) {
            std::optional<Simulation> s = start_text(large_scene(solver), threads);
            ASSERT_TRUE(s);
            ASSERT_GT(point_count(s->compiled.model), 3 * kGrain);
            run_until(*s, std::string_view(solver) == "explicit" ? 40 : 2);
            if (threads == 1) one = hash(s->now);
            EXPECT_EQ(hash(s->now), one) << solver << ", " << threads << " threads";
        }
    }
}

// Everything that has chunks of its own at once: births and deaths, wind, friction. Caches dropped, too.
TEST(large_scenes, with_emitter_wind_and_friction_end_the_same_for_any_number_of_threads_and_without_caches) {
    for (const char* solver : {"explicit", "position", "newton"}) {
        std::uint64_t one = 0;
        for (int threads : {1, 2, 3, 8, 0}) { // 0: two threads, no caches
            std::optional<Simulation> s = start_text(windy_scene(solver), threads ? threads : 2);
            ASSERT_TRUE(s);
            s->drop_caches = threads == 0;
            ASSERT_GT(point_count(s->compiled.model), 6 * kGrain);
            run_until(*s, std::string_view(solver) == "explicit" ? 25 : std::string_view(solver) == "position" ? 3 : 1);
            if (threads == 1) one = hash(s->now);
            EXPECT_EQ(hash(s->now), one) << solver << ", " << threads << " threads";
        }
    }
}

// The one hash that is written down: springs, gravity and contact need only + - * / and sqrt, which IEEE 754 rounds
// alike on every machine, compiler and optimisation level. It changes when the arithmetic of a step changes, and then
// the new value belongs here, with a reason in the commit.
TEST(golden_hash, of_a_cloth_on_a_ball_is_the_same_everywhere) {
    std::optional<Simulation> s = start_text(large_scene("explicit"), 1);
    ASSERT_TRUE(s);
    run_until(*s, 40);
    EXPECT_EQ(hash(s->now), kGolden) << fmt::format("now {:#x}", hash(s->now));
}

INSTANTIATE_TEST_SUITE_P(verify, soak_determinism, testing::ValuesIn(verify_scenes()),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(verify, determinism, testing::ValuesIn(verify_scenes()),
                         [](const auto& info) { return info.param; });
