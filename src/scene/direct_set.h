// Live parameters that the model itself knows and takes without being compiled again: scale and velocity of flows, motors of
// joints, rates of emitters.
#pragma once
#include "scene/event.h"
#include "sinew/model.h"

namespace sinew {

bool is_direct_set(const EventSet&, const Model&);
// Puts the number in SI in place of what is written; errors about values and parameters that these do not have.
void check_direct_set(EventSet&, const Model&, const Scope&, const std::string& where, std::vector<Error>&);

} // namespace sinew
