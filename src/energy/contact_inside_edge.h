// Penalty on the deepest place inside an edge: contact_inside.h.
#pragma once
#include "energy/contact_inside.h"

namespace sinew {

struct ContactInsideEdge : ContactInside<2> {
    static constexpr std::string_view name = "contact_inside_edge";
    static constexpr std::string_view doc = "penalty force of an obstacle on the inside of an edge";
    static Sample<ContactInsideEdge> sample(Rng& rng, int which) { return draw<ContactInsideEdge>(rng, which); }
};

} // namespace sinew
