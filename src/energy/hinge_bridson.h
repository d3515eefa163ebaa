// Bending whose moment is that of Bridson, Marino and Fedkiw (2003), proportional to sin(theta/2):
//   psi' = 4 k a (sin(theta/2) - sin(rest/2)),   psi = -8 k a (cos(theta/2) - cos(rest/2)) - 4 k a sin(rest/2) (theta - rest)
// which is their force integrated; the factor 4 makes small angles equal those of the other laws (hinge.h).
#pragma once
#include "energy/hinge.h"

namespace sinew {

struct HingeBridson : HingeLaw<HingeBridson> {
    static constexpr std::string_view name = "hinge_bridson";
    static constexpr std::string_view doc = "bending with the moment sin(theta/2) of Bridson, Marino and Fedkiw 2003";
    static Phi phi(const HalfAngle& a) { return {2 * a.sin, a.cos, -0.5 * a.sin}; } // of the viscous part
    static constexpr bool is_square = false;
    static Psi elastic(const Data& d, const HalfAngle& a, const Phi&) {
        const Real rest_sin = 0.5 * d.rest, rest_cos = std::cos(d.rest_angle / 2), k = d.stiffness;
        Psi out;
        out.value = 8 * k * (rest_cos - a.cos);
        if (d.rest_angle != 0) out.value -= 4 * k * rest_sin * (full_angle(a) - d.rest_angle);
        out.d = 4 * k * (a.sin - rest_sin);
        out.dd = 2 * k * a.cos;
        return out;
    }
};

} // namespace sinew
