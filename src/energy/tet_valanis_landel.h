// Isotropic materials of the Valanis-Landel class (spec C13), from three functions of one number:
//   psi = sum_i a(s_i) + sum_{i<j} b(s_i s_j) + c(s_1 s_2 s_3)        [Pa], s principal stretches
// A member says each function once, over any number type with + - * /, log and pow; first and second derivatives come from a
// number that carries them (Series2).
//   psi_i = a'(s_i) + sum_{j != i} s_j b'(s_i s_j) + s_j s_k c'(J),     P = U diag(psi_i) V^T
//   A_ii = a'' + sum s_j^2 b''(s_i s_j) + (s_j s_k)^2 c'',   A_ij = b'(s_i s_j) + s_i s_j b''(s_i s_j) + s_k c' + J s_k c''
//   flip_k = [a'](s_i, s_j) - b'(s_i s_j) + s_k^2 [b'](s_i s_k, s_j s_k) - s_k c'
//   twist_k = (a'(s_i) + a'(s_j))/(s_i + s_j) + b'(s_i s_j) + s_k (b'(s_i s_k) + b'(s_j s_k))/(s_i + s_j) + s_k c'
// with the divided difference [f'](x, y) = (f'(x) - f'(y))/(x - y), of near arguments f'' in their middle: wrong by
// (x - y)^2 f''''/24, where the quotient would be by eps f'/(x - y).
#pragma once
#include "energy/tet.h"
#include <cmath>
#include <limits>

namespace sinew {

// value, first and second derivative along one variable
struct Series2 {
    Real v = 0, d = 0, dd = 0;
    Series2(Real value = 0, Real first = 0, Real second = 0) : v(value), d(first), dd(second) {}
};
inline Series2 operator+(const Series2& a, const Series2& b) { return {a.v + b.v, a.d + b.d, a.dd + b.dd}; }
inline Series2 operator-(const Series2& a, const Series2& b) { return {a.v - b.v, a.d - b.d, a.dd - b.dd}; }
inline Series2 operator*(const Series2& a, const Series2& b) {
    return {a.v * b.v, a.d * b.v + a.v * b.d, a.dd * b.v + 2 * a.d * b.d + a.v * b.dd};
}
inline Series2 apply(const Series2& a, Real f, Real f1, Real f2) { return {f, f1 * a.d, f2 * a.d * a.d + f1 * a.dd}; }
inline Series2 operator/(const Series2& a, const Series2& b) {
    return a * apply(b, 1 / b.v, -1 / (b.v * b.v), 2 / (b.v * b.v * b.v));
}
inline Series2 log(const Series2& a) { return apply(a, std::log(a.v), 1 / a.v, -1 / (a.v * a.v)); }
inline Series2 exp(const Series2& a) { return apply(a, std::exp(a.v), std::exp(a.v), std::exp(a.v)); }
inline Series2 pow(const Series2& a, Real n) {
    return apply(a, std::pow(a.v, n), n * std::pow(a.v, n - 1), n * (n - 1) * std::pow(a.v, n - 2));
}

// a, b and c of one element; M offers a(Series2), b(Series2), c(Series2)
template <class M> Real valanis_landel_energy(const M& m, const Vec3& s) {
    Real sum = m.c(Series2(s.prod())).v;
    for (int k = 0; k < 3; ++k) sum += m.a(Series2(s[k])).v + m.b(Series2(s[(k + 1) % 3] * s[(k + 2) % 3])).v;
    return sum;
}
template <class M> Vec3 valanis_landel_stress(const M& m, const Vec3& s) {
    Vec3 out;
    const Real volume = m.c(Series2(s.prod(), 1)).d;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = m.a(Series2(s[i], 1)).d + s[j] * m.b(Series2(s[i] * s[j], 1)).d + s[k] * m.b(Series2(s[i] * s[k], 1)).d +
                 s[j] * s[k] * volume;
    }
    return out;
}
template <class M> PrincipalStiffness valanis_landel_stiffness(const M& m, const Vec3& s) {
    const auto a = [&](Real x) { return m.a(Series2(x, 1)); };
    const auto b = [&](Real x) { return m.b(Series2(x, 1)); };
    // rounding of the quotient and truncation of the middle are both small at this distance
    const auto divided = [](auto&& f, Real x, Real y) {
        if (std::abs(x - y) < 1e-4 * (std::abs(x) + std::abs(y))) return f(0.5 * (x + y)).dd;
        return (f(x).d - f(y).d) / (x - y);
    };
    const Series2 c = m.c(Series2(s.prod(), 1));
    PrincipalStiffness out;
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const Series2 ij = b(s[i] * s[j]);
        out.stretch(k, k) = a(s[k]).dd + s[i] * s[i] * b(s[k] * s[i]).dd + s[j] * s[j] * b(s[k] * s[j]).dd +
                            s[i] * s[i] * s[j] * s[j] * c.dd;
        out.stretch(i, j) = out.stretch(j, i) = ij.d + s[i] * s[j] * ij.dd + s[k] * c.d + s.prod() * s[k] * c.dd;
        out.flip[k] = divided(a, s[i], s[j]) - ij.d + s[k] * s[k] * divided(b, s[i] * s[k], s[j] * s[k]) - s[k] * c.d;
        out.twist[k] = (a(s[i]).d + a(s[j]).d + s[k] * (b(s[i] * s[k]).d + b(s[j] * s[k]).d)) / (s[i] + s[j]) + ij.d + s[k] * c.d;
    }
    return out;
}

