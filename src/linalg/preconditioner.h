// Preconditioners of conjugate gradients: an approximate inverse P of a symmetric positive definite block
// matrix.
//   none     P = I
//   jacobi   P = inverse of the diagonal blocks
//   ic0      P = (L L^T)^-1, L on the pattern of A by blocks: incomplete Cholesky without fill. Where a pivot
//   block
//            is not positive definite the factorisation starts again with the diagonal multiplied by 1 +
//            shift (Manteuffel 1980), shift = 1e-3, 1e-2, ... 1e2, always from the start of this list, so
//            that the result depends on A alone. Its triangular solves are serial.
#pragma once
#include "linalg/linear_solver.h"

namespace sinew {

enum class PreconditionerKind { none, jacobi, ic0 };

struct Preconditioner {
    PreconditionerKind kind = PreconditionerKind::none;
    std::vector<Real> inverse; // jacobi: 9 values per block, inverse of the diagonal block
    std::vector<Real> factor; // ic0: values of L in the pattern of A; diagonal slots hold the inverse of L_ii
    Real shift = 0;           // ic0: what was needed
};

void reserve_preconditioner(const BlockPattern&, PreconditionerKind, Preconditioner& out);
// Fails, as not positive definite, when a diagonal block is not, or no shift helps.
LinearInfo build_preconditioner(const Parallel&, const BlockSparse& A, Preconditioner& out);
// z = P r
void apply_preconditioner(const Parallel&, const BlockPattern&, const Preconditioner&,
                          std::span<const Real> r, std::span<Real> z);

} // namespace sinew
