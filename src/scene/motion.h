// Prescribed motion of an object:  "static" | { ... } with any of
//   "at":     [x, y, z]     position [m], expressions of t, frame and measurements, where the object's own "at" would be
//   "move":   [x, y, z]     displacement [m] added to it
//   "rotate": { "axis", "angle" }   angle an expression, in addition to the object's own rotation
//   "spin":   { "axis", "rate" [rad/s], "from", "to", "ease", "center" }   constant rate between two times;
//   during
//             "ease" seconds after "from" and before "to" the rate rises and falls smoothly; about the
//             object's origin, or about "center", which the object then circles
//   "slide":  { "velocity" [m/s], "from", "to", "ease" }   the same for a straight motion
//   "keys":   [ { "t" or "frame", "at", "rotate" }, ... ]  with
//   "between": "smooth" (default: cubic, at rest at both ends) | "linear" | "ease" (at rest at each key) |
//   "hold" "repeat": true          keys start again after the last
//
// pose(t) = container * center turned by spin * ( at(t) or key position or rest + move(t) + slide(t),
//                                                 spin(t) * (rotate(t) or key rotation) * rest rotation )
// ramp: the rate is f(u) = 3u^2 - 2u^3 of its full value, u = (t - from)/ease, its integral ease (u^3 -
// u^4/2). Positions between smooth keys: cubic Hermite with central differences; rotations: cubic Bezier
// curves on the sphere of quaternions with the same end velocities (Shoemake 1985), so that angular velocity
// is continuous.
#pragma once
#include "core/read.h"
#include "sinew/scene.h"

namespace sinew {

struct MotionRamp {                    // [s]
    double from = 0, to = 0, ease = 0; // to: infinity = no end
};
struct MotionSpin {
    Real3 axis{0, 1, 0};
    double rate = 0; // [rad/s]
    MotionRamp ramp;
    Real3 center;
    bool has_center = false;
};
struct MotionSlide {
    Real3 velocity; // [m/s]
    MotionRamp ramp;
};
enum class MotionBetween { smooth, linear, ease, hold };

struct Motion {
    Pose container, rest; // what `at` refers to; the object's own at and rotate
    double fps = 24;      // for `frame` in expressions
    int first_frame = 0;
    bool moves = false; // false: static
    bool has_at = false, has_move = false, has_rotate = false, has_spin = false, has_slide = false;
    Signal3 at, move; // [m] of t, frame and gauges
    Real3 rotate_axis{0, 1, 0};
    Signal rotate_angle; // [rad]
    MotionSpin spin;
    MotionSlide slide;
    std::vector<double> at_times, rotate_times; // [s] increasing
    std::vector<Real3> at_keys;                 // [m]
    std::vector<Real4> rotate_keys;             // relative to rest
    MotionBetween between = MotionBetween::smooth;
    bool repeat = false;
};

// scope: vars, with the slots t and frame (kTimeSlots)
bool parse_motion(const Value&, const Scope&, const SceneTime&, const Pose& container, const Pose& rest,
                  std::string_view path, Motion& out, std::vector<Error>&);
Pose evaluate_motion(const Motion&, double t, std::span<const double> gauges = {}); // in the world

} // namespace sinew
