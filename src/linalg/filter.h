// Which directions of the unknowns may move, block by block: fixed blocks and blocks restricted by a
// projector (a point on a plane with normal n: S = I - n n^T; on a line along t: S = t t^T).
//
// With S the block-diagonal projector of the whole filter, the system A x = b restricted to the range of S
// has the symmetric form  (S A S + D (I - S)) x = S b,  which keeps the pattern of A and is positive definite
// when A is definite on that range. D is 1 for fixed blocks and the size of the diagonal block for projected
// ones, so that the rounding of S A S stays small against it. The same S is the constraint filter of
// conjugate gradients (Baraff and Witkin 1998, Ascher and Boxma 2003).
#pragma once
#include "linalg/block_sparse.h"
#include <array>

namespace sinew {

// one flag per block, non-zero = fixed; empty = nothing is fixed
using FixedMask = std::span<const unsigned char>;

struct BlockProjector {
    int block = 0;                                    // of size 3
    std::array<Real, 9> S{1, 0, 0, 0, 1, 0, 0, 0, 1}; // symmetric, S S = S
};
BlockProjector make_plane_projector(int block, const Real3& normal); // I - n n^T; a zero normal gives I

// x = S x
void apply_filter(const BlockLayout&, FixedMask fixed, std::span<const BlockProjector> projectors,
                  std::span<Real> x);
// out = S A S + D (I - S); out has the pattern of A already
void filter_matrix(const Parallel&, const BlockSparse& A, FixedMask fixed,
                   std::span<const BlockProjector> projectors, BlockSparse& out);
// b -= A x_fixed on the free blocks: prescribed values x of the fixed blocks go to the right-hand side
void move_fixed_to_rhs(const BlockSparse& A, FixedMask fixed, std::span<const Real> x, std::span<Real> b);

} // namespace sinew
