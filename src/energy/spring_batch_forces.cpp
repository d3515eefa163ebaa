// Evaluation of packed springs, four at a time with AVX2 or one at a time. Both do the same multiplications,
// additions, divisions and square roots in the same order: l^2 = (dx^2 + dy^2) + dz^2.
#include "core/simd.h"
#include "energy/spring_batch.h"
#include <cmath>
#ifdef SINEW_HAVE_AVX2
#include <immintrin.h>
#endif

namespace sinew {

namespace {

// entries of one kind that belong to a tile, and the arrays they work on
struct Arrays {
    const Real *x, *v;
    Real *first, *second;
};

struct Offset {
    Real x, y, z;
};
inline Offset between(const Real* at, int a, int b, int lane) {
    const Real *p = at + a + 3 * lane, *q = at + b + 3 * lane;
    return {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
}
inline Real dot(const Offset& p, const Offset& q) { return (p.x * q.x + p.y * q.y) + p.z * q.z; }

inline void push(const Arrays& at, int to_a, int to_b, int lane, Real s, const Offset& d) {
    Real *a = at.first + to_a + 3 * lane, *b = at.second + to_b + 3 * lane;
    const Real x = d.x * s, y = d.y * s, z = d.z * s;
    a[0] += x, a[1] += y, a[2] += z;
    b[0] -= x, b[1] -= y, b[2] -= z;
}

// a collapsed spring has no direction and pulls with no force
template <class S> inline void pull(const S& s, int lane, Real stiffness, Real rest, const Arrays& at) {
    const Offset d = between(at.x, s.a, s.b, lane);
    const Real l = std::sqrt(dot(d, d));
    push(at, s.to_a, s.to_b, lane, l > 0 ? stiffness * (l - rest) / l : 0.0, d);
}
// a collapsed spring is damped along e_x, as in spring_block.h
template <class S> inline void damp(const S& s, int lane, Real damping, const Arrays& at) {
    const Offset d = between(at.x, s.a, s.b, lane), w = between(at.v, s.a, s.b, lane);
    const Real l2 = dot(d, d);
    if (l2 > 0)
        push(at, s.to_a, s.to_b, lane, damping * dot(d, w) / l2, d);
    else
        push(at, s.to_a, s.to_b, lane, damping * w.x, {1, 0, 0});
}

void add_plain(std::span<const SpringRun> runs, const Arrays& at) {
    for (const SpringRun& s : runs)
        for (int j = 0; j < 4; ++j) pull(s, j, s.stiffness[j], s.rest[j], at);
}
void add_plain(std::span<const DamperRun> runs, const Arrays& at) {
    for (const DamperRun& s : runs)
        for (int j = 0; j < 4; ++j) damp(s, j, s.damping[j], at);
}

#ifdef SINEW_HAVE_AVX2

// Four points are three registers, [x0 y0 z0 x1] [y1 z1 x2 y2] [z2 x3 y3 z3].
struct Four {
    __m256d r0, r1, r2;
};
[[gnu::target("avx2")]] inline Four between(const Real* at, int a, int b) {
    const Real *p = at + a, *q = at + b;
    return {_mm256_sub_pd(_mm256_loadu_pd(q), _mm256_loadu_pd(p)),
            _mm256_sub_pd(_mm256_loadu_pd(q + 4), _mm256_loadu_pd(p + 4)),
            _mm256_sub_pd(_mm256_loadu_pd(q + 8), _mm256_loadu_pd(p + 8))};
}
// [p0.q0 p1.q1 p2.q2 p3.q3]
[[gnu::target("avx2")]] inline __m256d dot(const Four& p, const Four& q) {
    const __m256d m0 = _mm256_mul_pd(p.r0, q.r0), m1 = _mm256_mul_pd(p.r1, q.r1),
                  m2 = _mm256_mul_pd(p.r2, q.r2);
    const __m256d xy02 = _mm256_blend_pd(m0, m1, 0b1100);      // x0 y0 x2 y2
    const __m256d zx02 = _mm256_permute2f128_pd(m0, m2, 0x21); // z0 x1 z2 x3
    const __m256d yz13 = _mm256_blend_pd(m1, m2, 0b1100);      // y1 z1 y3 z3
    const __m256d x = _mm256_blend_pd(xy02, zx02, 0b1010), y = _mm256_shuffle_pd(xy02, yz13, 0b0101),
                  z = _mm256_blend_pd(zx02, yz13, 0b1010);
    return _mm256_add_pd(_mm256_add_pd(x, y), z);
}
[[gnu::target("avx2")]] inline void push(const Arrays& at, int to_a, int to_b, __m256d s, const Four& d) {
    const __m256d f0 = _mm256_mul_pd(d.r0, _mm256_permute4x64_pd(s, 0b01000000)); // s0 s0 s0 s1
    const __m256d f1 = _mm256_mul_pd(d.r1, _mm256_permute4x64_pd(s, 0b10100101)); // s1 s1 s2 s2
    const __m256d f2 = _mm256_mul_pd(d.r2, _mm256_permute4x64_pd(s, 0b11111110)); // s2 s3 s3 s3
    Real *a = at.first + to_a, *b = at.second + to_b;
    _mm256_storeu_pd(a, _mm256_add_pd(_mm256_loadu_pd(a), f0));
    _mm256_storeu_pd(a + 4, _mm256_add_pd(_mm256_loadu_pd(a + 4), f1));
    _mm256_storeu_pd(a + 8, _mm256_add_pd(_mm256_loadu_pd(a + 8), f2));
    _mm256_storeu_pd(b, _mm256_sub_pd(_mm256_loadu_pd(b), f0));
    _mm256_storeu_pd(b + 4, _mm256_sub_pd(_mm256_loadu_pd(b + 4), f1));
    _mm256_storeu_pd(b + 8, _mm256_sub_pd(_mm256_loadu_pd(b + 8), f2));
}

// the prefetch distance was found by trial: springs are read once and in order, yet the hardware alone loses
// 15 %
constexpr int kAhead = 16; // runs

[[gnu::target("avx2")]] void add_avx2(std::span<const SpringRun> runs, const Arrays& at) {
    const __m256d zero = _mm256_setzero_pd();
    for (const SpringRun& s : runs) {
        __builtin_prefetch(&s + kAhead);
        __builtin_prefetch(reinterpret_cast<const char*>(&s + kAhead) + 64);
        const Four d = between(at.x, s.a, s.b);
        const __m256d l = _mm256_sqrt_pd(dot(d, d));
        const __m256d pull =
            _mm256_mul_pd(_mm256_loadu_pd(s.stiffness), _mm256_sub_pd(l, _mm256_loadu_pd(s.rest)));
        push(at, s.to_a, s.to_b, _mm256_and_pd(_mm256_div_pd(pull, l), _mm256_cmp_pd(l, zero, _CMP_GT_OQ)),
             d);
    }
}
[[gnu::target("avx2")]] void add_avx2(std::span<const DamperRun> runs, const Arrays& at) {
    const __m256d zero = _mm256_setzero_pd();
    for (const DamperRun& s : runs) {
        const Four d = between(at.x, s.a, s.b), w = between(at.v, s.a, s.b);
        const __m256d l2 = dot(d, d);
        if (_mm256_movemask_pd(_mm256_cmp_pd(l2, zero, _CMP_GT_OQ)) != 0b1111) {
            for (int j = 0; j < 4; ++j) damp(s, j, s.damping[j], at); // a collapsed one among them
            continue;
        }
        push(at, s.to_a, s.to_b, _mm256_div_pd(_mm256_mul_pd(_mm256_loadu_pd(s.damping), dot(d, w)), l2), d);
    }
}

#endif

template <class R> void add_runs(bool avx2, std::span<const R> runs, const Arrays& at) {
#ifdef SINEW_HAVE_AVX2
    if (avx2) return add_avx2(runs, at);
#endif
    (void)avx2;
    add_plain(runs, at);
}

template <class T> std::span<const T> part(const std::vector<T>& all, int begin, int end) {
    return {all.data() + begin, std::size_t(end - begin)};
}

} // namespace

void add_tile_forces(const SpringBatch& b, int t, const Real3* x, const Real3* v, Real* first, Real* second) {
    const SpringTile &tile = b.tiles[t], &next = b.tiles[t + 1];
    const Arrays at{&x->x, &v->x, first, second};
    add_runs(b.avx2, part(b.runs, tile.run, next.run), at);
    for (const SpringOne& s : part(b.ones, tile.one, next.one)) pull(s, 0, s.stiffness, s.rest, at);
    add_runs(b.avx2, part(b.damper_runs, tile.damper_run, next.damper_run), at);
    for (const DamperOne& s : part(b.damper_ones, tile.damper_one, next.damper_one))
        damp(s, 0, s.damping, at);
}

void compute_spring_forces(const Parallel& p, const SpringBatch& batch, const Real3* x, const Real3* v,
                           std::vector<SpringForces>& scratch, Real* f) {
    parallel_for_workers(p, int(batch.chunks.size()), 1, [&](int worker, int c, int) {
        for_each_spring_tile(batch, c, x, v, scratch[worker],
                             [&](int begin, int end, const Real* first, const Real* second) {
                                 for (int i = 0; i < 3 * (end - begin); ++i)
                                     f[3 * begin + i] = first[i] + second[i];
                             });
    });
}

} // namespace sinew
