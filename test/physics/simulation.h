// A scene given as text, ready to run on one thread; what does not load is a failure of the test.
#pragma once
#include "scene/measurement.h"
#include "simulate.h"
#include <gtest/gtest.h>

namespace sinew {

std::optional<Compiled> compile_text(const std::string& text);
std::optional<Simulation> start(const std::string& text, int threads = 1);
// to its end; a step that fails is a failure of the test
Simulation run_to_end(const std::string& text, int threads = 1);
double measure(const Simulation& s, std::string_view name);

} // namespace sinew
