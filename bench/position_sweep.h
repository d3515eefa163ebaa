// Parts of sinew-bench position that are not scenes: one sweep against memory, and rows anew against rows of the start.
#pragma once
#include "bench.h"

namespace sinew::bench {

void run_sweep(const Options&, int size, Results&);
void run_nonlinear_cost(const Options&, Results&);

} // namespace sinew::bench
