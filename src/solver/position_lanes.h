// Four numbers at a time in the compiler's vectors, for the loops over batches of position_batch.h. Included by the sources that
// compile them for one instruction set each; everything is local to such a source. The same operations in the same order everywhere,
// so that every lane has the same bits.
#pragma once
#include "solver/position_batch.h"
#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace sinew {
namespace {

using V = double __attribute__((vector_size(32)));
using Mask = long long __attribute__((vector_size(32)));
#define SINEW_INLINE [[gnu::always_inline]] inline

SINEW_INLINE V load(const Lane4& lane) {
    V out;
    __builtin_memcpy(&out, lane.v, sizeof out);
    return out;
}
SINEW_INLINE void store(Lane4& lane, V a) { __builtin_memcpy(lane.v, &a, sizeof a); }
SINEW_INLINE V all_of(double a) { return V{a, a, a, a}; }
SINEW_INLINE V larger(V a, V b) { return a > b ? a : b; }
SINEW_INLINE V size_of(V a) { return larger(a, -a); }

#ifdef __AVX2__
SINEW_INLINE V root(V a) { return _mm256_sqrt_pd(a); }
SINEW_INLINE bool holds_everywhere(Mask m) { return _mm256_movemask_pd((__m256d)m) == 0b1111; }
// [x y z 0] of one point; in the same two parts as it is stored, so that what was just stored comes from the store buffer
SINEW_INLINE V load_point(const double* p) { return _mm256_set_m128d(_mm_load_sd(p + 2), _mm_loadu_pd(p)); }
SINEW_INLINE void store_point(double* p, V a) {
    _mm_storeu_pd(p, _mm256_castpd256_pd128(a));
    _mm_store_sd(p + 2, _mm256_extractf128_pd(a, 1));
}
#else
SINEW_INLINE V root(V a) { return V{__builtin_sqrt(a[0]), __builtin_sqrt(a[1]), __builtin_sqrt(a[2]), __builtin_sqrt(a[3])}; }
SINEW_INLINE bool holds_everywhere(Mask m) { return m[0] && m[1] && m[2] && m[3]; }
SINEW_INLINE V load_point(const double* p) { return V{p[0], p[1], p[2], 0}; }
SINEW_INLINE void store_point(double* p, V a) { p[0] = a[0], p[1] = a[1], p[2] = a[2]; }
#endif

struct Three {
    V x, y, z;
};
SINEW_INLINE Three operator+(const Three& a, const Three& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
SINEW_INLINE Three operator-(const Three& a, const Three& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
SINEW_INLINE Three operator*(const Three& a, V s) { return {a.x * s, a.y * s, a.z * s}; }
SINEW_INLINE V dot(const Three& a, const Three& b) { return (a.x * b.x + a.y * b.y) + a.z * b.z; }
SINEW_INLINE Three cross(const Three& a, const Three& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
SINEW_INLINE Three choose(Mask m, const Three& a) {
    const V zero{};
    return {m ? a.x : zero, m ? a.y : zero, m ? a.z : zero};
}

// four points from their places in memory to lanes, and back those that have a mass
SINEW_INLINE Three gather(const double* at, const int* id) {
    const V a = load_point(at + 3L * id[0]), b = load_point(at + 3L * id[1]), c = load_point(at + 3L * id[2]),
            d = load_point(at + 3L * id[3]);
    const V xz01 = __builtin_shufflevector(a, b, 0, 4, 2, 6), xz23 = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    const V y01 = __builtin_shufflevector(a, b, 1, 5, 3, 7), y23 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    return {__builtin_shufflevector(xz01, xz23, 0, 1, 4, 5), __builtin_shufflevector(y01, y23, 0, 1, 4, 5),
            __builtin_shufflevector(xz01, xz23, 2, 3, 6, 7)};
}
SINEW_INLINE void scatter(const int* id, V mass, const Three& a, double* at) {
#pragma GCC unroll 4
    for (int l = 0; l < kLanes; ++l) {
        if (!(mass[l] > 0)) continue; // what is held belongs to nobody: others may read it meanwhile
        double* p = at + 3L * id[l];
        p[0] = a.x[l], p[1] = a.y[l], p[2] = a.z[l];
    }
}

// L D L^T as solve_small (model/dual.h); pivots that vanish give 0
template <int R> SINEW_INLINE void solve_rows(const V (*A)[R], const V* b, V* x) {
    const V zero{};
    if constexpr (R == 1) {
        x[0] = A[0][0] > zero ? b[0] / A[0][0] : zero;
    } else {
        V l[R][R], pivot[R], size = A[0][0];
        for (int i = 1; i < R; ++i) size = larger(size, A[i][i]);
        size *= all_of(1e-14);
#pragma GCC unroll 6
        for (int j = 0; j < R; ++j) {
            V d = A[j][j];
            for (int k = 0; k < j; ++k) d -= l[j][k] * l[j][k] * pivot[k];
            pivot[j] = d > size ? d : zero;
            const V inverse = d > size ? all_of(1) / d : zero;
            for (int i = j + 1; i < R; ++i) {
                V v = A[i][j];
                for (int k = 0; k < j; ++k) v -= l[i][k] * l[j][k] * pivot[k];
                l[i][j] = v * inverse;
            }
            V y = b[j];
            for (int k = 0; k < j; ++k) y -= l[j][k] * x[k];
            x[j] = y;
            l[j][j] = inverse;
        }
        for (int i = 0; i < R; ++i) x[i] = x[i] * l[i][i];
#pragma GCC unroll 6
        for (int i = R - 1; i >= 0; --i)
            for (int k = i + 1; k < R; ++k) x[i] -= l[k][i] * x[k];
    }
}

} // namespace
} // namespace sinew
