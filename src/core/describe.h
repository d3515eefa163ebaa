// Fields in words for people: pages and `sinew explain`.
#pragma once
#include "core/fields.h"

namespace sinew {

// What holds where nothing is said: the value as text; "required", "no limit", "computed" for numbers outside their own
// range, which stand for a default found later; empty = nothing.
std::string describe_default(const FieldRef&);

} // namespace sinew
