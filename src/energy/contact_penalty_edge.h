// Penalty of an obstacle on a point inside an edge (contact_penalty_blend.h).
#pragma once
#include "energy/contact_penalty_blend.h"

namespace sinew {

struct ContactPenaltyEdge : ContactPenaltyBlend<ContactPenaltyEdge, 2> {
    static constexpr std::string_view name = "contact_penalty_edge";
    static constexpr std::string_view doc = "penalty force of an obstacle on an edge";
};

} // namespace sinew
