// Penalty of an obstacle on a point inside a triangle (contact_penalty_blend.h).
#pragma once
#include "energy/contact_penalty_blend.h"

namespace sinew {

struct ContactPenaltyTriangle : ContactPenaltyBlend<ContactPenaltyTriangle, 3> {
    static constexpr std::string_view name = "contact_penalty_triangle";
    static constexpr std::string_view doc = "penalty force of an obstacle on a triangle";
};

} // namespace sinew
