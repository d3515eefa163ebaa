// Two doubles, a quantity at t = 0 and at t = 1, computed together: every quantity of continuous collision is
// needed at both. The same IEEE operations with and without SSE2, so the same bits.
#pragma once
#include "core/math.h"
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace sinew {

#if defined(__SSE2__)
struct Lanes {
    __m128d v;
};
inline Lanes lanes(Real a, Real b) { return {_mm_set_pd(b, a)}; }
inline Lanes both(Real a) { return {_mm_set1_pd(a)}; }
inline Real first(Lanes a) { return _mm_cvtsd_f64(a.v); }
inline Real second(Lanes a) { return _mm_cvtsd_f64(_mm_unpackhi_pd(a.v, a.v)); }
inline Lanes swapped(Lanes a) { return {_mm_shuffle_pd(a.v, a.v, 1)}; }
inline Lanes operator+(Lanes a, Lanes b) { return {_mm_add_pd(a.v, b.v)}; }
inline Lanes operator-(Lanes a, Lanes b) { return {_mm_sub_pd(a.v, b.v)}; }
inline Lanes operator*(Lanes a, Lanes b) { return {_mm_mul_pd(a.v, b.v)}; }
inline Lanes lower(Lanes a, Lanes b) { return {_mm_min_pd(a.v, b.v)}; }
inline Lanes higher(Lanes a, Lanes b) { return {_mm_max_pd(a.v, b.v)}; }
inline Lanes magnitude(Lanes a) { return {_mm_andnot_pd(_mm_set1_pd(-0.0), a.v)}; }
#else
struct Lanes {
    Real a, b;
};
inline Lanes lanes(Real a, Real b) { return {a, b}; }
inline Lanes both(Real a) { return {a, a}; }
inline Real first(Lanes x) { return x.a; }
inline Real second(Lanes x) { return x.b; }
inline Lanes swapped(Lanes x) { return {x.b, x.a}; }
inline Lanes operator+(Lanes x, Lanes y) { return {x.a + y.a, x.b + y.b}; }
inline Lanes operator-(Lanes x, Lanes y) { return {x.a - y.a, x.b - y.b}; }
inline Lanes operator*(Lanes x, Lanes y) { return {x.a * y.a, x.b * y.b}; }
inline Lanes lower(Lanes x, Lanes y) { return {x.a < y.a ? x.a : y.a, x.b < y.b ? x.b : y.b}; }
inline Lanes higher(Lanes x, Lanes y) { return {x.a > y.a ? x.a : y.a, x.b > y.b ? x.b : y.b}; }
inline Lanes magnitude(Lanes x) { return {std::abs(x.a), std::abs(x.b)}; }
#endif

inline Real lowest(Lanes a) { return first(lower(a, swapped(a))); }
inline Real highest(Lanes a) { return first(higher(a, swapped(a))); }

// a vector at both times
struct Lanes3 {
    Lanes x, y, z;
};
inline Lanes3 lanes(const Vec3& a, const Vec3& b) {
    return {lanes(a.x(), b.x()), lanes(a.y(), b.y()), lanes(a.z(), b.z())};
}
inline Vec3 first(const Lanes3& a) { return {first(a.x), first(a.y), first(a.z)}; }
inline Vec3 second(const Lanes3& a) { return {second(a.x), second(a.y), second(a.z)}; }
inline Lanes3 swapped(const Lanes3& a) { return {swapped(a.x), swapped(a.y), swapped(a.z)}; }
inline Lanes3 operator+(const Lanes3& a, const Lanes3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Lanes3 operator-(const Lanes3& a, const Lanes3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Lanes3 operator*(Lanes s, const Lanes3& a) { return {s * a.x, s * a.y, s * a.z}; }
inline Lanes dot(const Lanes3& a, const Lanes3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Lanes3 cross(const Lanes3& a, const Lanes3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline Lanes3 magnitude(const Lanes3& a) { return {magnitude(a.x), magnitude(a.y), magnitude(a.z)}; }
inline Lanes3 lower(const Lanes3& a, const Lanes3& b) {
    return {lower(a.x, b.x), lower(a.y, b.y), lower(a.z, b.z)};
}
inline Lanes3 higher(const Lanes3& a, const Lanes3& b) {
    return {higher(a.x, b.x), higher(a.y, b.y), higher(a.z, b.z)};
}
inline Lanes3 both(const Vec3& a) { return {both(a.x()), both(a.y()), both(a.z())}; }
// the largest component at either time
inline Real largest(const Lanes3& a) {
    return highest(higher(higher(magnitude(a.x), magnitude(a.y)), magnitude(a.z)));
}

} // namespace sinew
