// Membranes by any energy density psi(E11, E22, E12) of Green's strain in material axes (1 = warp, 2 = weft).
//   W(s) = A t psi(M s),  s and M as in geometry/triangle_metric.h;  r = A t M^T dpsi,  W2 = A t M^T d2psi M
// A law is a struct L that derives from TriGreen<L> and has
//   name, doc, Params (derived from MembraneParams), fields
//   static std::array<Real, 6> constants(const Params&);
//   static Density density(const std::array<Real, 6>&, const Vec3& strain, int order);   derivatives up to `order`
// tri_orthotropic.h builds on it laws of the invariants J1, J2, J3.
#pragma once
#include "energy/tri.h"

namespace sinew {

// psi and its derivatives over (E11, E22, E12)
struct Density {
    Real value = 0;
    Vec3 d = Vec3::Zero();
    Mat3 dd = Mat3::Zero();
};

template <class L> struct TriGreen {
    static constexpr Share share = Share::elastic;
    static constexpr int points = 3;
    static constexpr bool translation_invariant = true, rotation_invariant = true, zero_at_rest = true;
    static constexpr int sample_kinds = kTriSampleKinds;
    struct Data {
        std::array<Real, 9> strain;    // M, column-major
        std::array<Real, 3> length2;   // [m^2]
        std::array<Real, 6> constants; // of the law
        Real volume;                   // [m^3] rest area times thickness, 0 = no triangle
        Real damping;                  // [s]
    };

    template <class P> static Data prepare(const P& p, const RestView& rest) {
        const TriangleMetric m = make_triangle_metric(vec(rest.x[0]), vec(rest.x[1]), vec(rest.x[2]), vec(p.warp));
        Data d{{}, m.length2, L::constants(p), m.area * p.thickness, p.damping};
        if (m.area > 0) Eigen::Map<Mat3>(d.strain.data()) = strain_matrix(m);
        return d;
    }
    static Eigen::Map<const Mat3> matrix(const Data& d) { return Eigen::Map<const Mat3>(d.strain.data()); }
    // T0 = 1/2 W2 at rest
    static Mat3 rest_matrix(const Data& d) {
        return 0.5 * d.volume * (matrix(d).transpose() * L::density(d.constants, Vec3::Zero(), 2).dd * matrix(d));
    }

    static Real strain_energy(const Data& d, const StepContext& c, const TriEdges& e, int order, Vec3& r, Mat3& w2) {
        r.setZero(), w2.setZero();
        if (d.volume == 0) return 0;
        const auto m = matrix(d);
        const Vec3 s = edge_strains(e, d.length2.data());
        const Density psi = L::density(d.constants, m * s, order);
        r = d.volume * (m.transpose() * psi.d);
        if (order >= 2) w2 = d.volume * (m.transpose() * psi.dd * m);
        Real value = d.volume * psi.value;
        if (d.damping > 0 && c.elapsed > 0) {
            const Mat3 t = 2 * d.damping / c.elapsed * rest_matrix(d);
            const Vec3 ds = s - edge_strains_now(c, d.length2.data()), y = t * ds;
            value += 0.5 * ds.dot(y);
            r += y;
            if (order >= 2) w2 += t;
        }
        return value;
    }
    template <int Order> static Local<9, Order> eval(const Data& d, const StepContext& c, const Stencil<3>& s) {
        return tri_eval<TriGreen, Order>(d, c, s);
    }
    static MatN<9> hessian_psd(const Data& d, const StepContext& c, const Stencil<3>& s) { return tri_psd<TriGreen>(d, c, s); }
    static constexpr bool explicit_force = true;
    template <int Order> static LocalForce<9, Order> force(const Data& d, const StepContext& c, const Stencil<3>& s) {
        if (d.damping == 0 || c.elapsed > 0) return {};
        return tri_damper<Order>(d.damping, rest_matrix(d), s);
    }
    static Sample<L> sample(Rng& rng, int which) { return sample_membrane_element<L>(rng, which); }
};

} // namespace sinew
