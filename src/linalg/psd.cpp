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

bool project_psd(Real* matrix, int n, PsdMode mode) {
    SINEW_ASSERT(n >= 0 && n <= kPsdMaxSize);
    if (mode == PsdMode::none) return false;
    Real zero = 0; // 0 x is NaN unless x is finite
    for (int k = 0; k < n * n; ++k) zero += 0 * matrix[k];
    if (zero != 0 || is_psd(matrix, n)) return false;

    // A = V diag(d) V^T, rebuilt from the eigenvalues that stay: W W^T with W = V sqrt(d) is semi-definite
    // whatever the rounding, while subtracting the negative part from A is not where that part is large
    using Matrix =
        Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, kPsdMaxSize, kPsdMaxSize>;
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(Eigen::Map<const Matrix>(matrix, n, n));
    Matrix W(n, n);
    int columns = 0;
    for (int k = 0; k < n; ++k) {
        const Real d = solver.eigenvalues()[k], kept = mode == PsdMode::absolute ? std::abs(d) : d;
        if (kept > 0) W.col(columns++) = solver.eigenvectors().col(k) * std::sqrt(kept);
    }
    for (int j = 0; j < n; ++j)
        for (int i = j; i < n; ++i) {
            Real sum = 0;
            for (int k = 0; k < columns; ++k) sum += W(i, k) * W(j, k);
            matrix[j * n + i] = matrix[i * n + j] = sum;
        }
    return true;
}

} // namespace sinew
