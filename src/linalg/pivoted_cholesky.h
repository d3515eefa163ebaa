// Cholesky factor of a dense symmetric positive semi-definite matrix with diagonal pivoting: P^T A P = L L^T up to the
// rank. Rows that repeat others (redundant constraints) come last and are left out: a right-hand side in the range of A is
// met exactly, with zeros for the rows left out. Rows are scaled to unit diagonal first, so that metres and radians compare.
#pragma once
#include "core/math.h"
#include <span>
#include <vector>

namespace sinew {

struct PivotedCholesky {
    int size = 0, rank = 0;
    std::vector<int> order;          // rows by pivot
    std::vector<Real> factor;        // column major, rows in pivot order
    std::vector<Real> scale, work;   // 1/sqrt of the diagonal
};

// a: size x size, column major. Pivots below `tolerance` of the scaled matrix count as zero, and so do rows whose diagonal is
// not above `tolerance` times their natural size (what the diagonal is made of before it cancels; empty = any positive one).
void factor_pivoted(std::span<const Real> a, int size, Real tolerance, std::span<const Real> natural, PivotedCholesky&);
// in place
void solve_pivoted(PivotedCholesky&, std::span<Real> x);

} // namespace sinew
