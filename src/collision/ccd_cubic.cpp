// The first root is found roughly (stationary points, then Newton inside a bracket); the interval before it
// is then proven free by the Bernstein coefficients of the part, computed by blossoming. A lerp (1-r) a + r b
// has an error of at most 3 u max(|a|, |b|), u = 2^-53; three levels of them stay below kSlop max|h|.
#include "collision/ccd_cubic.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr double kSlop = 16 * 0x1p-53;

double lerp1(double a, double b, double r) { return (1 - r) * a + r * b; }

// all four coefficients of the part [a, b] above `slop`
bool positive_on(const Bernstein3& h, double a, double b, double slop) {
    const double p0 = lerp1(h[0], h[1], a), p1 = lerp1(h[1], h[2], a), p2 = lerp1(h[2], h[3], a);
    const double aa0 = lerp1(p0, p1, a), aa1 = lerp1(p1, p2, a);
    if (!(lerp1(aa0, aa1, a) > slop && lerp1(aa0, aa1, b) > slop)) return false;
    const double ab0 = lerp1(p0, p1, b), ab1 = lerp1(p1, p2, b);
    if (!(lerp1(ab0, ab1, b) > slop)) return false;
    const double q0 = lerp1(h[0], h[1], b), q1 = lerp1(h[1], h[2], b), q2 = lerp1(h[2], h[3], b);
    return lerp1(lerp1(q0, q1, b), lerp1(q1, q2, b), b) > slop;
}

// how far from a towards b the proof goes, by halving
double reach(const Bernstein3& h, double a, double b, double slop, int depth) {
    if (positive_on(h, a, b, slop)) return b;
    const double mid = 0.5 * (a + b);
    if (depth == 0 || !(a < mid && mid < b)) return a;
    const double r = reach(h, a, mid, slop, depth - 1);
    return r < mid ? r : reach(h, mid, b, slop, depth - 1);
}

struct Power { // c0 + c1 t + c2 t^2 + c3 t^3
    double c0, c1, c2, c3;
    double value(double t) const { return c0 + t * (c1 + t * (c2 + t * c3)); }
    double slope(double t) const { return c1 + t * (2 * c2 + t * 3 * c3); }
};

// zero of a decreasing piece with value(a) > 0 >= value(b): Newton, bisection where it leaves the bracket
double bracketed_root(const Power& p, double a, double b) {
    double va = p.value(a), vb = p.value(b), t = a + (b - a) * (va / (va - vb));
    for (int i = 0; i < 60; ++i) {
        const double v = p.value(t);
        double next = t - v / p.slope(t);
        if (std::abs(next - t) <= 4e-16 * t) break;
        (v > 0 ? a : b) = t;
        if (!(next > a && next < b)) next = 0.5 * (a + b);
        if (!(a < next && next < b)) break;
        t = next;
    }
    return t;
}

// first t' in (t, 1] with value <= 0, roughly; 2 if there is none
double first_root(const Power& p, double t) {
    double stop[3];
    int count = 0;
    const double a = 3 * p.c3, b = p.c2, c = p.c1, d = b * b - a * c; // slope = a t^2 + 2 b t + c
    if (d > 0) {
        const double q = -(b + std::copysign(std::sqrt(d), b));
        double r0 = a != 0 ? q / a : 2, r1 = q != 0 ? c / q : 2;
        if (r1 < r0) std::swap(r0, r1);
        if (r0 > t && r0 < 1) stop[count++] = r0;
        if (r1 > t && r1 < 1) stop[count++] = r1;
    }
    stop[count++] = 1;
    double from = t;
    for (int i = 0; i < count; from = stop[i++])
        if (p.value(stop[i]) <= 0) return bracketed_root(p, from, stop[i]);
    return 2;
}

} // namespace

double clear_cubic(const Bernstein3& h, double t) {
    if (h[0] > 0 && h[1] > 0 && h[2] > 0 && h[3] > 0) return 1;
    const double largest =
        std::max(std::max(std::abs(h[0]), std::abs(h[1])), std::max(std::abs(h[2]), std::abs(h[3])));
    const double slop = kSlop * largest;
    const Power p{h[0], 3 * (h[1] - h[0]), 3 * (h[2] - 2 * h[1] + h[0]), h[3] - 3 * h[2] + 3 * h[1] - h[0]};
    for (int round = 0; round < 4; ++round) {
        if (!(p.value(t) > 2 * slop)) return t;
        const double root = first_root(p, t);
        // step back from the root by what rounding can move it, but no more than half way
        const double target =
            root > 1 ? 1 : std::max(0.5 * (t + root), root - 4 * slop / std::abs(p.slope(root)) - 0x1p-52);
        const double r = reach(h, t, target, slop, 6);
        if (r >= 1 || r - t < 1e-9) return r;
        t = r;
        if (root <= 1 && root - r < 1e-12) break;
    }
    return t;
}

} // namespace sinew
