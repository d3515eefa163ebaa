// Wall times of the stages of a step into its report.
#pragma once
#include "sinew/report.h"
#include <chrono>

namespace sinew {

struct StageClock {
    std::chrono::steady_clock::time_point last;
};
inline void begin_clock(StageClock& c, Report& r) {
    r = {};
    c.last = std::chrono::steady_clock::now();
}
// time since the last lap counts for the stage of that name
inline void lap(StageClock& c, const char* name, Report& r) {
    const auto now = std::chrono::steady_clock::now();
    add_time(r.stages, name, std::chrono::duration<double>(now - c.last).count());
    c.last = now;
}

} // namespace sinew
