// Orthotropic St. Venant-Kirchhoff membrane in edge lengths (spec T 3.1, Tamstorf 2016 chapters 3-4).
//   psi = lambda/2 J1^2 + mu J2 + alpha J1 J3 + beta J3^2     [Pa], four moduli and a direction
//   J1 = tr E, J2 = tr E^2, J3 = a^T E a, a = weft direction; E Green's strain
//   W = s^T T s,  s_i = 1/2 (|e_i|^2 - |E_i|^2),  T = t/(32 A^3) (lambda T1 + mu T2 + 2 beta T3 + alpha T4)
//   t thickness [m], A rest area [m^2]; T1 ... T4 from dot products of rest edges alone, see stvk_matrix
// Orthotropy costs nothing at run time: nine numbers per triangle in all cases. Weak in compression, like every
// constant-modulus material, and blind to inversion in its plane.
#pragma once
#include "energy/tri.h"

namespace sinew {

// T from squared rest lengths, and w_i = rest edges along the warp [m], which enter in even powers only
inline Mat3 stvk_matrix(const OrthotropicModuli& m, Real thickness, const std::array<Real, 3>& length2,
                        const std::array<Real, 3>& w, Real area) {
    // dot[i][j] = E_i . E_j by the law of cosines
    Mat3 dot;
    for (int i = 0; i < 3; ++i) {
        const int j = kNext[i], k = kPrevious[i];
        dot(i, i) = length2[i];
        dot(j, k) = dot(k, j) = 0.5 * (length2[i] - length2[j] - length2[k]);
    }
    Mat3 t;
    for (int i = 0; i < 3; ++i)
        for (int l = 0; l < 3; ++l) {
            const int j = kNext[i], k = kPrevious[i], p = kNext[l], n = kPrevious[l];
            const Real t1 = dot(j, k) * dot(p, n), t2 = dot(k, p) * dot(j, n) + dot(k, n) * dot(j, p);
            const Real t3 = w[j] * w[k] * w[p] * w[n], t4 = dot(j, k) * w[p] * w[n] + dot(p, n) * w[j] * w[k];
            t(i, l) = m.lambda * t1 + m.mu * t2 + 2 * m.beta * t3 + m.alpha * t4;
        }
    return thickness / (32 * area * area * area) * t;
}

struct TriStvk {
    static constexpr std::string_view name = "tri_stvk";
    static constexpr std::string_view doc = "orthotropic St. Venant-Kirchhoff membrane of triangles, in edge lengths";
    static constexpr Share share = Share::elastic;
    static constexpr int points = 3;
    static constexpr bool translation_invariant = true, rotation_invariant = true, zero_at_rest = true;
    static constexpr int sample_kinds = kTriSampleKinds;
    using Params = MembraneParams;
    struct Data {
        std::array<Real, 3> p, q;    // [N/m^3] T_ii; T_12, T_02, T_01
        std::array<Real, 3> length2; // [m^2]
        Real damping;                // [s]
    };

    template <class V> static void fields(Params& p, V&& v) { membrane_fields(p, v); }
    static Mat3 matrix(const Data& d) {
        Mat3 t;
        t << d.p[0], d.q[2], d.q[1], d.q[2], d.p[1], d.q[0], d.q[1], d.q[0], d.p[2];
        return t;
    }
    static Data pack(const Mat3& t, const std::array<Real, 3>& length2, Real damping) {
        return {{t(0, 0), t(1, 1), t(2, 2)}, {t(1, 2), t(0, 2), t(0, 1)}, length2, damping};
    }
    static Data prepare(const Params& p, const RestView& rest) {
        const TriangleMetric m = make_triangle_metric(vec(rest.x[0]), vec(rest.x[1]), vec(rest.x[2]), vec(p.warp));
        if (!(m.area > 0)) return pack(Mat3::Zero(), m.length2, 0);
        return pack(stvk_matrix(orthotropic_moduli(p), p.thickness, m.length2, m.u, m.area), m.length2, p.damping);
    }

    // value, r = dW/ds and W2 with the viscous part of an implicit step
    static Real strain_energy(const Data& d, const StepContext& c, const TriEdges& e, int, Vec3& r, Mat3& w2) {
        const Mat3 t = matrix(d);
        const Vec3 s = edge_strains(e, d.length2.data());
        r = 2 * (t * s);
        w2 = 2 * t;
        Real value = 0.5 * s.dot(r);
        if (d.damping > 0 && c.elapsed > 0) {
            const Real rate = d.damping / c.elapsed;
            const Vec3 ds = s - edge_strains_now(c, d.length2.data()), y = 2 * rate * (t * ds);
            value += 0.5 * ds.dot(y);
            r += y;
            w2 *= 1 + rate;
        }
        return value;
    }
    template <int Order> static Local<9, Order> eval(const Data& d, const StepContext& c, const Stencil<3>& s) {
        return tri_eval<TriStvk, Order>(d, c, s);
    }
    static MatN<9> hessian_psd(const Data& d, const StepContext& c, const Stencil<3>& s) { return tri_psd<TriStvk>(d, c, s); }
    // 2 B^T T B, without the tensions of the edges
    static MatN<9> hessian_gauss_newton(const Data& d, const StepContext& c, const Stencil<3>& s) {
        const TriEdges e = edges_of(s);
        Vec3 r;
        Mat3 w2;
        strain_energy(d, c, e, 2, r, w2);
        return tri_hessian(e, Vec3::Zero(), w2);
    }
    static constexpr int root_rows = 3;
    template <int Order> static LocalRows<3, 9, Order> root(const Data& d, const StepContext&, const Stencil<3>& s) {
        const TriEdges e = edges_of(s);
        return edge_strain_rows<Order>(root_matrix(matrix(d)), e, edge_strains(e, d.length2.data()));
    }
    static Real root_damping(const Data& d) { return d.damping; }
    static constexpr bool explicit_force = true;
    template <int Order> static LocalForce<9, Order> force(const Data& d, const StepContext& c, const Stencil<3>& s) {
        if (d.damping == 0 || c.elapsed > 0) return {};
        return tri_damper<Order>(d.damping, matrix(d), s);
    }
    static Sample<TriStvk> sample(Rng& rng, int which) { return sample_membrane_element<TriStvk>(rng, which); }
};

} // namespace sinew
