// Rotation of a free body over h with its angular momentum kept: by the spin at the middle (second order).
#pragma once
#include "core/small_turn.h"
#include <Eigen/LU>

namespace sinew {

// the same about all axes: angular momentum and velocity have one direction, whatever the pose
inline bool is_round(const Mat3& I) {
    return I(0, 0) == I(1, 1) && I(0, 0) == I(2, 2) && I(0, 1) == 0 && I(0, 2) == 0 && I(1, 2) == 0 && I(1, 0) == 0 && I(2, 0) == 0 && I(2, 1) == 0;
}

// I, inverse: body axes. q, w: in and out
inline void rotate_freely(const Mat3& I, const Mat3& inverse, Real h, Quat& q, Vec3& w) {
    const Vec3 L = q * Vec3(I * Vec3(q.conjugate() * w));
    const auto spin = [&](const Quat& r) { return Vec3(r * Vec3(inverse * Vec3(r.conjugate() * L))); };
    q = (exp_turn(h * spin(exp_turn(0.5 * h * w) * q)) * q).normalized();
    w = spin(q);
}

// [rad/s^2] torque -w x I w at the end of the step, one Newton step from its start (Catto 2015). I: body axes
inline Vec3 implicit_gyroscopic(const Mat3& I, const Quat& q, const Vec3& spin, Real h) {
    const Vec3 w = q.conjugate() * spin;
    const Mat3 J = I + h * (skew(w) * I - skew(Vec3(I * w)));
    return q * Vec3(-J.lu().solve(w.cross(I * w)));
}

} // namespace sinew
