// Prescribed motion of an object, evaluated; the language of it is scene/motion.h.
//
// pose(t) = container * center turned by spin * ( at(t) or key position or rest + move(t) + slide(t),
//                                                 spin(t) * (rotate(t) or key rotation) * rest rotation )
// ramp: the rate is f(u) = 3u^2 - 2u^3 of its full value, u = (t - from)/ease, its integral ease (u^3 -
// u^4/2). Positions between smooth keys: cubic Hermite with central differences; rotations: cubic Bezier
// curves on the sphere of quaternions with the same end velocities (Shoemake 1985), so that angular velocity
// is continuous.
#pragma once
#include "core/math.h"
#include "core/signal.h"

namespace sinew {

Pose compose(const Pose& outer, const Pose& inner); // outer * inner
Pose invert(const Pose&);

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

Pose evaluate_motion(const Motion&, double t, std::span<const double> gauges = {}); // in the world
bool uses_gauges(const Motion&);
// whether its keys leave one place for another without a way between: where keys hold, and where they begin again. to is included
bool jumps_between(const Motion&, double from, double to);

} // namespace sinew
