// Rotations by other numbers than a quaternion (U011). All agree with q up to its sign, which turns the same way.
//   euler      angles [rad] about the fixed axes x, then y, then z: q = q_z q_y q_x, the same as z, y', x'' about the body's own axes.
//              Back: y in [-pi/2, pi/2]; at its ends x and z are about one axis, and z = 0 is chosen
//   matrix     columns are the body's axes in the world; Eigen's toRotationMatrix and its inverse
//   rodrigues  g = tan(angle/2) axis = q_vec/q_w (Rodrigues 1840, Gibbs): infinite at half a turn
// Rotation vectors (angle times axis) are exp_rotation and log_rotation of core/math.h; rotation_matrix is Rodrigues' formula for them.
#pragma once
#include "core/math.h"
#include <algorithm>
#include <cmath>

namespace sinew {

inline Quat rotation_from_euler(const Vec3& e) {
    return Quat(Eigen::AngleAxisd(e.z(), Vec3::UnitZ())) * Quat(Eigen::AngleAxisd(e.y(), Vec3::UnitY())) * Quat(Eigen::AngleAxisd(e.x(), Vec3::UnitX()));
}
inline Vec3 euler_angles(const Quat& q) {
    const Mat3 r = q.toRotationMatrix();
    const Real across = std::hypot(r(0, 0), r(1, 0)); // cos y
    const Real y = std::atan2(-r(2, 0), across);
    if (across < 1e-12) return Vec3(std::atan2(-r(1, 2), r(1, 1)), y, 0);
    return Vec3(std::atan2(r(2, 1), r(2, 2)), y, std::atan2(r(1, 0), r(0, 0)));
}

// w [rad]: 1 + sin(a)/a w* + (1 - cos(a))/a^2 w* w*; the second as 2 sin^2(a/2)/a^2, which does not cancel
inline Mat3 rotation_matrix(const Vec3& w) {
    const Real a = w.norm();
    const Real s = a < 1e-8 ? 1 : std::sin(a) / a, half = a < 1e-8 ? 0.5 : std::sin(a / 2) / a, c = a < 1e-8 ? 0.5 : 2 * half * half;
    return Mat3::Identity() + s * skew(w) + c * skew(w) * skew(w);
}

inline Quat rotation_from_rodrigues(const Vec3& g) {
    const Real w = 1 / std::sqrt(1 + g.squaredNorm());
    return Quat(w, w * g.x(), w * g.y(), w * g.z());
}
inline Vec3 rodrigues_vector(const Quat& q) { return q.vec() / q.w(); }

} // namespace sinew
