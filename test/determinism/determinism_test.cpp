// Same bits whatever the machinery does, for every scene of scenes/verify (at most kSteps steps of each):
//   1, 2, 3 and 8 threads; every cache dropped before each step; interrupted, written to a file, read and
//   continued; and at every step saved as the bytes of a checkpoint and continued by a simulation that knows nothing else.
#include "model/visit.h"
#include "output/state_file.h"
#include "simulate.h"
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>

using namespace sinew;

namespace {

namespace fs = std::filesystem;
constexpr std::int64_t kSteps = 200;
constexpr std::int64_t kCheckpoints = 2000; // most scenes end before

std::vector<std::string> verify_scenes() {
    std::vector<std::string> out;
    for (const auto& f : fs::directory_iterator(SINEW_SOURCE_DIR "/scenes/verify"))
        if (f.path().extension() == ".json") out.push_back(f.path().stem().string());
    std::sort(out.begin(), out.end());
    return out;
}

// a scene as it is before its start; failures of the test if it does not load
std::optional<Compiled> compile(const std::string& name) {
    Result<Scene> scene = load_scene(SINEW_SOURCE_DIR "/scenes/verify/" + name + ".json");
    for (const Error& e : scene.errors) ADD_FAILURE() << to_string(e);
    if (!scene) return std::nullopt;
    Result<Compiled> compiled = compile_scene(*scene.value);
    for (const Error& e : compiled.errors) ADD_FAILURE() << to_string(e);
    return std::move(compiled.value);
}
std::optional<Simulation> start(Compiled compiled, int threads) {
    Context context;
    context.threads = threads;
    Result<Simulation> made = make_simulation(context, std::move(compiled));
    for (const Error& e : made.errors) ADD_FAILURE() << to_string(e);
    if (made) measure_start(*made.value);
    return std::move(made.value);
}
std::optional<Simulation> start(const std::string& name, int threads) {
    std::optional<Compiled> compiled = compile(name);
    return compiled ? start(std::move(*compiled), threads) : std::nullopt;
}
void run_until(Simulation& s, std::int64_t step) {
    while (!is_finished(s) && s.now.step < step)
        if (simulate_step(s) == Status::failed) {
            ADD_FAILURE() << "failed at step " << s.now.step << ": " << s.report.message;
            return;
        }
}
std::uint64_t final_hash(const std::string& name, int threads, bool drop_caches) {
    std::optional<Simulation> s = start(name, threads);
    if (!s) return 0;
    s->drop_caches = drop_caches;
    run_until(*s, kSteps);
    return hash(s->now);
}

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

TEST_P(determinism, an_interrupted_and_continued_run_gives_the_same_state) {
    std::optional<Simulation> whole = start(GetParam(), 1);
    ASSERT_TRUE(whole);
    run_until(*whole, kSteps);
    const std::int64_t last = whole->now.step;
    const std::string file = testing::TempDir() + "determinism_" + GetParam() + ".state";
    // the first step, the middle, the last but one
    for (std::int64_t cut : {std::int64_t(1), last / 2, last - 1}) {
        if (cut < 1) continue;
        std::optional<Simulation> first = start(GetParam(), 1);
        ASSERT_TRUE(first);
        run_until(*first, cut);
        StateFile written;
        written.state = first->now;
        ASSERT_TRUE(write_state(file, written).empty());
        StateFile read;
        ASSERT_TRUE(read_state(file, read).empty());
        EXPECT_EQ(hash(read.state), hash(first->now)) << "through the file, cut at step " << cut;
        std::optional<Simulation> second = start(GetParam(), 1);
        ASSERT_TRUE(second);
        continue_from(*second, std::move(read.state));
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
    std::optional<Simulation> whole = start(*fresh, 1);
    ASSERT_TRUE(whole);
    while (!is_finished(*whole) && whole->now.step < kCheckpoints) {
        StateFile written, read;
        written.state = whole->now;
        const Bytes bytes = make_checkpoint(state_checkpoint(written), 0);
        Checkpoint parsed;
        ASSERT_TRUE(parse_checkpoint(bytes, true, parsed).empty());
        ASSERT_TRUE(read_state(parsed, read).empty());
        std::optional<Simulation> other = start(*fresh, 1);
        ASSERT_TRUE(other);
        continue_from(*other, std::move(read.state));
        ASSERT_EQ(simulate_step(*whole), Status::ok) << whole->report.message;
        ASSERT_EQ(simulate_step(*other), Status::ok) << other->report.message;
        ASSERT_EQ(hash(other->now), hash(whole->now)) << "from step " << whole->now.step - 1;
    }
}

INSTANTIATE_TEST_SUITE_P(verify, determinism, testing::ValuesIn(verify_scenes()),
                         [](const auto& info) { return info.param; });
