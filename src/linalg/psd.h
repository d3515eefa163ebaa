// Projection of a small symmetric matrix onto the positive semi-definite ones, for element Hessians.
//   clamp      negative eigenvalues become 0: the nearest such matrix in the Frobenius norm (Higham 1988)
//   absolute   negative eigenvalues change sign (Chen et al. 2024): a longer step in strongly non-convex
//   places none       nothing
// A matrix that is positive semi-definite already, up to rounding, keeps its bits: a diagonally pivoted
// Cholesky factorisation decides, which unlike a plain one also accepts singular matrices, and element
// Hessians are singular by translation. One function for all sizes, because eigensolvers of fixed size cost
// compile time.
#pragma once
#include "sinew/types.h"

namespace sinew {

enum class PsdMode { none, clamp, absolute };
inline constexpr int kPsdMaxSize = 48;

// Diagonally pivoted Cholesky: no pivot below -tolerance, and what is left after the last positive pivot is
// zero to the tolerance 4 n eps max|a_ii|. The lower triangle counts.
bool is_psd(const Real* matrix, int n);

// matrix: n x n, symmetric, contiguous, n <= kPsdMaxSize. Returns whether it was changed. Matrices with
// entries that are not finite are left alone.
bool project_psd(Real* matrix, int n, PsdMode mode);

} // namespace sinew
