// Four bodies at a time in double precision, for the packed joints of the soft step (soft_tree_loops.h, soft_rig_loops.h): gather and
// scatter of single velocities and displacements, and rotations. Everything is local to the source that includes it.
#pragma once
#include "solver/soft_lanes.h"

namespace sinew {
namespace {

using Double4 = double __attribute__((vector_size(32)));
using Float4 = float __attribute__((vector_size(16)));
template <> struct VecOf<double, 4> { using type = Double4; };

[[gnu::always_inline]] inline void transpose4(Float4* r) {
    const Float4 a = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5), b = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
    const Float4 c = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5), d = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
    r[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5), r[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    r[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5), r[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}
[[gnu::always_inline]] inline Double4 widen(Float4 a) { return __builtin_convertvector(a, Double4); }
[[gnu::always_inline]] inline Float4 narrow(Double4 a) { return __builtin_convertvector(a, Float4); }
[[gnu::always_inline]] inline Motion<Double4> gather4(const int* place, const SoftBody<float>* bodies,
                                                      float (SoftBody<float>::*part)[8]) {
    Float4 r[4], q[4];
    for (int i = 0; i < 4; ++i) {
        r[i] = q[i] = Float4{};
        if (place[i] < 0) continue;
        const float* p = bodies[place[i]].*part;
        __builtin_memcpy(&r[i], p, sizeof r[i]);
        __builtin_memcpy(&q[i], p + 4, sizeof q[i]);
    }
    transpose4(r);
    transpose4(q);
    return {{widen(r[0]), widen(r[1]), widen(r[2])}, {widen(r[3]), widen(q[0]), widen(q[1])}};
}
[[gnu::always_inline]] inline void scatter4(const int* place, const Motion<Double4>& m, SoftBody<float>* bodies) {
    Float4 r[4] = {narrow(m.v.x), narrow(m.v.y), narrow(m.v.z), narrow(m.w.x)}, q[4] = {narrow(m.w.y), narrow(m.w.z), Float4{}, Float4{}};
    transpose4(r);
    transpose4(q);
    for (int i = 0; i < 4; ++i) {
        if (place[i] < 0) continue;
        float* p = bodies[place[i]].v;
        __builtin_memcpy(p, &r[i], sizeof r[i]);
        __builtin_memcpy(p + 4, &q[i], sizeof q[i]);
    }
}
inline Double4 one_of(double a) { return Double4{} + a; }

// sin t/t and (1 - cos t)/t^2 by their series up to t = 1, where what is left out is below rounding
struct Turn { Double4 s, c; };
inline Turn find_turn(const Three<Double4>& t) {
    constexpr double s[10] = {1, -1 / 6.0, 1 / 120.0, -1 / 5040.0, 1 / 362880.0, -1 / 39916800.0, 1 / 6227020800.0, -1 / 1307674368000.0,
                              1 / 355687428096000.0, -1 / 121645100408832000.0};
    const Double4 t2 = dot(t, t);
    Double4 a = Double4{} + s[9], b = Double4{} + s[9] / 20;
    for (int k = 8; k >= 0; --k) a = a * t2 + s[k], b = b * t2 + s[k] / (2 * k + 2);
    for (int i = 0; i < 4; ++i)
        if (t2[i] > 1) {
            const double angle = __builtin_sqrt(t2[i]);
            a[i] = __builtin_sin(angle) / angle, b[i] = (1 - __builtin_cos(angle)) / t2[i];
        }
    return {a, b};
}

} // namespace
} // namespace sinew
