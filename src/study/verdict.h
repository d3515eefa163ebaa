// Claims as expressions of what was recorded.
//   gs.error.mean           of variant gs: its column `error` over all rows; start end mean min max sum median, and
//   gs.error.rises          how many rows are larger than the row before (by more than a millionth)
//   gs.error.at[100]        in frame 100, or iteration 100 of a record of iterations
//   gs[15].error.end        at the value 15 of the sweep
//   gs.stretch.end.for.cost.median.of.cr[9]   of a sweep: gs.stretch.end where gs.cost.median is that of cr[9], between the two values of the
//                           sweep around it, in logarithms of both where they are positive; nothing beyond the least and the most of gs
//   race.ratio              time of the reference over that of the other at equal error (race.cpp); also ratio_low, ratio_high (quartiles),
//                           ms_reference, ms_against, cpu_ratio, iterations, reached, error_reference, error_against
// A claim holds if its expression is not zero. One about wall time on a machine that others use is void. One that a lead of a fifth for either
// side would decide, where neither leads by as much, is a tie.
#pragma once
#include "study/study.h"

namespace sinew {

// Whether the claims' names are known; before anything has run.
void check_claims(const Study&, std::vector<Error>&);
void judge_claims(const Study&, StudyResult&);

// `of` one of statistic_names(), without at
double compute_statistic(std::string_view of, std::span<const double> rows);
const StudyRun* find_run(const Study&, const StudyResult&, int variant, double value);
int find_column(const Study&, std::string_view name); // -1 = none

} // namespace sinew
