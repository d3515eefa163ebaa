#include "solver/articulated_joint.h"
#include <cmath>

namespace sinew {

int coordinate_count(JointType k) {
    constexpr int counts[] = {0, 1, 1, 2, 2, 3, 4, 7};
    return counts[int(k)];
}
int speed_count(JointType k) {
    constexpr int counts[] = {0, 1, 1, 2, 2, 3, 3, 6};
    return counts[int(k)];
}

static Quat about_x(Real angle) { return Quat(std::cos(angle / 2), std::sin(angle / 2), 0, 0); }
static Quat about_y(Real angle) { return Quat(std::cos(angle / 2), 0, std::sin(angle / 2), 0); }
static Quat read_quat(const Real* q) { return Quat(q[0], q[1], q[2], q[3]); }
static void write_quat(const Quat& r, Real* q) { q[0] = r.w(), q[1] = r.x(), q[2] = r.y(), q[3] = r.z(); }

void set_zero(JointType k, Real* q) {
    for (int i = 0; i < coordinate_count(k); ++i) q[i] = 0;
    if (k == JointType::ball) q[0] = 1;
    if (k == JointType::free) q[3] = 1;
}

void joint_pose(JointType k, const Real* q, Quat& rotation, Vec3& translation) {
    rotation.setIdentity();
    translation.setZero();
    switch (k) {
    case JointType::weld: break;
    case JointType::revolute: rotation = about_x(q[0]); break;
    case JointType::prismatic: translation.x() = q[0]; break;
    case JointType::cylindrical: rotation = about_x(q[0]), translation.x() = q[1]; break;
    case JointType::universal: rotation = about_x(q[0]) * about_y(q[1]); break;
    case JointType::planar: translation = Vec3(0, q[0], q[1]), rotation = about_x(q[2]); break;
    case JointType::ball: rotation = read_quat(q); break;
    case JointType::free: translation = Vec3(q[0], q[1], q[2]), rotation = read_quat(q + 3); break;
    }
}

void joint_subspace(JointType k, const Real* q, JointSubspace& s) {
    switch (k) {
    case JointType::weld: break;
    case JointType::revolute: s.e(0, 0) = 1; break;
    case JointType::prismatic: s.t(0, 0) = 1; break;
    case JointType::cylindrical: s.e(0, 0) = s.t(0, 1) = 1; break;
    case JointType::universal: s.e(0, 0) = 1, s.e(1, 1) = std::cos(q[0]), s.e(2, 1) = std::sin(q[0]); break;
    case JointType::planar: s.t(1, 0) = s.t(2, 1) = s.e(0, 2) = 1; break;
    case JointType::ball: s.e.leftCols<3>().setIdentity(); break;
    case JointType::free: s.t.leftCols<3>().setIdentity(), s.e.rightCols<3>().setIdentity(); break;
    }
}

Vec3 joint_spin_bias(JointType k, const Real* q, const Real* qd) {
    if (k != JointType::universal) return Vec3::Zero();
    // the second axis turns about x: x cross R_x(q1) y
    return qd[0] * qd[1] * Vec3(0, -std::sin(q[0]), std::cos(q[0]));
}

void retract_joint(JointType k, const Real* q, const Real* d, Real* q_out) {
    if (k == JointType::ball) {
        write_quat((exp_rotation(Vec3(d[0], d[1], d[2])) * read_quat(q)).normalized(), q_out);
    } else if (k == JointType::free) {
        for (int i = 0; i < 3; ++i) q_out[i] = q[i] + d[i];
        write_quat((exp_rotation(Vec3(d[3], d[4], d[5])) * read_quat(q + 3)).normalized(), q_out + 3);
    } else {
        for (int i = 0; i < speed_count(k); ++i) q_out[i] = q[i] + d[i];
    }
}

void tangent_to(JointType k, const Real* q, const Real* q_to, Real* d) {
    const int turn = k == JointType::ball ? 0 : k == JointType::free ? 3 : speed_count(k);
    for (int i = 0; i < turn; ++i) d[i] = q_to[i] - q[i];
    if (turn < speed_count(k)) Eigen::Map<Vec3>(d + turn) = log_rotation(read_quat(q_to + turn) * read_quat(q + turn).conjugate());
}

void tangent_rate(JointType k, const Real* u, const Real* w, Real* rate) {
    const int n = speed_count(k), turn = k == JointType::ball ? 0 : k == JointType::free ? 3 : n;
    for (int i = 0; i < turn; ++i) rate[i] = w[i];
    if (turn == n) return;
    const Eigen::Map<const Vec3> angle(u + turn), spin(w + turn);
    const Vec3 once = angle.cross(spin);
    Eigen::Map<Vec3>(rate + turn) = spin - 0.5 * once + angle.cross(once) / 12;
}

// the angle nearest to `near` that differs from `angle` by whole turns
static Real unwrap(Real angle, Real near) { return angle + 2 * kPi * std::round((near - angle) / (2 * kPi)); }
// angle about x of the rotation nearest to r among those about x
static Real twist_about_x(const Quat& r) { return 2 * std::atan2(r.x(), r.w()); }

void fit_joint(JointType k, const Quat& r, const Vec3& t, Real* q) {
    switch (k) {
    case JointType::weld: break;
    case JointType::revolute: q[0] = unwrap(twist_about_x(r), q[0]); break;
    case JointType::prismatic: q[0] = t.x(); break;
    case JointType::cylindrical: q[0] = unwrap(twist_about_x(r), q[0]), q[1] = t.x(); break;
    case JointType::universal: {
        // B's y axis is (0, cos q1, sin q1), A's x axis in B is (cos q2, 0, sin q2)
        const Vec3 y = r * Vec3::UnitY(), x = r.conjugate() * Vec3::UnitX();
        q[0] = unwrap(std::atan2(y.z(), y.y()), q[0]);
        q[1] = unwrap(std::atan2(x.z(), x.x()), q[1]);
        break;
    }
    case JointType::planar: q[0] = t.y(), q[1] = t.z(), q[2] = unwrap(twist_about_x(r), q[2]); break;
    case JointType::ball: write_quat(r, q); break;
    case JointType::free:
        q[0] = t.x(), q[1] = t.y(), q[2] = t.z();
        write_quat(r, q + 3);
        break;
    }
}

void joint_displacement(JointType k, const Real* q, Real* out) {
    const int turn = k == JointType::ball ? 0 : k == JointType::free ? 3 : speed_count(k);
    for (int i = 0; i < turn; ++i) out[i] = q[i];
    if (turn < speed_count(k)) Eigen::Map<Vec3>(out + turn) = log_rotation(read_quat(q + turn));
}

} // namespace sinew
