// The matrix of packed joints (soft_rig.h), A = M + J^T sigma J in blocks of 6 x 6, one per body that moves, and its factors
//   A = L D L^T,   L with a unit diagonal                     blocks between bodies only where joints are, or elimination fills in
// Local to the source that includes it.
#pragma once
#include "solver/soft_lanes4.h"
#include "solver/soft_rig_block.h"

namespace sinew {
namespace {

constexpr int lower(int i, int j) { return i * (i + 1) / 2 + j; } // j <= i

inline void add(SoftRigLane& to, Double4 x) { store(to, load(to) + x); }
inline void take(SoftRigLane& from, Double4 x) { store(from, load(from) - x); }

// rows r x e_k: what forces along the axes turn. Zero where i == k, which the loops below leave out
struct Levers { Double4 v[3][3]; };
inline Levers levers_of(const Three<Double4>& r) {
    const Double4 zero{};
    return {{{zero, r.z, zero - r.y}, {zero - r.z, zero, r.x}, {r.y, zero - r.x, zero}}};
}

// three rows along the axes on one body: J = +-(1, R)
inline void add_place(const Levers& r, const Double4* sigma, SoftRigDiagonal& to) {
    for (int k = 0; k < 3; ++k) add(to.v[lower(k, k)], sigma[k]);
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k)
            if (k != i) add(to.v[lower(3 + i, k)], r.v[k][i] * sigma[k]);
        for (int j = 0; j <= i; ++j)
            for (int k = 0; k < 3; ++k)
                if (k != i && k != j) add(to.v[lower(3 + i, 3 + j)], r.v[k][i] * sigma[k] * r.v[k][j]);
    }
}
// between two: of opposite signs
inline void add_place(const Levers& row, const Levers& column, const Double4* sigma, SoftRigMatrix& to) {
    for (int k = 0; k < 3; ++k) take(to.v[6 * k + k], sigma[k]);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            if (k == i) continue;
            take(to.v[6 * (3 + i) + k], row.v[k][i] * sigma[k]);
            take(to.v[6 * k + 3 + i], sigma[k] * column.v[k][i]);
        }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k)
                if (k != i && k != j) take(to.v[6 * (3 + i) + 3 + j], row.v[k][i] * sigma[k] * column.v[k][j]);
}

struct Six { Double4 v[6]; };
inline Six six_of(const Three<Double4>& a, const Three<Double4>& b) { return {{a.x, a.y, a.z, b.x, b.y, b.z}}; }
inline void add_outer(const Six& j, Double4 sigma, SoftRigDiagonal& to) {
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k <= i; ++k) add(to.v[lower(i, k)], j.v[i] * sigma * j.v[k]);
}
inline void add_outer(const Six& row, const Six& column, Double4 sigma, SoftRigMatrix& to) {
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 6; ++k) add(to.v[6 * i + k], row.v[i] * sigma * column.v[k]);
}

