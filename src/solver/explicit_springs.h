// Euler step of a model that consists of points, axial springs and uniform gravity, in one pass over memory:
// forces of a tile of points are used as soon as they are complete, so that only x, v, m and the springs are
// read, and only the new x and v written. The same bits as the general path of explicit.cpp.
//   a = f/m + g,   v' = v + h a,   x' = x + h (v + w h a)      w = 1 symplectic, 1/2 improved
#pragma once
#include "sinew/state.h"
#include "solver/forces.h"

namespace sinew {

// Does the model hold nothing else, and does nothing else act in this step? `f` must be refreshed.
bool is_spring_step(const Model&, const Input&, const State& now, const ForceScratch& f);

// Writes next.point.x and v. Fixed points stay, passive points keep theirs: the caller moves them. `held`, if not empty
// (3 per point), gets the forces on fixed points.
void step_springs(const Parallel&, const Model&, const State& now, Real dt, Real weight, ForceScratch&,
                  std::span<Real> held, PointState& next);

} // namespace sinew
