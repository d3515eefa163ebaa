// The loops over packed joints of any kind (formulas: soft_rig.h). Included by the sources that compile them for one instruction set
// each; everything is local to such a source. The operations and their order are the same in both.
#pragma once
#include "solver/soft_rig_factor.h"
#include "solver/soft_rig_terms.h"

namespace sinew {
namespace {

// -- refresh
void refresh_row(SoftRigView& t, int i, const RigPlace& at, bool begins) {
    const SoftRigRowKind& k = t.order.row_kind[i];
    SoftRigRow& row = t.row[i];
    RigTerm term = find_term(at, k);
    const Double4 sign = one_of(k.sign);
    if (begins) store(row.angle, term.c);
    else if (k.term == SoftRigTerm::twist || k.term == SoftRigTerm::cardan) term.c = near_start(term.c, load(row.angle));
    if (k.position) {
        if (begins) store(row.shift, load(row.c) - sign * term.c);
        store(row.c, load(row.shift) + sign * term.c);
    }
    if (*t.ready) return; // the levers of the factor
    store3(row.tb, term.tb * sign);
    if (k.slide < 0) return;
    store3(t.slide[k.slide].n, term.n * sign);
    store3(t.slide[k.slide].ta, term.ta * sign);
}

// J W J^T of a row
inline Double4 response_of(const SoftRigView& t, const SoftRigJointKind& k, int i) {
    const SoftRigBody &a = t.body[k.a], &b = t.body[k.b];
    const int slide = t.order.row_kind[i].slide;
    const Three<Double4> tb = load3(t.row[i].tb), ta = slide < 0 ? tb : load3(t.slide[slide].ta);
    Double4 sum = dot(ta, load_symmetric(a.inverse_inertia) * ta) + dot(tb, load_symmetric(b.inverse_inertia) * tb);
    if (slide < 0) return sum;
    const Three<Double4> n = load3(t.slide[slide].n);
    return sum + dot(n, n) * (load(a.inverse_mass) + load(b.inverse_mass));
}
inline void set_sigma(SoftRigRow& row) {
    const Double4 zero{}, s = load(row.softness), on = load(row.active); // rows that move nothing carry nothing
    store(row.sigma, s > one_of(1e-30) ? on / s : zero);
}

// softness of rigid rows
void soften(SoftRigView& t, const SoftRigJointKind& k, SoftRigJoint& j, double trace) {
    const SoftRigBody &a = t.body[k.a], &b = t.body[k.b];
    if (k.place) {
        const Symmetric<Double4> wa = load_symmetric(a.inverse_inertia), wb = load_symmetric(b.inverse_inertia);
        const Levers ra = levers_of(load3(j.ra)), rb = levers_of(load3(j.rb));
        for (int i = 0; i < 3; ++i) {
            const Three<Double4> x{ra.v[i][0], ra.v[i][1], ra.v[i][2]}, y{rb.v[i][0], rb.v[i][1], rb.v[i][2]};
            if (!k.soft) store(j.softness[i], (load(a.inverse_mass) + load(b.inverse_mass) + dot(x, wa * x) + dot(y, wb * y)) * one_of(trace));
            store(j.sigma[i], one_of(1) / load(j.softness[i]));
        }
    }
    for (int i = k.row; i < k.end; ++i) {
        if (!t.order.row_kind[i].soft) store(t.row[i].softness, response_of(t, k, i) * one_of(trace));
        set_sigma(t.row[i]);
    }
}

// [rad] A factor holds as long as bodies have turned by less, and its levers with it: dp is a small difference of right and J du, times
// 1/s, which other levers would make a large one.
constexpr double kSoftRigTurned = 1e-3;

void refresh_rig(SoftRigView& t, const SoftRigNumbers& n, const SoftBody<float>* bodies) {
    const SoftRigOrder& o = t.order;
    Motion<Double4> d[kSoftRigBodies], u[kSoftRigBodies];
    Four turn[kSoftRigBodies];
    for (int i = 0; i < o.bodies; ++i) {
        const SoftRigBody& b = t.body[i];
        d[i] = gather4(b.place, bodies, &SoftBody<float>::d);
        u[i] = gather4(b.place, bodies, &SoftBody<float>::v);
        turn[i] = rotation_of(d[i].w);
        const Three<Double4> since = d[i].w - load3(b.turned);
        const Double4 far = dot(since, since);
        for (int l = 0; l < 4; ++l)
            if (i < o.moving && !(far[l] < kSoftRigTurned * kSoftRigTurned)) *t.ready = false;
    }
    const Double4 half = one_of(0.5 * n.h);
    for (int k = 0; k < o.joints; ++k) {
        SoftRigJoint& j = t.joint[k];
        const SoftRigJointKind& kind = o.joint[k];
        const int a = kind.a, b = kind.b;
        RigPlace at;
        const Three<Double4> da = turned(turn[a], load3(j.start_a)), db = turned(turn[b], load3(j.start_b));
        at.ra = load3(j.start_a) + da, at.rb = load3(j.start_b) + db;
        at.d = load3(j.start_d) + ((d[b].v - d[a].v) + (db - da));
        store3(j.d, at.d);
        if (!*t.ready) store3(j.ra, at.ra), store3(j.rb, at.rb);
        if (kind.bends) store3(j.bend, (cross(u[b].w, cross(u[b].w, at.rb)) - cross(u[a].w, cross(u[a].w, at.ra))) * half);
        if (kind.row < kind.end) {
            const Four qa = turn[a] * load_four(j.axes_a), qb = turn[b] * load_four(j.axes_b);
            at.q = conjugate(qa) * qb;
            at.a = axes_of(qa), at.b = axes_of(qb);
            for (int i = kind.row; i < kind.end; ++i) refresh_row(t, i, at, n.begins);
        }
        if (!*t.ready) soften(t, kind, j, n.trace);
    }
    if (*t.ready) return;
    for (int i = 0; i < o.bodies; ++i) store3(t.body[i].turned, d[i].w);
}

// -- impulses
inline void push_bodies(const SoftRigView& t, const Six* push, Motion<Double4>* u) {
    for (int i = 0; i < t.order.moving; ++i) {
        const SoftRigBody& b = t.body[i];
        const Double4* f = push[i].v;
        u[i].v = u[i].v + Three<Double4>{f[0], f[1], f[2]} * load(b.inverse_mass);
        u[i].w = u[i].w + load_symmetric(b.inverse_inertia) * Three<Double4>{f[3], f[4], f[5]};
    }
}
inline void add_six(Six& to, const Three<Double4>& f, const Three<Double4>& torque) {
    const Six x = six_of(f, torque);
    for (int k = 0; k < 6; ++k) to.v[k] = to.v[k] + x.v[k];
}
// J^T x of all rows on the bodies; place(k) and row(i) give x
template <class P, class R> inline void gather_rows(const SoftRigView& t, P&& place, R&& row, Six* out) {
    const SoftRigOrder& o = t.order;
    for (int i = 0; i < o.bodies; ++i) out[i] = {};
    for (int n = 0; n < o.joints; ++n) {
        const SoftRigJointKind& k = o.joint[n];
        Three<Double4> fa{}, fb{}, ta{}, tb{};
        if (k.place) {
            const Three<Double4> x = place(n);
            fa = fa - x, fb = x;
            ta = ta - cross(load3(t.joint[n].ra), x), tb = cross(load3(t.joint[n].rb), x);
        }
        for (int i = k.row; i < k.end; ++i) {
            const Double4 x = row(i);
            const Three<Double4> g = load3(t.row[i].tb) * x;
            tb = tb + g;
            if (const int s = o.row_kind[i].slide; s < 0) ta = ta - g;
            else {
                const Three<Double4> f = load3(t.slide[s].n) * x;
                fa = fa - f, fb = fb + f, ta = ta + load3(t.slide[s].ta) * x;
            }
        }
        add_six(out[k.a], fa, ta);
        add_six(out[k.b], fb, tb);
    }
}
inline Three<Double4> place_rate(const SoftRigJoint& j, const Motion<Double4>& a, const Motion<Double4>& b) {
    return (b.v + cross(b.w, load3(j.rb))) - (a.v + cross(a.w, load3(j.ra)));
}
inline Double4 row_rate(const SoftRigView& t, int i, const Motion<Double4>& a, const Motion<Double4>& b) {
    const Three<Double4> tb = load3(t.row[i].tb);
    const int s = t.order.row_kind[i].slide;
    if (s < 0) return dot(tb, b.w - a.w);
    return dot(load3(t.slide[s].n), b.v - a.v) + dot(load3(t.slide[s].ta), a.w) + dot(tb, b.w);
}

inline void gather_bodies(const SoftRigView& t, const SoftBody<float>* bodies, Motion<Double4>* u) {
    for (int i = 0; i < t.order.bodies; ++i) u[i] = gather4(t.body[i].place, bodies, &SoftBody<float>::v);
}
inline void scatter_bodies(const SoftRigView& t, const Motion<Double4>* u, SoftBody<float>* bodies) {
    for (int i = 0; i < t.order.moving; ++i) scatter4(t.body[i].place, u[i], bodies);
}

void warm_start_rig(SoftRigView& t, SoftBody<float>* bodies) {
    Motion<Double4> u[kSoftRigBodies];
    Six push[kSoftRigBodies];
    gather_bodies(t, bodies, u);
    gather_rows(t, [&](int k) { return load3(t.joint[k].impulse); }, [&](int i) { return load(t.row[i].impulse); }, push);
    push_bodies(t, push, u);
    scatter_bodies(t, u, bodies);
}

// what an active row makes zero
inline Double4 residual_of(const SoftRigView& t, int i, const SoftRigNumbers& n, bool spring, const SoftRigJointKind& k, const Motion<Double4>* u) {
    const SoftRigRow& row = t.row[i];
    const SoftRigRowKind& kind = t.order.row_kind[i];
    const Double4 zero{}, c = load(row.c);
    Double4 gain = spring || kind.soft ? load(row.gain) : zero;
    if (kind.one_sided && !kind.soft) gain = c > zero ? one_of(1 / n.h) : gain; // no more than closes the gap
    return row_rate(t, i, u[k.a], u[k.b]) - load(row.rate) + gain * c + load(row.softness) * load(row.impulse);
}

// bounded rows that take part: those within their bounds, and those at a bound that are drawn inwards
void choose_active(SoftRigView& t, const SoftRigNumbers& n, const Motion<Double4>* u) {
    for (int m = 0; m < t.order.joints; ++m) {
        const SoftRigJointKind& k = t.order.joint[m];
        for (int i = k.row; i < k.end; ++i) {
            if (!t.order.row_kind[i].bounded) continue;
            SoftRigRow& row = t.row[i];
            const Double4 p = load(row.impulse), low = load(row.low), high = load(row.high), error = residual_of(t, i, n, true, k, u);
            const Double4 before = load(row.active);
            Double4 active{};
            bool same = true;
            for (int l = 0; l < 4; ++l) {
                const bool inside = p[l] > low[l] && p[l] < high[l], drawn = low[l] < high[l] && (p[l] <= low[l] ? error[l] < 0 : error[l] > 0);
                active[l] = inside || drawn ? 1 : 0;
                same = same && active[l] == before[l];
            }
            if (same) continue;
            store(row.active, active);
            set_sigma(row);
            *t.ready = false;
        }
    }
}

inline Double4 size_of(Double4 a) { return larger(a, Double4{} - a); }

// right-hand sides of all rows, zero for lanes that are done; the largest error of rigid rows into t.error
void find_right(SoftRigView& t, const SoftRigNumbers& n, Double4 going, const Motion<Double4>* u) {
    const Double4 zero{};
    const bool spring = n.pass != SoftRigPass::relax;
    Double4 worst{};
    for (int m = 0; m < t.order.joints; ++m) {
        const SoftRigJointKind& k = t.order.joint[m];
        SoftRigJoint& j = t.joint[m];
        if (k.place) {
            const Three<Double4> p = load3(j.impulse), s = load3(j.softness);
            const Double4 gain = spring || k.soft ? load(j.gain) : zero;
            Three<Double4> x = place_rate(j, u[k.a], u[k.b]) + load3(j.d) * gain + Three<Double4>{s.x * p.x, s.y * p.y, s.z * p.z};
            if (k.bends) x = x + load3(j.bend);
            x = Three<Double4>{} - x * going;
            store3(j.right, x);
            if (!k.soft) worst = larger(worst, larger(size_of(x.x), larger(size_of(x.y), size_of(x.z))));
        }
        for (int i = k.row; i < k.end; ++i) {
            const Double4 x = zero - residual_of(t, i, n, spring, k, u) * load(t.row[i].active) * going;
            store(t.row[i].right, x);
            if (!t.order.row_kind[i].soft && !t.order.row_kind[i].bounded) worst = larger(worst, size_of(x));
        }
    }
    const double error = larger(larger(worst[0], worst[1]), larger(worst[2], worst[3]));
    t.error = larger(t.error, error);
}

// right -> changes of the impulses, dp = sigma (right - J du). Rows that would leave their bounds go there and take part no more; the
// others of their lane go on only in the last round. Returns the lanes that are to be solved again.
Double4 find_changes(SoftRigView& t, bool last, const Motion<Double4>* du) {
    const Double4 zero{}, one = one_of(1);
    Double4 again = zero;
    for (int m = 0; m < t.order.joints; ++m) {
        const SoftRigJointKind& k = t.order.joint[m];
        SoftRigJoint& j = t.joint[m];
        if (k.place) {
            const Three<Double4> s = load3(j.sigma), x = load3(j.right) - place_rate(j, du[k.a], du[k.b]);
            store3(j.right, Three<Double4>{s.x * x.x, s.y * x.y, s.z * x.z});
        }
        for (int i = k.row; i < k.end; ++i) {
            SoftRigRow& row = t.row[i];
            const Double4 x = load(row.sigma) * (load(row.right) - row_rate(t, i, du[k.a], du[k.b]));
            store(row.right, x);
            if (!t.order.row_kind[i].bounded) continue;
            const Double4 p = load(row.impulse) + x, inside = smaller(larger(p, load(row.low)), load(row.high));
            again = inside != p ? one : again;
        }
    }
    return last ? zero : again;
}
void add_changes(SoftRigView& t, Double4 again) {
    const Double4 keep = one_of(1) - again;
    for (int m = 0; m < t.order.joints; ++m) {
        const SoftRigJointKind& k = t.order.joint[m];
        SoftRigJoint& j = t.joint[m];
        if (k.place) {
            store3(j.right, load3(j.right) * keep);
            store3(j.impulse, load3(j.impulse) + load3(j.right));
        }
        for (int i = k.row; i < k.end; ++i) {
            SoftRigRow& row = t.row[i];
            const Double4 before = load(row.impulse), p = before + load(row.right);
            Double4 x = load(row.right) * keep, now = before + x;
            if (t.order.row_kind[i].bounded) {
                const Double4 inside = smaller(larger(p, load(row.low)), load(row.high));
                bool leaves = false;
                for (int l = 0; l < 4; ++l) leaves = leaves || inside[l] != p[l];
                if (leaves) {
                    x = inside != p ? inside - before : x;
                    now = inside != p ? inside : now; // exactly: whether a row is at its bound is seen from this
                    store(row.active, inside != p ? Double4{} : load(row.active));
                    set_sigma(row);
                    *t.ready = false;
                }
            }
            store(row.right, x);
            store(row.impulse, now);
        }
    }
}

constexpr int kSoftRigRounds = 3; // solves of a pass: rows that leave their bounds need another

void solve_rig(SoftRigView& t, const SoftRigNumbers& n, SoftBody<float>* bodies) {
    Motion<Double4> u[kSoftRigBodies], du[kSoftRigBodies];
    Six x[kSoftRigBodies];
    gather_bodies(t, bodies, u);
    t.error = 0;
    if (n.pass == SoftRigPass::first) choose_active(t, n, u);
    Double4 going = one_of(1);
    for (int round = 1; round <= kSoftRigRounds; ++round) {
        if (!*t.ready) factor_rig(t);
        find_right(t, n, going, u);
        gather_rows(
            t, [&](int k) { const Three<Double4> s = load3(t.joint[k].sigma), r = load3(t.joint[k].right); return Three<Double4>{s.x * r.x, s.y * r.y, s.z * r.z}; },
            [&](int i) { return load(t.row[i].sigma) * load(t.row[i].right); }, x);
        solve_factored(t, x);
        for (int i = 0; i < t.order.bodies; ++i) {
            const Double4* b = x[i].v;
            du[i] = i < t.order.moving ? Motion<Double4>{{b[0], b[1], b[2]}, {b[3], b[4], b[5]}} : Motion<Double4>{};
        }
        going = find_changes(t, round == kSoftRigRounds, du);
        add_changes(t, going);
        gather_rows(t, [&](int k) { return load3(t.joint[k].right); }, [&](int i) { return load(t.row[i].right); }, x);
        push_bodies(t, x, u);
        if (going[0] == 0 && going[1] == 0 && going[2] == 0 && going[3] == 0) break;
    }
    scatter_bodies(t, u, bodies);
}

constexpr SoftRigLoops make_soft_rig_loops() { return {refresh_rig, warm_start_rig, solve_rig}; }

} // namespace
} // namespace sinew
