// sinew bench: how long a scene's steps take, beside how good they are. Times are medians; comparisons between methods
// belong in one run (sinew-bench), not between two outputs of this command.
#include "command.h"
#include "model/visit.h"
#include <algorithm>
#include <fmt/format.h>

namespace sinew {

int command_bench(const BenchOptions& o) {
    if (const Result<Compiled> compiled = load_compiled(o.scene, o.solver, o.set, false); !compiled)
        return print_errors(compiled.errors), kBadInput;
    fmt::print("threads,steps,ms_per_step_median,ms_per_step_min,ms_per_step_max,iterations,residual,energy,penetration,hash\n");
    for (int threads : o.threads) {
        std::vector<double> ms;
        Report last;
        std::uint64_t state = 0;
        for (int k = 0; k < o.repeats; ++k) {
            Result<Compiled> compiled = load_compiled(o.scene, o.solver, o.set, false);
            if (!compiled) return print_errors(compiled.errors), kBadInput;
            auto made = make_simulation(make_context(threads, true), std::move(*compiled.value));
            if (!made) return print_errors(made.errors), kBadInput;
            Simulation& s = *made.value;
            measure_start(s);
            double seconds = 0;
            int steps = 0;
            for (; steps < o.steps && !is_finished(s); ++steps) {
                if (simulate_step(s) == Status::failed) return fmt::print(stderr, "failed: {}\n", s.report.message), kFailed;
                if (steps > 0) seconds += s.report.seconds; // the first step builds caches
            }
            ms.push_back(1000 * seconds / std::max(1, steps - 1));
            last = s.report;
            state = hash(s.now);
        }
        std::sort(ms.begin(), ms.end());
        fmt::print("{},{},{:.4g},{:.4g},{:.4g},{},{:.3g},{:.6g},{:.3g},{:016x}\n", threads, o.steps, ms[ms.size() / 2], ms.front(), ms.back(),
                   last.iterations, last.residual, energy_total(last), last.penetration, state);
    }
    return kOk;
}

} // namespace sinew
