// Contact elements from Contacts: called after each detection, by solvers into their scratch and by the measurement.
#pragma once
#include "model/contacts.h"
#include "model/element.h"

namespace sinew {

// Penalty elements: contact_penalty for vertices that are points, contact_penalty_frame for those fixed in a frame.
// Tables are cleared and refilled; both always exist, so that element sets keep their shape.
void build_contact_elements(const Model&, const Contacts&, Tables&);

} // namespace sinew
