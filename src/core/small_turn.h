// exp_rotation (core/math.h) for the turns of time steps, which are small and many.
#pragma once
#include "core/math.h"

namespace sinew {

// Rotation by the vector w [rad]. Up to half a radian the series of cos(sqrt x) and sin(sqrt x)/(2 sqrt x) in x = |w|^2/4, to rounding.
inline Quat exp_turn(const Vec3& w) {
    const Real x = 0.25 * w.squaredNorm();
    if (!(x <= 0.0625)) return exp_rotation(w);
    const Real c = 1 - x * (1.0 / 2) * (1 - x * (1.0 / 12) * (1 - x * (1.0 / 30) * (1 - x * (1.0 / 56) * (1 - x * (1.0 / 90) * (1 - x * (1.0 / 132))))));
    const Real s = 0.5 - x * (1.0 / 12) * (1 - x * (1.0 / 20) * (1 - x * (1.0 / 42) * (1 - x * (1.0 / 72) * (1 - x * (1.0 / 110)))));
    return Quat(c, s * w.x(), s * w.y(), s * w.z());
}
// The product of unit rotations is one up to rounding: one step of Newton's method for 1/|q|.
inline Quat turned(const Quat& by, const Quat& q) {
    Quat out = by * q;
    out.coeffs() *= 1.5 - 0.5 * out.squaredNorm();
    return out;
}

} // namespace sinew
