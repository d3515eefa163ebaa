// Limits of a triangle's principal stretches (spec U113).  C = sqrt(A) (1 + s - sigma_1, sigma_2 - (1 - c)) >= 0
//   F = sum_i x_i b_i^T (3 x 2), b_i gradients of the shape functions in the plane at rest, F = U diag(sigma) V^T, sigma_1 >= sigma_2
//   s largest stretch, c largest compression (1 or more: no limit), A rest area [m^2]; compliance alpha [m/N]
// Isotropic: no direction of the cloth is preferred, and shear counts by what it stretches. Both rows are one-sided.
//   dsigma_i = u_i . dF v_i,  and with a_ij = u_i . dF v_j, u_3 the normal:
//   d2sigma_i = a_3i^2/sigma_i + (sigma_i (a_ij^2 + a_ji^2) + 2 sigma_j a_ij a_ji)/(sigma_i^2 - sigma_j^2)
// Where both stretches are equal the direction is any; the curvature between them is left out there.
#pragma once
#include "constraint/constraint.h"
#include <Eigen/LU>

namespace sinew {

struct TriStrainLimit {
    static constexpr std::string_view name = "tri_strain_limit";
    static constexpr std::string_view doc = "keeps the principal stretches of a triangle below a limit";
    static constexpr int points = 3, rows = 2;
    static constexpr bool translation_invariant = true, rotation_invariant = true, zero_at_rest = true;
    static constexpr int sample_kinds = 3; // beyond the stretch, within, beyond the compression
    struct Params {
        Real stretch = 0.1, compression = 1;
        Real compliance = 0;
    };
    struct Data {
        std::array<Real, 6> gradient; // [1/m] b_i, one after another
        Real root;                    // [m] sqrt(A)
        Real longest, shortest;       // 1 + s, 1 - c; 0 or less: no limit
        Real compliance;              // [m/N]
    };

    template <class V> static void fields(Params& p, V&& v) {
        v("stretch", p.stretch, Field{.min = 0, .doc = "largest principal stretch less 1"});
        v("compression", p.compression, Field{.min = 0, .doc = "1 less the smallest principal stretch; 1 or more = no limit"});
        v("compliance", p.compliance, Field{.min = 0, .unit = "m/N", .doc = "of the limits; 0 = rigid"});
    }
    static Data prepare(const Params& p, const RestView& rest) {
        Data d{{}, 0, 1 + p.stretch, 1 - p.compression, p.compliance};
        const Vec3 e1 = vec(rest.x[1]) - vec(rest.x[0]), e2 = vec(rest.x[2]) - vec(rest.x[0]);
        const Real area = 0.5 * e1.cross(e2).norm();
        if (!(area > 0)) return d;
        const Vec3 a1 = e1.normalized(), a2 = e1.cross(e2).normalized().cross(a1);
        Mat2 edges;
        edges << a1.dot(e1), a1.dot(e2), a2.dot(e1), a2.dot(e2);
        const Mat2 inverse = edges.inverse(); // rows: b_1, b_2
        for (int k = 0; k < 2; ++k) {
            d.gradient[2 + k] = inverse(0, k), d.gradient[4 + k] = inverse(1, k);
            d.gradient[k] = -inverse(0, k) - inverse(1, k);
        }
        d.root = std::sqrt(area);
        return d;
    }
    static Real compliance(const Data& d) { return d.compliance; }
    static Bound bound(const Data&) { return Bound::lower; }

