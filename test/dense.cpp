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

Quat rotation_between(const Vec3& from, const Vec3& to) { // as Quat::FromTwoVectors, which brings a singular value problem along
    const Vec3 a = from.normalized(), b = to.normalized();
    const Real c = b.dot(a);
    if (c < -1 + 1e-12) { // opposite: half a turn about any axis across
        const Vec3 axis = a.unitOrthogonal();
        return Quat(0, axis.x(), axis.y(), axis.z());
    }
    const Real s = std::sqrt((1 + c) * 2);
    const Vec3 axis = a.cross(b) * (1 / s);
    return Quat(s * 0.5, axis.x(), axis.y(), axis.z());
}

} // namespace sinew
