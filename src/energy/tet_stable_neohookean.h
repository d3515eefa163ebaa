// Stable Neo-Hookean material (spec C11; Smith, De Goes and Kim 2018 without the logarithm of the shear term).
//   psi = mu/2 (|F|^2 - 3) + l/2 (J - 1)^2 - mu (J - 1),   P = mu F + (l (J - 1) - mu) cof F,   J = det F
// (the form l/2 (J - a)^2, a = 1 + mu/l, less its constant, so that rest has no energy). Defined for every F, rest stable.
// Expanded at rest it is Hooke's law with lambda = l - mu: the default l = lambda + mu therefore has the Young's modulus and
// Poisson's ratio asked for; `raw` takes l = lambda as the source does (nu = 0.45 acts as 0.4444).
#pragma once
#include "energy/tet.h"
#include "linalg/small.h"

namespace sinew {

struct TetStableNeohookean : TetIsotropic<TetStableNeohookean> {
    static constexpr std::string_view name = "tet_stable_neohookean";
    static constexpr std::string_view doc = "Neo-Hookean tetrahedron that is defined when inverted and recovers";
    struct Params : TetParams {
        bool raw = false;
    };
    template <class V> static void fields(Params& p, V&& v) {
        TetParams::fields(p, v);
        v("raw", p.raw, Field{.doc = "Lame's parameters as they are: softer than asked for, as in the literature"});
    }
    static Lame lame(const Params& p) {
        const Lame l = make_lame(p.young, p.poisson);
        return {l.mu, p.raw ? l.lambda : l.lambda + l.mu};
    }
    // two rows (spec C35): C = sqrt(V) (sqrt(mu) |F|, sqrt(l) (J - a)); rest is where their forces cancel
    static constexpr int root_rows = 2;
    template <int Order> static LocalRows<2, 12, Order> root(const TetData& d, const StepContext&, const Stencil<4>& s) {
        return root_with<Order>(inverse_of(d.shape), d, s);
    }
    template <int Order> static LocalRows<2, 12, Order> root_with(const Mat3& inverse, const TetData& d, const Stencil<4>& s) {
        LocalRows<2, 12, Order> out;
        if (d.shape.volume == 0) return out;
        const Mat3 F = deformation(inverse, s.x);
        const Real size = F.norm(), shear = std::sqrt(d.mu * d.shape.volume), bulk = std::sqrt(d.lambda * d.shape.volume);
        out.c = {shear * size, bulk * (F.determinant() - 1 - d.mu / d.lambda)};
        if constexpr (Order >= 1) {
            if (size > 0) out.jacobian.row(0) = tet_gradient(inverse, shear / size, F).transpose();
            out.jacobian.row(1) = tet_gradient(inverse, bulk, cofactor(F)).transpose();
        }
        return out;
    }
    static Real psi(Real mu, Real lambda, const Mat3& F) {
        const Real j = F.determinant() - 1;
        return 0.5 * mu * (F.squaredNorm() - 3) + 0.5 * lambda * j * j - mu * j;
    }
    static Mat3 stress(Real mu, Real lambda, const Mat3& F) {
        return mu * F + (lambda * (F.determinant() - 1) - mu) * cofactor(F);
    }
    static PrincipalStiffness principal(Real mu, Real lambda, const Vec3& s) {
        const Real c = lambda * (s.prod() - 1) - mu;
        const Vec3 dj(s[1] * s[2], s[2] * s[0], s[0] * s[1]);
        PrincipalStiffness k{lambda * dj * dj.transpose(), {}, {}};
        for (int o = 0; o < 3; ++o) {
            const int i = (o + 1) % 3, j = (o + 2) % 3;
            k.stretch(o, o) += mu;
            k.stretch(i, j) += c * s[o];
            k.stretch(j, i) += c * s[o];
            k.twist[o] = mu + c * s[o];
            k.flip[o] = mu - c * s[o];
        }
        return k;
    }
};

} // namespace sinew
