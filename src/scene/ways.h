// The ways of emitters and sinks (model/way.h): of those with a motion, and of those whose parent is a body or moves.
#pragma once
#include "scene/script.h"

namespace sinew {

// state: the first one, in which held bodies are where their motion begins. Errors: motions and parameters that have no effect.
void build_ways(const Scene&, const Script&, const State&, Model&, std::vector<Error>&);

// sinks that would follow a body, free or held (a program may move it), among objects that are spawned
void refuse_moving_sinks(const Scene&, const Model&, std::vector<Error>&);

} // namespace sinew
