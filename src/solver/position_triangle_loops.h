// The loops over batches of triangles (position_batch.h), for one instruction set (position_lanes.h). Rows C = K s of the three strains
//   s_i = 1/2 (|e_i|^2 - |E_i|^2),  e_i = x_(i-1) - x_(i+1)     of the edge opposite corner i
// need no Jacobian: with B = ds/dx, e_i at corner i - 1 and -e_i at corner i + 1,
//   J W J^T = K G K^T,  G = B W B^T:  G_ii = (w_(i-1) + w_(i+1)) |e_i|^2,  G_ij = -w_k e_i . e_j at the corner k that they share
//   W J^T y at corner m = w_m (f_(m+1) e_(m+1) - f_(m-1) e_(m-1)),  f = K^T y
#pragma once
#include "solver/position_lanes.h"
#include "solver/position_link_loops.h"

namespace sinew {
namespace {

SINEW_INLINE void load_matrix(const Lane4* lanes, V* k) {
#pragma GCC unroll 9
    for (int i = 0; i < 9; ++i) k[i] = load(lanes[i]);
}
// K q
SINEW_INLINE void apply_matrix(const V* k, const V* q, V* out) {
    for (int a = 0; a < 3; ++a) out[a] = k[a] * q[0] + k[3 + a] * q[1] + k[6 + a] * q[2];
}
SINEW_INLINE void triangle_edges(const Three* x, Three* e) { e[0] = x[2] - x[1], e[1] = x[0] - x[2], e[2] = x[1] - x[0]; }
SINEW_INLINE void triangle_rows(const TriangleBatch& b, const V* k, const V* squares, V* c) {
    V s[3];
    for (int i = 0; i < 3; ++i) s[i] = all_of(0.5) * (squares[i] - load(b.rest2[i]));
    apply_matrix(k, s, c);
}
// scale K G K^T + alpha
SINEW_INLINE void triangle_response(const V* k, const Three* e, const V* squares, const V* w, V scale, V alpha, V (*A)[3]) {
    const V zero{};
    V G[3][3], KG[3][3];
    for (int i = 0; i < 3; ++i) G[i][i] = (w[(i + 2) % 3] + w[(i + 1) % 3]) * squares[i];
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, corner = (i + 2) % 3;
        G[i][j] = G[j][i] = zero - w[corner] * dot(e[i], e[j]);
    }
    for (int a = 0; a < 3; ++a)
        for (int j = 0; j < 3; ++j) KG[a][j] = k[a] * G[0][j] + k[3 + a] * G[1][j] + k[6 + a] * G[2][j];
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b <= a; ++b) {
            const V sum = KG[a][0] * k[b] + KG[a][1] * k[3 + b] + KG[a][2] * k[6 + b];
            A[a][b] = A[b][a] = scale * sum + (a == b ? alpha : zero);
        }
}

template <bool Velocities> SINEW_INLINE void project_triangle(TriangleBatch& b, V rho, const BatchNumbers& o) {
    const V zero{}, reach = all_of(o.reach), kick = all_of(o.kick), alpha = load(b.alpha) * all_of(o.soft);
    Three x[3], v[3], e[3], ev[3];
    V k[9], w[3], squares[3], c[3], r[3], before[3], A[3][3], change[3], scale = reach;
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) x[i] = gather(o.x, b.id[i]), w[i] = load(b.w[i]);
    load_matrix(b.rows, k);
    triangle_edges(x, e);
    for (int i = 0; i < 3; ++i) squares[i] = dot(e[i], e[i]);
    triangle_rows(b, k, squares, c);
    for (int a = 0; a < 3; ++a) {
        before[a] = o.first ? zero : load(b.lambda[a]);
        r[a] = -c[a] - all_of(o.feedback) * alpha * before[a];
    }
    if constexpr (Velocities) {
        V ds[3], u[3];
#pragma GCC unroll 3
        for (int i = 0; i < 3; ++i) v[i] = gather(o.v, b.id[i]);
        triangle_edges(v, ev);
        for (int i = 0; i < 3; ++i) ds[i] = dot(e[i], ev[i]);
        apply_matrix(k, ds, u);
        for (int a = 0; a < 3; ++a) r[a] -= rho * u[a];
        scale += rho * kick;
    }
    triangle_response(k, e, squares, w, scale, alpha, A);
    solve_rows<3>(A, r, change);
    for (int a = 0; a < 3; ++a) {
        change[a] *= all_of(o.omega);
        store(b.lambda[a], before[a] + change[a]);
    }
    Three push[3];
    for (int i = 0; i < 3; ++i) push[i] = e[i] * (k[3 * i] * change[0] + k[3 * i + 1] * change[1] + k[3 * i + 2] * change[2]);
#pragma GCC unroll 3
    for (int m = 0; m < 3; ++m) {
        const Three d = push[(m + 1) % 3] - push[(m + 2) % 3];
        scatter(b.id[m], w[m], x[m] + d * (reach * w[m]), o.x);
        if constexpr (Velocities) scatter(b.id[m], w[m], v[m] + d * (kick * w[m]), o.v);
    }
}
void triangles(TriangleBatch* batches, int begin, int end, const BatchNumbers& numbers) {
    const BatchNumbers o = numbers;
    for (int k = begin; k < end; ++k)
        if (o.velocities) project_triangle<true>(batches[k], rho_of(o, k), o);
        else project_triangle<false>(batches[k], V{}, o);
}
double triangle_error(const TriangleBatch* batches, int begin, int end, const BatchNumbers& o) {
    double worst = 0;
    for (int at = begin; at < end; ++at) {
        const TriangleBatch& b = batches[at];
        Three x[3], e[3];
        V k[9], squares[3], c[3];
        for (int i = 0; i < 3; ++i) x[i] = gather(o.x, b.id[i]);
        load_matrix(b.rows, k);
        triangle_edges(x, e);
        for (int i = 0; i < 3; ++i) squares[i] = dot(e[i], e[i]);
        triangle_rows(b, k, squares, c);
        for (int a = 0; a < 3; ++a) {
            const V error = size_of(c[a] + all_of(o.feedback) * load(b.alpha) * all_of(o.soft) * load(b.lambda[a]));
            for (int l = 0; l < kLanes; ++l)
                if (b.w[0].v[l] + b.w[1].v[l] + b.w[2].v[l] > 0 && error[l] > worst) worst = error[l];
        }
    }
    return worst;
}

} // namespace
} // namespace sinew
