// A scene opened again and again on some number of threads ends in the same state, whatever the machinery does on the way.
#pragma once
#include "physics/simulation.h"
#include <functional>

namespace sinew {

using OpenScene = std::function<std::optional<Simulation>(int threads)>;

void run_to_step(Simulation&, std::int64_t step); // a step that is not ok is a failure of the test
// `look`, if any, sees the end of every run
void check_thread_counts(const OpenScene&, std::int64_t steps, const std::function<void(const Simulation&)>& look = {}); // 1, 2, 3, 8
void check_dropped_caches(const OpenScene&, std::int64_t steps);
// cut after the first step, half way and before the last, through the bytes of a checkpoint
void check_continued_runs(const OpenScene&, std::int64_t steps);

} // namespace sinew
