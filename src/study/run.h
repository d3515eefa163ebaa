// Single runs of a study through the ordinary main loop (simulate.h).
#pragma once
#include "study/column.h"
#include "study/study.h"

namespace sinew {

// assignments of a variant at a value of the sweep
std::vector<std::string> sets_of(const Study&, const StudyVariant&, double value);
// of a variant, where the others have so many
inline int threads_of(const StudyVariant& v, int others) { return v.threads > 0 ? v.threads : others; }
// The scene with these assignments; errors have the place of what set them, `from`.
std::optional<Compiled> compile_variant(const Study&, const std::vector<std::string>& sets, const Value& from, std::vector<Error>&);

struct RunTimes {
    double wall = 0, cpu = 0; // [s] of the steps but the first, which builds caches
    int steps = 0;
};
struct RunOrder {
    std::vector<std::string> sets;
    int threads = 1;
    bool record = true;
};
// One run to its end. `error`: of `race`, the mean of that column; out may be null where only times are wanted.
bool run_variant(const Study&, const RunOrder&, const Value& from, StudyRun* out, RunTimes*, std::vector<Error>&);

// time to equal error (race.cpp)
RaceResult run_race(const Study&, const StudyResult&, const std::function<void(const std::string&)>& tell, std::vector<Error>&);

} // namespace sinew
