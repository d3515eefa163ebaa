// Classical Neo-Hookean material (spec C10).  psi = mu/2 (|F|^2 - 3) - mu ln J + lambda/2 (ln J)^2,  J = det F
//   P = mu F + (lambda ln J - mu) F^-T;   psi >= lambda/2 (ln J)^2 >= 0, infinite as J -> 0+; lambda < 0 (Poisson's ratio): minus infinity
// For J <= 0 the value is infinite, so that a line search never takes an element there, and the forces are not finite, so
// that a solver without one fails with the element's object named.
#pragma once
#include "energy/tet.h"
#include "linalg/small.h"
#include <limits>

namespace sinew {

struct TetNeohookean : TetIsotropic<TetNeohookean> {
    static constexpr std::string_view name = "tet_neohookean";
    static constexpr std::string_view doc = "Neo-Hookean tetrahedron with a logarithm of the volume: never inverts";
    static constexpr bool inverts = false;
    static Real lower_bound(const TetData& d) { return d.lambda >= 0 ? 0 : -std::numeric_limits<Real>::infinity(); }
    static Real psi(Real mu, Real lambda, const Mat3& F) {
        const Real J = F.determinant();
        if (!(J > 0)) return std::numeric_limits<Real>::infinity();
        const Real l = std::log(J);
        return 0.5 * mu * (F.squaredNorm() - 3) - mu * l + 0.5 * lambda * l * l;
    }
    static Mat3 stress(Real mu, Real lambda, const Mat3& F) {
        const Real J = F.determinant();
        if (!(J > 0)) return Mat3::Constant(std::numeric_limits<Real>::quiet_NaN());
        return mu * F + (lambda * std::log(J) - mu) / J * cofactor(F);
    }
    static PrincipalStiffness principal(Real mu, Real lambda, const Vec3& s) {
        const Real J = s.prod();
        if (!(J > 0)) return {Mat3::Zero(), Vec3::Zero(), Vec3::Zero()};
        const Real q = mu - lambda * std::log(J);
        const Vec3 r = s.cwiseInverse();
        PrincipalStiffness k{lambda * r * r.transpose(), {}, {}};
        k.stretch.diagonal() += Vec3((mu + q * r.array().square()).matrix());
        for (int o = 0; o < 3; ++o) {
            const Real a = q * r[(o + 1) % 3] * r[(o + 2) % 3];
            k.twist[o] = mu - a;
            k.flip[o] = mu + a;
        }
        return k;
    }
};

} // namespace sinew
