// Vocabulary of numbers inside src/: Eigen's fixed-size types, and the maps from the public plain structs.
#pragma once
#include "sinew/types.h"
#include <Eigen/Core>
#include <Eigen/Geometry>
#include <span>

namespace sinew {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using Vec4 = Eigen::Vector4d;
using Vec6 = Eigen::Matrix<Real, 6, 1>;
using VecX = Eigen::VectorXd;
using Mat2 = Eigen::Matrix2d;
using Mat3 = Eigen::Matrix3d;
using Mat6 = Eigen::Matrix<Real, 6, 6>;
using MatX = Eigen::MatrixXd;
using Quat = Eigen::Quaterniond;
template <int N> using VecN = Eigen::Matrix<Real, N, 1>;
template <int R, int C = R> using MatN = Eigen::Matrix<Real, R, C>;

inline constexpr Real kPi = 3.14159265358979323846;

inline Eigen::Map<Vec3> vec(Real3& a) { return Eigen::Map<Vec3>(&a.x); }
inline Eigen::Map<const Vec3> vec(const Real3& a) { return Eigen::Map<const Vec3>(&a.x); }
inline Real3 real3(const Vec3& a) { return {a.x(), a.y(), a.z()}; }
inline Quat quat(const Real4& q) { return Quat(q.w, q.x, q.y, q.z); }
inline Real4 real4(const Quat& q) { return {q.w(), q.x(), q.y(), q.z()}; }
inline Mat3 mat(const Real33& a) { return Eigen::Map<const Eigen::Matrix<Real, 3, 3, Eigen::RowMajor>>(a.m.data()); }
inline Real33 real33(const Mat3& a) {
    Real33 r;
    Eigen::Map<Eigen::Matrix<Real, 3, 3, Eigen::RowMajor>>(r.m.data()) = a;
    return r;
}

// r* with r* w = r x w
inline Mat3 skew(const Vec3& r) {
    Mat3 s;
    s << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0;
    return s;
}

// Rotation by the vector w [rad]: exp(w*). The series below 1e-8 avoids 0/0; its error is w^4/1920 < 1e-35.
inline Quat exp_rotation(const Vec3& w) {
    const Real angle = w.norm();
    const Real s = angle < 1e-8 ? 0.5 - angle * angle / 48 : std::sin(angle / 2) / angle;
    return Quat(std::cos(angle / 2), s * w.x(), s * w.y(), s * w.z());
}

// Rotation vector of q, the inverse of exp_rotation; shortest arc.
inline Vec3 log_rotation(const Quat& q) {
    const Vec3 v = q.w() < 0 ? Vec3(-q.vec()) : Vec3(q.vec());
    const Real w = std::abs(q.w()), n = v.norm();
    return n < 1e-12 ? Vec3(2 * v) : Vec3(v * (2 * std::atan2(n, w) / n));
}

// The smallest rotation that carries one direction to another, with cos(angle/2) = |a + b|/2, axis times sin(angle/2) = a x b/|a + b|; error
// 1e-16/|a + b|. Opposite ones: half a turn about any axis across. As Quat::FromTwoVectors, which brings a singular value problem along:
// seconds of compile time in every file.
inline Quat rotation_between(const Vec3& from, const Vec3& to) {
    const Vec3 a = from.normalized(), b = to.normalized();
    const Real n = (a + b).norm();
    const Vec3 axis = n < 1e-8 ? a.unitOrthogonal() : Vec3(a.cross(b) / n);
    return Quat(n < 1e-8 ? 0 : 0.5 * n, axis.x(), axis.y(), axis.z());
}

} // namespace sinew
