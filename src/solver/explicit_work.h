// Work of an explicit step by what acts from outside.
#pragma once
#include "sinew/input.h"
#include "solver/kinematics.h"

namespace sinew {

// [J] by input forces and by what moves held points, with the forces of the last stage over the whole step: its error
// is of the order of the step length. What holds a point balances all forces on it.
// `f` (tangent layout) holds the forces.
Real external_work(const Model&, const Input&, const Prescribed&, const std::vector<Real>& f, const State& now, const State& next, Real dt);

} // namespace sinew
