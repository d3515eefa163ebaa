// What the rows of packed joints keep (soft_rig.h): the terms of constraint/joint.h and their gradients, four at a time. Local to the
// source that includes it.
#pragma once
#include "solver/soft_lanes4.h"
#include "solver/soft_rig_block.h"

namespace sinew {
namespace {

struct Four { Double4 w; Three<Double4> v; }; // quaternion
inline Four operator*(const Four& a, const Four& b) { return {a.w * b.w - dot(a.v, b.v), b.v * a.w + a.v * b.w + cross(a.v, b.v)}; }
inline Four conjugate(const Four& a) { return {a.w, Three<Double4>{} - a.v}; }
inline Four load_four(const SoftRigLane* l) { return {load(l[0]), load3(l + 1)}; }
// rotation by the vector t
inline Four rotation_of(const Three<Double4>& t) {
    const Three<Double4> half = t * one_of(0.5);
    const Turn turn = find_turn(half);
    return {one_of(1) - dot(half, half) * turn.c, half * turn.s};
}
inline Three<Double4> turned(const Four& by, const Three<Double4>& r) { // minus r
    const Three<Double4> x = cross(by.v, r) * one_of(2);
    return x * by.w + cross(by.v, x);
}
struct Axes { Three<Double4> v[3]; };
inline Axes axes_of(const Four& q) {
    const Double4 zero{}, one = one_of(1);
    const Three<Double4> x{one, zero, zero}, y{zero, one, zero}, z{zero, zero, one};
    return {{x + turned(q, x), y + turned(q, y), z + turned(q, z)}};
}
inline Double4 atan2_of(Double4 y, Double4 x) {
    for (int i = 0; i < 4; ++i) y[i] = __builtin_atan2(y[i], x[i]);
    return y;
}
inline Double4 root4(Double4 a) {
    for (int i = 0; i < 4; ++i) a[i] = __builtin_sqrt(a[i]);
    return a;
}

struct RigPlace {
    Three<Double4> ra, rb, d;
    Axes a, b;
    Four q; // of b's axes in a's
};
struct RigTerm {
    Double4 c;
    Three<Double4> n, ta, tb;
};
inline Three<Double4> in_axes(const Axes& a, const Three<Double4>& x) { return a.v[0] * x.x + a.v[1] * x.y + a.v[2] * x.z; }

inline void find_cross(const Three<Double4>& u, const Three<Double4>& w, RigTerm& t) {
    t.c = dot(u, w);
    t.tb = cross(w, u);
}
inline void find_turn_term(const RigPlace& at, int k, RigTerm& t) {
    const Double4 zero{}, sign = at.q.w < zero ? one_of(-1) : one_of(1), w = at.q.w;
    const Three<Double4>& v = at.q.v;
    // w e_k + v x e_k
    const Three<Double4> e = k == 0   ? Three<Double4>{w, v.z, zero - v.y}
                             : k == 1 ? Three<Double4>{zero - v.z, w, v.x}
                                      : Three<Double4>{v.y, zero - v.x, w};
    t.c = (k == 0 ? v.x : k == 1 ? v.y : v.z) * (sign + sign);
    t.tb = in_axes(at.a, e) * sign;
}
inline void find_twist(const RigPlace& at, RigTerm& t) {
    const Double4 zero{}, w = at.q.w, y = at.q.v.x, r2 = y * y + w * w;
    const Three<Double4>& v = at.q.v;
    const Double4 scale = r2 < one_of(1e-12) ? zero : one_of(1) / r2; // a swing of half a turn leaves no twist
    const Three<Double4> e = Three<Double4>{w, v.z, zero - v.y} * w + v * y;
    t.c = atan2_of(y, w) * one_of(2);
    t.tb = in_axes(at.a, e * scale);
}
inline void find_swing(const RigPlace& at, RigTerm& t) {
    const Double4 zero{};
    const Three<Double4> x = cross(at.a.v[0], at.b.v[0]);
    const Double4 s = root4(dot(x, x));
    t.c = atan2_of(s, dot(at.a.v[0], at.b.v[0]));
    t.tb = x * (s > one_of(1e-9) ? one_of(1) / s : zero); // parallel axes: no direction to swing back
}
inline void find_cardan(const RigPlace& at, int which, RigTerm& t) {
    RigTerm y{}, x{};
    if (which == 0) find_cross(at.a.v[2], at.b.v[1], y), find_cross(at.a.v[1], at.b.v[1], x);
    else find_cross(at.a.v[0], at.b.v[2], y), find_cross(at.a.v[0], at.b.v[0], x);
    const Double4 zero{}, r2 = y.c * y.c + x.c * x.c;
    const Double4 scale = r2 < one_of(1e-12) ? zero : one_of(1) / r2;
    t.c = atan2_of(y.c, x.c);
    t.tb = (y.tb * x.c - x.tb * y.c) * scale;
}
inline void find_slide(const RigPlace& at, int k, RigTerm& t) {
    t.n = at.a.v[k];
    t.c = dot(t.n, at.d);
    t.ta = cross(t.n, at.d + at.ra);
    t.tb = cross(at.rb, t.n);
}
inline void find_length(const RigPlace& at, RigTerm& t) {
    const Double4 zero{}, one = one_of(1);
    t.c = root4(dot(at.d, at.d));
    const Double4 scale = t.c > zero ? one / t.c : zero;
    t.n = {t.c > zero ? at.d.x * scale : one, at.d.y * scale, at.d.z * scale};
    t.ta = cross(t.n, at.ra);
    t.tb = cross(at.rb, t.n);
}
inline RigTerm find_term(const RigPlace& at, const SoftRigRowKind& k) {
    RigTerm t{};
    switch (k.term) {
    case SoftRigTerm::cross: find_cross(at.a.v[k.j], at.b.v[k.k], t); break;
    case SoftRigTerm::turn: find_turn_term(at, k.k, t); break;
    case SoftRigTerm::twist: find_twist(at, t); break;
    case SoftRigTerm::swing: find_swing(at, t); break;
    case SoftRigTerm::slide: find_slide(at, k.k, t); break;
    case SoftRigTerm::length: find_length(at, t); break;
    case SoftRigTerm::cardan: find_cardan(at, k.k, t); break;
    case SoftRigTerm::spin: t.tb = at.a.v[k.k]; break;
    }
    return t;
}

// angles within half a turn of the one at the start of the step
inline Double4 near_start(Double4 angle, Double4 start) {
    constexpr double kTurn = 6.283185307179586;
    for (int i = 0; i < 4; ++i) angle[i] -= kTurn * __builtin_floor((angle[i] - start[i]) / kTurn + 0.5);
    return angle;
}

} // namespace
} // namespace sinew
