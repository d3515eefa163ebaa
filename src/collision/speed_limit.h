// The alternative to continuous detection (spec P149): a time step so short that nothing passes what it may touch between two
// looks at the scene.
//   h <= (d_a + d_b) / (v_a + v_b)      for every two objects that meet, and for an object that touches itself
//   v [m/s] speed of the object's fastest vertex; of a held frame that of its fastest point
//   d [m] thickness of the thinnest vertex; of an analytic obstacle its smallest width, so that nothing gets from one side
//         to the other; a plane and a height field have no other side
// A baseline: a millimetre of cloth and 100 m/s ask for 1e-5 s, whatever happens in the scene.
#pragma once
#include "core/parallel.h"
#include "model/surface.h"
#include "sinew/state.h"

namespace sinew {

// Infinite if nothing moves or meets; 0 if something without thickness moves towards the like; NaN if a velocity is none.
Real find_speed_limit(const Parallel&, const Model&, const State&);

} // namespace sinew
