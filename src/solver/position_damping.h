// Velocities after the positions are found: damping, for comparison with that of the rows (spec U 3.5.3).
#pragma once
#include "solver/position_dual.h"

namespace sinew {

// One sweep over the rows that takes `part` of the velocity along each (spec U056).
void damp_along_rows(const Parallel&, const Model&, const Evaluation&, Real part, const DualState&, DualScratch&, PositionProblem&);

struct RigidMotionScratch {
    std::vector<Vec3> r;
};
// Velocities of the points of each object towards the rigid motion of the object: v += part (v_c + w x r - v) (Mueller et
// al. 2007, spec U057). Keeps linear and angular momentum. Objects of fewer than three points, or in a line, are left alone.
void damp_to_rigid_motion(const Model&, Real part, State&, RigidMotionScratch&);

} // namespace sinew