    struct Stretches {
        std::array<Real, 2> sigma;
        std::array<Vec3, 3> u;
        std::array<Vec2, 2> v;
    };
    static Stretches stretches(const MatN<3, 2>& F) {
        const Real a = F.col(0).squaredNorm(), b = F.col(1).squaredNorm(), c = F.col(0).dot(F.col(1));
        const Real angle = 0.5 * std::atan2(2 * c, a - b); // of the larger stretch in the plane at rest
        Stretches s;
        s.v = {Vec2(std::cos(angle), std::sin(angle)), Vec2(-std::sin(angle), std::cos(angle))};
        const Vec3 p = F * s.v[0], q = F * s.v[1];
        s.sigma = {p.norm(), q.norm()};
        s.u[0] = s.sigma[0] > 0 ? Vec3(p / s.sigma[0]) : Vec3::UnitX();
        s.u[1] = s.sigma[1] > 0 ? Vec3(q / s.sigma[1]) : s.u[0].unitOrthogonal();
        s.u[2] = s.u[0].cross(s.u[1]);
        return s;
    }
    // gradient over the nine unknowns of u . dF v
    static VecN<9> spread(const Data& d, const Vec3& u, const Vec2& v) {
        VecN<9> out;
        for (int i = 0; i < 3; ++i) out.segment<3>(3 * i) = (d.gradient[2 * i] * v[0] + d.gradient[2 * i + 1] * v[1]) * u;
        return out;
    }
    static MatN<9> curvature(const Data& d, const Stretches& s, int i) {
        const int j = 1 - i;
        const VecN<9> n = spread(d, s.u[2], s.v[i]), ij = spread(d, s.u[i], s.v[j]), ji = spread(d, s.u[j], s.v[i]);
        MatN<9> h = MatN<9>::Zero();
        if (s.sigma[i] > 0) h += n * n.transpose() / s.sigma[i];
        const Real gap = s.sigma[i] * s.sigma[i] - s.sigma[j] * s.sigma[j];
        if (std::abs(gap) > 1e-12)
            h += (s.sigma[i] * (ij * ij.transpose() + ji * ji.transpose()) + s.sigma[j] * (ij * ji.transpose() + ji * ij.transpose())) / gap;
        return h;
    }

    template <int Order> static LocalRows<2, 9, Order> eval(const Data& d, const StepContext&, const Stencil<3>& x) {
        LocalRows<2, 9, Order> out;
        if (!(d.root > 0)) return out;
        MatN<3, 2> F = MatN<3, 2>::Zero();
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 2; ++k) F.col(k) += d.gradient[2 * i + k] * x.x[i];
        const Stretches s = stretches(F);
        const bool squeezed = d.shortest > 0;
        out.c << d.root * (d.longest - s.sigma[0]), d.root * (squeezed ? s.sigma[1] - d.shortest : d.longest);
        if constexpr (Order >= 1) {
            out.jacobian.row(0) = -d.root * spread(d, s.u[0], s.v[0]).transpose();
            if (squeezed) out.jacobian.row(1) = d.root * spread(d, s.u[1], s.v[1]).transpose();
        }
        if constexpr (Order >= 2) {
            out.hessian[0] = -d.root * curvature(d, s, 0);
            if (squeezed) out.hessian[1] = d.root * curvature(d, s, 1);
        }
        return out;
    }
    static Sample<TriStrainLimit> sample(Rng& rng, int which) {
        const std::array<Real3, 3> rest{Real3{0, 0, 0}, Real3{1, 0, 0.1}, Real3{0.3, 0, 1.2}};
        Sample<TriStrainLimit> out{prepare({0.1, 0.1, draw_uniform(rng, 1e-3, 1)}, {rest, {}, {}, {}}), {}};
        const Real wide = which == 0 ? draw_uniform(rng, 1.3, 1.6) : which == 1 ? 1.03 : 0.9, deep = which == 2 ? 0.6 : 0.97;
        const Quat turn = exp_rotation(draw_vec(rng, -2, 2));
        for (int i = 0; i < 3; ++i)
            out.at.x[i] = turn * Vec3(wide * rest[i].x, 0.2 * rest[i].x * (which == 0), deep * rest[i].z) + 0.01 * draw_vec(rng, -1, 1);
        return out;
    }
};

} // namespace sinew
