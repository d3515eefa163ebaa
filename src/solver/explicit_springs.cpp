#include "solver/explicit_springs.h"
#include "core/simd.h"
#ifdef SINEW_HAVE_AVX2
#include <immintrin.h>
#endif

namespace sinew {

namespace {

// One tile of points, as 3 reals each, and the forces on them.
struct Tile {
    int count;
    const Real *x, *v, *mass, *first, *second;
    Real *x_next, *v_next;
    Real* held; // [N] forces on fixed points go here; null = nobody asks
};
struct Euler {
    Real dt, half; // [s] half = w dt
    Real3 gravity;
    bool has_gravity;
};

// Level by level the operations of compute_forces and euler_variant: f = spring forces - (-(m g)), then f/m.
inline void advance_point(const Tile& t, const Euler& e, int i) {
    const Real m = t.mass[i];
    for (int k = 3 * i; k < 3 * i + 3; ++k) {
        Real f = t.first[k] + t.second[k];
        if (e.has_gravity) f += m * e.gravity[k - 3 * i];
        const Real a = f / m;
        t.v_next[k] = t.v[k] + e.dt * a;
        t.x_next[k] = t.x[k] + e.dt * (t.v[k] + e.half * a);
    }
}

void advance_plain(const Tile& t, const Euler& e, int begin) {
    for (int i = begin; i < t.count; ++i) advance_point(t, e, i);
}

#ifdef SINEW_HAVE_AVX2

struct EulerRegisters {
    __m256d dt, half;
    __m256d has_gravity; // mask; adding +0 instead of no gravity changes no bit, a sum of forces is never -0
};

[[gnu::target("avx2")]] inline void advance_register(const Tile& t, int k, __m256d m, __m256d g,
                                                     const EulerRegisters& e) {
    const __m256d springs = _mm256_add_pd(_mm256_loadu_pd(t.first + k), _mm256_loadu_pd(t.second + k));
    const __m256d f = _mm256_add_pd(springs, _mm256_and_pd(_mm256_mul_pd(m, g), e.has_gravity));
    const __m256d a = _mm256_div_pd(f, m), v = _mm256_loadu_pd(t.v + k);
    const __m256d drift = _mm256_add_pd(v, _mm256_mul_pd(e.half, a));
    _mm256_storeu_pd(t.v_next + k, _mm256_add_pd(v, _mm256_mul_pd(e.dt, a)));
    _mm256_storeu_pd(t.x_next + k, _mm256_add_pd(_mm256_loadu_pd(t.x + k), _mm256_mul_pd(e.dt, drift)));
}

// four points are three registers, [x0 y0 z0 x1] [y1 z1 x2 y2] [z2 x3 y3 z3]
[[gnu::target("avx2")]] void advance_avx2(const Tile& t, const Euler& e) {
    const Real3 g = e.gravity;
    const __m256d all = _mm256_cmp_pd(_mm256_setzero_pd(), _mm256_setzero_pd(), _CMP_EQ_OQ);
    const EulerRegisters r{_mm256_set1_pd(e.dt), _mm256_set1_pd(e.half),
                           e.has_gravity ? all : _mm256_setzero_pd()};
    const __m256d g0 = _mm256_setr_pd(g.x, g.y, g.z, g.x), g1 = _mm256_setr_pd(g.y, g.z, g.x, g.y),
                  g2 = _mm256_setr_pd(g.z, g.x, g.y, g.z);
    int i = 0;
    for (; i + 4 <= t.count; i += 4) {
        const __m256d m = _mm256_loadu_pd(t.mass + i);
        advance_register(t, 3 * i, _mm256_permute4x64_pd(m, 0b01000000), g0, r);     // m0 m0 m0 m1
        advance_register(t, 3 * i + 4, _mm256_permute4x64_pd(m, 0b10100101), g1, r); // m1 m1 m2 m2
        advance_register(t, 3 * i + 8, _mm256_permute4x64_pd(m, 0b11111110), g2, r); // m2 m3 m3 m3
    }
    advance_plain(t, e, i);
}

#endif

// a tile with fixed or passive points among others
void advance_mixed(const Tile& t, const Euler& e, const std::uint8_t* flags) {
    for (int i = 0; i < t.count; ++i) {
        if (!(flags[i] & (kFixed | kPassive))) {
            advance_point(t, e, i);
            continue;
        }
        for (int k = 3 * i; k < 3 * i + 3; ++k) {
            t.x_next[k] = t.x[k];
            t.v_next[k] = flags[i] & kFixed ? 0 : t.v[k]; // what has a target gets its velocity afterwards
            if (t.held) t.held[k] = t.first[k] + t.second[k] + (e.has_gravity ? t.mass[i] * e.gravity[k - 3 * i] : 0);
        }
    }
}

void advance(bool avx2, const Tile& t, const Euler& e, const std::uint8_t* flags) {
    unsigned any = 0;
    for (int i = 0; i < t.count; ++i) any |= flags[i];
    if (any & (kFixed | kPassive)) return advance_mixed(t, e, flags);
#ifdef SINEW_HAVE_AVX2
    if (avx2) return advance_avx2(t, e);
#endif
    (void)avx2;
    advance_plain(t, e, 0);
}

// asks for the lines of the next tile while the springs of that tile are evaluated: a quarter of the time
// otherwise
void prefetch(const Tile& t) {
    constexpr int kLine = 8; // reals
    for (int k = 0; k < 3 * kSpringTile; k += kLine) {
        __builtin_prefetch(t.v + 3 * kSpringTile + k);
        __builtin_prefetch(t.v_next + 3 * kSpringTile + k, 1);
        __builtin_prefetch(t.x_next + 3 * kSpringTile + k, 1);
    }
    for (int k = 0; k < kSpringTile; k += kLine) __builtin_prefetch(t.mass + kSpringTile + k);
}

bool has_passive(const Model& m) { return !m.point.field.empty(); }

// a fixed point that comes from a target still has its velocity
bool has_moved_fixed(const Model& m, const PointState& points) {
    for (int i = 0; i < point_count(m); ++i)
        if ((m.point.flags[i] & kFixed) && points.v[i] != Real3{}) return true;
    return false;
}

} // namespace

bool is_spring_step(const Model& m, const Input& input, const State& now, const ForceScratch& f) {
    if (!f.packed || f.gravity.kind == UniformGravity::other) return false;
    if (frame_count(m) || scalar_count(m) || !now.point.alive.empty()) return false;
    if (!m.obstacles.empty() && !m.surface.vertices.empty()) return false;
    if (!input.point_forces.empty() || !input.grabs.empty()) return false;
    // dampers see the velocities of moved points
    const bool damped = !f.springs.damper_runs.empty() || !f.springs.damper_ones.empty();
    if (damped && (!input.points.empty() || has_passive(m) || has_moved_fixed(m, now.point))) return false;
    for (const Table* t : f.elements.tables)
        if (t->row->name != "gravity") return false;
    return true;
}

void step_springs(const Parallel& parallel, const Model& m, const State& now, Real dt, Real weight,
                  ForceScratch& f, std::span<Real> held, PointState& next) {
    next.x.resize(now.point.x.size());
    next.v.resize(now.point.v.size());
    const Real3 *x = now.point.x.data(), *v = now.point.v.data();
    const Euler euler{dt, weight * dt, f.gravity.acceleration, f.gravity.kind == UniformGravity::uniform};
    parallel_for_workers(parallel, int(f.springs.chunks.size()), 1, [&](int worker, int c, int) {
        const auto take = [&](int i, int end, const Real* first, const Real* second) {
            const Tile tile{end - i, &x[i].x, &v[i].x,      &m.point.mass[i],
                            first,   second,  &next.x[i].x, &next.v[i].x,
                            held.empty() ? nullptr : held.data() + 3 * i};
            prefetch(tile);
            advance(f.springs.avx2, tile, euler, &m.point.flags[i]);
        };
        for_each_spring_tile(f.springs, c, x, v, f.workers[worker], take);
    });
}

} // namespace sinew
