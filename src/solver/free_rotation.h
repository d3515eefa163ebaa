// Rotation of a free body over h with its angular momentum kept: by the spin at the middle (second order).
#pragma once
#include "core/math.h"

namespace sinew {

// I, inverse: body axes. q, w: in and out
inline void rotate_freely(const Mat3& I, const Mat3& inverse, Real h, Quat& q, Vec3& w) {
    const Vec3 L = q * Vec3(I * Vec3(q.conjugate() * w));
    const auto spin = [&](const Quat& r) { return Vec3(r * Vec3(inverse * Vec3(r.conjugate() * L))); };
    q = (exp_rotation(h * spin(exp_rotation(0.5 * h * w) * q)) * q).normalized();
    w = spin(q);
}

} // namespace sinew
