// Joints that a program makes between bodies that are there (sinew/sinew.h: connect).
#pragma once
#include "sinew/model.h"
#include "sinew/state.h"
#include "sinew/value.h"
#include <array>
#include <string>

namespace sinew {

// `joint` is one of a scene without "between": its kind and parameters, places and axes in the world. kWorldId is the world. Without
// a name it is called by its kind, numbered where that is taken. Errors: what the joint cannot have, what the running solver does not take.
Result<Id> connect_bodies(Model&, State&, const std::array<Id, 2>& bodies, const Value& joint, const std::string& name);

} // namespace sinew
