// A solver: one class, one job. The caller owns model and states; a solver keeps no pointer to them.
#pragma once
#include "sinew/input.h"
#include "sinew/model.h"
#include "sinew/report.h"
#include "sinew/state.h"
#include <memory>
#include <span>

namespace sinew {

// Per-iteration numbers of one step, filled when asked for; its cost is not part of the reported times.
struct TraceEntry {
    int iteration = 0;
    double objective = 0, residual = 0, step_length = 0;
    double objective_next = 0; // the same function, with this iteration's contacts and lagged forces, where its step ends
    double objective_size = 0; // of the numbers that both are sums of: their rounding
    // of solvers of rows, before the iteration, in the units of the rows: what is left of all of them
    double residual_sum = 0;   // of their sizes
    double residual_norm = 0;  // root of the sum of squares
    double rate_sum = 0;       // [m/s] sizes of the velocities along them; contacts: those that push or approach
    double momentum = 0;       // beta of the iteration: how much of the last change is repeated
};
struct Trace {
    std::vector<TraceEntry> iterations;
};

// What one contact did in the last step, on object a; on b the opposite.
struct ContactForce {
    int object_a = -1, object_b = -1;
    Real3 at;                         // [m]
    Real3 normal;                     // unit, from b to a
    Real3 force;                      // [N] mean over the step, normal part and friction
    Real3 torque;                     // [N m] mean over the step, about `at`: rolling and torsional friction, which `velocity` and
                                      // `articulated` have
};

struct Solver {
    virtual ~Solver() = default;
    // one try: reads `now`, writes `next`; on failure `next` is simply discarded
    virtual Report step(const Model&, const Input&, const State& now, State& next, double dt, Trace* = nullptr) = 0;
    // caches are allowed only if dropping them before any step gives the same bits; tests call this before every step
    virtual void drop_caches() {}
    // contacts of the last step that carried a force, sorted by objects; valid until the next one
    virtual std::span<const ContactForce> contacts() const { return {}; }
    std::shared_ptr<void> measuring; // scratch of `advance` for the numbers of the report, made when first needed
};

} // namespace sinew
