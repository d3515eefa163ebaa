// Modal analysis of a model about its state (spec P57): small vibrations K u = w^2 M u with the Hessian K of all potentials as
// it is and the lumped masses M. Rigid modes of a free body have w = 0; a state that is no stable equilibrium has negative w^2.
#pragma once
#include "linalg/modes.h"
#include "sinew/model.h"
#include "sinew/state.h"

namespace sinew {

// unknowns in the tangent layout; points only, a model with free frames or scalars is refused in `message`
ModeResult find_modes(const Parallel&, const Model&, const State&, const ModeSettings&);

// [1/s] u_i . D u_i of each mode, D = -df/dv of forces without potential and of viscosities that implicit steps treat as one
std::vector<Real> find_mode_damping(const Parallel&, const Model&, const State&, const ModeResult&);

} // namespace sinew
