// Many short loops one after another: what runs inside `with_crew` finds helpers that stay awake between loops, so that a loop
// of a few microseconds is worth sharing. Results are those without: tasks of a loop must not depend on each other.
#pragma once
#include "core/parallel.h"
#include <type_traits>

namespace sinew {

// Calls f(data). Loops on `p` that begin in it, not inside another loop, are dealt out to the crew. There is none where it would have
// more threads than there are processors, unless it may be `crowded` (tests).
void run_with_crew(const Parallel& p, void (*f)(void* data), void* data, bool crowded = false);

template <class F> void with_crew(const Parallel& p, F&& f, bool crowded = false) {
    run_with_crew(
        p, [](void* data) { (*static_cast<std::remove_reference_t<F>*>(data))(); }, &f, crowded);
}

} // namespace sinew
