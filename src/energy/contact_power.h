// What moving obstacles do to what they touch:  P = sum over contacts of F . v_o
//   F [N] force of the penalty and its damping on the surface vertex, v_o [m/s] velocity of the obstacle there
// The energy of a penalty depends on where the obstacle is. With F = F_penalty + F_damping and the vertex at velocity v,
//   d(kinetic + contact)/dt = F . v_o + F_damping . (v - v_o):
// the first part is the obstacle's work, the second, never positive, what damping takes out.
#pragma once
#include "model/element.h"

namespace sinew {

struct ContactPower {
    Real total = 0;   // [W] F . v_o
    Real damping = 0; // [W] F_damping . v_o, part of it
};
ContactPower contact_power(const Tables& contacts, const Evaluation&);

// Work of contact_friction over a step of length dt from x_now to x_next [J]: on the vertices relative to the obstacles, never
// positive, and what moving obstacles put in by it.
struct FrictionWork {
    Real lost = 0, put_in = 0;
};
FrictionWork friction_work(const Tables& contacts, const Evaluation&, const std::vector<Real3>& x_now, const std::vector<Real3>& x_next,
                           Real dt);

} // namespace sinew
