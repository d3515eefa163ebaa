// What the axial springs share.  d = x1 - x0, l = |d|, n = d/l
//   E = 1/2 k (l - L)^2      gradient (-g, g), g = k (l - L) n
//   K = k [ n n^T + (1 - L/l)(I - n n^T) ]    Hessian [ K -K; -K K ]   (spec P 3.3, verified by finite differences)
//   damper: f1 = -c n n^T (v1 - v0), f0 = -f1: axial only, so that rigid rotation is not damped; in steps of implicit Euler
//   a second spring c/h whose rest length is that of the step's start (viscous.h)
#pragma once
#include "energy/viscous.h"
#include <limits>

namespace sinew {

inline MatN<6> pair_block(const Mat3& k) {
    MatN<6> h;
    h << k, -k, -k, k;
    return h;
}

// direction and length; a collapsed spring gets e_x and length 0
inline Real axial_direction(const Stencil<2>& s, Vec3& n) {
    const Vec3 d = s.x[1] - s.x[0];
    const Real l = d.norm();
    if (l > 0) n = d / l;
    else n = Vec3::UnitX();
    return l;
}

template <int Order> Local<6, Order> axial_spring(Real k, Real rest, const Stencil<2>& s) {
    Local<6, Order> out;
    Vec3 n;
    const Real l = axial_direction(s, n), stretch = l - rest;
    out.value = 0.5 * k * stretch * stretch;
    if constexpr (Order >= 1) {
        const Vec3 g = l > 0 ? Vec3(k * stretch * n) : Vec3::Zero();
        out.gradient << -g, g;
    }
    if constexpr (Order >= 2) {
        const Mat3 nn = n * n.transpose();
        const Real transverse = l > 0 ? 1 - rest / l : 0;
        out.hessian = pair_block(k * (nn + transverse * (Mat3::Identity() - nn)));
    }
    return out;
}

inline MatN<6> axial_spring_psd(Real k, Real rest, const Stencil<2>& s) {
    Vec3 n;
    const Real l = axial_direction(s, n);
    const Mat3 nn = n * n.transpose();
    const Real transverse = l > rest ? 1 - rest / l : 0;
    return pair_block(k * (nn + transverse * (Mat3::Identity() - nn)));
}

// without the curvature of the length
inline MatN<6> axial_spring_gauss_newton(Real k, const Stencil<2>& s) {
    Vec3 n;
    axial_direction(s, n);
    return pair_block(k * n * n.transpose());
}

inline Real start_length(const StepContext& c) { return (c.x_start(1) - c.x_start(0)).norm(); }

// f1 = -c (n . w) n, w = v1 - v0;  df/dx through n:  dn = (I - n n^T) dd / l
template <int Order> LocalForce<6, Order> axial_damper(Real c, const Stencil<2>& s) {
    LocalForce<6, Order> out;
    if (c == 0) return out;
    Vec3 n;
    const Real l = axial_direction(s, n);
    const Vec3 w = s.v[1] - s.v[0], f = -c * n.dot(w) * n;
    out.force << -f, f;
    if constexpr (Order >= 1) {
        const Mat3 nn = n * n.transpose();
        out.dfdv = pair_block(-c * nn);
        if (l > 0) {
            const Mat3 p = (Mat3::Identity() - nn) / l;
            out.dfdx = pair_block(-c * (n * (w.transpose() * p) + n.dot(w) * p));
        }
    }
    return out;
}

// spring and damper; without a viscous potential only the spring
template <int Order> Local<6, Order> damped_spring(Real k, Real c, Real rest, const StepContext& context, const Stencil<2>& s) {
    Local<6, Order> out = axial_spring<Order>(k, rest, s);
    if (!(c > 0) || !has_viscous_potential(context)) return out;
    const Local<6, Order> drag = axial_spring<Order>(c / context.elapsed, start_length(context), s);
    out.value += drag.value;
    if constexpr (Order >= 1) out.gradient += drag.gradient;
    if constexpr (Order >= 2) out.hessian += drag.hessian;
    return out;
}
// the two together are one axial spring: clamped as a whole
inline MatN<6> damped_spring_psd(Real k, Real c, Real rest, const StepContext& context, const Stencil<2>& s) {
    if (!(c > 0) || !has_viscous_potential(context)) return axial_spring_psd(k, rest, s);
    const Real drag = c / context.elapsed, sum = k + drag;
    return axial_spring_psd(sum, (k * rest + drag * start_length(context)) / sum, s);
}
inline MatN<6> damped_spring_gauss_newton(Real k, Real c, const StepContext& context, const Stencil<2>& s) {
    return axial_spring_gauss_newton(c > 0 && has_viscous_potential(context) ? k + c / context.elapsed : k, s);
}

// C = sqrt(k) (l - L)
template <int Order> LocalRows<1, 6, Order> axial_root(Real k, Real rest, const Stencil<2>& s) {
    LocalRows<1, 6, Order> out;
    Vec3 n;
    const Real l = axial_direction(s, n), root = std::sqrt(k);
    out.c[0] = root * (l - rest);
    if constexpr (Order >= 1) {
        if (l > 0) out.jacobian << -root * n.transpose(), root * n.transpose();
    }
    return out;
}
// rho of a spring k with a damper c beside it
inline Real damper_time(Real c, Real k) { return k > 0 ? c / k : c > 0 ? std::numeric_limits<Real>::infinity() : 0; }

inline Stencil<2> sample_axial(Rng& rng, int which, Real rest) {
    const Real factor = which == 1 ? draw_uniform(rng, 0.2, 0.5) : which == 2 ? 1 + draw_uniform(rng, -1e-3, 1e-3) : draw_uniform(rng, 0.5, 2);
    Stencil<2> s;
    s.x[0] = draw_vec(rng, -1, 1);
    s.x[1] = s.x[0] + factor * rest * draw_direction(rng);
    return s;
}

} // namespace sinew
