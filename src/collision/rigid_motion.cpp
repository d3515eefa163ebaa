// Rigid motion over a step and its bounds, collision/rigid_motion.h. Velocity of x: shift + w x r, r = x - c;
// along n its turning part is r . (n x w), whose maximum over the shape is a support; the second derivative n
// . (w x (w x r)) is at most |w| |n x w| times the distance of x from the axis, which does not change.
#include "collision/rigid_motion.h"
#include <cmath>

namespace sinew {

RigidMotion motion_between(const Pose& from_pose, const Pose& to_pose) {
    RigidMotion m{make_placement(from_pose)};
    const Placement to = make_placement(to_pose);
    m.shift = to.p - m.start.p;
    m.turn = log_rotation(Quat(Mat3(to.R * m.start.R.transpose())));
    return m;
}

RigidMotion screw_between(const Pose& from_pose, const Pose& to_pose) {
    RigidMotion m = motion_between(from_pose, to_pose);
    const Real angle = m.turn.norm();
    if (angle < 1e-6) return m;
    const Vec3 u = m.turn / angle, along = u.dot(m.shift) * u, across = m.shift - along;
    const Vec3 c = m.start.p + across / 2 + u.cross(across) / (2 * std::tan(angle / 2));
    m.center = from(m.start, c);
    m.shift = along;
    return m;
}

Placement place_at(const RigidMotion& m, Real t) {
    if (m.turn.isZero(0)) return {m.start.R, m.start.p + t * m.shift};
    const Mat3 R = exp_rotation(t * m.turn).toRotationMatrix() * m.start.R;
    // (I - exp(a)) r = -sin(x)/x a x r - (1 - cos x)/x^2 a x (a x r), x = |a|: without the difference of two long vectors, so
    // that a screw about a far axis is as exact as a straight motion
    const Vec3 a = t * m.turn, r = m.start.R * m.center, ar = a.cross(r);
    const Real x = a.norm(), half = std::sin(x / 2);
    const Real first = x > 0 ? std::sin(x) / x : 1, second = x > 0 ? 2 * half * half / (x * x) : 0.5;
    return {R, m.start.p + t * m.shift - first * ar - second * a.cross(ar)};
}

MotionReach find_reach(const Convex& c, const RigidMotion& m) {
    if (m.turn.isZero(0)) return {0};
    if (!is_bounded(c)) return {std::numeric_limits<Real>::infinity()};
    return {radius_about(c, m.center)}; // not less than the distance from the axis
}

MotionBound bound_motion(const Convex& c, const RigidMotion& m, const MotionReach& reach,
                         const Placement& now, const Vec3& n) {
    MotionBound b{n.dot(m.shift), 0, 0, 0};
    if (m.turn.isZero(0)) return b;
    const Vec3 g = n.cross(m.turn);
    const Real length = g.norm();
    if (!(length > 0)) return b; // turning about n moves nothing along n
    b.swing = length * reach.radius;
    b.acceleration = m.turn.norm() * b.swing;
    b.speed = b.swing;
    if (is_bounded(c)) {
        const Vec3 body = now.R.transpose() * g;
        b.speed = body.dot(support(c, body).x - m.center) + c.radius * length;
    }
    return b;
}

} // namespace sinew
