// Projection of small dense symmetric matrices to positive semi-definite ones: eigenvalues below zero are set to zero
// (clamp: the nearest such matrix in the Frobenius norm) or to their absolute value. One function for all sizes, not a
// template: element Hessians of every energy go through it.
#pragma once

namespace sinew {

enum class PsdMode { clamp, absolute };

// n x n, symmetric, n <= 24; unchanged bit for bit if it is already positive semi-definite
void project_psd(double* matrix, int n, PsdMode);

} // namespace sinew
