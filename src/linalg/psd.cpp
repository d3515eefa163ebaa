#include "linalg/psd.h"
#include <Eigen/Eigenvalues>

namespace sinew {

inline constexpr int kLargest = 24;
using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kLargest, kLargest>; // on the stack

void project_psd(double* matrix, int n, PsdMode mode) {
    Eigen::Map<Eigen::MatrixXd> a(matrix, n, n);
    Eigen::SelfAdjointEigenSolver<Small> eigen(a);
    if (n == 0 || eigen.eigenvalues()[0] >= 0) return;
    Small scaled = eigen.eigenvectors();
    for (int i = 0; i < n; ++i) {
        const double value = eigen.eigenvalues()[i];
        scaled.col(i) *= value >= 0 ? value : mode == PsdMode::clamp ? 0 : -value;
    }
    const Small projected = scaled * eigen.eigenvectors().transpose();
    a = 0.5 * (projected + projected.transpose());
}

} // namespace sinew
