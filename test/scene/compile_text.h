// A scene from text, parsed and compiled, and what is counted of it; errors fail the test.
#pragma once
#include "scene/compile.h"
#include "sinew/sinew.h"
#include <gtest/gtest.h>

namespace sinew {

Scene parsed_scene(std::string_view text, const std::vector<std::string>& sets = {});
Compiled compile(const std::string& text);

int element_count(const Model&, std::string_view energy);
double total_point_mass(const Model&); // [kg]

} // namespace sinew
