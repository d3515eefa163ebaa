// The loops over packed trees of ball joints (formulas: soft_tree.h). Included by the sources that compile them for one
// instruction set each; everything is local to such a source. The operations and their order are the same in both.
#pragma once
#include "solver/soft_lanes4.h"
#include "solver/soft_tree_block.h"

namespace sinew {
namespace {

// -- small matrices
struct Full { Three<Double4> x, y, z; }; // rows
inline Full load_full(const SoftTreeMatrix& m) { return {load3(m.v), load3(m.v + 3), load3(m.v + 6)}; }
inline void store_full(SoftTreeMatrix& m, const Full& a) { store3(m.v, a.x), store3(m.v + 3, a.y), store3(m.v + 6, a.z); }
inline Three<Double4> operator*(const Full& m, const Three<Double4>& a) { return {dot(m.x, a), dot(m.y, a), dot(m.z, a)}; }
inline Three<Double4> times_transposed(const Full& m, const Three<Double4>& a) { return m.x * a.x + m.y * a.y + m.z * a.z; }
inline void store_symmetric(SoftTreeLane* to, const Symmetric<Double4>& m) {
    store(to[0], m.xx), store(to[1], m.yy), store(to[2], m.zz), store(to[3], m.xy), store(to[4], m.xz), store(to[5], m.yz);
}
// S(g) W S(h)^T with S(r) u = r x u: columns g x W (e_k x h)
inline Full between_arms(const Three<Double4>& g, const Symmetric<Double4>& w, const Three<Double4>& h) {
    const Double4 zero{};
    const Three<Double4> x = cross(g, w * Three<Double4>{zero, zero - h.z, h.y}), y = cross(g, w * Three<Double4>{h.z, zero, zero - h.x}),
                         z = cross(g, w * Three<Double4>{zero - h.y, h.x, zero});
    return {{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}};
}
inline Symmetric<Double4> invert(const Symmetric<Double4>& m) {
    const Double4 one = Double4{} + 1;
    const Double4 xx = m.yy * m.zz - m.yz * m.yz, xy = m.xz * m.yz - m.xy * m.zz, xz = m.xy * m.yz - m.xz * m.yy;
    const Double4 d = one / (m.xx * xx + m.xy * xy + m.xz * xz);
    return {xx * d, (m.xx * m.zz - m.xz * m.xz) * d, (m.xx * m.yy - m.xy * m.xy) * d, xy * d, xz * d, (m.xy * m.xz - m.xx * m.yz) * d};
}

// -- refresh
inline Three<Double4> turn_by(const Turn& by, const Three<Double4>& t, const Three<Double4>& r) { // minus r
    const Three<Double4> x = cross(t, r);
    return x * by.s + cross(t, x) * by.c;
}

void factor_tree(SoftTreeView& t, double trace) {
    const SoftTreeOrder& o = t.order;
    for (int k = 0; k < o.joints; ++k) {
        SoftTreeJoint& j = t.joint[k];
        const SoftTreeBody &a = t.body[o.a[k]], &b = t.body[o.b[k]];
        const Full x = between_arms(load3(j.ra), load_symmetric(a.inertia), load3(j.ra)),
                   y = between_arms(load3(j.rb), load_symmetric(b.inertia), load3(j.rb));
        const Double4 m = load(a.mass) + load(b.mass), soft = one_of(trace);
        Symmetric<Double4> p{m + x.x.x + y.x.x, m + x.y.y + y.y.y, m + x.z.z + y.z.z, x.x.y + y.x.y, x.x.z + y.x.z, x.y.z + y.y.z};
        store(j.softness[0], p.xx * soft), store(j.softness[1], p.yy * soft), store(j.softness[2], p.zz * soft);
        p.xx = p.xx + p.xx * soft, p.yy = p.yy + p.yy * soft, p.zz = p.zz + p.zz * soft;
        store_symmetric(j.inverse, p);
    }
    for (int e = 0; e < o.blocks; ++e) t.factor[e] = {};
    for (int n = 0; n < o.couplings; ++n) {
        const SoftTreeCoupling& c = o.coupling[n];
        const SoftTreeJoint &g = t.joint[c.row], &h = t.joint[c.column];
        const SoftTreeBody& body = t.body[c.body];
        const Double4 sign = one_of(c.row_is_b == c.column_is_b ? 1 : -1), m = load(body.mass);
        Full k = between_arms(load3(c.row_is_b ? g.rb : g.ra), load_symmetric(body.inertia), load3(c.column_is_b ? h.rb : h.ra));
        k.x.x = k.x.x + m, k.y.y = k.y.y + m, k.z.z = k.z.z + m;
        store_full(t.factor[c.block], {k.x * sign, k.y * sign, k.z * sign});
    }
    // A = L D L^T in blocks: A_ij -= L_ik A_jk^T
    const int* update = o.update;
    for (int k = 0; k < o.joints; ++k) {
        const Symmetric<Double4> inverse = invert(load_symmetric(t.joint[k].inverse));
        store_symmetric(t.joint[k].inverse, inverse);
        const int begin = o.begin[k], count = o.begin[k + 1] - begin;
        for (int e = count - 1; e >= 0; --e) {
            const Full a = load_full(t.factor[begin + e]), l{inverse * a.x, inverse * a.y, inverse * a.z};
            const int* to = update + e * (e + 1) / 2;
            for (int f = 0; f < e; ++f) {
                const Full b = load_full(t.factor[begin + f]);
                Full x = load_full(t.factor[to[f] - o.joints]);
                x = {x.x - b * l.x, x.y - b * l.y, x.z - b * l.z};
                store_full(t.factor[to[f] - o.joints], x);
            }
            SoftTreeLane* pivot = t.joint[to[e]].inverse;
            const Symmetric<Double4> p = load_symmetric(pivot);
            store_symmetric(pivot, {p.xx - dot(a.x, l.x), p.yy - dot(a.y, l.y), p.zz - dot(a.z, l.z), p.xy - dot(a.y, l.x),
                                    p.xz - dot(a.z, l.x), p.yz - dot(a.z, l.y)});
            store_full(t.factor[begin + e], l);
        }
        update += count * (count + 1) / 2;
    }
}

constexpr double kSoftTreeTurned = 1e-3; // [rad] a factor holds as long as bodies have turned by less

void refresh_tree(SoftTreeView& t, const SoftTreeNumbers& n, const SoftBody<float>* bodies) {
    const SoftTreeOrder& o = t.order;
    Motion<Double4> d[kSoftTreeBodies], u[kSoftTreeBodies];
    Turn turn[kSoftTreeBodies];
    for (int i = 0; i < o.bodies; ++i) {
        const SoftTreeBody& b = t.body[i];
        d[i] = gather4(b.place, bodies, &SoftBody<float>::d);
        u[i] = gather4(b.place, bodies, &SoftBody<float>::v);
        turn[i] = find_turn(d[i].w);
        const Three<Double4> since = d[i].w - load3(b.turned);
        const Double4 far = dot(since, since);
        for (int l = 0; l < 4; ++l)
            if (b.moves && !(far[l] < kSoftTreeTurned * kSoftTreeTurned)) *t.ready = false;
    }
    const Double4 half = one_of(0.5 * n.h);
    for (int k = 0; k < o.joints; ++k) {
        SoftTreeJoint& j = t.joint[k];
        const int a = o.a[k], b = o.b[k];
        const Three<Double4> from_a = load3(j.start_a), from_b = load3(j.start_b);
        const Three<Double4> da = turn_by(turn[a], d[a].w, from_a), db = turn_by(turn[b], d[b].w, from_b);
        const Three<Double4> ra = from_a + da, rb = from_b + db;
        store3(j.ra, ra);
        store3(j.rb, rb);
        store3(j.c, load3(j.start_c) + ((d[b].v - d[a].v) + (db - da)));
        store3(j.bend, (cross(u[b].w, cross(u[b].w, rb)) - cross(u[a].w, cross(u[a].w, ra))) * half);
    }
    if (*t.ready) return;
    factor_tree(t, n.trace);
    for (int i = 0; i < o.bodies; ++i) store3(t.body[i].turned, d[i].w);
    *t.ready = true;
}

// -- impulses
// impulses x of all joints, on velocities u
inline void push_tree(SoftTreeView& t, const Three<Double4>* x, Motion<Double4>* u, SoftBody<float>* bodies) {
    const SoftTreeOrder& o = t.order;
    Motion<Double4> push[kSoftTreeBodies]; // force and torque, times h
    for (int i = 0; i < o.bodies; ++i) push[i] = Motion<Double4>{{Double4{}, Double4{}, Double4{}}, {Double4{}, Double4{}, Double4{}}};
    for (int k = 0; k < o.joints; ++k) {
        Motion<Double4>&a = push[o.a[k]], &b = push[o.b[k]];
        a = {a.v - x[k], a.w - cross(load3(t.joint[k].ra), x[k])};
        b = {b.v + x[k], b.w + cross(load3(t.joint[k].rb), x[k])};
    }
    for (int i = 0; i < o.bodies; ++i) {
        const SoftTreeBody& b = t.body[i];
        if (b.moves) scatter4(b.place, {u[i].v + push[i].v * load(b.mass), u[i].w + load_symmetric(b.inertia) * push[i].w}, bodies);
    }
}

void warm_start_tree(SoftTreeView& t, SoftBody<float>* bodies) {
    const SoftTreeOrder& o = t.order;
    Motion<Double4> u[kSoftTreeBodies];
    Three<Double4> x[kSoftTreeJoints];
    for (int i = 0; i < o.bodies; ++i) u[i] = gather4(t.body[i].place, bodies, &SoftBody<float>::v);
    for (int k = 0; k < o.joints; ++k) x[k] = load3(t.joint[k].impulse);
    push_tree(t, x, u, bodies);
}

void solve_tree(SoftTreeView& t, double gain, SoftBody<float>* bodies) {
    const SoftTreeOrder& o = t.order;
    Motion<Double4> u[kSoftTreeBodies];
    Three<Double4> x[kSoftTreeJoints];
    for (int i = 0; i < o.bodies; ++i) u[i] = gather4(t.body[i].place, bodies, &SoftBody<float>::v);
    const Double4 pull = one_of(gain), zero{};
    Double4 worst{};
    for (int k = 0; k < o.joints; ++k) {
        const SoftTreeJoint& j = t.joint[k];
        const Motion<Double4>&a = u[o.a[k]], &b = u[o.b[k]];
        const Three<Double4> p = load3(j.impulse), s = load3(j.softness);
        const Three<Double4> rate = (b.v + cross(b.w, load3(j.rb))) - (a.v + cross(a.w, load3(j.ra)));
        const Three<Double4> rest = load3(j.bend) + load3(j.c) * pull + Three<Double4>{s.x * p.x, s.y * p.y, s.z * p.z};
        x[k] = Three<Double4>{zero, zero, zero} - (rate + rest);
        worst = larger(worst, larger(larger(x[k].x, zero - x[k].x), larger(larger(x[k].y, zero - x[k].y), larger(x[k].z, zero - x[k].z))));
    }
    t.error = larger(larger(worst[0], worst[1]), larger(worst[2], worst[3]));
    for (int k = 0; k < o.joints; ++k) {
        for (int e = o.begin[k]; e < o.begin[k + 1]; ++e) x[o.row[e]] = x[o.row[e]] - load_full(t.factor[e]) * x[k];
    }
    for (int k = o.joints - 1; k >= 0; --k) {
        x[k] = load_symmetric(t.joint[k].inverse) * x[k];
        for (int e = o.begin[k]; e < o.begin[k + 1]; ++e) x[k] = x[k] - times_transposed(load_full(t.factor[e]), x[o.row[e]]);
        store3(t.joint[k].impulse, load3(t.joint[k].impulse) + x[k]);
    }
    push_tree(t, x, u, bodies);
}

constexpr SoftTreeLoops make_soft_tree_loops() { return {refresh_tree, warm_start_tree, solve_tree}; }

} // namespace
} // namespace sinew
