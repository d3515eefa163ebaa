// hinge_bridson whose rest angles and lengths are scripted, see hinge_animated.h.
#pragma once
#include "energy/hinge_animated.h"
#include "energy/hinge_bridson.h"

namespace sinew {

struct HingeBridsonAnimated : HingeAnimated<HingeBridson> {
    static constexpr std::string_view name = "hinge_bridson_animated";
    static constexpr std::string_view doc = "hinge_bridson whose rest angles and lengths are scripted over time";
    static Sample<HingeBridsonAnimated> sample(Rng& rng, int which) { return sample_animated_hinge<HingeBridsonAnimated>(rng, which); }
};

} // namespace sinew
