// Changing single values of a document by path.
#pragma once
#include "sinew/scene.h"

namespace sinew {

// Sets the value at the path below `at`; members on the way are made where missing. False: `problem` says why
// not.
bool set_path(Value& at, std::span<const std::string> parts, const Value& value, std::string& problem);

} // namespace sinew
