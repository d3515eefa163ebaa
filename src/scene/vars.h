// Named numbers. They may refer to each other in any order; a cycle is an error that names it.
#pragma once
#include "core/read.h"
#include "sinew/scene.h"

namespace sinew {

// Values of the members of `object`, which may use and hide the names of `outer`. Wrong ones get errors and
// the value 1, so that what uses them gives no second error.
Vars evaluate_vars(const Value& object, const Scope& outer, std::string_view path, std::vector<Error>&);

} // namespace sinew
