// A copy of a state, large arrays by all threads. `except`: an array of its memory that the caller writes anew; it is left as it is.
#pragma once
#include "core/parallel.h"
#include "sinew/state.h"

namespace sinew {

void copy_state(const Parallel&, const State& from, State& to, std::string_view except = {});

} // namespace sinew
