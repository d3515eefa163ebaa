// Co-rotated linear elasticity (spec P49, P99).  psi = mu |F - R|^2 + lambda/2 tr(S - I)^2,  F = R S
//   P = 2 mu (F - R) + lambda tr(S - I) R;   nominal uniaxial stress E_y (s - 1) at nu = 0
// The Hessian is the derivative of these forces with the turning of R, not the warped stiffness with R frozen.
#pragma once
#include "energy/tet.h"

namespace sinew {

struct TetCorotated : TetIsotropic<TetCorotated> {
    static constexpr std::string_view name = "tet_corotated";
    static constexpr std::string_view doc = "co-rotated tetrahedron: Hooke's law in the stretch";
    static Real psi(Real mu, Real lambda, const Mat3& F) {
        const Vec3 e = compute_svd(F).sigma - Vec3::Ones();
        return mu * e.squaredNorm() + 0.5 * lambda * e.sum() * e.sum();
    }
    static Mat3 stress(Real mu, Real lambda, const Mat3& F) {
        const Svd3 svd = compute_svd(F);
        const Mat3 R = svd.U * svd.V.transpose();
        return 2 * mu * (F - R) + lambda * (svd.sigma.sum() - 3) * R;
    }
    static PrincipalStiffness principal(Real mu, Real lambda, const Vec3& s) {
        PrincipalStiffness k{Mat3::Constant(lambda), {}, Vec3::Constant(2 * mu)};
        k.stretch.diagonal().array() += 2 * mu;
        // bounded where the rotation jumps
        for (int o = 0; o < 3; ++o)
            k.twist[o] = 2 * mu + (2 * lambda * (s.sum() - 3) - 4 * mu) / std::max(s[(o + 1) % 3] + s[(o + 2) % 3], 1e-6);
        return k;
    }
};

} // namespace sinew
