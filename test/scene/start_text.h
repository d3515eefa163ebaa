// A scene given as text, compiled and measured at its start; what does not load is a failure of the test.
#pragma once
#include "scene/compile_text.h"
#include "simulate.h"
#include <gtest/gtest.h>

namespace sinew {

inline Simulation start_text(const std::string& text, int threads = 1) {
    Context context;
    context.threads = threads;
    Result<Simulation> made = make_simulation(context, compile(text));
    for (const Error& e : made.errors) ADD_FAILURE() << to_string(e);
    if (!made) return {};
    measure_start(*made.value);
    return std::move(*made.value);
}

} // namespace sinew
