// Motion of a rigid body over one step, t from 0 to 1: a point of the body moves straight while the body
// turns evenly about it.
//   c(t) = R0 center + p0 + t shift,  R(t) = exp(t turn) R0,  p(t) = c(t) - R(t) center
// A screw is the case of a centre on its axis and a shift along it. Any number of turns.
#pragma once
#include "geometry/convex.h"

namespace sinew {

struct RigidMotion {
    Placement start;
    Vec3 center = Vec3::Zero(); // [m] axes of the body
    Vec3 shift = Vec3::Zero();  // [m] of the centre over the step, world
    Vec3 turn = Vec3::Zero();   // [rad] rotation vector over the step, world
};
inline RigidMotion resting(const Placement& f) { return {f}; }
inline RigidMotion straight(const Placement& f, const Vec3& shift) { return {f, Vec3::Zero(), shift}; }
// Between two poses by the shorter rotation: the origin of the body moves straight ...
RigidMotion motion_between(const Pose&, const Pose&);
// ... or the body moves on the screw that joins them; below 1e-6 rad, where the axis is far away, as above.
RigidMotion screw_between(const Pose&, const Pose&);

Placement place_at(const RigidMotion&, Real t);

// Bounds of how far points of a moving shape get along a fixed unit vector n within [t, t + s]:
//   advance <= s (n . shift + swing)   and   advance <= s (n . shift + speed) + s^2 / 2 acceleration
// swing from the largest distance of the shape to the axis of rotation, valid for all time; speed that of its
// fastest point now, |second derivative| <= acceleration.
struct MotionReach {
    Real radius = 0; // [m] largest distance of the grown shape from the axis
};
struct MotionBound {
    Real drift, swing, speed, acceleration; // [m] per step
};
MotionReach find_reach(const Convex&,
                       const RigidMotion&); // unbounded shapes: infinite unless they do not turn
MotionBound bound_motion(const Convex&, const RigidMotion&, const MotionReach&, const Placement& now,
                         const Vec3& n);

} // namespace sinew
