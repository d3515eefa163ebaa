// What steps of dt mean for the times of a script: steps end at multiples of dt, and the last one at the end of the run.
#include "core/error.h"
#include "scene/script.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sinew {

std::vector<Error> find_missed_moments(const Script& script, double dt) {
    std::vector<Error> errors;
    const double end = script.time.seconds, slack = moment_slack(dt);
    for (const ScriptExpectation& s : script.expectations) {
        const Expectation& e = s.expectation;
        const double before = std::floor(e.at / dt) * dt, after = std::min(before + dt, end);
        const bool met = e.at - before <= slack || std::abs(after - e.at) <= slack || std::abs(end - e.at) <= slack;
        if (e.when == Expectation::When::at && !met)
            errors.push_back(make_error(e.moment, e.moment_path, fmt::format("no step ends at {:.9g} s: steps are {:.6g} s long", e.at, dt),
                                        fmt::format("{:.9g} s and {:.9g} s are the nearest, or steps that fit", before, after)));
    }
    return errors;
}

std::vector<std::string> note_repeated_events(const Script& script, double dt) {
    std::vector<std::string> notes;
    for (const ScriptEvent& s : script.events) {
        const Event& e = s.event;
        if (e.every <= 0 || !(dt > 0)) continue;
        if (e.every < dt * (1 - 1e-9)) {
            notes.push_back(fmt::format("warning: {} happens once in each step, every {:.6g} s and not every {:.6g} s", e.path, dt, e.every));
            continue;
        }
        if (!std::isfinite(e.until) || e.until < e.at) continue;
        const double last = e.at + std::floor((e.until - e.at) / e.every * (1 + 1e-12)) * e.every;
        const double step = std::ceil(last / dt * (1 - 1e-12)) * dt; // that begins then, or next
        if (step > e.until * (1 + 1e-12))
            notes.push_back(fmt::format("warning: {} does not happen at {:.6g} s: the next step begins at {:.6g} s, after until", e.path, last, step));
    }
    return notes;
}

} // namespace sinew
