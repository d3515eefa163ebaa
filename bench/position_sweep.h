// Parts of sinew-bench position that are not scenes: one sweep against memory, rows anew against rows of the start, contacts four at a
// time against one by one.
#pragma once
#include "bench.h"

namespace sinew::bench {

void run_sweep(const Options&, int size, Results&);
void run_nonlinear_cost(const Options&, Results&);
void run_contact_batches(const Options&, Results&);

} // namespace sinew::bench
