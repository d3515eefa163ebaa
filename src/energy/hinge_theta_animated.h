// hinge_theta whose rest angles and lengths are scripted, see hinge_animated.h.
#pragma once
#include "energy/hinge_animated.h"
#include "energy/hinge_theta.h"

namespace sinew {

struct HingeThetaAnimated : HingeAnimated<HingeTheta> {
    static constexpr std::string_view name = "hinge_theta_animated";
    static constexpr std::string_view doc = "hinge_theta whose rest angles and lengths are scripted over time";
    static Sample<HingeThetaAnimated> sample(Rng& rng, int which) { return sample_animated_hinge<HingeThetaAnimated>(rng, which); }
};

} // namespace sinew
