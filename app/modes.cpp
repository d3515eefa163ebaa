// sinew modes: lowest vibration modes of a scene about its start.
#include "command.h"
#include "solver/modes.h"
#include <cmath>
#include <fmt/format.h>

namespace sinew {

int command_modes(const ModesOptions& o) {
    const Result<Compiled> compiled = load_compiled(o.scene, {}, o.set, false);
    if (!compiled) return print_errors(compiled.errors), kBadInput;
    const Compiled& c = *compiled.value;
    ModeSettings settings;
    settings.count = o.count;
    const ModeResult r = find_modes(*make_parallel(make_context(o.threads, true)), c.model, c.state, settings);
    if (r.squares.empty()) {
        fmt::print(stderr, "error: {}\n", r.message);
        return kFailed;
    }
    // below the rounding of the largest one a mode is rigid
    Real largest = 0;
    for (Real w2 : r.squares) largest = std::max(largest, std::abs(w2));
    fmt::print("{:>5}  {:>14}  {:>14}\n", "mode", "frequency [Hz]", "period [s]");
    for (std::size_t i = 0; i < r.squares.size(); ++i) {
        const Real w2 = r.squares[i], f = std::sqrt(std::abs(w2)) / (2 * 3.14159265358979323846);
        if (std::abs(w2) <= 1e-9 * largest) fmt::print("{:>5}  {:>14}  {:>14}\n", i, 0, "rigid");
        else if (w2 < 0) fmt::print("{:>5}  {:>14}  {:>14}\n", i, "", "unstable");
        else fmt::print("{:>5}  {:>14.6g}  {:>14.6g}\n", i, f, 1 / f);
    }
    if (r.ok) return kOk;
    fmt::print(stderr, "error: {} after {} iterations: residual {:.3g}\n", r.message, r.iterations, r.residual);
    return kFailed;
}

} // namespace sinew
