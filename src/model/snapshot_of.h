// The outside view of a state: positions, poses and fields of every object, in the order of the model's layout.
#pragma once
#include "model/snapshot.h"
#include "sinew/model.h"
#include "sinew/state.h"

namespace sinew {

// Fields per vertex of deformable objects: velocity (3), strain (largest |l/L - 1| of its links, |s - 1| of the principal stretches
// of its triangles and tetrahedra, radius times change of curvature of rods, where it has any), age (emitters), and the scene's
// attributes. Vertices that follow a solid (carriers) have what their places have. Frame number and report numbers are left to the
// caller.
Snapshot snapshot_of(const Model&, const State&);

} // namespace sinew
