// Live parameters that the model itself knows and takes without being compiled again: scale and velocity of flows, motors of
// joints, rates of emitters, and what touches feel of objects that were spawned.
#pragma once
#include "scene/event.h"
#include "sinew/model.h"

namespace sinew {

// What events will bring, as models of their own, by which names of objects are checked before those are there.
using ComingModels = std::vector<const Model*>;

bool is_direct_set(const EventSet&, const Model&);
// Puts the number in SI in place of what is written; errors about values and parameters that these do not have.
void check_direct_set(EventSet&, const Model&, const ComingModels&, const Scope&, const std::string& where, std::vector<Error>&);

// friction, restitution, rolling_friction, torsional_friction
bool is_touch_number(std::string_view parameter);
bool names_scene(std::string_view pattern, const Model&);   // an object that was there at the start
bool names_spawned(std::string_view pattern, const Model&); // one that was spawned, and is there
bool names_coming(std::string_view pattern, const ComingModels&);
bool names_touching(std::string_view pattern, const ComingModels&); // one of them that others can touch: no joint
// as check_direct_set, of objects that come
void check_touch_number(EventSet&, const Scope&, const std::string& where, std::vector<Error>&);
// of those that were spawned and match; false: there is none, or the parameter has another name
bool set_touch_number(std::string_view pattern, std::string_view parameter, double value, Model&);

} // namespace sinew
