// Error bounds, u = 2^-53; coordinates are scaled first where products could overflow. A difference of two
// doubles has the relative error u, so large coordinates cost no accuracy.
//   n . D            8 u |n|.|D|                 difference, three products, two sums
//   D(t) by lerp     4 u max(|D_t0|, |D_t1|)
//   Bernstein of f   128 u |w| |e| |f|           norms of the largest component; the worst sum of terms gives
//   about 60 underflow        kTiny
#include "collision/ccd.h"
#include "collision/ccd_cubic.h"
#include "geometry/distance_closest.h"
#include <algorithm>

namespace sinew {

namespace {

constexpr Real kUnit = 0x1p-53, kTiny = 1e-300;
constexpr Real kTimeTolerance = 1e-12; // [1] a step shorter than this ends the search
constexpr int kRounds = 96;
constexpr Real kLarge = 1e90, kSmall = 1e-60; // sizes of differences outside of this are scaled

enum class Kind { vertex_vertex, vertex_edge, vertex_triangle, edge_edge };
constexpr int kCorners[] = {1, 2, 3, 4};

// the pair as difference vectors
struct Moving {
    Vec3 d0[4], d1[4]; // at t = 0 and 1
    Real size[4];      // largest component of both
    Real separation;
    Real largest; // of all sizes
    // plane: control points of w . (e x f), of |e x f|, and the bound of the error
    Vec3 e0, e1, f0, f1;
    Bernstein3 f, area;
    Real error;
};

Real lowest(Real a, Real b) { return b < a ? b : a; }
Real highest(Real a, Real b) { return b > a ? b : a; }

template <Kind K> Vec3 difference(const CcdPoints& x, int i) {
    if constexpr (K == Kind::edge_edge) return x[2 + (i & 1)] - x[i >> 1];
    return x[0] - x[1 + i];
}

// The range of the differences along an axis at one time. Rounding is monotone: these are the smallest and
// the largest of the rounded differences.
struct Range {
    Real lo, hi;
};
template <Kind K> Range range_along(const CcdPoints& x, int k) {
    if constexpr (K == Kind::edge_edge)
        return {lowest(x[2][k], x[3][k]) - highest(x[0][k], x[1][k]),
                highest(x[2][k], x[3][k]) - lowest(x[0][k], x[1][k])};
    Real lo = x[1][k], hi = lo;
    for (int i = 2; i <= kCorners[int(K)]; ++i) lo = lowest(lo, x[i][k]), hi = highest(hi, x[i][k]);
    return {x[0][k] - hi, x[0][k] - lo};
}

enum class First { apart, open, out_of_range };

// one coordinate axis separates the pair all the time, which is exact; or what to do next
template <Kind K> First look_along_axes(const CcdPoints& x0, const CcdPoints& x1, Moving& m) {
    constexpr int points = K == Kind::edge_edge ? 4 : 1 + kCorners[int(K)];
    Real sum = 0; // of everything: finite when all is
    for (int i = 0; i < points; ++i)
        for (int k = 0; k < 3; ++k) sum += x0[i][k] + x1[i][k];
    const Real need = m.separation * (1 + 4 * kUnit);
    bool apart = false;
    m.largest = 0;
    for (int k = 0; k < 3; ++k) {
        const Range a = range_along<K>(x0, k), b = range_along<K>(x1, k);
        const Real lo = lowest(a.lo, b.lo), hi = highest(a.hi, b.hi);
        apart |= lo > need || hi < -need;
        m.largest = highest(m.largest, highest(-lo, hi));
    }
    if (!(sum - sum == 0) || !(m.largest < kLarge && m.largest > kSmall)) return First::out_of_range;
    return apart ? First::apart : First::open;
}

template <Kind K> void set_differences(const CcdPoints& x0, const CcdPoints& x1, Moving& m) {
    for (int i = 0; i < kCorners[int(K)]; ++i) m.d0[i] = difference<K>(x0, i), m.d1[i] = difference<K>(x1, i);
}

Real largest_component(const Vec3& a, const Vec3& b) {
    return a.cwiseAbs().cwiseMax(b.cwiseAbs()).maxCoeff();
}

// control points of the coplanarity cubic and the bound of their errors
template <Kind K> void set_plane(const CcdPoints& x0, const CcdPoints& x1, Moving& m) {
    constexpr int ea = K == Kind::edge_edge ? 0 : 1, fa = K == Kind::edge_edge ? 2 : 1;
    constexpr int eb = K == Kind::edge_edge ? 1 : 2, fb = 3;
    const Vec3 e0 = x0[eb] - x0[ea], e1 = x1[eb] - x1[ea], f0 = x0[fb] - x0[fa], f1 = x1[fb] - x1[fa];
    m.e0 = e0, m.e1 = e1, m.f0 = f0, m.f1 = f1;
    const Vec3 &w0 = m.d0[0], &w1 = m.d1[0];
    const Vec3 na = e0.cross(f0), nb = 0.5 * (e0.cross(f1) + e1.cross(f0)), nc = e1.cross(f1);
    m.f = {w0.dot(na), (2 * w0.dot(nb) + w1.dot(na)) / 3, (2 * w1.dot(nb) + w0.dot(nc)) / 3, w1.dot(nc)};
    const Real ef = largest_component(e0, e1) * largest_component(f0, f1);
    m.error = 128 * kUnit * largest_component(w0, w1) * ef + kTiny;
    if (m.separation > 0) {
        const Real slack = 16 * kUnit * ef;
        const Real a = na.norm() + slack, b = nb.norm() + slack, c = nc.norm() + slack,
                   s = m.separation * (1 + 32 * kUnit);
        m.area = {s * a, s * (a + 2 * b) / 3, s * (2 * b + c) / 3, s * c};
    } else {
        m.area = {0, 0, 0, 0};
    }
}

// the volume is beyond its error on one side all the time
bool keeps_its_side(const Moving& m) {
    Real lo = m.f[0], hi = lo, need = m.area[0];
    for (int k = 1; k < 4; ++k)
        lo = lowest(lo, m.f[k]), hi = highest(hi, m.f[k]), need = highest(need, m.area[k]);
    return lo > m.error + need || hi < -m.error - need;
}

// no contact of the planes (lines) on [t, result]
Real clear_by_plane(const Moving& m, Real t) {
    const Real r = 1 - t;
    const Real value = r * r * r * m.f[0] + 3 * r * t * (r * m.f[1] + t * m.f[2]) + t * t * t * m.f[3];
    const Real sign = value > 0 ? 1 : -1;
    Bernstein3 h;
    for (int k = 0; k < 4; ++k) h[k] = sign * m.f[k] - m.error - m.area[k];
    return clear_cubic(h, t);
}

// n separates on [t, result]
template <Kind K> Real clear_by_direction(const Moving& m, const Vec3& n, Real t) {
    Real end = 1;
    const Vec3 n_abs = n.cwiseAbs();
    const Real need = m.separation > 0 ? m.separation * n.norm() * (1 + 16 * kUnit) : 0;
    for (int i = 0; i < kCorners[int(K)]; ++i) {
        const Real g0 = n.dot(m.d0[i]) - (8 * kUnit * n_abs.dot(m.d0[i].cwiseAbs()) + kTiny) - need;
        const Real g1 = n.dot(m.d1[i]) - (8 * kUnit * n_abs.dot(m.d1[i].cwiseAbs()) + kTiny) - need;
        if (g0 > 0 && g1 > 0) continue;
        const Real root = g0 / (g0 - g1);
        if (g0 > 0) {
            end = lowest(end, root * (1 - 8 * kUnit));
        } else if (!(g1 > 0 && t > root * (1 + 8 * kUnit) + kTiny)) {
            return t;
        }
    }
    return end > t ? end : t;
}

Vec3 at_time(const Moving& m, int i, Real t) { return (1 - t) * m.d0[i] + t * m.d1[i]; }

// closest vector of the hull to the origin, roughly
template <Kind K> Vec3 closest_vector(const Moving& m, Real t) {
    const Vec3 zero = Vec3::Zero();
    if constexpr (K == Kind::vertex_vertex) return at_time(m, 0, t);
    if constexpr (K == Kind::vertex_edge)
        return closest_vertex_edge(zero, -at_time(m, 0, t), -at_time(m, 1, t)).difference;
    if constexpr (K == Kind::vertex_triangle)
        return closest_vertex_triangle(zero, -at_time(m, 0, t), -at_time(m, 1, t), -at_time(m, 2, t))
            .difference;
    const Vec3 b0 = at_time(m, 0, t); // with a0 at the origin
    return closest_edge_edge(zero, b0 - at_time(m, 2, t), b0, at_time(m, 1, t)).difference;
}

// the direction that moves linearly from na at t to nb at `end` separates on [t, end]: its product with D_i
// is a quadratic with the Bernstein coefficients na.Da, (na.Db + nb.Da)/2, nb.Db
template <Kind K> bool clear_by_turning(const Moving& m, const Vec3& na, const Vec3& nb, Real t, Real end) {
    const Real la = na.lpNorm<1>(), lb = nb.lpNorm<1>();
    const Real s = m.separation * (1 + 16 * kUnit), need_a = s * na.norm(), need_b = s * nb.norm();
    for (int i = 0; i < kCorners[int(K)]; ++i) {
        const Vec3 da = at_time(m, i, t), db = at_time(m, i, end);
        const Real e = 16 * kUnit * m.size[i];
        if (!(na.dot(da) > e * la + need_a + kTiny && nb.dot(db) > e * lb + need_b + kTiny &&
              na.dot(db) + nb.dot(da) > e * (la + lb) + need_a + need_b + kTiny))
            return false;
    }
    return true;
}

// The plain miss, without closest points: where the volume changes its sign the points are in one plane, and
// an axis in that plane across one of the edges mostly separates them from beginning to end.
template <Kind K> bool passes_beside(const Moving& m) {
    if (!(m.f[0] * m.f[3] < 0)) return false;
    // the root, roughly: secant, then one step of Newton
    Real t = m.f[0] / (m.f[0] - m.f[3]), r = 1 - t;
    const Real value = r * r * r * m.f[0] + 3 * r * t * (r * m.f[1] + t * m.f[2]) + t * t * t * m.f[3];
    const Real slope =
        3 * (r * r * (m.f[1] - m.f[0]) + 2 * r * t * (m.f[2] - m.f[1]) + t * t * (m.f[3] - m.f[2]));
    const Real better = t - value / slope;
    if (better > 0 && better < 1) t = better, r = 1 - t;
    const Vec3 e = r * m.e0 + t * m.e1, f = r * m.f0 + t * m.f1, w = r * m.d0[0] + t * m.d1[0],
               n = e.cross(f);
    const Real ee = e.squaredNorm(), ff = f.squaredNorm(), area = n.squaredNorm();
    // how far outside, as parts of |n|^2, and squared distances up to a common factor
    Real along_e = n.dot(w.cross(f)), along_f = K == Kind::edge_edge ? n.dot(w.cross(e)) : n.dot(e.cross(w));
    Vec3 axis;
    if constexpr (K == Kind::edge_edge) {
        const Real out_e = highest(-along_e, along_e - area), out_f = highest(-along_f, along_f - area);
        if (!(out_e > 0 || out_f > 0)) return false;
        const bool across_f = out_f <= 0 || (out_e > 0 && out_e * out_e * ee > out_f * out_f * ff);
        axis = n.cross(across_f ? f : e);
        if (axis.dot(w) < 0) axis = -axis;
    } else {
        const Real rest = area - along_e - along_f;
        const Vec3 g = f - e;
        if (rest < 0 && rest <= along_e && rest <= along_f) {
            axis = n.cross(g);
            if (axis.dot(w - e) < 0) axis = -axis;
        } else if (along_e < 0 || along_f < 0) {
            axis = n.cross(along_e < along_f ? f : e);
            if (axis.dot(w) < 0) axis = -axis;
        } else {
            return false;
        }
    }
    Real need = 16 * kUnit * m.largest * axis.lpNorm<1>() + kTiny;
    if (m.separation > 0) need += m.separation * axis.norm() * (1 + 16 * kUnit);
    for (int i = 0; i < kCorners[int(K)]; ++i)
        if (!(axis.dot(m.d0[i]) > need && axis.dot(m.d1[i]) > need)) return false;
    return true;
}

constexpr bool has_plane(Kind k) { return k == Kind::vertex_triangle || k == Kind::edge_edge; }

// proofs in turn until the end, or until they no longer advance
template <Kind K> Real advance(Moving& m, Real t_max) {
    Real t = 0, stretch = 1;
    for (int round = 0; round < kRounds; ++round) {
        if constexpr (has_plane(K)) {
            t = clear_by_plane(m, t);
            if (t >= t_max) return kNoImpact;
        }
        const Vec3 n = closest_vector<K>(m, t);
        const Real end = clear_by_direction<K>(m, n, t);
        if (end >= t_max) return kNoImpact;
        if (!(end - t > kTimeTolerance)) return end;
        const Real tried = lowest(1, end + stretch * (end - t));
        // the first rounds mostly arrive without it
        if (round > 1) {
            const Vec3 turned = closest_vector<K>(m, tried);
            if (turned.squaredNorm() > 0 &&
                clear_by_turning<K>(m, n.normalized(), turned.normalized(), t, tried)) {
                t = tried, stretch *= 2;
                if (t >= t_max) return kNoImpact;
                continue;
            }
            stretch *= 0.5;
        }
        t = end;
    }
    return t;
}

template <Kind K> void set_sizes(Moving& m) {
    for (int i = 0; i < kCorners[int(K)]; ++i) m.size[i] = largest_component(m.d0[i], m.d1[i]);
}

// sizes out of range: the same on scaled points. Scaling by a power of two is exact up to underflow, which
// kTiny covers.
template <Kind K> Real find_scaled(CcdPoints x0, CcdPoints x1, const CcdOptions& o);

template <Kind K> Real find(const CcdPoints& x0, const CcdPoints& x1, const CcdOptions& o) {
    Moving m;
    m.separation = o.separation;
    const First first = look_along_axes<K>(x0, x1, m);
    if (first == First::apart) return kNoImpact;
    if (first == First::out_of_range) return find_scaled<K>(x0, x1, o);
    set_differences<K>(x0, x1, m);
    if constexpr (has_plane(K)) {
        set_plane<K>(x0, x1, m);
        if (keeps_its_side(m) || passes_beside<K>(m)) return kNoImpact;
    }
    set_sizes<K>(m);
    return advance<K>(m, o.t_max);
}

template <Kind K> Real find_scaled(CcdPoints x0, CcdPoints x1, const CcdOptions& o) {
    constexpr int n = K == Kind::vertex_vertex ? 2 : K == Kind::vertex_edge ? 3 : 4;
    // differences are translation invariant only without rounding, so the points themselves are scaled
    Real largest = 0, difference_sum = 0;
    for (int i = 0; i < n; ++i) {
        if (!x0[i].allFinite() || !x1[i].allFinite()) return 0;
        largest = highest(largest, largest_component(x0[i], x1[i]));
    }
    for (int i = 1; i < n; ++i)
        difference_sum =
            highest(difference_sum, largest_component(0.5 * x0[i] - 0.5 * x0[0], 0.5 * x1[i] - 0.5 * x1[0]));
    if (difference_sum == 0) return 0; // all in one place, all the time
    // large: down to one; small differences: up, as far as the coordinates allow
    const int up = -std::ilogb(difference_sum), room = 900 - std::ilogb(largest);
    const int shift = difference_sum > 1 ? -std::ilogb(largest) : std::min(up, room);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k) {
            x0[i][k] = std::ldexp(x0[i][k], shift);
            x1[i][k] = std::ldexp(x1[i][k], shift);
        }
    CcdOptions scaled = o;
    scaled.separation = std::ldexp(o.separation, shift);
    if (!(scaled.separation < kLarge)) return 0;
    Moving m;
    m.separation = scaled.separation;
    if (look_along_axes<K>(x0, x1, m) == First::apart) return kNoImpact;
    set_differences<K>(x0, x1, m);
    if constexpr (has_plane(K)) set_plane<K>(x0, x1, m);
    set_sizes<K>(m);
    return advance<K>(m, o.t_max);
}

} // namespace

Real find_impact_vertex_triangle(const CcdPoints& x0, const CcdPoints& x1, const CcdOptions& o) {
    return find<Kind::vertex_triangle>(x0, x1, o);
}
Real find_impact_edge_edge(const CcdPoints& x0, const CcdPoints& x1, const CcdOptions& o) {
    return find<Kind::edge_edge>(x0, x1, o);
}
Real find_impact_vertex_edge(const CcdPoints& x0, const CcdPoints& x1, const CcdOptions& o) {
    return find<Kind::vertex_edge>(x0, x1, o);
}
Real find_impact_vertex_vertex(const CcdPoints& x0, const CcdPoints& x1, const CcdOptions& o) {
    return find<Kind::vertex_vertex>(x0, x1, o);
}

} // namespace sinew
