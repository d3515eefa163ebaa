// Wall times of the stages of a step into its report.
#pragma once
#include "sinew/report.h"
#include <chrono>

namespace sinew {

struct StageClock {
    std::chrono::steady_clock::time_point last;
    StageTimes before; // stages of the step before: as long as the same ones come, their names need not be compared
    bool same = true;
};
inline void begin_clock(StageClock& c, Report& r) {
    c.before = r.stages;
    c.same = true;
    r = {};
    c.last = std::chrono::steady_clock::now();
}
// time since the last lap counts for the stage of that name
inline void lap(StageClock& c, const char* name, Report& r) {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - c.last).count();
    const int i = r.stages.count;
    c.same = c.same && i < c.before.count && c.before.entries[i].name == name;
    if (c.same) r.stages.entries[r.stages.count++] = {name, seconds};
    else add_time(r.stages, name, seconds);
    c.last = now;
}

} // namespace sinew
