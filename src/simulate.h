// The main loop's step: shortening, retries, checks, emitters. See simulate.cpp; the frame loop of `sinew run` is
// app/run.cpp, embedding programs write their own.
#pragma once
#include "core/parallel.h"
#include "sinew/solver.h"
#include "solver/measure.h"

namespace sinew {

// Covers [now.time, now.time + dt] and swaps now and spare so that `now` is the state at the end. A failed try is
// repeated with half the step, at most max_retries times. On failure `now` is the last good state, and the report names
// object and index.
Status advance_step(Solver&, const Model&, const Input&, State& now, State& spare, double dt, Report&, int max_retries);

} // namespace sinew
