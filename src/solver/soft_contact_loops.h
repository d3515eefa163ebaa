// The loops over packed contacts (formulas: soft_contact.h), once for all widths. Included by the sources
// that compile them for one instruction set each; everything is local to such a source. Vec is a number or a
// vector of numbers (the compiler's vector extension): the same operations in the same order, so that every
// lane has the bits of the plain version.
#pragma once
#include "solver/soft_lanes.h"

namespace sinew {
namespace {

// -- bodies
// -------------------------------------------------------------------------------------------------------------
// eight numbers of each of N bodies, turned into N lanes of six; bodies that are absent give zeros
template <class S>
inline Motion<S> gather(const int* body, const SoftBody<S>* bodies, S (SoftBody<S>::*part)[8]) {
    if (body[0] < 0) return {};
    const S* p = bodies[body[0]].*part;
    return {{p[0], p[1], p[2]}, {p[3], p[4], p[5]}};
}
template <class S> inline void scatter(const int* body, S mass, const Motion<S>& m, SoftBody<S>* bodies) {
    if (mass == 0) return;
    S* p = bodies[body[0]].v;
    p[0] = m.v.x, p[1] = m.v.y, p[2] = m.v.z, p[3] = m.w.x, p[4] = m.w.y, p[5] = m.w.z;
}
[[gnu::always_inline]] inline void transpose(Float8* r) {
    Float8 t[8], u[8];
    for (int i = 0; i < 4; ++i) {
        t[2 * i] = __builtin_shufflevector(r[2 * i], r[2 * i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        t[2 * i + 1] = __builtin_shufflevector(r[2 * i], r[2 * i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 2; ++k) {
            const Float8 a = t[4 * i + k], b = t[4 * i + k + 2];
            u[4 * i + 2 * k] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
            u[4 * i + 2 * k + 1] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int i = 0; i < 4; ++i) {
        r[i] = __builtin_shufflevector(u[i], u[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        r[i + 4] = __builtin_shufflevector(u[i], u[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}
[[gnu::always_inline]] inline Motion<Float8> gather8(const int* body, const SoftBody<float>* bodies,
                                                     float (SoftBody<float>::*part)[8]) {
    Float8 r[8];
    for (int i = 0; i < 8; ++i) {
        if (body[i] < 0)
            r[i] = Float8{};
        else
            __builtin_memcpy(&r[i], bodies[body[i]].*part, sizeof r[i]);
    }
    transpose(r);
    return {{r[0], r[1], r[2]}, {r[3], r[4], r[5]}};
}
[[gnu::always_inline]] inline void scatter8(const int* body, Float8 mass, const Motion<Float8>& m,
                                            SoftBody<float>* bodies) {
    Float8 r[8] = {m.v.x, m.v.y, m.v.z, m.w.x, m.w.y, m.w.z, Float8{}, Float8{}};
    transpose(r);
    for (int i = 0; i < 8; ++i)
        if (mass[i] != 0) __builtin_memcpy(bodies[body[i]].v, &r[i], sizeof r[i]);
}
template <class S, int N> struct BodyPair {
    using V = typename VecOf<S, N>::type;
    Motion<V> a, b;
};
template <class S, int N>
[[gnu::always_inline]] inline BodyPair<S, N> gather_pair(const SoftBlock<S, N>& k, const SoftBody<S>* bodies,
                                                         S (SoftBody<S>::*part)[8]) {
    if constexpr (N == 1)
        return {gather(k.a, bodies, part), gather(k.b, bodies, part)};
    else
        return {gather8(k.a, bodies, part), gather8(k.b, bodies, part)};
}
template <class S, int N>
[[gnu::always_inline]] inline void scatter_pair(const SoftBlock<S, N>& k, const BodyPair<S, N>& u,
                                                SoftBody<S>* bodies) {
    if constexpr (N == 1) {
        scatter(k.a, k.mass_a.v[0], u.a, bodies);
        scatter(k.b, k.mass_b.v[0], u.b, bodies);
    } else {
        scatter8(k.a, load(k.mass_a), u.a, bodies);
        scatter8(k.b, load(k.mass_b), u.b, bodies);
    }
}

// inverse masses of the two sides, kept in registers over the rows of a block. Cubes and balls have one number for their inertia, and
// the same bits as with nine
template <class V> struct Round { V xx; };
template <class V> inline Three<V> operator*(const Round<V>& m, const Three<V>& a) { return a * m.xx; }
template <class V, class I> struct Masses {
    V a, b;
    I ia, ib;
};
template <bool IsRound, class S, int N> inline auto load_masses(const SoftBlock<S, N>& k) {
    using V = typename VecOf<S, N>::type;
    if constexpr (IsRound) return Masses<V, Round<V>>{load(k.mass_a), load(k.mass_b), {load(k.inertia_a[0])}, {load(k.inertia_b[0])}};
    else return Masses<V, Symmetric<V>>{load(k.mass_a), load(k.mass_b), load_symmetric(k.inertia_a), load_symmetric(k.inertia_b)};
}
// impulse p along n with levers ja, jb; and a pure torque
template <class V, class I, class Pair>
inline void apply(const Masses<V, I>& m, const Three<V>& n, const Three<V>& ja, const Three<V>& jb, V p,
                  Pair& u) {
    u.a.v = u.a.v + n * (m.a * p);
    u.b.v = u.b.v - n * (m.b * p);
    u.a.w = u.a.w + m.ia * (ja * p);
    u.b.w = u.b.w - m.ib * (jb * p);
}
template <class V, class I, class Pair>
inline void apply_force(const Masses<V, I>& m, const Three<V>& ra, const Three<V>& rb, const Three<V>& p,
                        Pair& u) {
    u.a.v = u.a.v + p * m.a;
    u.b.v = u.b.v - p * m.b;
    u.a.w = u.a.w + m.ia * cross(ra, p);
    u.b.w = u.b.w - m.ib * cross(rb, p);
}
template <class V, class I, class Pair> inline void apply_torque(const Masses<V, I>& m, const Three<V>& p, Pair& u) {
    u.a.w = u.a.w + m.ia * p;
    u.b.w = u.b.w - m.ib * p;
}
template <class V, class Pair>
inline V rate_of(const Three<V>& n, const Three<V>& ja, const Three<V>& jb, const Pair& u) {
    return dot(n, u.a.v - u.b.v) + dot(ja, u.a.w) - dot(jb, u.b.w);
}

// -- preparation
// -------------------------------------------------------------------------------------------------------- a
// unit tangent of n (Duff et al. 2017), n x t is the other
template <class V> inline Three<V> tangent_of(const Three<V>& n) {
    const V zero{}, one = zero + 1;
    const V sign = n.z >= zero ? one : -one;
    const V a = -one / (sign + n.z), b = n.x * n.y * a;
    return {one + sign * n.x * n.x * a, sign * b, -sign * n.x};
}
template <class V> inline V inverse_or_zero(V k) {
    const V zero{}, one = zero + 1;
    return k > zero ? one / (k > zero ? k : one) : zero;
}
// inverse of a symmetric 2x2 matrix (00 11 01); zero where it is singular
template <class V> inline void invert2(V k00, V k11, V k01, V* out) {
    const V det = inverse_or_zero(k00 * k11 - k01 * k01);
    out[0] = k11 * det;
    out[1] = k00 * det;
    out[2] = V{} - k01 * det;
}
// K of two directions at levers: n.n' (m_a + m_b) + j_a I_a j_a' + j_b I_b j_b'
template <class V, class I>
inline V coupling(const Masses<V, I>& m, const Three<V>& n, const Three<V>& ja, const Three<V>& jb,
                  const Three<V>& n2, const Three<V>& ja2, const Three<V>& jb2) {
    return dot(n, n2) * (m.a + m.b) + dot(ja, m.ia * ja2) + dot(jb, m.ib * jb2);
}

template <class S, int N> void prepare_block(SoftBlock<S, N>& k, const SoftBody<S>* bodies) {
    using V = typename VecOf<S, N>::type;
    const auto m = load_masses<false>(k);
    const Three<V> n = load3(k.normal);
    const BodyPair<S, N> u = gather_pair(k, bodies, &SoftBody<S>::v), d = gather_pair(k, bodies, &SoftBody<S>::d);
    const Three<V> t0 = tangent_of(n), t1 = cross(n, t0);
    const Three<V> drive = load3(k.drive);
    store3(k.drive, Three<V>{dot(drive, n), dot(drive, t0), dot(drive, t1)});
    // normal rows
    const Three<V> ca = load3(k.center_a), cb = load3(k.center_b);
    for (int i = 0; i < k.points; ++i) {
        SoftPoint<S, N>& p = k.point[i];
        const Three<V> ra = load3(p.ja), ja = cross(ra, n), jb = cross(load3(p.jb), n);
        const Three<V> from_center = ra - ca;
        const V used = load(p.mass); // 1 where the manifold has this point
        store(p.arm, root(dot(from_center, from_center)));
        store(p.mass, used * inverse_or_zero(coupling(m, n, ja, jb, n, ja, jb)));
        store(p.separation, load(p.gap) + rate_of(n, ja, jb, d));
        store(p.approach, used * (rate_of(n, ja, jb, u) + dot(drive, n)));
        store3(p.ja, ja);
        store3(p.jb, jb);
    }
    // friction
    const Three<V> a0 = cross(ca, t0), b0 = cross(cb, t0), a1 = cross(ca, t1), b1 = cross(cb, t1);
    V inverse[3];
    invert2(coupling(m, t0, a0, b0, t0, a0, b0), coupling(m, t1, a1, b1, t1, a1, b1),
            coupling(m, t0, a0, b0, t1, a1, b1), inverse);
    for (int i = 0; i < 3; ++i) store(k.friction_mass[i], inverse[i]);
    const Three<V> impulse = load3(k.tangent);
    store(k.friction_impulse[0], dot(impulse, t0));
    store(k.friction_impulse[1], dot(impulse, t1));
    store3(k.tangent, t0);
    // spin and rolling
    store(k.spin_mass, inverse_or_zero(dot(n, m.ia * n) + dot(n, m.ib * n)));
    if (!k.rolls) return;
    invert2(dot(t0, m.ia * t0) + dot(t0, m.ib * t0), dot(t1, m.ia * t1) + dot(t1, m.ib * t1),
            dot(t0, m.ia * t1) + dot(t0, m.ib * t1), inverse);
    for (int i = 0; i < 3; ++i) store(k.roll_mass[i], inverse[i]);
    const Three<V> roll = load3(k.roll_impulse);
    store(k.roll_impulse[0], dot(roll, t0));
    store(k.roll_impulse[1], dot(roll, t1));
}

template <class S, int N> void warm_start_block(SoftBlock<S, N>& k, SoftBody<S>* bodies) {
    using V = typename VecOf<S, N>::type;
    const auto m = load_masses<false>(k);
    const Three<V> n = load3(k.normal), t0 = load3(k.tangent), t1 = cross(n, t0);
    BodyPair<S, N> u = gather_pair(k, bodies, &SoftBody<S>::v);
    // sum of all impulses as one force and two torques
    V along{};
    Three<V> ta{}, tb{};
    for (int i = 0; i < k.points; ++i) {
        const V p = load(k.point[i].impulse);
        along = along + p;
        ta = ta + load3(k.point[i].ja) * p;
        tb = tb + load3(k.point[i].jb) * p;
    }
    const Three<V> side = t0 * load(k.friction_impulse[0]) + t1 * load(k.friction_impulse[1]);
    Three<V> spin = n * load(k.spin_impulse);
    if (k.rolls) spin = spin + t0 * load(k.roll_impulse[0]) + t1 * load(k.roll_impulse[1]);
    const Three<V> force = n * along + side;
    u.a.v = u.a.v + force * m.a;
    u.b.v = u.b.v - force * m.b;
    u.a.w = u.a.w + m.ia * (ta + cross(load3(k.center_a), side) + spin);
    u.b.w = u.b.w - m.ib * (tb + cross(load3(k.center_b), side) + spin);
    scatter_pair(k, u, bodies);
}

// -- rows
// ---------------------------------------------------------------------------------------------------------------
// two impulses from two rates, within the disc of radius `limit`
template <class V> struct Two { V x, y; };
template <class S, int N, class V>
inline Two<V> solve_disc(const SoftLane<S, N>* inverse, const SoftLane<S, N>* impulse, V r0, V r1, V limit) {
    const V i00 = load(inverse[0]), i11 = load(inverse[1]), i01 = load(inverse[2]);
    const V x = load(impulse[0]) - (i00 * r0 + i01 * r1), y = load(impulse[1]) - (i01 * r0 + i11 * r1);
    const V zero{}, one = zero + 1;
    const V length = root(x * x + y * y);
    const V scale = length > limit ? limit / (length > zero ? length : one) : one;
    return {x * scale, y * scale};
}

template <class S, int N, class V, class I>
[[gnu::always_inline]] inline void solve_friction(SoftBlock<S, N>& k, const Masses<V, I>& m, const Three<V>& n,
                                                  BodyPair<S, N>& u) {
    const Three<V> t0 = load3(k.tangent), t1 = cross(n, t0);
    V load_sum{}, moment{};
    for (int i = 0; i < k.points; ++i) {
        const V p = load(k.point[i].impulse);
        load_sum = load_sum + p;
        moment = moment + load(k.point[i].arm) * p;
    }
    const V mu = load(k.friction);
    if (k.rolls) {
        const Three<V> w = u.a.w - u.b.w;
        const V x = load(k.roll_impulse[0]), y = load(k.roll_impulse[1]);
        const Two<V> p =
            solve_disc(k.roll_mass, k.roll_impulse, dot(w, t0), dot(w, t1), load(k.rolling) * load_sum);
        apply_torque(m, t0 * (p.x - x) + t1 * (p.y - y), u);
        store(k.roll_impulse[0], p.x);
        store(k.roll_impulse[1], p.y);
    }
    // spin about the normal
    {
        const V limit = mu * moment + load(k.torsion) * load_sum;
        const V old = load(k.spin_impulse);
        const V p = larger(V{} - limit, smaller(limit, old - load(k.spin_mass) * dot(n, u.a.w - u.b.w)));
        apply_torque(m, n * (p - old), u);
        store(k.spin_impulse, p);
    }
    // sliding
    const Three<V> ca = load3(k.center_a), cb = load3(k.center_b);
    const Three<V> slide = (u.a.v + cross(u.a.w, ca)) - (u.b.v + cross(u.b.w, cb));
    const V x = load(k.friction_impulse[0]), y = load(k.friction_impulse[1]);
    const Two<V> p = solve_disc(k.friction_mass, k.friction_impulse, dot(slide, t0) + load(k.drive[1]),
                                dot(slide, t1) + load(k.drive[2]), mu * load_sum);
    apply_force(m, ca, cb, t0 * (p.x - x) + t1 * (p.y - y), u);
    store(k.friction_impulse[0], p.x);
    store(k.friction_impulse[1], p.y);
}

template <bool Bias, bool IsRound, class S, int N>
void solve_block(SoftBlock<S, N>& k, const SoftNumbers<S>& s, SoftBody<S>* bodies) {
    using V = typename VecOf<S, N>::type;
    const auto m = load_masses<IsRound>(k);
    const Three<V> n = load3(k.normal);
    BodyPair<S, N> u = gather_pair(k, bodies, &SoftBody<S>::v), d;
    if constexpr (!Bias) d = gather_pair(k, bodies, &SoftBody<S>::d);
    // after the springs the normal impulses lack what softness takes: relaxed first, they bound friction in full
    if constexpr (Bias) solve_friction(k, m, n, u);
    const V zero{}, one = zero + 1;
    const V bias_rate = load(k.bias_rate), mass_scale = load(k.mass_scale),
            impulse_scale = load(k.impulse_scale), drive = load(k.drive[0]);
    for (int i = 0; i < k.points; ++i) {
        SoftPoint<S, N>& point = k.point[i];
        const Three<V> ja = load3(point.ja), jb = load3(point.jb);
        const V old = load(point.impulse);
        V separation;
        if constexpr (Bias) separation = load(point.separation);
        else separation = load(point.gap) + rate_of(n, ja, jb, d);
        const V apart = separation * s.inverse_h; // no more than closes the gap
        V p;
        if constexpr (Bias) {
            const V push = larger(bias_rate * smaller(separation + s.slop, zero), zero - s.push_speed);
            const V bias = separation > zero ? apart : push;
            const V soft_mass = separation > zero ? one : mass_scale,
                    soft_impulse = separation > zero ? zero : impulse_scale;
            p = old - load(point.mass) * soft_mass * (rate_of(n, ja, jb, u) + drive + bias) -
                soft_impulse * old;
        } else {
            store(point.separation, separation);
            p = old - load(point.mass) * (rate_of(n, ja, jb, u) + drive + larger(apart, zero));
        }
        p = larger(p, zero);
        apply(m, n, ja, jb, p - old, u);
        store(point.impulse, p);
        if (k.bounces) store(point.peak, larger(load(point.peak), p));
    }
    if constexpr (!Bias) solve_friction(k, m, n, u);
    scatter_pair(k, u, bodies);
}

// rate after = -e times the rate before, where the point approached fast enough and has pushed
template <class S, int N>
void bounce_block(SoftBlock<S, N>& k, const SoftNumbers<S>& s, SoftBody<S>* bodies) {
    using V = typename VecOf<S, N>::type;
    if (!k.bounces) return;
    const auto m = load_masses<false>(k);
    const Three<V> n = load3(k.normal);
    BodyPair<S, N> u = gather_pair(k, bodies, &SoftBody<S>::v);
    const V zero{}, e = load(k.restitution), drive = load(k.drive[0]);
    for (int i = 0; i < k.points; ++i) {
        SoftPoint<S, N>& point = k.point[i];
        const Three<V> ja = load3(point.ja), jb = load3(point.jb);
        const V old = load(point.impulse), approach = load(point.approach);
        const V p = larger(old - load(point.mass) * (rate_of(n, ja, jb, u) + drive + e * approach), zero);
        const V fast = approach < zero - s.bounce_speed ? p : old;
        const V now = load(point.peak) > zero ? fast : old;
        const V kept = e > zero ? now : old;
        apply(m, n, ja, jb, kept - old, u);
        store(point.impulse, kept);
    }
    scatter_pair(k, u, bodies);
}

// -- loops
// --------------------------------------------------------------------------------------------------------------
template <class S, int N>
void prepare_blocks(SoftBlock<S, N>* k, int begin, int end, const SoftBody<S>* bodies) {
    for (int i = begin; i < end; ++i) prepare_block(k[i], bodies);
}
template <class S, int N>
void warm_start_blocks(SoftBlock<S, N>* k, int begin, int end, SoftBody<S>* bodies) {
    for (int i = begin; i < end; ++i) warm_start_block(k[i], bodies);
}
template <class S, int N>
void solve_blocks(SoftBlock<S, N>* k, int begin, int end, const SoftNumbers<S>& s, SoftBody<S>* bodies) {
    for (int i = begin; i < end; ++i) k[i].round ? solve_block<true, true>(k[i], s, bodies) : solve_block<true, false>(k[i], s, bodies);
}
template <class S, int N>
void relax_blocks(SoftBlock<S, N>* k, int begin, int end, const SoftNumbers<S>& s, SoftBody<S>* bodies) {
    for (int i = begin; i < end; ++i) k[i].round ? solve_block<false, true>(k[i], s, bodies) : solve_block<false, false>(k[i], s, bodies);
}
template <class S, int N>
void bounce_blocks(SoftBlock<S, N>* k, int begin, int end, const SoftNumbers<S>& s, SoftBody<S>* bodies) {
    for (int i = begin; i < end; ++i) bounce_block(k[i], s, bodies);
}
template <class S, int N> constexpr SoftLoops<S, N> make_loops() {
    return {prepare_blocks<S, N>, warm_start_blocks<S, N>, solve_blocks<S, N>, relax_blocks<S, N>,
            bounce_blocks<S, N>};
}

} // namespace
} // namespace sinew
