// hinge_willmore whose rest angles and lengths are scripted, see hinge_animated.h.
#pragma once
#include "energy/hinge_animated.h"
#include "energy/hinge_willmore.h"

namespace sinew {

struct HingeWillmoreAnimated : HingeAnimated<HingeWillmore> {
    static constexpr std::string_view name = "hinge_willmore_animated";
    static constexpr std::string_view doc = "hinge_willmore whose rest angles and lengths are scripted over time";
    static Sample<HingeWillmoreAnimated> sample(Rng& rng, int which) { return sample_animated_hinge<HingeWillmoreAnimated>(rng, which); }
};

} // namespace sinew
