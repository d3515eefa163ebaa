// A scene given as text or as a file, ready to run on one thread; what does not load is a failure of the test.
#pragma once
#include "scene/measurement.h"
#include "simulate.h"
#include <gtest/gtest.h>

namespace sinew {

std::optional<Compiled> compile_text(const std::string& text);
std::optional<Simulation> start(const std::string& text, int threads = 1);
std::optional<Simulation> start_file(const std::string& name, const std::vector<std::string>& set, int threads = 1); // of scenes/
// to its end; a step that fails is a failure of the test
void run_to_end(Simulation& s);
Simulation run_to_end(const std::string& text, int threads = 1);
double measure(const Simulation& s, std::string_view name);

} // namespace sinew
