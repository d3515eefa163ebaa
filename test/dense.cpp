#include "dense.h"
#include <Eigen/Dense>

namespace sinew {

VecX solve_dense(const MatX& a, const VecX& right) { return a.fullPivLu().solve(right); }
VecX solve_definite(const MatX& a, const VecX& right) { return a.llt().solve(right); }
MatX invert_dense(const MatX& a) { return a.fullPivLu().inverse(); }
int rank_of(const MatX& a) { return int(a.fullPivLu().rank()); }
int rank_of(const MatX& a, Real threshold) { return int(Eigen::FullPivLU<MatX>(a).setThreshold(threshold).rank()); }
MatX cholesky_factor(const MatX& a) { return a.llt().matrixL(); }
bool is_definite(const MatX& a) { return a.llt().info() == Eigen::Success; }
MatX orthonormal_columns(const MatX& a) { return Eigen::HouseholderQR<MatX>(a).householderQ(); }

MatX EigenSystem::with(const VecX& d) const { return vectors * d.asDiagonal() * vectors.transpose(); }
EigenSystem eigen_system(const MatX& a) {
    const Eigen::SelfAdjointEigenSolver<MatX> s(a);
    return {s.eigenvalues(), s.eigenvectors()};
}
VecX eigenvalues_of(const MatX& a) { return Eigen::SelfAdjointEigenSolver<MatX>(a, Eigen::EigenvaluesOnly).eigenvalues(); }
VecX singular_values(const MatX& a) { return Eigen::JacobiSVD<MatX>(a).singularValues(); }

} // namespace sinew
