// The exact matrix of sealed gases and liquids (pressure_volume.h). Each element carries E'' dV_e dV_e^T/w_e, which is never less than its
// part of the dense E'' n n^T, n = sum_e dV_e. Where the matrix is taken as it is, that bound is taken out again and the
// dense term of each gas is handed over as one of rank one, for the linear solver (linalg/low_rank.h): Newton's method is then
// quadratic.
#pragma once
#include "energy/assemble.h"
#include "linalg/low_rank.h"

namespace sinew {

// A: the assembled Hessian of the set with Projection::none. One term per gas, zero on fixed blocks; none where there is no gas.
void split_gas(const ElementSet&, const Dofs&, const Evaluation&, FixedMask fixed, BlockSparse& A, std::vector<RankOne>&);

} // namespace sinew
