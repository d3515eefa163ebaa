// Edits between steps: adding what another model holds, and removing an object. Indices of what stays never change; ids
// carry a generation, so that an old id of a removed object is refused, also when its slot is used again. Each edit raises
// the topology revision.
#pragma once
#include "model/element.h"
#include "sinew/model.h"
#include "sinew/state.h"
#include <functional>
#include <span>
#include <string>

namespace sinew {

// Adds all objects of `more` and returns where they are. An object takes the slot of one that was spawned and removed, at least
// one step ago (by then no solver remembers it), if that had as many points, bodies, vertices ...; others go to the ends of the
// arrays. Element data is copied. Not for models with emitters; flows that `more` refers to are those of `to`.
// `there`, per object of `more`, or empty: the body of `to` that it stands for, -1 = it comes. Elements of what comes then act on that
// body; of such an object, which has one body and nothing else, nothing is taken.
std::vector<int> append_objects(Model& to, State& to_state, const Model& more, const State& more_state,
                                const std::function<std::string(const std::string&)>& name = {}, // names there, of those here; empty = as they are
                                std::span<const int> there = {});
int append_model(Model& to, State& to_state, const Model& more, const State& more_state); // the first of them
// Points die, bodies are held out of the way, elements and surface go; false if there is no such object.
bool remove_object(Model&, State&, Id);
// Elements for which `gone` holds; what they remember goes with them.
void remove_elements(Model&, State&, const std::function<bool(const Table&, int element)>& gone);

} // namespace sinew
