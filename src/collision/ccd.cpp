// Error bounds, u = 2^-53; coordinates are scaled first where products could overflow. A difference of two
// doubles has the relative error u, so large coordinates cost no accuracy.
//   n . D            8 u |n|.|D|                 difference, three products, two sums
//   D(t) by lerp     4 u max(|D_t0|, |D_t1|)
//   Bernstein of f   128 u |w| |e| |f|           norms of the largest component; the worst sum gives about 60
//   underflow        kTiny
#include "collision/ccd.h"
#include "collision/ccd_first.h"
#include "geometry/distance_closest.h"
#include <algorithm>
#include <limits>

namespace sinew::ccd {

namespace {

// [1] a step shorter than this ends the search. With a separation the last steps are closest points again and
// again, without one a root of the cubic, which comes at once.
constexpr Real kTimeTolerance = 1e-12, kTimeToleranceSeparated = 1e-10;
constexpr int kRounds = 96;

// no contact of the planes (lines) on [t, result]
Real clear_by_plane(const Moving& m, Real t) {
    const Real r = 1 - t;
    const Real value =
        r * r * r * m.volume[0] + 3 * r * t * (r * m.volume[1] + t * m.volume[2]) + t * t * t * m.volume[3];
    const Real sign = value > 0 ? 1 : -1;
    Bernstein3 h;
    for (int k = 0; k < 4; ++k) h[k] = sign * m.volume[k] - m.error - m.area[k];
    return clear_cubic(h, t);
}

// n separates on [t, result]
template <Kind K> Real clear_by_direction(const Moving& m, const Vec3& n, Real t) {
    Real end = 1;
    const Lanes3 axis = both(n), axis_abs = magnitude(axis);
    const Real need = m.separation > 0 ? m.separation * n.norm() * (1 + 16 * kUnit) : 0;
    for (int i = 0; i < kCorners[int(K)]; ++i) {
        const Lanes error = both(8 * kUnit) * dot(axis_abs, magnitude(m.d[i])) + both(kTiny);
        const Lanes g = dot(axis, m.d[i]) - error - both(need);
        const Real g0 = first(g), g1 = second(g);
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

// closest vector of the hull to the origin, roughly
template <Kind K> Vec3 closest_vector(const Moving& m, Real t) {
    const Vec3 zero = Vec3::Zero();
    if constexpr (K == Kind::vertex_vertex) return at_time(m.d[0], t);
    if constexpr (K == Kind::vertex_edge)
        return closest_vertex_edge(zero, -at_time(m.d[0], t), -at_time(m.d[1], t)).difference;
    if constexpr (K == Kind::vertex_triangle)
        return closest_vertex_triangle(zero, -at_time(m.d[0], t), -at_time(m.d[1], t), -at_time(m.d[2], t))
            .difference;
    const Vec3 b0 = at_time(m.d[0], t); // with a0 at the origin
    return closest_edge_edge(zero, b0 - at_time(m.d[2], t), b0, at_time(m.d[1], t)).difference;
}

// the direction that moves linearly from na at t to nb at `end` separates on [t, end]: its product with D_i
// is a quadratic with the Bernstein coefficients na.Da, (na.Db + nb.Da)/2, nb.Db
template <Kind K> bool clear_by_turning(const Moving& m, const Vec3& na, const Vec3& nb, Real t, Real end) {
    const Real la = na.lpNorm<1>(), lb = nb.lpNorm<1>();
    const Real s = m.separation * (1 + 16 * kUnit), need_a = s * na.norm(), need_b = s * nb.norm();
    for (int i = 0; i < kCorners[int(K)]; ++i) {
        const Vec3 da = at_time(m.d[i], t), db = at_time(m.d[i], end);
        const Real e = 16 * kUnit * largest(m.d[i]);
        if (!(na.dot(da) > e * la + need_a + kTiny && nb.dot(db) > e * lb + need_b + kTiny &&
              na.dot(db) + nb.dot(da) > e * (la + lb) + need_a + need_b + kTiny))
            return false;
    }
    return true;
}

// Where the distance reaches the separation, by the line through its values at `a` and `b`: a guess for the
// next time to try, a little before it, so that something is left to prove with. 1 when it does not come
// nearer.
Real guess_contact(Real a, Real distance_a, Real b, Real distance_b, Real separation) {
    constexpr Real kBefore = 1e-3;
    const Real closing = distance_a - distance_b;
    if (!(closing > 0)) return 1;
    const Real left = (distance_b - separation) * (b - a) / closing;
    return left > 0 ? lowest(1, b + (1 - kBefore) * left) : b;
}

// One try beyond `end`, which direction n at t has proven: up to the guessed contact, at most `stretch` times
// the step [t, end]. Moves on t and n, the closest vector there; stretch follows what could be proven.
template <Kind K> void turn(const Moving& m, Real end, Real& t, Vec3& n, Real& stretch) {
    const Vec3 at_end = closest_vector<K>(m, end);
    const Real step = end - t, distance = n.norm(), distance_end = at_end.norm();
    const Real tried =
        lowest(guess_contact(t, distance, end, distance_end, m.separation), end + stretch * step);
    t = end, n = at_end;
    if (!(tried > end && distance_end > 0)) return;
    const Vec3 turned = closest_vector<K>(m, tried);
    const Real distance_tried = turned.norm();
    if (distance_tried > 0 &&
        clear_by_turning<K>(m, at_end / distance_end, turned / distance_tried, end, tried)) {
        t = tried, n = turned;
        stretch *= 4;
    } else {
        stretch = 0.25 * (tried - end) / step;
    }
}

// proofs in turn until the end, or until they no longer advance
template <Kind K> Real advance(Moving& m, Real t_max) {
    const Real shortest = m.separation > 0 ? kTimeToleranceSeparated : kTimeTolerance;
    Real t = 0, stretch = 1e9;
    Vec3 n = Vec3::Zero();
    bool known = false; // n is the closest vector at t
    for (int round = 0; round < kRounds; ++round) {
        if constexpr (has_plane(K)) {
            const Real clear = clear_by_plane(m, t);
            if (clear >= t_max) return kNoImpact;
            known = known && clear == t;
            t = clear;
        }
        if (!known) n = closest_vector<K>(m, t);
        const Real end = clear_by_direction<K>(m, n, t);
        if (end >= t_max) return kNoImpact;
        if (!(end - t > shortest)) return end;
        known = round > 0; // the first round mostly arrives without turning
        if (known)
            turn<K>(m, end, t, n, stretch);
        else
            t = end;
        if (t >= t_max) return kNoImpact;
    }
    return t;
}

// sizes out of range: the same on scaled points. Scaling by a power of two is exact up to underflow, which
// kTiny covers.
template <Kind K> Real find_scaled(CcdPoints x0, CcdPoints x1, const CcdOptions& o);

template <Kind K> Real find(const CcdPoints& x0, const CcdPoints& x1, const CcdOptions& o) {
    if (!(o.separation >= 0)) return 0; // negative or not a number: nothing can be promised
    Moving m;
    m.separation = o.separation;
    if constexpr (has_plane(K)) {
        // of what a broad phase hands over a twentieth is apart along an axis, and two thirds keep their side
        if (!set_plane<K>(x0, x1, m)) return find_scaled<K>(x0, x1, o);
        if (keeps_its_side(m)) return kNoImpact;
    }
    set_differences<K>(x0, x1, m);
    const bool apart = axis_separates<K>(m);
    if (!has_plane(K) && !in_range<K>(m)) return find_scaled<K>(x0, x1, o);
    if (apart) return kNoImpact;
    if constexpr (has_plane(K)) {
        if (passes_beside<K>(m)) return kNoImpact;
        set_area(m);
    }
    return advance<K>(m, o.t_max);
}

template <Kind K> Real find_scaled(CcdPoints x0, CcdPoints x1, const CcdOptions& o) {
    constexpr int n = K == Kind::vertex_vertex ? 2 : K == Kind::vertex_edge ? 3 : 4;
    // differences are translation invariant only without rounding, so the points themselves are scaled
    Real farthest = 0, difference = 0;
    for (int i = 0; i < n; ++i) {
        if (!x0[i].allFinite() || !x1[i].allFinite()) return 0;
        farthest = highest(farthest, largest(lanes(x0[i], x1[i])));
    }
    for (int i = 1; i < n; ++i)
        difference =
            highest(difference, largest(lanes(0.5 * x0[i] - 0.5 * x0[0], 0.5 * x1[i] - 0.5 * x1[0])));
    if (difference == 0) return 0; // all in one place, all the time
    // large: down to one; small differences: up, as far as the coordinates allow
    const int up = -std::ilogb(difference), room = 900 - std::ilogb(farthest);
    const int shift = difference > 1 ? -std::ilogb(farthest) : std::min(up, room);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k) {
            x0[i][k] = std::ldexp(x0[i][k], shift);
            x1[i][k] = std::ldexp(x1[i][k], shift);
        }
    Moving m;
    m.separation = std::ldexp(o.separation, shift);
    if (std::ldexp(m.separation, -shift) < o.separation) // lost among the subnormals: up, to the safe side
        m.separation = std::nextafter(m.separation, std::numeric_limits<Real>::infinity());
    if (!(m.separation < kLarge)) return 0;
    if constexpr (has_plane(K)) set_plane<K>(x0, x1, m), set_area(m);
    set_differences<K>(x0, x1, m);
    if (axis_separates<K>(m)) return kNoImpact;
    return advance<K>(m, o.t_max);
}

} // namespace

} // namespace sinew::ccd

namespace sinew {

Real find_impact_vertex_triangle(const CcdPoints& x0, const CcdPoints& x1, const CcdOptions& o) {
    return ccd::find<ccd::Kind::vertex_triangle>(x0, x1, o);
}
Real find_impact_edge_edge(const CcdPoints& x0, const CcdPoints& x1, const CcdOptions& o) {
    return ccd::find<ccd::Kind::edge_edge>(x0, x1, o);
}
Real find_impact_vertex_edge(const CcdPoints& x0, const CcdPoints& x1, const CcdOptions& o) {
    return ccd::find<ccd::Kind::vertex_edge>(x0, x1, o);
}
Real find_impact_vertex_vertex(const CcdPoints& x0, const CcdPoints& x1, const CcdOptions& o) {
    return ccd::find<ccd::Kind::vertex_vertex>(x0, x1, o);
}

} // namespace sinew
