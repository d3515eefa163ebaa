// Strain of a tetrahedron (spec U108-U109).  C = sqrt(V) L^T (e11, e22, e33, 2 e23, 2 e13, 2 e12),  compliance 1
//   e  Green's strain 1/2 (F^T F - I), or Cauchy's 1/2 (F + F^T) - I where `linear` (comparison: rotations strain it)
//   F = [x1 - x0, x2 - x0, x3 - x0] X,  X the inverse of the same at rest, V rest volume
//   L L^T = Hooke's stiffness [Pa] with the engineering shear, so that 1/2 C^T C is the energy of tet_stvk or tet_linear. The
//   source prints tensor shear with 2 mu, which loses half of the shear energy.
// Rows y_i of X, y_0 = -(y_1 + y_2 + y_3):  de_ab/dx_i = 1/2 (y_ia F_b + y_ib F_a), F_a the columns of F.
// `volume: current` has V det F in place of V, as the source prints it:  C' = sqrt(det F) C,  dC' = sqrt(det F) dC + C d(det F)/(2 sqrt(det F)).
// To reproduce only: its energy det F V psi is no longer that of St. Venant and Kirchhoff (a stretched bar gets thinner at nu = 0 too), falls
// to zero as a tetrahedron is pressed flat, and there is none behind that: such tetrahedra feel nothing.
#pragma once
#include "constraint/constraint.h"
#include <Eigen/LU>

namespace sinew {

struct TetHooke {
    static constexpr std::string_view name = "tet_hooke";
    static constexpr std::string_view doc = "keeps the strain of a tetrahedron at zero, with the compliance of an isotropic solid";
    static constexpr int points = 4, rows = 6;
    static constexpr bool translation_invariant = true, zero_at_rest = true; // rotations: Green's strain only, see `linear`
    struct Params {
        Real young = 1e5, poisson = 0.3;
        bool linear = false;
        std::string volume = "rest";
    };
    struct Data {
        std::array<Real, 9> inverse; // [1/m] X, column-major
        std::array<Real, 7> factor;  // sqrt(V) times L: 11, 21, 22, 31, 32, 33 of the stretches, then the shears'
        std::int64_t linear, current;
    };

    template <class V> static void fields(Params& p, V&& v) {
        v("young", p.young, Field{.min = 0, .min_exclusive = true, .unit = "Pa", .doc = "Young's modulus"});
        v("poisson", p.poisson, Field{.min = -1, .max = 0.5, .min_exclusive = true, .max_exclusive = true, .doc = "Poisson's ratio"});
        v("linear", p.linear, Field{.doc = "Cauchy's strain, for small rotations"});
        v("volume", p.volume, Field{.allowed = {"rest", "current"},
          .doc = "what the energy's density is multiplied by; current, for comparison: another law, which gives in when pressed flat"});
    }
    static Data prepare(const Params& p, const RestView& rest) {
        Mat3 edges;
        for (int k = 0; k < 3; ++k) edges.col(k) = vec(rest.x[k + 1]) - vec(rest.x[0]);
        Data d{{}, {}, p.linear, p.volume == "current"};
        const Real volume = std::abs(edges.determinant()) / 6;
        if (!(volume > 0)) return d;
        Eigen::Map<Mat3>(d.inverse.data()) = edges.inverse();
        const Real lambda = p.young * p.poisson / ((1 + p.poisson) * (1 - 2 * p.poisson)), mu = p.young / (2 * (1 + p.poisson));
        // Cholesky factor by hand of [a b b; b a b; b b a]
        const Real a = lambda + 2 * mu, b = lambda, root = std::sqrt(volume);
        const Real l11 = std::sqrt(a), l21 = b / l11, l22 = std::sqrt(a - l21 * l21), l32 = (b - l21 * l21) / l22;
        const Real l33 = std::sqrt(a - l21 * l21 - l32 * l32);
        d.factor = {root * l11, root * l21, root * l22, root * l21, root * l32, root * l33, root * std::sqrt(mu)};
        return d;
    }
    static Real compliance(const Data&) { return 1; }
    static Bound bound(const Data&) { return Bound::equality; }

