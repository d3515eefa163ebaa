#include "linalg/psd.h"
#include "core/assert.h"
#include <algorithm>
#include <cmath>
#include <Eigen/Eigenvalues>
#include <limits>

namespace sinew {

// swaps rows and columns k < p of the lower triangle
static void swap_pivot(Real* a, int n, int k, int p) {
    for (int j = 0; j < k; ++j) std::swap(a[j * n + k], a[j * n + p]);
    for (int i = k + 1; i < p; ++i) std::swap(a[k * n + i], a[i * n + p]);
    for (int i = p + 1; i < n; ++i) std::swap(a[k * n + i], a[p * n + i]);
    std::swap(a[k * n + k], a[p * n + p]);
}

bool is_psd(const Real* matrix, int n) {
    Real a[kPsdMaxSize * kPsdMaxSize];
    std::copy(matrix, matrix + n * n, a);
    Real largest = 0;
    for (int i = 0; i < n; ++i) largest = std::max(largest, std::abs(a[i * n + i]));
    const Real tolerance = 4 * n * std::numeric_limits<Real>::epsilon() * largest;
    for (int k = 0; k < n; ++k) {
        int p = k;
        Real least = a[k * n + k];
        for (int i = k + 1; i < n; ++i) {
            if (a[i * n + i] > a[p * n + p]) p = i;
            least = std::min(least, a[i * n + i]);
        }
        if (!(least >= -tolerance)) return false;
        if (a[p * n + p] <= tolerance) {
            // no positive pivot is left: the rest must vanish
            for (int j = k; j < n; ++j)
                for (int i = j + 1; i < n; ++i)
                    if (!(std::abs(a[j * n + i]) <= tolerance)) return false;
            return true;
        }
        if (p != k) swap_pivot(a, n, k, p);
        for (int j = k + 1; j < n; ++j) {
            const Real factor = a[k * n + j] / a[k * n + k];
            for (int i = j; i < n; ++i) a[j * n + i] -= factor * a[k * n + i];
        }
    }
    return true;
}

// A = V diag(d) V^T of a 3 x 3 matrix by cyclic Jacobi rotations: four times faster than the general solver, which
// matters for pairs of points, whose element matrices are one such block.
static void eigen_three(const Real* matrix, Real* d, Real* V) {
    Real a[9];
    std::copy(matrix, matrix + 9, a);
    for (int k = 0; k < 9; ++k) V[k] = k % 4 == 0;
    const Real size = std::abs(a[0]) + std::abs(a[4]) + std::abs(a[8]) + std::abs(a[1]) + std::abs(a[2]) + std::abs(a[5]);
    const Real small = 0.1 * std::numeric_limits<Real>::epsilon() * size;
    // convergence is quadratic: four or five sweeps
    for (int sweep = 0; sweep < 12; ++sweep) {
        if (std::abs(a[1]) + std::abs(a[2]) + std::abs(a[5]) <= small) break;
        for (int p = 0; p < 2; ++p)
            for (int q = p + 1; q < 3; ++q) {
                const Real apq = a[3 * p + q];
                if (apq == 0) continue;
                const int r = 3 - p - q;
                const Real theta = (a[4 * q] - a[4 * p]) / (2 * apq);
                const Real t = std::copysign(1, theta) / (std::abs(theta) + std::sqrt(1 + theta * theta));
                const Real c = 1 / std::sqrt(1 + t * t), s = t * c;
                a[4 * p] -= t * apq, a[4 * q] += t * apq;
                a[3 * p + q] = a[3 * q + p] = 0;
                const Real arp = a[3 * r + p], arq = a[3 * r + q];
                a[3 * r + p] = a[3 * p + r] = c * arp - s * arq;
                a[3 * r + q] = a[3 * q + r] = s * arp + c * arq;
                for (int i = 0; i < 3; ++i) {
                    const Real vp = V[3 * p + i], vq = V[3 * q + i];
                    V[3 * p + i] = c * vp - s * vq, V[3 * q + i] = s * vp + c * vq;
                }
            }
    }
    for (int i = 0; i < 3; ++i) d[i] = a[4 * i];
}

// sum of kept eigenvalues: W W^T with W = V sqrt(d) is semi-definite whatever the rounding, while subtracting the
// negative part from A is not where that part is large
static void rebuild(const Real* d, const Real* V, int n, PsdMode mode, Real* matrix) {
    Real W[kPsdMaxSize * kPsdMaxSize];
    int columns = 0;
    for (int k = 0; k < n; ++k) {
        const Real kept = mode == PsdMode::absolute ? std::abs(d[k]) : d[k];
        if (!(kept > 0)) continue;
        const Real root = std::sqrt(kept);
        for (int i = 0; i < n; ++i) W[columns * n + i] = V[k * n + i] * root;
        ++columns;
    }
    for (int j = 0; j < n; ++j)
        for (int i = j; i < n; ++i) {
            Real sum = 0;
            for (int k = 0; k < columns; ++k) sum += W[k * n + i] * W[k * n + j];
            matrix[j * n + i] = matrix[i * n + j] = sum;
        }
}

bool project_psd(Real* matrix, int n, PsdMode mode) {
    SINEW_ASSERT(n >= 0 && n <= kPsdMaxSize);
    if (mode == PsdMode::none) return false;
    Real zero = 0; // 0 x is NaN unless x is finite
    for (int k = 0; k < n * n; ++k) zero += 0 * matrix[k];
    if (zero != 0 || is_psd(matrix, n)) return false;
    if (n == 3) {
        Real d[3], V[9];
        eigen_three(matrix, d, V);
        rebuild(d, V, n, mode, matrix);
        return true;
    }
    using Matrix =
        Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, kPsdMaxSize, kPsdMaxSize>;
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(Eigen::Map<const Matrix>(matrix, n, n));
    rebuild(solver.eigenvalues().data(), solver.eigenvectors().data(), n, mode, matrix);
    return true;
}

} // namespace sinew
