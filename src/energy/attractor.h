// What the three attractors of points and of rigid bodies (x their centre of mass) share (spec P7).
// With d the offset from the point, line or plane, d = A (x - c):
//   r = sqrt(|d|^2 + e^2),  f = -s m d / r^(p+1),  U = s m r^(1-p)/(1-p)   (p = 1: s m ln r)
//   s strength [m^(p+1)/s^2], a constant or an expression, p exponent (2 = Newtonian, 0 = constant pull, -1 = spring), e softening [m], A = A^T = A^2
//   grad U = s m d r^-(p+1),   Hess U = s m [ A r^-(p+1) - (p+1) d d^T r^-(p+3) ]
// Negative strength repels. The pull acts between `from` and `until` with ramps of length `ease`.
#pragma once
#include "energy/energy.h"
#include "model/field.h"

namespace sinew {

struct AttractorParams {
    Real3 at{};
    Real3 axis{0, 1, 0};
    Signal strength = make_signal(1);
    int field = -1; // index of the strength in the FieldSet, set by the scene compiler; -1 = it is a constant
    Real exponent = 2;
    Real softening = 0.01;
    Real from = 0, until = 1e300, ease = 0;
};
struct AttractorData {
    Real3 center, axis;
    Real strength, exponent, softening; // strength times mass
    Real from, until, ease;
    std::int64_t field;
};

template <class V> void attractor_fields(AttractorParams& p, V&& v, const char* axis_doc) {
    v("at", p.at, Field{.unit = "m", .doc = "centre, or a point of the line or plane"});
    if (axis_doc) v("axis", p.axis, Field{.doc = axis_doc});
    v("strength", p.strength, Field{.doc = "acceleration at distance 1 m [m/s^2]; negative repels; an expression of t, frame and measurements"});
    v("exponent", p.exponent, Field{.min = -4, .max = 8, .doc = "p in 1/r^p: 2 Newtonian, 0 constant, -1 like a spring"});
    v("softening", p.softening, Field{.min = 1e-9, .unit = "m", .doc = "distance below which the pull no longer grows"});
    v("from", p.from, Field{.unit = "s", .doc = "start"});
    v("until", p.until, Field{.unit = "s", .doc = "end"});
    v("ease", p.ease, Field{.min = 0, .unit = "s", .doc = "length of the ramps at start and end"});
}

inline AttractorData prepare_attractor(const AttractorParams& p, Real mass) {
    const Vec3 axis = vec(p.axis).norm() > 0 ? vec(p.axis).normalized() : Vec3(0, 1, 0);
    return {p.at, real3(axis), p.field < 0 ? p.strength.constant * mass : mass, p.exponent, p.softening, p.from, p.until, p.ease, p.field};
}

template <int Order> Local<3, Order> eval_attractor(const AttractorData& a, const StepContext& c, const Mat3& A, const Vec3& x) {
    Local<3, Order> out;
    const Vec3 d = A * (x - vec(a.center));
    const Real r = std::sqrt(d.squaredNorm() + a.softening * a.softening), p = a.exponent;
    Real s = a.strength * gate(c.t, a.from, a.until, a.ease);
    if (a.field >= 0 && c.fields) s *= value_at(c.fields->strengths[std::size_t(a.field)], x, c.t, c.gauges);
    out.value = p == 1 ? s * std::log(r) : s * std::pow(r, 1 - p) / (1 - p);
    if constexpr (Order >= 1) {
        const Real pull = s * std::pow(r, -(p + 1));
        out.gradient = pull * d;
        if constexpr (Order >= 2) out.hessian = pull * (A - (p + 1) / (r * r) * d * d.transpose());
    }
    return out;
}

// of a rigid body: at its centre of mass, without torque
template <int Order> Local<6, Order> eval_attractor_frame(const AttractorData& a, const StepContext& c, const Mat3& A, const Vec3& p) {
    Local<6, Order> out;
    const Local<3, Order> center = eval_attractor<Order>(a, c, A, p);
    out.value = center.value;
    if constexpr (Order >= 1) out.gradient.template head<3>() = center.gradient;
    if constexpr (Order >= 2) out.hessian.template topLeftCorner<3, 3>() = center.hessian;
    return out;
}

// Cases: Newtonian, logarithmic (p = 1), spring-like, close to the centre. Of bodies all is ten times as large: the second differences of
// their tests are over 1e-3 m.
template <class E> Sample<E> sample_attractor(Rng& rng, int which) {
    constexpr Real size = frames_of<E>() > 0 ? 10 : 1;
    const Real exponent = which == 1 ? 1 : which == 2 ? -1 : 2;
    Sample<E> out{{real3(draw_vec(rng, -1, 1)), real3(draw_direction(rng)), draw_uniform(rng, -5, 5), exponent,
                   size * draw_uniform(rng, 0.05, 0.2), -1, 1e300, 0, -1}, {}};
    const Vec3 place = vec(out.data.center) + size * (which == 3 ? 0.05 : 1.0) * draw_vec(rng, -1, 1);
    if constexpr (frames_of<E>() > 0) out.at.p[0] = place, out.at.q[0] = exp_rotation(draw_vec(rng, -2, 2));
    else out.at.x[0] = place;
    return out;
}

} // namespace sinew
