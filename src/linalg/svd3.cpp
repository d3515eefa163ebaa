#include "linalg/svd3.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew {

inline constexpr Real kEps = std::numeric_limits<Real>::epsilon();

// One rotation that makes columns p and q of B orthogonal, recorded in V. False if they are already, up to a
// few roundings (with less, one in 1e5 matrices of nearly parallel columns would rotate to and fro for ever),
// or so short that their squares vanish.
static bool rotate(int p, int q, Mat3& B, Mat3& V) {
    const Real a = B.col(p).squaredNorm(), b = B.col(q).squaredNorm(), g = B.col(p).dot(B.col(q));
    if (!(g * g > 16 * kEps * kEps * (a * b))) return false;
    // tangent of the smaller angle: g t^2 + (b - a) t - g = 0
    const Real d = b - a, h = std::sqrt(d * d + 4 * g * g), t = 2 * g / (d < 0 ? d - h : d + h);
    const Real c = 1 / std::sqrt(1 + t * t), s = c * t;
    for (Mat3* m : {&B, &V})
        for (int i = 0; i < 3; ++i) {
            const Real u = (*m)(i, p), v = (*m)(i, q);
            (*m)(i, p) = c * u - s * v;
            (*m)(i, q) = s * u + c * v;
        }
    return true;
}

// swaps two columns, one of them reversed: V stays a rotation and B = F V
static void swap_columns(int p, int q, Mat3& M) {
    const Vec3 column = M.col(p);
    M.col(p) = M.col(q);
    M.col(q) = -column;
}

// Orthonormal columns along those of B (orthogonal, longest first), right-handed.
static Mat3 make_rotation(const Mat3& B) {
    Mat3 U;
    U.col(0) = B.col(0) / B.col(0).norm();
    // scaled, so that the squares of a tiny column keep their digits; twice, because the first pass leaves
    // the rounding of a long column in a short one; a column of zeros may be any perpendicular
    Vec3 u = B.col(1);
    const Real largest = u.cwiseAbs().maxCoeff();
    if (largest > 0) u /= largest;
    for (int pass = 0; pass < 2; ++pass) {
        u -= U.col(0) * U.col(0).dot(u);
        const Real length = u.norm();
        u = length > 0 ? Vec3(u / length) : U.col(0).unitOrthogonal();
    }
    U.col(1) = u;
    U.col(2) = U.col(0).cross(U.col(1));
    return U;
}

Svd3 compute_svd(const Mat3& F) {
    Svd3 r{Mat3::Identity(), Mat3::Identity(), Vec3::Zero()};
    const Real largest = F.cwiseAbs().maxCoeff();
    if (largest == 0 || !F.allFinite()) {
        if (!F.allFinite()) r.sigma.setConstant(std::numeric_limits<Real>::quiet_NaN());
        return r;
    }

    // exact scaling to the order of one, where fourth powers would leave the range of doubles
    Mat3 B = F;
    int exponent = 0;
    if (largest < 1e-40 || largest > 1e40) {
        std::frexp(largest, &exponent);
        B = F.unaryExpr([exponent](Real v) { return std::ldexp(v, -exponent); });
    }

    // 1e7 random matrices of all kinds needed at most 7 sweeps, the last one finding nothing to do
    for (int sweep = 0; sweep < 20; ++sweep) {
        const bool first = rotate(0, 1, B, r.V), second = rotate(0, 2, B, r.V), third = rotate(1, 2, B, r.V);
        if (!first && !second && !third) break;
    }

    // longest column first
    for (const int p : {0, 1, 0})
        if (B.col(p).squaredNorm() < B.col(p + 1).squaredNorm()) {
            swap_columns(p, p + 1, B);
            swap_columns(p, p + 1, r.V);
        }

    // equal values may be out of order by rounding
    r.U = make_rotation(B);
    for (int k = 0; k < 3; ++k) r.sigma[k] = r.U.col(k).dot(B.col(k));
    r.sigma[1] = std::clamp(r.sigma[1], 0.0, r.sigma[0]);
    if (std::abs(r.sigma[2]) > r.sigma[1]) r.sigma[2] = std::copysign(r.sigma[1], r.sigma[2]);
    if (exponent != 0)
        for (Real& s : r.sigma) s = std::ldexp(s, exponent);
    return r;
}

Polar3 compute_polar(const Mat3& F) {
    const Svd3 s = compute_svd(F);
    Mat3 S = s.V * s.sigma.asDiagonal() * s.V.transpose();
    S.triangularView<Eigen::StrictlyUpper>() = S.transpose(); // symmetric to the last bit
    return {s.U * s.V.transpose(), S};
}

} // namespace sinew
