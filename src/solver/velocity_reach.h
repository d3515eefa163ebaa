// How fast things come together: what the margin of detection is made of.
#pragma once
#include "core/math.h"
#include "sinew/model.h"
#include "sinew/state.h"

namespace sinew {

// [m/s] largest speed of a point or a body
Real fastest(const Model&, const State&);
// [m/s] The same relative to the mean, of what meets by its surface: velocities relative to each other count, and a sheet that falls
// as a whole does not meet itself any sooner. Analytic obstacles are met by vertices (detect.h). `analytic` is memory, per object.
Real fastest_apart(const Model&, const State&, std::vector<std::uint8_t>& analytic);

} // namespace sinew
