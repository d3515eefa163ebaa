// Bending by the sine of the half angle:  E = k a (2 sin(theta/2) - 2 sin(rest/2))^2, see hinge.h for k and a.
// Flat at rest it is 4 k a sin^2(theta/2), the discrete Willmore energy, which is quadratic in positions as long as lengths
// do not change. Softens with the fold: no resistance is added beyond theta = pi/2.
#pragma once
#include "energy/hinge.h"

namespace sinew {

struct HingeWillmore : HingeLaw<HingeWillmore> {
    static constexpr std::string_view name = "hinge_willmore";
    static constexpr std::string_view doc = "bending by the sine of the half angle (discrete Willmore energy)";
    static Phi phi(const HalfAngle& a) { return {2 * a.sin, a.cos, -0.5 * a.sin}; }
};

} // namespace sinew
