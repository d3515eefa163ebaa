// "strain_limit" of cloth, chains and ropes (constraint/strain_limit.h, tri_strain_limit.h):
//   "strain_limit": 0.05 | { "stretch": 0.05, "compression": 0.3, "compliance": 0 }
#pragma once
#include "constraint/strain_limit.h"
#include "scene/object.h"

namespace sinew {

// false: there is none, or an error
bool read_strain_limit(BuildContext&, const Value&, StrainLimit::Params&);
void add_link_limit(BuildContext&, const StrainLimit::Params&, int a, int b); // points of the model
void add_triangle_limit(BuildContext&, const StrainLimit::Params&, const std::array<int, 3>&);

} // namespace sinew
