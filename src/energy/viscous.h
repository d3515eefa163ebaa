// Dampers of links and solids in implicit steps.
// Implicit Euler's velocity is (x - x_now)/h, and the rate of a strain e is its change over the step, (e - e_now)/h. The damper
//   V = c/(2 h) (e - e_now)^2,   force -dV/dx = -c (e - e_now)/h de/dx
// is then a part of the incremental potential that the step minimises: exact derivatives, no lag (solver/objective.h), nothing taken
// from rigid motion of any size within the step where the strain does not see it (links of a rest length, Green strain). In schemes of second order the velocity of the stage is not that of this mean
// (BDF2, Newmark), or the mean belongs to another moment than the direction de/dx (midpoint): their order would fall to one. There,
// and in explicit steps, the damper is a force -c (de/dx . v) de/dx.
#pragma once
#include "energy/energy.h"

namespace sinew {

// Whether the step says so: such steps have elapsed = dt, those of other schemes no dt (evaluation_at of solver/objective.cpp).
inline bool has_viscous_potential(const StepContext& c) { return c.elapsed > 0 && c.elapsed == c.dt && c.x_now; }

} // namespace sinew
