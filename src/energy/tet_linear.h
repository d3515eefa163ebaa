// Linear elasticity in Cauchy's strain (spec P48, U109): constant matrix, right for small rotations only.
//   e = 1/2 (F + F^T) - I,  psi = mu |e|^2 + lambda/2 tr(e)^2,  P = 2 mu e + lambda tr(e) I
// A rotation by theta reads as a strain of cos(theta) - 1: the body swells. Baseline, and what modal analysis needs.
#pragma once
#include "energy/tet.h"

namespace sinew {

struct TetLinear {
    static constexpr std::string_view name = "tet_linear";
    static constexpr std::string_view doc = "linear tetrahedron in Cauchy's strain: small rotations only";
    static constexpr Share share = Share::elastic;
    static constexpr int points = 4;
    static constexpr bool translation_invariant = true, zero_at_rest = true;
    static constexpr int sample_kinds = kTetSamples;
    using Params = TetParams;
    using Data = TetData;

    template <class V> static void fields(Params& p, V&& v) { TetParams::fields(p, v); }
    static Data prepare(const Params& p, const RestView& rest) {
        const Lame l = make_lame(p.young, p.poisson);
        return {make_tet_shape(vec(rest.x[0]), vec(rest.x[1]), vec(rest.x[2]), vec(rest.x[3])), l.mu, l.lambda};
    }
    template <int Order> static Local<12, Order> eval(const Data& d, const StepContext&, const Stencil<4>& s) {
        Local<12, Order> out;
        if (d.shape.volume == 0) return out;
        const Mat3 inverse = inverse_of(d.shape), F = deformation(inverse, s.x);
        const Mat3 e = 0.5 * (F + F.transpose()) - Mat3::Identity();
        out.value = d.shape.volume * (d.mu * e.squaredNorm() + 0.5 * d.lambda * e.trace() * e.trace());
        if constexpr (Order >= 1)
            out.gradient = tet_gradient(inverse, d.shape.volume, 2 * d.mu * e + d.lambda * e.trace() * Mat3::Identity());
        if constexpr (Order >= 2) {
            const MatN<6, 12> B = strain_rows(inverse, Mat3::Identity());
            const MatN<6, 12> CB = isotropic_stiffness({d.mu, d.lambda}) * B;
            const MatN<12> K = d.shape.volume * (B.transpose() * CB);
            out.hessian = 0.5 * (K + K.transpose());
        }
        return out;
    }
    static constexpr int root_rows = 6;
    template <int Order> static LocalRows<6, 12, Order> root(const Data& d, const StepContext&, const Stencil<4>& s) {
        if (d.shape.volume == 0) return {};
        const Mat3 inverse = inverse_of(d.shape), F = deformation(inverse, s.x);
        VecN<6> e;
        e << F(0, 0) - 1, F(1, 1) - 1, F(2, 2) - 1, F(1, 2) + F(2, 1), F(0, 2) + F(2, 0), F(0, 1) + F(1, 0);
        return hooke_rows<Order>({d.mu, d.lambda}, d.shape.volume, e, strain_rows(inverse, Mat3::Identity()));
    }
    static bool is_inverted(const Data& d, const Stencil<4>& s) {
        return d.shape.volume > 0 && deformation(inverse_of(d.shape), s.x).determinant() <= 0;
    }
    static Sample<TetLinear> sample(Rng& rng, int which) {
        const TetSample t = sample_tet(rng, which, true);
        Sample<TetLinear> out{{t.shape, draw_uniform(rng, 1, 10), draw_uniform(rng, 1, 20)}, {}};
        out.at.x = t.x;
        return out;
    }
};

} // namespace sinew