// rows of angles act on the relative spin: their sum of sigma g g^T stands on both bodies, and with - between them
inline Symmetric<Double4> sum_turns(const SoftRigView& t, const SoftRigJointKind& k) {
    const Double4 zero{};
    Symmetric<Double4> sum{zero, zero, zero, zero, zero, zero};
    for (int i = k.row; i < k.end; ++i) {
        if (t.order.row_kind[i].slide >= 0) continue;
        const Three<Double4> g = load3(t.row[i].tb), s = g * load(t.row[i].sigma);
        sum = {sum.xx + s.x * g.x, sum.yy + s.y * g.y, sum.zz + s.z * g.z, sum.xy + s.x * g.y, sum.xz + s.x * g.z, sum.yz + s.y * g.z};
    }
    return sum;
}
inline void add_turns(const Symmetric<Double4>& s, SoftRigDiagonal& to) {
    add(to.v[lower(3, 3)], s.xx), add(to.v[lower(4, 4)], s.yy), add(to.v[lower(5, 5)], s.zz);
    add(to.v[lower(4, 3)], s.xy), add(to.v[lower(5, 3)], s.xz), add(to.v[lower(5, 4)], s.yz);
}
inline void take_turns(const Symmetric<Double4>& s, SoftRigMatrix& from) {
    const Double4 m[3][3] = {{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) take(from.v[6 * (3 + i) + 3 + j], m[i][j]);
}

inline void begin_matrix(SoftRigView& t) {
    for (int i = 0; i < t.order.moving; ++i) {
        SoftRigDiagonal& d = t.diagonal[i];
        const SoftRigBody& b = t.body[i];
        for (SoftRigLane& x : d.v) store(x, Double4{});
        for (int k = 0; k < 3; ++k) d.v[lower(k, k)] = b.mass, d.v[lower(3 + k, 3 + k)] = b.inertia[k];
        d.v[lower(4, 3)] = b.inertia[3], d.v[lower(5, 3)] = b.inertia[4], d.v[lower(5, 4)] = b.inertia[5];
    }
    for (int e = 0; e < t.order.blocks; ++e)
        for (SoftRigLane& x : t.factor[e].v) store(x, Double4{});
}

inline void add_joint(SoftRigView& t, const SoftRigJointKind& k, const SoftRigJoint& j) {
    SoftRigDiagonal *a = k.a < t.order.moving ? &t.diagonal[k.a] : nullptr, *b = k.b < t.order.moving ? &t.diagonal[k.b] : nullptr;
    SoftRigMatrix* between = k.block >= 0 ? &t.factor[k.block] : nullptr;
    if (k.place) {
        const Levers ra = levers_of(load3(j.ra)), rb = levers_of(load3(j.rb));
        const Double4 sigma[3] = {load(j.sigma[0]), load(j.sigma[1]), load(j.sigma[2])};
        if (a) add_place(ra, sigma, *a);
        if (b) add_place(rb, sigma, *b);
        if (between) add_place(k.a_is_row ? ra : rb, k.a_is_row ? rb : ra, sigma, *between);
    }
    if (k.row == k.end) return;
    const Symmetric<Double4> turns = sum_turns(t, k);
    if (a) add_turns(turns, *a);
    if (b) add_turns(turns, *b);
    if (between) take_turns(turns, *between);
    for (int i = k.row; i < k.end; ++i) {
        const int at = t.order.row_kind[i].slide;
        if (at < 0) continue;
        const Three<Double4> zero{}, n = load3(t.slide[at].n);
        const Six ja = six_of(zero - n, load3(t.slide[at].ta)), jb = six_of(n, load3(t.row[i].tb));
        const Double4 sigma = load(t.row[i].sigma);
        if (a) add_outer(ja, sigma, *a);
        if (b) add_outer(jb, sigma, *b);
        if (between) add_outer(k.a_is_row ? ja : jb, k.a_is_row ? jb : ja, sigma, *between);
    }
}

// L, 1/D of a block on the diagonal: Y_ij = A_ij - sum Y_il L_jl, L = Y/D
inline void factor_diagonal(SoftRigDiagonal& d) {
    Double4 l[21], inverse[6];
    for (int i = 0; i < 6; ++i) {
        Double4 y[6], pivot = load(d.v[lower(i, i)]);
        for (int j = 0; j < i; ++j) {
            y[j] = load(d.v[lower(i, j)]);
            for (int k = 0; k < j; ++k) y[j] = y[j] - y[k] * l[lower(j, k)];
        }
        for (int j = 0; j < i; ++j) {
            l[lower(i, j)] = y[j] * inverse[j];
            pivot = pivot - y[j] * l[lower(i, j)];
            store(d.v[lower(i, j)], l[lower(i, j)]);
        }
        inverse[i] = one_of(1) / pivot;
        store(d.inverse[i], inverse[i]);
    }
}
// A -> Y = A L^-T of a block below it
inline void reduce_block(const SoftRigDiagonal& d, SoftRigMatrix& m) {
    Double4 l[15];
    for (int i = 1, n = 0; i < 6; ++i)
        for (int j = 0; j < i; ++j) l[n++] = load(d.v[lower(i, j)]);
    for (int r = 0; r < 6; ++r) {
        Double4 y[6];
        for (int i = 0; i < 6; ++i) {
            y[i] = load(m.v[6 * r + i]);
            for (int j = 0; j < i; ++j) y[i] = y[i] - y[j] * l[i * (i - 1) / 2 + j];
            store(m.v[6 * r + i], y[i]);
        }
    }
}
inline Double4 dot_rows(const Double4* l, const SoftRigLane* y) {
    Double4 sum = l[0] * load(y[0]);
    for (int k = 1; k < 6; ++k) sum = sum + l[k] * load(y[k]);
    return sum;
}

void factor_rig(SoftRigView& t) {
    const SoftRigOrder& o = t.order;
    begin_matrix(t);
    for (int k = 0; k < o.joints; ++k) add_joint(t, o.joint[k], t.joint[k]);
    const int* update = o.update;
    for (int i = 0; i < o.moving; ++i) {
        const SoftRigDiagonal& d = t.diagonal[i];
        factor_diagonal(t.diagonal[i]);
        const int begin = o.begin[i], count = o.begin[i + 1] - begin;
        for (int e = 0; e < count; ++e) reduce_block(d, t.factor[begin + e]);
        for (int e = count - 1; e >= 0; --e) { // the blocks f before it are still Y
            SoftRigMatrix& mine = t.factor[begin + e];
            const int* to = update + e * (e + 1) / 2;
            for (int r = 0; r < 6; ++r) {
                Double4 l[6];
                for (int c = 0; c < 6; ++c) l[c] = load(mine.v[6 * r + c]) * load(d.inverse[c]);
                for (int f = 0; f < e; ++f)
                    for (int c = 0; c < 6; ++c) take(t.factor[to[f] - o.moving].v[6 * r + c], dot_rows(l, t.factor[begin + f].v + 6 * c));
                for (int c = 0; c <= r; ++c) take(t.diagonal[to[e]].v[lower(r, c)], dot_rows(l, mine.v + 6 * c));
            }
            for (int r = 0; r < 6; ++r)
                for (int c = 0; c < 6; ++c) store(mine.v[6 * r + c], load(mine.v[6 * r + c]) * load(d.inverse[c]));
        }
        update += count * (count + 1) / 2;
    }
    *t.ready = true;
}

// x: right-hand sides of the bodies that move, then what solves them
void solve_factored(const SoftRigView& t, Six* x) {
    const SoftRigOrder& o = t.order;
    for (int i = 0; i < o.moving; ++i) {
        const SoftRigDiagonal& d = t.diagonal[i];
        Double4* b = x[i].v;
        for (int r = 1; r < 6; ++r)
            for (int c = 0; c < r; ++c) b[r] = b[r] - load(d.v[lower(r, c)]) * b[c];
        for (int e = o.begin[i]; e < o.begin[i + 1]; ++e) {
            Double4* below = x[o.row[e]].v;
            for (int r = 0; r < 6; ++r)
                for (int c = 0; c < 6; ++c) below[r] = below[r] - load(t.factor[e].v[6 * r + c]) * b[c];
        }
    }
    for (int i = o.moving - 1; i >= 0; --i) {
        const SoftRigDiagonal& d = t.diagonal[i];
        Double4* b = x[i].v;
        for (int r = 0; r < 6; ++r) b[r] = b[r] * load(d.inverse[r]);
        for (int e = o.begin[i]; e < o.begin[i + 1]; ++e) {
            const Double4* below = x[o.row[e]].v;
            for (int r = 0; r < 6; ++r)
                for (int c = 0; c < 6; ++c) b[c] = b[c] - load(t.factor[e].v[6 * r + c]) * below[r];
        }
        for (int r = 5; r > 0; --r)
            for (int c = 0; c < r; ++c) b[c] = b[c] - load(d.v[lower(r, c)]) * b[r];
    }
}

} // namespace
} // namespace sinew
