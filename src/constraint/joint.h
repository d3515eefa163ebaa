// What joints are made of: scalar rows over two bodies a and b (frames), each with value, gradient and second derivative
// in the tangent layout of the pair [a: translation, rotation; b: translation, rotation] (12 numbers).
//
//   x_i = p_i + r_i, r_i = q_i local_i    the joint's place on body i [m]
//   A_i = q_i axes_i                      the joint's axes on body i: x is "the" axis of hinges, sliders and twists
//   Q   = conj(q_a axes_a) q_b axes_b     rotation of b's joint axes in a's; w its scalar, v its vector part
//
//   place     x_b - x_a                   three rows, world axes [m]
//   slide k   A_a,k . (x_b - x_a)         along axis k of a [m]
//   cross     A_a,j . A_b,k               zero when the axes are perpendicular [1, rad for small angles]
//   turn k    2 sign(w) v_k               2 sin(half the angle): all of Q, never zero at half a turn [1, rad when small]
//   twist     2 atan2(v_x, w)             angle about the joint's axis, of the swing-twist decomposition [rad]
//   swing     angle between the two axes [rad]
//   cardan    angles of a universal joint: of b's y axis about a's x axis, and of b's z axis about its y axis [rad]
//   spin k    A_a,k . (w_b - w_a)         a rate without a coordinate: what motors of speed and friction hold [rad/s]
//   length    |x_b - x_a| [m]
//
// Derivatives with exp(t) the rotation by t: exp(t) u . w has gradient u x w and second derivative 1/2 (u w^T + w u^T) -
// (u . w) I; the quaternion exp(-t_a) exp(t_b) is to second order 1 - |t_a - t_b|^2/8 + (t_b - t_a)/2 - t_a x t_b/4.
#pragma once
#include "constraint/constraint.h"

namespace sinew {

// Where a joint sits on its two bodies. The world is a held frame: only points of a stencil may be absent (-1).
struct JointAnchor {
    std::array<Real3, 2> local{};       // [m] in body axes
    std::array<Real4, 2> axes{};        // body <- joint
    Real breaks_force = 1e300, breaks_torque = 1e300; // [N, N m] of the whole joint; its elements go when one is exceeded
};

struct JointPlace {
    std::array<Vec3, 2> p, r, x;        // [m]
    std::array<Mat3, 2> axes;           // columns: the joint's axes in the world
    Quat relative;
};
JointPlace place_joint(const JointAnchor&, const Stencil<0, 2>&);

// one scalar row; orders above the one asked for are left alone, and have no value
struct JointTerm {
    Real c = 0;
    VecN<12> gradient = VecN<12>::Zero();
    MatN<12> hessian;
};
void place_term(const JointPlace&, int k, int order, JointTerm&);
void slide_term(const JointPlace&, int k, int order, JointTerm&);
void cross_term(const JointPlace&, int j, int k, int order, JointTerm&);
void turn_term(const JointPlace&, int k, int order, JointTerm&);
// within half a turn of `center`
void twist_term(const JointPlace&, Real center, int order, JointTerm&);
void swing_term(const JointPlace&, int order, JointTerm&);
// which: 0 about the axis on a, 1 about the second axis, on b; within half a turn of `center`
void cardan_term(const JointPlace&, int which, Real center, int order, JointTerm&);
// The row of a rate: no function of the pose has it as its gradient, so c is zero, and the second derivative is what gives
// the derivative of the row (drive_of.h): not symmetric.
void spin_term(const JointPlace&, int k, int order, JointTerm&);
void length_term(const JointPlace&, int order, JointTerm&);

// row k of a constraint = sign * term + shift
template <int R, int Order>
void set_row(const JointTerm& t, int k, LocalRows<R, 12, Order>& out, Real sign = 1, Real shift = 0) {
    out.c[k] = sign * t.c + shift;
    if constexpr (Order >= 1) out.jacobian.row(k) = sign * t.gradient.transpose();
    if constexpr (Order >= 2) out.hessian[k] = sign * t.hessian;
}

// Two bodies somewhere, with the joint off by up to `error` [m, rad] from its rest.
struct JointSample {
    JointAnchor anchor;
    Stencil<0, 2> at;
};
JointSample sample_joint(Rng&, Real error);

inline const Field kComplianceField{.min = 0, .unit = "m/N", .doc = "displacement per force, angle per torque; 0 = rigid"};

// Equality joints: J has `rows` and `fill<Order>(place, out)`.
template <class J> struct JointEquality {
    static constexpr int points = 0, frames = 2;
    static constexpr bool translation_invariant = true, rotation_invariant = true;
    struct Params {
        JointAnchor anchor;
        Real compliance = 0;
    };
    using Data = Params;
    template <class V> static void fields(Params& p, V&& v) { v("compliance", p.compliance, kComplianceField); }
    static Data prepare(const Params& p, const RestView&) { return p; }
    static Real compliance(const Data& d) { return d.compliance; }
    static Bound bound(const Data&) { return Bound::equality; }
    template <int Order> static auto eval(const Data& d, const StepContext&, const Stencil<0, 2>& s) {
        LocalRows<J::rows, 12, Order> out;
        J::template fill<Order>(place_joint(d.anchor, s), out);
        return out;
    }
    static Sample<J> sample(Rng& rng, int) {
        const JointSample made = sample_joint(rng, 0.4);
        return {{made.anchor, draw_uniform(rng, 1e-2, 1)}, made.at};
    }
};

} // namespace sinew