    // L^T: rows of C from rows of the six strains, engineering shears
    static MatN<6> transposed_factor(const Data& d) {
        MatN<6> lt = MatN<6>::Zero();
        lt(0, 0) = d.factor[0], lt(0, 1) = d.factor[1], lt(1, 1) = d.factor[2];
        lt(0, 2) = d.factor[3], lt(1, 2) = d.factor[4], lt(2, 2) = d.factor[5];
        lt(3, 3) = lt(4, 4) = lt(5, 5) = d.factor[6];
        return lt;
    }
    // det F, its derivative and second derivative
    struct Ratio {
        Real value = 1;
        VecN<12> gradient = VecN<12>::Zero();
        MatN<12> hessian = MatN<12>::Zero();
    };
    template <int Order> static Ratio volume_ratio(const Data& d, const Mat3& edges) {
        const Real scale = Eigen::Map<const Mat3>(d.inverse.data()).determinant();
        Ratio out;
        out.value = scale * edges.determinant();
        if constexpr (Order >= 1) {
            for (int k = 0; k < 3; ++k) {
                const Vec3 g = scale * edges.col((k + 1) % 3).cross(edges.col((k + 2) % 3));
                out.gradient.segment<3>(3 * k + 3) = g;
                out.gradient.head<3>() -= g;
            }
        }
        if constexpr (Order >= 2) {
            for (int k = 0; k < 3; ++k) { // the gradient at the end of edge k along edge k + 1
                const int a = 3 * k + 3, b = 3 * ((k + 1) % 3) + 3;
                const Mat3 part = -scale * skew(edges.col((k + 2) % 3));
                out.hessian.block<3, 3>(a, b) = part;
                out.hessian.block<3, 3>(b, a) = part.transpose();
            }
            for (int k = 3; k < 12; k += 3) out.hessian.topRows<3>() -= out.hessian.middleRows<3>(k);
            for (int k = 3; k < 12; k += 3) out.hessian.leftCols<3>() -= out.hessian.middleCols<3>(k);
        }
        return out;
    }
    // rows times the root of det F
    template <int Order> static void use_current_volume(const Data& d, const Mat3& edges, LocalRows<6, 12, Order>& rows) {
        constexpr Real kFlat = 1e-12; // its root would not have a derivative
        const Ratio ratio = volume_ratio<Order>(d, edges);
        if (!(ratio.value > kFlat)) {
            rows = {};
            return;
        }
        const Real root = std::sqrt(ratio.value);
        const VecN<12> slope = ratio.gradient / (2 * root);
        if constexpr (Order >= 2)
            for (int r = 0; r < 6; ++r) {
                const VecN<12> j = rows.jacobian.row(r).transpose();
                rows.hessian[r] = root * rows.hessian[r] + j * slope.transpose() + slope * j.transpose() +
                                  rows.c[r] / root * (0.5 * ratio.hessian - slope * slope.transpose());
            }
        if constexpr (Order >= 1) rows.jacobian = (root * rows.jacobian + rows.c * slope.transpose()).eval();
        rows.c *= root;
    }
    template <int Order> static LocalRows<6, 12, Order> eval(const Data& d, const StepContext& c, const Stencil<4>& s) {
        LocalRows<6, 12, Order> out = strain_rows<Order>(d, c, s);
        if (!d.current) return out;
        Mat3 edges;
        for (int k = 0; k < 3; ++k) edges.col(k) = s.x[k + 1] - s.x[0];
        use_current_volume(d, edges, out);
        return out;
    }
    // over the volume at rest
    template <int Order> static LocalRows<6, 12, Order> strain_rows(const Data& d, const StepContext&, const Stencil<4>& s) {
        constexpr int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
        LocalRows<6, 12, Order> out;
        const Eigen::Map<const Mat3> inverse(d.inverse.data());
        Mat3 edges;
        for (int k = 0; k < 3; ++k) edges.col(k) = s.x[k + 1] - s.x[0];
        const Mat3 f = edges * inverse;
        Eigen::Matrix<Real, 4, 3> y;
        y.bottomRows<3>() = inverse;
        y.row(0) = -inverse.colwise().sum();
        const MatN<6> lt = transposed_factor(d);
        const Mat3 g = d.linear ? Mat3::Identity() : f; // what the columns of F are in the rates
        VecN<6> strain;
        for (int k = 0; k < 6; ++k) {
            const int a = pair[k][0], b = pair[k][1];
            const Real both = d.linear ? f(a, b) + f(b, a) - 2 * (a == b) : f.col(a).dot(f.col(b)) - (a == b);
            strain[k] = a == b ? 0.5 * both : both;
        }
        out.c = lt * strain;
        if constexpr (Order >= 1) {
            MatN<6, 12> rate;
            for (int k = 0; k < 6; ++k)
                for (int i = 0; i < 4; ++i) {
                    const int a = pair[k][0], b = pair[k][1];
                    const Vec3 both = y(i, a) * g.col(b) + y(i, b) * g.col(a);
                    rate.block<1, 3>(k, 3 * i) = (a == b ? 0.5 : 1) * both.transpose();
                }
            out.jacobian = lt * rate;
        }
        if constexpr (Order >= 2) {
            if (d.linear) return out;
            for (int r = 0; r < 6; ++r)
                for (int k = 0; k < 6; ++k) {
                    if (lt(r, k) == 0) continue;
                    const int a = pair[k][0], b = pair[k][1];
                    for (int i = 0; i < 4; ++i)
                        for (int j = 0; j < 4; ++j) {
                            const Real w = lt(r, k) * (a == b ? 0.5 : 1) * (y(i, a) * y(j, b) + y(i, b) * y(j, a));
                            for (int c = 0; c < 3; ++c) out.hessian[r](3 * i + c, 3 * j + c) += w;
                        }
                }
        }
        return out;
    }
    static constexpr int sample_kinds = 4; // Green, Cauchy, the same over the current volume
    static Sample<TetHooke> sample(Rng& rng, int which) {
        Params p;
        p.young = draw_uniform(rng, 10, 100), p.poisson = draw_uniform(rng, -0.3, 0.45), p.linear = which % 2 == 1;
        if (which >= 2) p.volume = "current";
        const std::array<Real3, 4> rest{Real3{0, 0, 0}, Real3{1, 0, 0.1}, Real3{0.3, 0, 1.2}, Real3{0.2, -0.9, 0.3}};
        Sample<TetHooke> out{prepare(p, {rest, {}, {}, {}}), {}};
        for (int i = 0; i < 4; ++i) out.at.x[i] = vec(rest[i]) + draw_vec(rng, -0.2, 0.2);
        return out;
    }
};

} // namespace sinew
