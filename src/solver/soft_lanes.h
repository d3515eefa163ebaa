// Vectors of numbers for the packed loops of the soft step (soft_contact_loops.h, soft_tree_loops.h): a number or the compiler's
// vector extension, and what three and six of them make. Included by sources that are compiled for one instruction set each;
// everything is local to such a source.
#pragma once
#include "solver/soft_block.h"

namespace sinew {
namespace {

using Float8 = float __attribute__((vector_size(32)));

template <class S, int N> struct VecOf { using type = S; };
template <> struct VecOf<float, 8> { using type = Float8; };

template <class S, int N> inline typename VecOf<S, N>::type load(const SoftLane<S, N>& lane) {
    typename VecOf<S, N>::type out;
    __builtin_memcpy(&out, lane.v, sizeof out);
    return out;
}
template <class S, int N, class V> inline void store(SoftLane<S, N>& lane, const V& value) {
    __builtin_memcpy(lane.v, &value, sizeof value);
}
template <class V> inline V larger(V a, V b) { return a > b ? a : b; }
template <class V> inline V smaller(V a, V b) { return a < b ? a : b; }
inline float root(float a) { return __builtin_sqrtf(a); }
inline double root(double a) { return __builtin_sqrt(a); }
inline Float8 root(Float8 a) {
    for (int i = 0; i < 8; ++i) a[i] = __builtin_sqrtf(a[i]);
    return a;
}

template <class V> struct Three { V x, y, z; };
template <class V> inline Three<V> operator+(const Three<V>& a, const Three<V>& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class V> inline Three<V> operator-(const Three<V>& a, const Three<V>& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class V> inline Three<V> operator*(const Three<V>& a, V s) { return {a.x * s, a.y * s, a.z * s}; }
template <class V> inline V dot(const Three<V>& a, const Three<V>& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class V> inline Three<V> cross(const Three<V>& a, const Three<V>& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class S, int N> inline auto load3(const SoftLane<S, N>* lane) {
    using V = typename VecOf<S, N>::type;
    return Three<V>{load(lane[0]), load(lane[1]), load(lane[2])};
}
template <class S, int N, class V> inline void store3(SoftLane<S, N>* lane, const Three<V>& a) {
    store(lane[0], a.x);
    store(lane[1], a.y);
    store(lane[2], a.z);
}
template <class V> struct Symmetric { // 3x3
    V xx, yy, zz, xy, xz, yz;
};
template <class S, int N> inline auto load_symmetric(const SoftLane<S, N>* l) {
    using V = typename VecOf<S, N>::type;
    return Symmetric<V>{load(l[0]), load(l[1]), load(l[2]), load(l[3]), load(l[4]), load(l[5])};
}
template <class V> inline Three<V> operator*(const Symmetric<V>& m, const Three<V>& a) {
    return {m.xx * a.x + m.xy * a.y + m.xz * a.z, m.xy * a.x + m.yy * a.y + m.yz * a.z,
            m.xz * a.x + m.yz * a.y + m.zz * a.z};
}
template <class V> struct Motion { // linear and angular
    Three<V> v, w;
};

} // namespace
} // namespace sinew
