// Bending by the tangent (Tamstorf 2016, 5.6):  E = k a (phi(theta) - phi(rest))^2, phi = 2 tan(theta/2), see hinge.h.
// Grows without bound as the fold closes (theta -> +-pi), and counts as infinite where a step has passed that (hinge.h): implicit
// steps with a line search keep a pair of triangles from passing through itself.
// phi(theta) - phi(rest), not phi(theta - rest): only so the barrier stays at +-pi.
#pragma once
#include "energy/hinge.h"

namespace sinew {

struct HingeTan : HingeLaw<HingeTan> {
    static constexpr std::string_view name = "hinge_tan";
    static constexpr std::string_view doc = "bending by the tangent of the half angle, with a barrier against closed folds";
    static constexpr bool barrier = true;
    static Phi phi(const HalfAngle& a) {
        const Real t = a.sin / a.cos, d = 1 + t * t;
        return {2 * t, d, t * d};
    }
};

} // namespace sinew
