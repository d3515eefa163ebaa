// Strain of a cloth triangle (spec U105-U106).  C = sqrt(A t) L^T (E11, E22, 2 E12),  compliance 1
//   E Green's strain in material axes (geometry/triangle_metric.h), A rest area, t thickness
//   L L^T = plane-stress moduli [Pa]: E/(1 - eta nu^2) [1, eta nu; eta nu, eta] and the shear modulus; eta = weft/warp
// so that 1/2 C^T C is the energy of tri_stvk. Isotropic where young_weft and shear are left out. `linear`: Cauchy's strain, which is
// Green's with s_i = 1/2 (|e_i|^2 - |E_i|^2) taken to first order, E_i . (e_i - E_i): rotations strain it (comparison).
#pragma once
#include "constraint/constraint.h"
#include "geometry/triangle_metric.h"

namespace sinew {

struct TriStrain {
    static constexpr std::string_view name = "tri_strain";
    static constexpr std::string_view doc = "keeps the strain of a triangle at zero, with the compliance of an orthotropic sheet";
    static constexpr int points = 3, rows = 3;
    static constexpr bool translation_invariant = true, zero_at_rest = true; // rotations: Green's strain only, see `linear`
    static constexpr int sample_kinds = 2; // Green, Cauchy
    struct Params {
        Real young = 1e6, young_weft = -1, poisson = 0.3, shear = -1, thickness = 1e-3;
        Real3 warp{1, 0, 0};
        bool linear = false;
    };
    struct Data {
        std::array<Real, 9> rows_of_s; // C = K s, column-major
        std::array<Real, 3> length2;   // [m^2]
        std::array<Real, 9> edges;     // [m] E_i
        std::int64_t linear;
    };

    template <class V> static void fields(Params& p, V&& v) {
        v("young", p.young, Field{.min = 0, .min_exclusive = true, .unit = "Pa", .doc = "modulus along the warp"});
        v("young_weft", p.young_weft, Field{.min = 0, .min_exclusive = true, .unit = "Pa", .doc = "modulus along the weft; default: young"});
        v("poisson", p.poisson, Field{.min = -0.999, .max = 0.999, .doc = "contraction along the weft from extension along the warp"});
        v("shear", p.shear, Field{.min = 0, .unit = "Pa", .doc = "shear modulus; default: young / (2 (1 + poisson))"});
        v("thickness", p.thickness, Field{.min = 0, .min_exclusive = true, .unit = "m", .doc = "of the material"});
        v("warp", p.warp, Field{.doc = "direction of the warp at rest, projected onto each triangle"});
        v("linear", p.linear, Field{.doc = "Cauchy's strain, for small rotations"});
    }
    static Data prepare(const Params& p, const RestView& rest) {
        const TriangleMetric m = make_triangle_metric(vec(rest.x[0]), vec(rest.x[1]), vec(rest.x[2]), vec(p.warp));
        Data d{{}, m.length2, {}, p.linear};
        if (!(m.area > 0)) return d;
        const std::array<Vec3, 3> e = triangle_edges(vec(rest.x[0]), vec(rest.x[1]), vec(rest.x[2]));
        for (int i = 0; i < 3; ++i) Eigen::Map<Vec3>(d.edges.data() + 3 * i) = e[i];
        const Real eta = p.young_weft > 0 ? p.young_weft / p.young : 1, nu = p.poisson, y = p.young / (1 - eta * nu * nu);
        const Real shear = p.shear >= 0 ? p.shear : p.young / (2 * (1 + nu));
        // Cholesky factor by hand: L = [a 0; b c] of the stretch block
        const Real a = std::sqrt(y), b = eta * nu * y / a, c = std::sqrt(std::max(0.0, eta * y - b * b));
        Mat3 lt = Mat3::Zero();
        lt << a, b, 0, 0, c, 0, 0, 0, 2 * std::sqrt(shear);
        Eigen::Map<Mat3>(d.rows_of_s.data()) = std::sqrt(m.area * p.thickness) * lt * strain_matrix(m);
        return d;
    }
    static Real compliance(const Data&) { return 1; }
    static Bound bound(const Data&) { return Bound::equality; }
    template <int Order> static LocalRows<3, 9, Order> eval(const Data& d, const StepContext&, const Stencil<3>& s) {
        LocalRows<3, 9, Order> out;
        const Eigen::Map<const Mat3> k(d.rows_of_s.data());
        const std::array<Vec3, 3> e = triangle_edges(s.x[0], s.x[1], s.x[2]);
        std::array<Vec3, 3> rate = e; // ds_i/de_i
        Vec3 strain;
        for (int i = 0; i < 3; ++i) {
            strain[i] = 0.5 * (e[i].squaredNorm() - d.length2[i]);
            if (!d.linear) continue;
            rate[i] = Eigen::Map<const Vec3>(d.edges.data() + 3 * i);
            strain[i] = rate[i].dot(e[i] - rate[i]);
        }
        out.c = k * strain;
        if constexpr (Order >= 1) {
            for (int i = 0; i < 3; ++i) {
                out.jacobian.template middleCols<3>(3 * kPrevious[i]) += k.col(i) * rate[i].transpose();
                out.jacobian.template middleCols<3>(3 * kNext[i]) -= k.col(i) * rate[i].transpose();
            }
        }
        if constexpr (Order >= 2) {
            if (d.linear) return out;
            for (int r = 0; r < 3; ++r)
                for (int i = 0; i < 3; ++i) {
                    const int a = 3 * kPrevious[i], b = 3 * kNext[i];
                    for (int c = 0; c < 3; ++c) {
                        out.hessian[r](a + c, a + c) += k(r, i);
                        out.hessian[r](b + c, b + c) += k(r, i);
                        out.hessian[r](a + c, b + c) -= k(r, i);
                        out.hessian[r](b + c, a + c) -= k(r, i);
                    }
                }
        }
        return out;
    }
    static Sample<TriStrain> sample(Rng& rng, int which) {
        Params p;
        p.linear = which == 1;
        p.young = draw_uniform(rng, 10, 100), p.young_weft = draw_uniform(rng, 10, 100), p.shear = draw_uniform(rng, 5, 20);
        p.thickness = 0.1;
        const std::array<Real3, 3> rest{Real3{0, 0, 0}, Real3{1, 0, 0.1}, Real3{0.3, 0, 1.2}};
        Sample<TriStrain> out{prepare(p, {rest, {}, {}, {}}), {}};
        for (int i = 0; i < 3; ++i) out.at.x[i] = vec(rest[i]) + draw_vec(rng, -0.2, 0.2);
        return out;
    }
};

} // namespace sinew
