// Proofs about a cubic in Bernstein form on [0, 1]:  h(t) = sum_k C(3,k) t^k (1-t)^(3-k) h_k.
#pragma once
#include "sinew/types.h"
#include <array>

namespace sinew {

using Bernstein3 = std::array<double, 4>;

// The largest time r >= t found with h > 0 proven on all of [t, r] for the exact cubic with these
// coefficients; t itself when h(t) is not positive beyond rounding.
double clear_cubic(const Bernstein3& h, double t);

} // namespace sinew
