// A prescribed motion and how fast it is: exact derivatives of expressions, keys and ramps. At corners (keys, ends of ramps) that of what
// begins, in expressions that of one side; jumps (keys that hold, floor, step) have none.
#pragma once
#include "model/motion.h"

namespace sinew {

struct MotionRate {
    Vec3 velocity = Vec3::Zero(), spin = Vec3::Zero(); // [m/s], [rad/s] in the world; what has no finite one has 0
};
Pose evaluate_motion(const Motion&, double t, std::span<const double> gauges, MotionRate&);

} // namespace sinew
