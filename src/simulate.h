// A scene running: the main loop as data and a handful of functions. `sinew run`, `sinew test`, benchmarks and tests
// all use these; embedding programs may use them too or write their own loop around sinew::advance.
#pragma once
#include "core/parallel.h"
#include "model/snapshot.h"
#include "output/state_file.h"
#include "scene/compile.h"
#include "sinew/solver.h"
#include "solver/measure.h"

namespace sinew {

struct Simulation {
    Context context;
    Compiled compiled;
    std::unique_ptr<Solver> solver;
    ParallelPtr parallel;
    State now, spare;
    Input input;
    Report report;                   // of the last step, measured
    MeasureScratch measure;
    int max_retries = 6;
    bool drop_caches = false;        // before every step; tests
    std::vector<std::string> events; // what happened in the last step
    std::vector<std::string> failures; // expectations not met so far, the first kMostFailures of them
    std::int64_t failure_count = 0;
    double energy_scale = 0;           // [J/kg] of the start: what energies per mass are compared with
    std::vector<std::string> alarms;   // signs that the run has blown up, each once, with its time
};
inline constexpr std::size_t kMostFailures = 1000;

Result<Simulation> make_simulation(const Context&, Compiled);

// Everything that is needed to continue, besides the scene: the state, the numbers of the last step that cannot be
// measured again (conditions of events may ask for them), what became of the expectations.
StateFile save_run(const Simulation&);
// Continues an earlier run of the same scene, instead of measure_start. What was checked is not checked again.
void continue_from(Simulation&, StateFile);

double current_frame(const Simulation&);             // frame number as the scene counts, with fraction within a frame
std::int64_t total_steps(const Simulation&);         // the last one is shorter where the duration is no multiple of dt
bool is_finished(const Simulation&);
bool at_frame(const Simulation&);                    // the current state belongs to a frame
// The numbers of the first state, its events and expectations.
void measure_start(Simulation&);
// One step: events, input, advance, measure, expectations. On failure `now` is the last good state.
Status simulate_step(Simulation&);

// The solver with the settings that live changes have left, in the middle of a run: what the state remembers stays, what only the new
// one needs is added. It is made as at the start, so that its order of things does not depend on when that happens.
std::unique_ptr<Solver> make_again(const Context&, const LiveScene&, const Model&, State& now);

Snapshot make_snapshot(const Simulation&);           // of the current state

// One step with shortening, retries and checks: covers [now.time, now.time + dt] and swaps now and spare so that `now` is
// the state at the end. A failed try is repeated with half the step, at most max_retries times. On failure `now` is the
// last good state, and the report names object and index.
// However often it is shortened, it counts as one step. `why`: the reason of the last try that failed.
Status advance_step(Solver&, const Model&, const Input&, State& now, State& spare, double dt, Report&, int max_retries,
                    std::string* why = nullptr);
// Measures the state after a step; where the solver has not said what damping took, it is the mean power of both ends of the step,
// so that the scratch must have measured its start.
void measure_step(const Parallel&, const Model&, const State& now, MeasureScratch&, Report&);
bool has_sizes_of(const Model&, const State&); // as many points, bodies, scalars and animated vertices

} // namespace sinew
