// Blocks of boxes compared eight at a time with AVX2 or one at a time. Only comparisons, minima and maxima:
// both give the same numbers (the sign of a zero may differ, which no comparison sees).
#include "collision/box_block.h"
#include "core/simd.h"
#ifdef SINEW_HAVE_AVX2
#include <immintrin.h>
#endif

namespace sinew {

namespace {

constexpr float kNoBound = std::numeric_limits<float>::quiet_NaN();

template <class Less> bool compare(const BoxBlock& a, int i, const BoxBlock& b, int j, Less less) {
    bool all = true;
    for (int k = 0; k < 3; ++k) all &= less(a.lo[k][i], b.hi[k][j]) && less(b.lo[k][j], a.hi[k][i]);
    return all;
}
constexpr auto kMay = [](float x, float y) { return x <= y; };
constexpr auto kSure = [](float x, float y) { return x < y; };

std::uint64_t meet_plain(const BoxBlock& a, const BoxBlock& b, const BoxBlock& bounds, int lane) {
    std::uint64_t m = 0;
    for (int i = 0; i < kBlock; ++i) {
        if (!compare(a, i, bounds, lane, kMay)) continue;
        for (int j = 0; j < kBlock; ++j) m |= std::uint64_t(compare(a, i, b, j, kMay)) << (kBlock * i + j);
    }
    return m;
}
Meetings meet_leaves_plain(const BoxBlock& a, const BoxBlock& b, const BoxBlock& bounds, int lane) {
    Meetings m{meet_plain(a, b, bounds, lane), 0};
    for (int i = 0; i < kBlock; ++i)
        for (int j = 0; j < kBlock; ++j)
            m.sure |= std::uint64_t(compare(a, i, b, j, kSure)) << (kBlock * i + j);
    return m;
}
unsigned meet_box_plain(const BoxBlock& b, const float q[6]) {
    unsigned m = 0;
    for (int j = 0; j < kBlock; ++j) {
        bool all = true;
        for (int k = 0; k < 3; ++k) all &= (b.lo[k][j] <= q[3 + k]) && (q[k] <= b.hi[k][j]);
        m |= unsigned(all) << j;
    }
    return m;
}
bool round_plain(const Aabb* boxes, const int* id, const Vec3& origin, Aabb* exact, BoxBlock& out) {
    bool bad = false;
    for (int j = 0; j < kBlock; ++j) {
        const Aabb box = id[j] < 0 ? Aabb{} : boxes[id[j]];
        const bool some = !is_empty(box);
        if (!some) bad |= box.lo.hasNaN() || box.hi.hasNaN(); // NaN looks like emptiness
        if (exact) exact[j] = box;
        for (int k = 0; k < 3; ++k) {
            out.lo[k][j] = some ? round_monotone(box.lo[k] - origin[k]) : kNoBound;
            out.hi[k][j] = some ? round_monotone(box.hi[k] - origin[k]) : kNoBound;
        }
    }
    return bad;
}
void merge_plain(const BoxBlock& b, int lane, BoxBlock& out) {
    for (int k = 0; k < 3; ++k) {
        float lo = std::numeric_limits<float>::infinity(), hi = -lo;
        for (int j = 0; j < kBlock; ++j) {
            lo = b.lo[k][j] < lo ? b.lo[k][j] : lo;
            hi = b.hi[k][j] > hi ? b.hi[k][j] : hi;
        }
        // a block of boxes that start at +inf is not empty: look at a lane instead of at lo > hi
        bool some = false;
        for (int j = 0; j < kBlock; ++j) some |= b.lo[k][j] == b.lo[k][j];
        out.lo[k][lane] = some ? lo : kNoBound;
        out.hi[k][lane] = some ? hi : kNoBound;
    }
}

#ifdef SINEW_HAVE_AVX2
#define SINEW_AVX2 [[gnu::target("avx2")]]
struct Wide {
    __m256 lo[3], hi[3];
};
SINEW_AVX2 inline Wide load(const BoxBlock& b) {
    return {{_mm256_load_ps(b.lo[0]), _mm256_load_ps(b.lo[1]), _mm256_load_ps(b.lo[2])},
            {_mm256_load_ps(b.hi[0]), _mm256_load_ps(b.hi[1]), _mm256_load_ps(b.hi[2])}};
}
// all lanes of b against box i of a; Op is _CMP_LE_OQ or _CMP_LT_OQ
template <int Op> SINEW_AVX2 inline unsigned row(const Wide& b, const BoxBlock& a, int i) {
    __m256 m = _mm256_and_ps(_mm256_cmp_ps(b.lo[0], _mm256_broadcast_ss(a.hi[0] + i), Op),
                             _mm256_cmp_ps(_mm256_broadcast_ss(a.lo[0] + i), b.hi[0], Op));
    for (int k = 1; k < 3; ++k) {
        m = _mm256_and_ps(m, _mm256_cmp_ps(b.lo[k], _mm256_broadcast_ss(a.hi[k] + i), Op));
        m = _mm256_and_ps(m, _mm256_cmp_ps(_mm256_broadcast_ss(a.lo[k] + i), b.hi[k], Op));
    }
    return unsigned(_mm256_movemask_ps(m));
}
SINEW_AVX2 std::uint64_t meet_avx2(const BoxBlock& a, const BoxBlock& b, const BoxBlock& bounds, int lane) {
    unsigned rows = row<_CMP_LE_OQ>(load(a), bounds, lane);
    const Wide wide = load(b);
    std::uint64_t m = 0;
    for (; rows; rows &= rows - 1) {
        const int i = __builtin_ctz(rows);
        m |= std::uint64_t(row<_CMP_LE_OQ>(wide, a, i)) << (kBlock * i);
    }
    return m;
}
SINEW_AVX2 Meetings meet_leaves_avx2(const BoxBlock& a, const BoxBlock& b, const BoxBlock& bounds, int lane) {
    unsigned rows = row<_CMP_LE_OQ>(load(a), bounds, lane);
    const Wide wide = load(b);
    Meetings m;
    for (; rows; rows &= rows - 1) {
        const int i = __builtin_ctz(rows);
        const unsigned may = row<_CMP_LE_OQ>(wide, a, i);
        if (!may) continue;
        m.may |= std::uint64_t(may) << (kBlock * i);
        m.sure |= std::uint64_t(row<_CMP_LT_OQ>(wide, a, i)) << (kBlock * i);
    }
    return m;
}
SINEW_AVX2 unsigned meet_box_avx2(const BoxBlock& b, const float q[6]) {
    const Wide wide = load(b);
    __m256 m = _mm256_cmp_ps(wide.lo[0], _mm256_broadcast_ss(q + 3), _CMP_LE_OQ);
    m = _mm256_and_ps(m, _mm256_cmp_ps(_mm256_broadcast_ss(q), wide.hi[0], _CMP_LE_OQ));
    for (int k = 1; k < 3; ++k) {
        m = _mm256_and_ps(m, _mm256_cmp_ps(wide.lo[k], _mm256_broadcast_ss(q + 3 + k), _CMP_LE_OQ));
        m = _mm256_and_ps(m, _mm256_cmp_ps(_mm256_broadcast_ss(q + k), wide.hi[k], _CMP_LE_OQ));
    }
    return unsigned(_mm256_movemask_ps(m));
}
// rows of four numbers of eight boxes become columns
SINEW_AVX2 inline void transpose(const __m128 r[kBlock], float out[3][kBlock]) {
    for (int half = 0; half < 2; ++half) {
        __m128 a = r[4 * half], b = r[4 * half + 1], c = r[4 * half + 2], d = r[4 * half + 3];
        _MM_TRANSPOSE4_PS(a, b, c, d);
        _mm_store_ps(out[0] + 4 * half, a);
        _mm_store_ps(out[1] + 4 * half, b);
        _mm_store_ps(out[2] + 4 * half, c);
    }
}
SINEW_AVX2 bool round_avx2(const Aabb* boxes, const int* id, const Vec3& origin, Aabb* exact, BoxBlock& out) {
    const __m256i three = _mm256_setr_epi64x(-1, -1, -1, 0);
    const __m256d from = _mm256_setr_pd(origin.x(), origin.y(), origin.z(), 0);
    const Aabb none;
    __m128 rows_lo[kBlock], rows_hi[kBlock];
    bool bad = false;
    for (int j = 0; j < kBlock; ++j) {
        const Aabb& box = id[j] < 0 ? none : boxes[id[j]];
        const __m256d lo = _mm256_maskload_pd(box.lo.data(), three),
                      hi = _mm256_maskload_pd(box.hi.data(), three);
        if (exact) {
            _mm256_maskstore_pd(exact[j].lo.data(), three, lo);
            _mm256_maskstore_pd(exact[j].hi.data(), three, hi);
        }
        rows_lo[j] = _mm256_cvtpd_ps(_mm256_sub_pd(lo, from));
        rows_hi[j] = _mm256_cvtpd_ps(_mm256_sub_pd(hi, from));
        if (_mm256_movemask_pd(_mm256_cmp_pd(lo, hi, _CMP_LE_OQ)) == 0xf) continue;
        bad |= _mm256_movemask_pd(_mm256_cmp_pd(lo, hi, _CMP_UNORD_Q)) != 0;
        rows_lo[j] = rows_hi[j] = _mm_set1_ps(kNoBound);
    }
    transpose(rows_lo, out.lo);
    transpose(rows_hi, out.hi);
    return bad;
}
// smallest of the lanes that are not NaN: minimum returns its second argument where one is NaN
SINEW_AVX2 inline float smallest(__m256 x) {
    x = _mm256_min_ps(x, _mm256_set1_ps(std::numeric_limits<float>::infinity()));
    __m128 m = _mm_min_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    m = _mm_min_ps(m, _mm_movehl_ps(m, m));
    return _mm_cvtss_f32(_mm_min_ss(m, _mm_movehdup_ps(m)));
}
SINEW_AVX2 inline float largest(__m256 x) {
    x = _mm256_max_ps(x, _mm256_set1_ps(-std::numeric_limits<float>::infinity()));
    __m128 m = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    m = _mm_max_ps(m, _mm_movehl_ps(m, m));
    return _mm_cvtss_f32(_mm_max_ss(m, _mm_movehdup_ps(m)));
}
SINEW_AVX2 void merge_avx2(const BoxBlock& b, int lane, BoxBlock& out) {
    const Wide wide = load(b);
    const bool some = _mm256_movemask_ps(_mm256_cmp_ps(wide.lo[0], wide.lo[0], _CMP_EQ_OQ)) != 0;
    for (int k = 0; k < 3; ++k) {
        out.lo[k][lane] = some ? smallest(wide.lo[k]) : kNoBound;
        out.hi[k][lane] = some ? largest(wide.hi[k]) : kNoBound;
    }
}
#undef SINEW_AVX2
#endif

} // namespace

const BlockKernels& plain_kernels() {
    static constexpr BlockKernels plain{meet_plain, meet_leaves_plain, meet_box_plain, round_plain,
                                        merge_plain};
    return plain;
}
const BlockKernels& block_kernels() {
#ifdef SINEW_HAVE_AVX2
    static constexpr BlockKernels wide{meet_avx2, meet_leaves_avx2, meet_box_avx2, round_avx2, merge_avx2};
    static const bool fast = has_avx2();
    if (fast) return wide;
#endif
    return plain_kernels();
}

} // namespace sinew
