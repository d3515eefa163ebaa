// Penalty on the deepest place inside a triangle: contact_inside.h.
#pragma once
#include "energy/contact_inside.h"

namespace sinew {

struct ContactInsideTriangle : ContactInside<3> {
    static constexpr std::string_view name = "contact_inside_triangle";
    static constexpr std::string_view doc = "penalty force of an obstacle on the inside of a triangle";
    static Sample<ContactInsideTriangle> sample(Rng& rng, int which) { return draw<ContactInsideTriangle>(rng, which); }
};

} // namespace sinew
