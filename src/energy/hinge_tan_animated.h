// hinge_tan whose rest angles and lengths are scripted, see hinge_animated.h.
#pragma once
#include "energy/hinge_animated.h"
#include "energy/hinge_tan.h"

namespace sinew {

struct HingeTanAnimated : HingeAnimated<HingeTan> {
    static constexpr std::string_view name = "hinge_tan_animated";
    static constexpr std::string_view doc = "hinge_tan whose rest angles and lengths are scripted over time";
    static Sample<HingeTanAnimated> sample(Rng& rng, int which) { return sample_animated_hinge<HingeTanAnimated>(rng, which); }
};

} // namespace sinew
