// Linear solver `cg`: conjugate gradients with preconditioner P and constraint filter S (Baraff and Witkin
// 1998; Ascher and Boxma 2003):
//
//   r = S (b - A x), d = S P r, rho = r.d
//   while rho > tolerance^2 rho_0:  q = S A d, a = rho / d.q, x += a d, r -= a q, z = S P r,
//                                   d = z + (r.z / rho) d
//
// d.q <= 0 means that A is not positive definite: the loop stops and reports it, x being the last iterate.
// All sums run in fixed order.
#pragma once
#include "linalg/preconditioner.h"

namespace sinew {

struct CgScratch {
    std::vector<Real> r, d, q, z, partial;
};

// A is the filtered matrix of filter.h, so that fixed blocks decouple and stay exactly zero; `projectors` are
// applied in the loop. x holds the first guess (zero on fixed blocks) and becomes the solution. b is in the
// range of S.
LinearInfo solve_cg(const Parallel&, const BlockSparse& A, const Preconditioner&,
                    std::span<const BlockProjector> projectors, Real tolerance, int max_iterations,
                    std::span<const Real> b, std::span<Real> x, CgScratch& scratch);

} // namespace sinew
