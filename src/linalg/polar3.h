// How the polar factors F = R S of svd3.h change with F.  With F = U diag(sigma) V^T and A = U^T dF V:
//   U^T dR V = W,         W_ij = (A_ij - A_ji)/(sigma_i + sigma_j)            antisymmetric
//   V^T dS V = A - W diag(sigma),  that is (sigma_i A_ij + sigma_j A_ji)/(sigma_i + sigma_j)   symmetric
//   dsigma_i = A_ii       (repeated values: of the mean only)
// dF = dR S + R dS. Repeated singular values do no harm. Where sigma_i + sigma_j = 0 (a singular or inverted F with two
// equal shortest axes) the nearest rotation jumps and has no derivative: that component of W is taken as 0.
// (Spec P 3.6 writes the same W as the solution of (tr(S) I - S) w = axial(R^T dF - dF^T R).)
#pragma once
#include "linalg/svd3.h"

namespace sinew {

struct PolarRates {
    Mat3 dR, dS;
    Vec3 dsigma;
};
PolarRates compute_polar_rates(const Svd3&, const Mat3& dF);

} // namespace sinew
