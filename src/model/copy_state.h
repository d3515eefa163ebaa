// A copy of a state, large arrays by all threads. `except`: an array of its memory that the caller writes anew; it is left as it is.
#pragma once
#include "core/parallel.h"
#include "sinew/state.h"

namespace sinew {

void copy_state(const Parallel&, const State& from, State& to, std::string_view except = {});

// Makes `to` as large as `from` after an edit added something: what it lacks is copied, the rest stays, for a step writes all of it anyway.
void fit_state(const State& from, State& to);

} // namespace sinew
