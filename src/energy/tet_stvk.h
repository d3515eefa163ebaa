// St. Venant-Kirchhoff (spec C12, P47, U014).  psi = mu |E|^2 + lambda/2 tr(E)^2,  E = 1/2 (F^T F - I)
//   P = F S,  S = lambda tr(E) I + 2 mu E;   nominal uniaxial stress E_y s (s^2 - 1)/2
// Softens in compression (least force at s = 1/sqrt 3) and does not resist inversion.
#pragma once
#include "energy/tet.h"

namespace sinew {

struct TetStvk : TetIsotropic<TetStvk> {
    static constexpr std::string_view name = "tet_stvk";
    static constexpr std::string_view doc = "St. Venant-Kirchhoff tetrahedron: Hooke's law in Green's strain";
    static constexpr int root_rows = 6;
    template <int Order> static LocalRows<6, 12, Order> root(const TetData& d, const StepContext&, const Stencil<4>& s) {
        if (d.shape.volume == 0) return {};
        const Mat3 inverse = inverse_of(d.shape), F = deformation(inverse, s.x);
        return hooke_rows<Order>({d.mu, d.lambda}, d.shape.volume, green_strain(F), strain_rows(inverse, F));
    }
    static Real psi(Real mu, Real lambda, const Mat3& F) {
        const Mat3 E = 0.5 * (F.transpose() * F - Mat3::Identity());
        const Real t = E.trace();
        return mu * E.squaredNorm() + 0.5 * lambda * t * t;
    }
    static Mat3 stress(Real mu, Real lambda, const Mat3& F) {
        const Mat3 E = 0.5 * (F.transpose() * F - Mat3::Identity());
        return F * (lambda * E.trace() * Mat3::Identity() + 2 * mu * E);
    }
    static PrincipalStiffness principal(Real mu, Real lambda, const Vec3& s) {
        const Real g = 0.5 * lambda * (s.squaredNorm() - 3) - mu;
        PrincipalStiffness k{lambda * s * s.transpose(), {}, {}};
        k.stretch.diagonal() += Vec3((g + 3 * mu * s.array().square()).matrix());
        for (int o = 0; o < 3; ++o) {
            const Real a = s[(o + 1) % 3], b = s[(o + 2) % 3];
            k.twist[o] = g + mu * (a * a - a * b + b * b);
            k.flip[o] = g + mu * (a * a + a * b + b * b);
        }
        return k;
    }
};

} // namespace sinew
