// Folds that a step has closed. hinge_tan is infinite at +-pi and finite again beyond (energy/hinge.h): solvers with a line search turn
// back there, one that only follows forces can jump over the peak and would go on with triangles that have passed through each
// other.
#pragma once
#include "core/parallel.h"
#include "sinew/model.h"
#include "sinew/report.h"
#include "sinew/state.h"

namespace sinew {

// Fails the report, with object and points, where a hinge with such a barrier has passed it between the two states: the caller may
// try a shorter step.
void refuse_closed_folds(const Parallel&, const Model&, const State& now, const State& next, std::vector<Real>& scratch, Report&);

} // namespace sinew
