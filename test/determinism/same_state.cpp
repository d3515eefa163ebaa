#include "determinism/same_state.h"
#include "model/visit.h"

namespace sinew {

void run_to_step(Simulation& s, std::int64_t step) {
    while (s.now.step < step) ASSERT_EQ(simulate_step(s), Status::ok) << s.report.message;
}

void check_thread_counts(const OpenScene& open, std::int64_t steps, const std::function<void(const Simulation&)>& look) {
    std::uint64_t one = 0;
    for (int threads : {1, 2, 3, 8}) {
        std::optional<Simulation> s = open(threads);
        ASSERT_TRUE(s);
        run_to_step(*s, steps);
        if (threads == 1) one = hash(s->now);
        EXPECT_EQ(hash(s->now), one) << threads << " threads";
        if (look) look(*s);
    }
}

void check_dropped_caches(const OpenScene& open, std::int64_t steps) {
    std::optional<Simulation> kept = open(2), dropped = open(2);
    ASSERT_TRUE(kept && dropped);
    dropped->drop_caches = true;
    run_to_step(*kept, steps);
    run_to_step(*dropped, steps);
    EXPECT_EQ(hash(kept->now), hash(dropped->now));
}

void check_continued_runs(const OpenScene& open, std::int64_t steps) {
    std::optional<Simulation> whole = open(2);
    ASSERT_TRUE(whole);
    std::vector<StateFile> cuts;
    for (std::int64_t cut : {std::int64_t(1), steps / 2, steps - 1}) {
        run_to_step(*whole, cut);
        const Bytes bytes = make_checkpoint(state_checkpoint(save_run(*whole)), 0);
        Checkpoint parsed;
        ASSERT_TRUE(parse_checkpoint(bytes, true, parsed).empty());
        ASSERT_TRUE(read_state(parsed, cuts.emplace_back()).empty());
    }
    run_to_step(*whole, steps);
    for (StateFile& cut : cuts) {
        const std::int64_t step = cut.state.step;
        std::optional<Simulation> rest = open(2);
        ASSERT_TRUE(rest);
        continue_from(*rest, std::move(cut));
        run_to_step(*rest, steps);
        EXPECT_EQ(hash(rest->now), hash(whole->now)) << "from step " << step;
    }
}

} // namespace sinew
