// Writhe of a polyline: how much a curve winds about itself, the mean over all directions of the signed crossings that are seen.
//   Wr = 1/(2 pi) sum over pairs of edges i < j of Omega_ij
// Omega_ij: signed solid angle of the directions in which the two edges cross, in closed form (Klenin and Langowski 2000, method
// 1a). Zero for plane curves, +-1 for a figure of eight that nearly touches itself; a mirror changes the sign.
#pragma once
#include "core/math.h"
#include <span>

namespace sinew {

Real compute_writhe(std::span<const Real3> points, bool closed); // closed: from the last point back to the first

} // namespace sinew
