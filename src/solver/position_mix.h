// Position projection mixed with velocity time stepping (VTS), three ways, for comparison: the source tried them and found none
// better than one loop for all (spec U062, X28; U 8.3).
//   contacts_after    links by projection, then contacts by VTS: what contacts do, links never see
//   velocity_first    a step of VTS is what projection starts from
//   post_stabilize    velocities by VTS, and projection moves positions alone
// VTS: rows linearised at the start of the sub-step, C(x_start) + h J u + alpha lambda = 0, contacts likewise, by sweeps.
#pragma once
#include "solver/position_dual.h"

namespace sinew {

// `start`: rows at the start of the sub-step; `w.to`: velocities, and positions that go along with them. Contacts come last in a sweep.
void step_by_velocities(const Parallel&, const Model&, const Evaluation& start, const Sweep& w, const PositionContactOptions&, int iterations,
                        DualScratch&, PositionProblem&, PositionContacts&);

} // namespace sinew
