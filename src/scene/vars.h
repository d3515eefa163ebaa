// Named numbers. They may refer to each other in any order; a cycle is an error that names it.
#pragma once
#include "core/read.h"
#include "sinew/scene.h"
#include <limits>

namespace sinew {

// A var whose own value is wrong: expressions that use it have neither value nor errors, because one mistake is told once.
inline constexpr double kBrokenVar = std::numeric_limits<double>::quiet_NaN();

// Values of the members of `object`, which may use and hide the names of `outer`. Wrong ones get errors and
// kBrokenVar, and so do those that use them.
Vars evaluate_vars(const Value& object, const Scope& outer, std::string_view path, std::vector<Error>&);

} // namespace sinew
