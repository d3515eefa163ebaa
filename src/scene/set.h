// Changing single values of a document by path.
#pragma once
#include "sinew/scene.h"

namespace sinew {

// Sets the value at the path below `at`; members on the way are made where missing. False: `problem` says why
// not.
bool set_path(Value& at, std::span<const std::string> parts, const Value& value, std::string& problem);

// As apply_set of sinew/scene.h, with a value that is at hand; errors are about its place.
bool set_value(Value& document, std::string_view path, const Value& value, std::vector<Error>&);

} // namespace sinew