// A material from a member: E supplies Params, fields, Member (what one element stores), member(params), `inverts` and
// draw_member(rng) for the tests.
template <class E, class Member> struct TetValanisLandel {
    static constexpr Share share = Share::elastic;
    static constexpr int points = 4;
    static constexpr bool translation_invariant = true, rotation_invariant = true, zero_at_rest = true;
    static constexpr int sample_kinds = kTetSamples;
    struct Data {
        TetShape shape;
        Member member;
    };
    template <class P> static Data prepare(const P& p, const RestView& rest) {
        return {make_tet_shape(vec(rest.x[0]), vec(rest.x[1]), vec(rest.x[2]), vec(rest.x[3])), E::member(p)};
    }
    template <int Order> static Local<12, Order> eval(const Data& d, const StepContext&, const Stencil<4>& s) {
        Local<12, Order> out;
        if (d.shape.volume == 0) return out;
        const Mat3 inverse = inverse_of(d.shape);
        const Svd3 svd = compute_svd(deformation(inverse, s.x));
        if (!E::inverts && !(svd.sigma.prod() > 0)) {
            // as tet_neohookean: a line search turns away from the value, a solver without one notices the forces
            out.value = std::numeric_limits<Real>::infinity();
            if constexpr (Order >= 1) out.gradient.setConstant(std::numeric_limits<Real>::quiet_NaN());
            return out;
        }
        out.value = d.shape.volume * valanis_landel_energy(d.member, svd.sigma);
        if constexpr (Order >= 1)
            out.gradient = tet_gradient(inverse, d.shape.volume,
                                        svd.U * valanis_landel_stress(d.member, svd.sigma).asDiagonal() * svd.V.transpose());
        if constexpr (Order >= 2)
            out.hessian = tet_hessian(inverse, d.shape.volume, svd.U, svd.V, valanis_landel_stiffness(d.member, svd.sigma));
        return out;
    }
    static MatN<12> hessian_psd(const Data& d, const StepContext&, const Stencil<4>& s) {
        if (d.shape.volume == 0) return MatN<12>::Zero();
        const Mat3 inverse = inverse_of(d.shape);
        const Svd3 svd = compute_svd(deformation(inverse, s.x));
        if (!E::inverts && !(svd.sigma.prod() > 0)) return MatN<12>::Zero();
        PrincipalStiffness k = valanis_landel_stiffness(d.member, svd.sigma);
        clamp_principal(k);
        return tet_hessian(inverse, d.shape.volume, svd.U, svd.V, k);
    }
    static bool is_inverted(const Data& d, const Stencil<4>& s) {
        return d.shape.volume > 0 && deformation(inverse_of(d.shape), s.x).determinant() <= 0;
    }
    static Sample<E> sample(Rng& rng, int which) {
        const TetSample t = sample_tet(rng, which, E::inverts);
        Sample<E> out{{t.shape, E::draw_member(rng)}, {}};
        out.at.x = t.x;
        return out;
    }
};

} // namespace sinew
