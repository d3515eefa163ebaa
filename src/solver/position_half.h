// The second half of a step whose rows and contacts push twice (RATTLE, spec U 3.3 c; of Newmark the contacts alone):
//   v' = v_half + h/2 W (f(x') + J(x')^T m)            v_half after the loop, whose multipliers are l
// by sweeps over the rows at the new place that begin with m = l:
//   rigid              J v' = rate
//   soft               alpha m + r J (v' - v_half) = alpha l,  r = max(h, rho)
//   one-sided          the same with m >= 0, where l > 0
//   bounded            the same within the bound; at it m = l
//   of velocities      h (J v' - rate) + (h/c) m = 0, within the bound
// Soft rows do not push with -C(x')/alpha: what the loop leaves of C would throw things apart. Nor with l alone, which turns the velocity
// of a stiff row round in every step: for k = h^2 w/alpha large the eigenvalues of a free row go to zero with r, to -1 without it. Their
// product is 1/(1 + k/2), of implicit Euler 1/(1 + k).
// Contacts that push have n.u >= 0, soft ones follow soft rows; friction has the limit of the impulse of both halves.
#pragma once
#include "solver/position_dual.h"

namespace sinew {

struct ContactHalf {
    Real compliance = 0; // [m/N] alpha
    Real part = 0.5;     // of a contact's impulse that the loop gives
};

// After the loop, of which `w` is, and before the forces of the new place act: rows there, velocities along them.
void begin_second_half(const Parallel&, const Model&, const Evaluation&, const Sweep& w, DualScratch&, PositionProblem&);
void begin_contact_halves(const ContactHalf&, const PositionContactOptions&, const DualState&, int points, PositionContacts&);
// The loads in p.f for the time w.kick, then sweeps over rows and contacts.
void end_second_half(const Parallel&, const Model&, const Sweep& w, int iterations, const ContactHalf&, const PositionContactOptions&, DualScratch&,
                     PositionProblem&, PositionContacts&);
// One sweep over the contacts alone.
void sweep_contact_halves(const ContactHalf&, const PositionContactOptions&, const DualState&, int points, PositionContacts&);

} // namespace sinew
