// Bending by the angle (Grinspun et al. 2003, Discrete Shells):  E = k a (theta - rest)^2, see hinge.h for k and a.
#pragma once
#include "energy/hinge.h"

namespace sinew {

struct HingeTheta : HingeLaw<HingeTheta> {
    static constexpr std::string_view name = "hinge_theta";
    static constexpr std::string_view doc = "bending by the squared angle between triangles (Discrete Shells)";
    static Phi phi(const HalfAngle& a) { return {full_angle(a), 1, 0}; }
};

} // namespace sinew
