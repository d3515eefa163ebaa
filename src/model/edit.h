// Edits between steps: adding what another model holds, and removing an object. Indices of what stays never change; ids
// carry a generation, so that an old id of a removed object is refused. Each edit raises the topology revision.
#pragma once
#include "model/element.h"
#include "sinew/model.h"
#include "sinew/state.h"
#include <functional>

namespace sinew {

// Appends all objects of `more`; returns the index of the first. Element data is copied, stencils are shifted. Not
// for models with emitters or velocity fields, whose numbers stand in element data: `spawn` refuses those.
int append_model(Model& to, State& to_state, const Model& more, const State& more_state);
// Points die, bodies are held out of the way, elements and surface go; false if there is no such object.
bool remove_object(Model&, State&, Id);
// Elements for which `gone` holds; what they remember goes with them.
void remove_elements(Model&, State&, const std::function<bool(const Table&, int element)>& gone);

} // namespace sinew
