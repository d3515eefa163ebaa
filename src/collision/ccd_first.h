// Continuous collision, the part that most pairs do not get beyond: the pair as difference vectors at both
// times, and the proofs of a miss that need no closest point. Used by ccd.cpp only.
#pragma once
#include "collision/ccd.h"
#include "collision/ccd_cubic.h"
#include "collision/ccd_lanes.h"

namespace sinew::ccd {

inline constexpr Real kUnit = 0x1p-53, kTiny = 1e-300;
inline constexpr Real kLarge = 1e90, kSmall = 1e-60; // sizes of differences outside of this are scaled

enum class Kind { vertex_vertex, vertex_edge, vertex_triangle, edge_edge };
inline constexpr int kCorners[] = {1, 2, 3, 4};
inline constexpr bool has_plane(Kind k) { return k == Kind::vertex_triangle || k == Kind::edge_edge; }

inline Real lowest(Real a, Real b) { return b < a ? b : a; }
inline Real highest(Real a, Real b) { return b > a ? b : a; }
using sinew::highest, sinew::lowest;

struct Moving {
    Lanes3 d[4]; // differences D_i
    Lanes3 e, f; // edges of the plane; w is d[0]
    Real separation;
    Real largest; // bound of all components of the differences
    // plane: e x f at both times and twice its control point between, the product of the largest components of e
    // and f; control points of w . (e x f), of separation |e x f|, and the bound of the error
    Lanes3 n, middle;
    Real size;
    Bernstein3 volume, area;
    Real lowest, highest; // of the volume's
    Real error;
};

template <Kind K> void set_differences(const CcdPoints& x0, const CcdPoints& x1, Moving& m) {
    constexpr int n = kCorners[int(K)], points = K == Kind::edge_edge ? 4 : n + 1;
    Lanes3 x[4];
    for (int i = 0; i < points; ++i) x[i] = lanes(x0[i], x1[i]);
    for (int i = 0; i < n; ++i) {
        if constexpr (K == Kind::edge_edge)
            m.d[i] = x[2 + (i & 1)] - x[i >> 1];
        else
            m.d[i] = x[0] - x[1 + i];
    }
}

// One coordinate axis may separate the pair all the time, which is exact: rounding does not change the sign of a
// difference. Sets the bound of their components.
template <Kind K> bool axis_separates(Moving& m) {
    Lanes3 lo = m.d[0], hi = m.d[0];
    for (int i = 1; i < kCorners[int(K)]; ++i) lo = lower(lo, m.d[i]), hi = higher(hi, m.d[i]);
    const Lanes zero = both(0);
    const Lanes3 below{zero - hi.x, zero - hi.y, zero - hi.z};
    const Real gap =
        highest(highest(highest(lowest(lo.x), lowest(below.x)), highest(lowest(lo.y), lowest(below.y))),
                highest(lowest(lo.z), lowest(below.z)));
    m.largest = -lowest(lower(lower(lower(lo.x, below.x), lower(lo.y, below.y)), lower(lo.z, below.z)));
    return gap > m.separation * (1 + 4 * kUnit);
}

inline bool is_finite(Lanes a) {
    const Real sum = first(a) + second(a);
    return sum - sum == 0;
}

// Whether nothing can overflow or vanish: of all differences, or of w, e and f, of which they are sums. Coordinates that are
// not finite show in the sum of the differences, and in the volume, to which each adds.
template <Kind K> bool in_range(const Moving& m) {
    Lanes3 sum = m.d[0];
    for (int i = 1; i < kCorners[int(K)]; ++i) sum = sum + m.d[i];
    return is_finite(sum.x + sum.y + sum.z) && m.largest < kLarge && m.largest > kSmall;
}

// control points of the coplanarity cubic and the bound of their errors; false where sizes are out of range
template <Kind K> bool set_plane(const CcdPoints& x0, const CcdPoints& x1, Moving& m) {
    constexpr bool edges = K == Kind::edge_edge;
    const Lanes3 origin = edges ? lanes(x0[0], x1[0]) : lanes(x0[1], x1[1]);
    const Lanes3 tip = edges ? lanes(x0[2], x1[2]) : lanes(x0[0], x1[0]);
    const Lanes3 w = m.d[0] = tip - origin;
    m.e = (edges ? lanes(x0[1], x1[1]) : lanes(x0[2], x1[2])) - origin;
    m.f = lanes(x0[3], x1[3]) - (edges ? tip : origin);
    m.n = cross(m.e, m.f);
    const Lanes3 mixed = cross(m.e, swapped(m.f)); // e0 x f1, e1 x f0
    m.middle = mixed + swapped(mixed);
    const Lanes ends = dot(w, m.n), inner = dot(w, m.middle), outer = dot(swapped(w), m.n); // w1 n0, w0 n2
    // products by third: the rounding is in the bound
    const Lanes between = (inner + outer) * both(1.0 / 3);
    const Real of_w = largest(w), of_e = largest(m.e), of_f = largest(m.f), all = highest(of_w, highest(of_e, of_f));
    m.volume = {first(ends), first(between), second(between), second(ends)};
    m.lowest = lowest(lower(ends, between)), m.highest = highest(higher(ends, between));
    m.size = of_e * of_f;
    m.error = 128 * kUnit * of_w * m.size + kTiny;
    return is_finite(ends + between) && all < kLarge && all > kSmall;
}

// the same of separation |e x f|: needed by few, three roots
inline void set_area(Moving& m) {
    m.area = {0, 0, 0, 0};
    if (!(m.separation > 0)) return;
    const Real slack = 16 * kUnit * m.size, s = m.separation * (1 + 32 * kUnit);
    const Real a = first(m.n).norm() + slack, b = 0.5 * first(m.middle).norm() + slack, c = second(m.n).norm() + slack;
    m.area = {s * a, s * (a + 2 * b) / 3, s * (2 * b + c) / 3, s * c};
}

// the volume is beyond its error, and beyond what the separation asks for, on one side all the time
inline bool keeps_its_side(Moving& m) {
    const Real lo = m.lowest, hi = m.highest;
    if (lo <= m.error && hi >= -m.error) return false;
    // |e x f| <= |e| |f| <= 3 times the product of the largest components
    const Real rough = m.error + 4 * m.separation * m.size;
    if (lo > rough || hi < -rough) return true;
    set_area(m);
    const Bernstein3& a = m.area;
    const Real need = m.error + highest(highest(a[0], a[1]), highest(a[2], a[3]));
    return lo > need || hi < -need;
}

// a time where the volume changes its sign, roughly: secant, then one step of Newton
inline Real guess_root(const Bernstein3& v) {
    const Real t = v[0] / (v[0] - v[3]), r = 1 - t;
    const Real value = r * r * r * v[0] + 3 * r * t * (r * v[1] + t * v[2]) + t * t * t * v[3];
    const Real slope = 3 * (r * r * (v[1] - v[0]) + 2 * r * t * (v[2] - v[1]) + t * t * (v[3] - v[2]));
    const Real better = t - value / slope;
    return better > 0 && better < 1 ? better : t;
}

inline Vec3 at_time(const Lanes3& a, Real t) {
    const Lanes3 p = lanes(1 - t, t) * a;
    return first(p) + second(p);
}

// `axis` separates from beginning to end: all products with it beyond their error and separation |axis| on
// one side, the latter by squares, which need no root
template <Kind K> bool separates(const Moving& m, const Vec3& axis) {
    const Real error =
        16 * kUnit * m.largest * (std::abs(axis.x()) + std::abs(axis.y()) + std::abs(axis.z())) + kTiny;
    const Lanes3 a = both(axis);
    Lanes lo = dot(a, m.d[0]), hi = lo;
    for (int i = 1; i < kCorners[int(K)]; ++i) {
        const Lanes p = dot(a, m.d[i]);
        lo = lower(lo, p), hi = higher(hi, p);
    }
    const Real beyond = highest(lowest(lo), -highest(hi)) - error;
    if (!(beyond > 0)) return false;
    const Real need = m.separation * m.separation * axis.squaredNorm() * (1 + 64 * kUnit);
    return !(m.separation > 0) || beyond * beyond > need + kTiny;
}

// The plain miss, without closest points: when the volume changes its sign the points are in one plane. Where
// the lines cross outside of an edge, the axis across the other edge and the common motion mostly separates
// from beginning to end; always, if the pair only translates.
template <Kind K> bool passes_beside(const Moving& m) {
    if (!(m.volume[0] * m.volume[3] < 0)) return false;
    const Real t = guess_root(m.volume);
    const Vec3 e = at_time(m.e, t), f = at_time(m.f, t), w = at_time(m.d[0], t), n = e.cross(f);
    Lanes3 sum = m.d[0];
    for (int i = 1; i < kCorners[int(K)]; ++i) sum = sum + m.d[i];
    const Vec3 motion = second(sum) - first(sum);
    const Real area = n.squaredNorm(), along_e = n.dot(w.cross(f));
    if constexpr (K == Kind::edge_edge) {
        const Real along_f = n.dot(w.cross(e));
        if ((along_e < 0 || along_e > area) && separates<K>(m, motion.cross(f))) return true;
        return (along_f < 0 || along_f > area) && separates<K>(m, motion.cross(e));
    } else {
        const Real along_f = n.dot(e.cross(w));
        if (along_e < 0 && separates<K>(m, motion.cross(f))) return true;
        if (along_f < 0 && separates<K>(m, motion.cross(e))) return true;
        return along_e + along_f > area && separates<K>(m, motion.cross(f - e));
    }
}

} // namespace sinew::ccd
