// A solver: one class, one job. The caller owns model and states; a solver keeps no pointer to them.
#pragma once
#include "sinew/input.h"
#include "sinew/model.h"
#include "sinew/report.h"
#include "sinew/state.h"
#include <memory>

namespace sinew {

// Per-iteration numbers of one step, filled when asked for; its cost is not part of the reported times.
struct TraceEntry {
    int iteration = 0;
    double objective = 0, residual = 0, step_length = 0;
};
struct Trace {
    std::vector<TraceEntry> iterations;
};

struct Solver {
    virtual ~Solver() = default;
    // one try: reads `now`, writes `next`; on failure `next` is simply discarded
    virtual Report step(const Model&, const Input&, const State& now, State& next, double dt, Trace* = nullptr) = 0;
    // caches are allowed only if dropping them before any step gives the same bits; tests call this before every step
    virtual void drop_caches() {}
    std::shared_ptr<void> measuring; // scratch of `advance` for the numbers of the report, made when first needed
};

} // namespace sinew
