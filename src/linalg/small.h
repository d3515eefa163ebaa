// Small dense kernels that Eigen lacks or does slowly: Cholesky of 1 x 1 and 3 x 3 blocks on plain arrays,
// the scalar product, and the cofactor matrix.
#pragma once
#include "core/math.h"
#include <span>

namespace sinew {

// Inverse of the Cholesky factor: A = L L^T, out = L^-1 (lower triangle, zeros above). A is n x n
// column-major, n = 1 or 3, its lower triangle counts. False if a pivot is not above `least_pivot` (>= 0),
// NaN included.
inline bool invert_cholesky_factor(const Real* A, int n, Real least_pivot, Real* out) {
    if (n == 1) {
        if (!(A[0] > least_pivot)) return false;
        out[0] = 1 / std::sqrt(A[0]);
        return true;
    }
    if (!(A[0] > least_pivot)) return false;
    const Real i0 = 1 / std::sqrt(A[0]), l10 = A[1] * i0, l20 = A[2] * i0;
    const Real d1 = A[4] - l10 * l10;
    if (!(d1 > least_pivot)) return false;
    const Real i1 = 1 / std::sqrt(d1), l21 = (A[5] - l20 * l10) * i1;
    const Real d2 = A[8] - l20 * l20 - l21 * l21;
    if (!(d2 > least_pivot)) return false;
    const Real i2 = 1 / std::sqrt(d2);
    out[0] = i0, out[1] = -l10 * i0 * i1, out[4] = i1, out[8] = i2;
    out[5] = -l21 * i1 * i2;
    out[2] = -(l20 * out[0] + l21 * out[1]) * i2;
    out[3] = out[6] = out[7] = 0;
    return true;
}

// Inverse of a symmetric positive definite block, n = 1 or 3, as L^-T L^-1; false as above with pivots > 0.
inline bool invert_spd(const Real* A, int n, Real* out) {
    Real m[9];
    if (!invert_cholesky_factor(A, n, 0, m)) return false;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            Real sum = 0;
            for (int k = i > j ? i : j; k < n; ++k) sum += m[i * n + k] * m[j * n + k];
            out[j * n + i] = sum;
        }
    return true;
}

// a . b, summed from the first to the last
inline Real dot_in_order(std::span<const Real> a, std::span<const Real> b) {
    Real sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

// cof F = d(det F)/dF = det(F) F^-T, also for singular F
inline Mat3 cofactor(const Mat3& F) {
    Mat3 c;
    c.col(0) = F.col(1).cross(F.col(2));
    c.col(1) = F.col(2).cross(F.col(0));
    c.col(2) = F.col(0).cross(F.col(1));
    return c;
}

} // namespace sinew
