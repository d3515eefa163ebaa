// Derivatives of the distance at every border between closest features, by one-sided finite differences.
// Borders are found by halving the way between two random stencils until the feature changes from one number
// to the next.
//   vertex-triangle  7 regions: 3 corners, 3 edges, the face; 9 borders (edge-face 3, corner-edge 6)
//   edge-edge        9 regions: 4 corner pairs, 4 corner-edge pairs, both interiors; 12 borders (4 + 8)
// At each: value and gradient of the squared distance are those of both sides, and on each side the
// differences of the distance as it is classified there give the gradient, those of the gradient the Hessian.
#include "core/random.h"
#include "geometry/distance_closest.h"
#include "geometry/distance_derivatives.h"
#include <gtest/gtest.h>
#include <map>

using namespace sinew;

namespace {

using Flat = VecN<12>;

DistancePoints stencil(const Flat& x) {
    return {x.segment<3>(0), x.segment<3>(3), x.segment<3>(6), x.segment<3>(9)};
}
Closest closest_by_coordinates(bool edges, const Flat& f) {
    const DistancePoints x = stencil(f);
    return edges ? closest_edge_edge(x[0], x[1], x[2], x[3])
                 : closest_vertex_triangle(x[0], x[1], x[2], x[3]);
}
// the points that take part, as bits: one number per region
int region(bool edges, const Flat& x) {
    const Feature f = closest_by_coordinates(edges, x).feature;
    int bits = 0;
    for (int i = 0; i < point_count(f.kind); ++i) bits |= 1 << f.point[i];
    return bits;
}

// far from thin triangles, parallel edges and contact, where derivatives grow without bound
bool is_plain(bool edges, const Flat& f) {
    const DistancePoints x = stencil(f);
    const Vec3 e = edges ? Vec3(x[1] - x[0]) : Vec3(x[2] - x[1]),
               g = edges ? Vec3(x[3] - x[2]) : Vec3(x[3] - x[1]);
    return e.norm() > 0.3 && g.norm() > 0.3 && e.cross(g).norm() > 0.4 * e.norm() * g.norm() &&
           closest_by_coordinates(edges, f).squared > 0.04;
}

struct Side {
    Feature feature;
    Real value;
    Gradient12 gradient;
    Hessian12 hessian;
};
Side side_of(const Feature& f, const Flat& at) {
    Side s{f, 0, {}, {}};
    s.value = squared_distance_hessian(f, stencil(at), s.gradient, s.hessian);
    return s;
}

// D and its gradient at x + step v, each by the feature that is closest there; false if that is another one
bool look(bool edges, const Flat& x, const Flat& v, Real step, int expected, Real& value,
          Gradient12& gradient) {
    const Flat y = x + step * v;
    if (region(edges, y) != expected) return false;
    const Closest c = closest_by_coordinates(edges, y);
    squared_distance_gradient(c.feature, stencil(y), gradient);
    value = c.squared;
    return true;
}

// One-sided differences along v from the border x. Step h = 1e-5, second order: truncation h^2 / 3 times the
// third derivative, which is below 1e5 for stencils as plain as these (lengths from 0.3, to the fourth
// power); rounding 1e-15 / h.
bool expect_side(bool edges, const Flat& x, const Flat& v, const Side& s, int expected) {
    constexpr Real h = 1e-5, kTolerance = 5e-6;
    Real value[2];
    Gradient12 gradient[2];
    for (int k = 0; k < 2; ++k)
        if (!look(edges, x, v, (k + 1) * h, expected, value[k], gradient[k]))
            return false; // a sliver of a region
    const Real slope = (-3 * s.value + 4 * value[0] - value[1]) / (2 * h);
    EXPECT_NEAR(slope, s.gradient.dot(v), kTolerance);
    const Gradient12 turn = (-3 * s.gradient + 4 * gradient[0] - gradient[1]) / (2 * h);
    EXPECT_LE((turn - s.hessian * v).cwiseAbs().maxCoeff(), kTolerance);
    return true;
}

void check_borders(bool edges, std::size_t borders) {
    Rng g{46, edges, 0};
    std::map<std::pair<int, int>, int> met;
    for (int k = 0; k < 20000; ++k) {
        Flat a, b;
        for (int i = 0; i < 12; ++i)
            a[i] = draw_uniform(g, -1, 1), b[i] = a[i] + 0.5 * draw_uniform(g, -1, 1);
        const int first = region(edges, a);
        if (region(edges, b) == first) continue;
        Real lo = 0, hi = 1;
        for (Real mid = 0.5; lo < mid && mid < hi; mid = 0.5 * (lo + hi))
            (region(edges, a + mid * (b - a)) == first ? lo : hi) = mid;
        const Flat x = a + lo * (b - a), y = a + hi * (b - a), v = (b - a).normalized();
        const int second = region(edges, y);
        if (!is_plain(edges, x)) continue;
        const Side before = side_of(closest_by_coordinates(edges, x).feature, x),
                   after = side_of(closest_by_coordinates(edges, y).feature, x);
        // Beside a border the squared distances of both features differ by the square of the distance q to
        // it, so that rounding (some 1e-16 of squares up to 10) hides it for q up to 5e-8; gradients then
        // differ by q times twice a lever, which is below 10.
        EXPECT_NEAR(before.value, after.value, 1e-12);
        EXPECT_LE((before.gradient - after.gradient).cwiseAbs().maxCoeff(), 1e-6);
        if (expect_side(edges, x, -v, before, first) && expect_side(edges, x, v, after, second))
            ++met[{std::min(first, second), std::max(first, second)}];
        if (testing::Test::HasFailure()) FAIL() << "between regions " << first << " and " << second;
    }
    EXPECT_EQ(met.size(), borders);
    for (const auto& [pair, count] : met) EXPECT_GE(count, 5) << pair.first << " " << pair.second;
}

} // namespace

TEST(distance_border, derivatives_of_vertex_and_triangle_hold_on_both_sides_of_all_nine_borders) {
    check_borders(false, 9);
}
TEST(distance_border, derivatives_of_two_edges_hold_on_both_sides_of_all_twelve_borders) {
    check_borders(true, 12);
}
