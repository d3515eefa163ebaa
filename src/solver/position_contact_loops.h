// The loop over batches of contacts (position_batch.h), for one instruction set (position_lanes.h): a normal and a tangential solve, the
// same as project_contact (position_contact.h) for up to four points.
#pragma once
#include "solver/position_lanes.h"

namespace sinew {
namespace {

SINEW_INLINE Three load_three(const Lane4* lane) { return {load(lane[0]), load(lane[1]), load(lane[2])}; }

// forces as the local solve wants them, into the set of the friction model: `r` the error of the gap, `d` the response
// cylinder |l_t| <= mu l_n: the normal part first
SINEW_INLINE void project_to_cylinder(V r, V d, V mu, const Three& ut, const ContactNumbers& o, V& normal, Three& t) {
    const V zero{}, one = all_of(1), h = all_of(o.h), rho = all_of(o.damping_time), alpha = all_of(o.compliance), omega = all_of(o.relaxation);
    normal = larger(zero, normal - omega * r / (h * (h + rho) * d + alpha));
    t = t - ut * (omega / (h * d));
    const V size = root(dot(t, t)), limit = mu * normal;
    const V factor = size > limit ? limit / (size > zero ? size : one) : one;
    t = t * (mu > zero ? factor : zero);
}
// cone: both in one scale, then to the nearest point of it
SINEW_INLINE void project_to_cone(V r, V d, V mu, const Three& ut, const ContactNumbers& o, V& normal, Three& t) {
    const V zero{}, one = all_of(1), h = all_of(o.h), rho = all_of(o.damping_time), alpha = all_of(o.compliance), omega = all_of(o.relaxation);
    const V scale = h * (h + rho) * d + alpha;
    if (o.de_saxce) r += h * mu * root(dot(ut, ut));
    normal -= omega * r / scale;
    t = t - ut * (omega * h / scale);
    const V size = root(dot(t, t)), moved = (normal + mu * size) / (one + mu * mu);
    const Mask inside = size <= mu * normal, opposite = mu * size <= -normal, rubs = mu > zero;
    const V on_cone = mu * moved / (size > zero ? size : one);
    const V factor = inside ? one : opposite ? zero : on_cone;
    const V kept = inside ? normal : opposite ? zero : moved;
    normal = rubs ? kept : larger(zero, normal);
    t = t * (rubs ? factor : zero);
}

template <bool Cone> SINEW_INLINE void project_contact(ContactBatch& b, const ContactNumbers& o) {
    const V zero{}, one = all_of(1), h = all_of(o.h);
    Three x[4], v[4], g = load_three(b.outside), u = load_three(b.drive);
    V weight[4], w[4], response = zero;
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
        x[i] = gather(o.x, b.id[i]), v[i] = gather(o.v, b.id[i]);
        weight[i] = load(b.weight[i]), w[i] = load(b.w[i]);
        g = g + x[i] * weight[i], u = u + v[i] * weight[i];
        response += weight[i] * weight[i] * w[i];
    }
    const Mask moves = response > zero;
    const V d = moves ? response : one;
    const Three n = load_three(b.n), before_t = load_three(b.tangential);
    const V before_n = load(b.normal), mu = load(b.friction), un = dot(n, u);
    const V r = (load(b.offset) + dot(n, g)) + all_of(o.damping_time) * un + all_of(o.compliance) * before_n;
    V normal = before_n;
    Three t = before_t;
    if constexpr (Cone) project_to_cone(r, d, mu, u - n * un, o, normal, t);
    else project_to_cylinder(r, d, mu, u - n * un, o, normal, t);
    const Three change = choose(moves, n * (normal - before_n) + (t - before_t));
    store(b.normal, moves ? normal : before_n);
    const Three kept = before_t + choose(moves, t - before_t);
    store(b.tangential[0], kept.x), store(b.tangential[1], kept.y), store(b.tangential[2], kept.z);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
        const Three by = change * (weight[i] * w[i] * h);
        scatter(b.id[i], w[i], x[i] + by * h, o.x);
        scatter(b.id[i], w[i], v[i] + by, o.v);
    }
}
void contacts(ContactBatch* batches, int begin, int end, const ContactNumbers& numbers) {
    const ContactNumbers o = numbers;
    if (o.cone)
        for (int k = begin; k < end; ++k) project_contact<true>(batches[k], o);
    else
        for (int k = begin; k < end; ++k) project_contact<false>(batches[k], o);
}

} // namespace
} // namespace sinew
