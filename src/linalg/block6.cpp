#include "linalg/block6.h"
#include <Eigen/Cholesky>
#include <Eigen/QR>

namespace sinew {

bool invert_positive(Mat6& a, int n) {
    if (n == 0) return true;
    if (n == 1) {
        if (!(a(0, 0) > 0)) return false;
        a(0, 0) = 1 / a(0, 0);
        return true;
    }
    const Eigen::LLT<SmallBlock> llt(a.topLeftCorner(n, n));
    if (llt.info() != Eigen::Success) return false;
    a.topLeftCorner(n, n) = llt.solve(SmallBlock::Identity(n, n));
    return true;
}

bool invert_definite(Mat6& a, int n) {
    if (n == 0) return true;
    const Eigen::LDLT<SmallBlock> ldlt(a.topLeftCorner(n, n));
    const auto d = ldlt.vectorD().array().abs();
    // pivots below this part of the largest are rounding of a zero
    if (ldlt.info() != Eigen::Success || !(d.minCoeff() > 1e-14 * d.maxCoeff())) return false;
    a.topLeftCorner(n, n) = ldlt.solve(SmallBlock::Identity(n, n));
    return true;
}

Mat6 complement(const Mat6& a, int n) {
    if (n == 0) return Mat6::Identity();
    const Eigen::HouseholderQR<Eigen::Matrix<Real, 6, Eigen::Dynamic, 0, 6, 6>> qr(a.leftCols(n));
    const Mat6 q = qr.householderQ() * Mat6::Identity();
    Mat6 out = Mat6::Zero();
    out.leftCols(6 - n) = q.rightCols(6 - n);
    return out;
}

} // namespace sinew
