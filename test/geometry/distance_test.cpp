// Closest features against an exhaustive search in extended precision, derivatives against finite differences
// on both sides of every border between features.
#include "core/random.h"
#include "geometry/distance_closest.h"
#include "geometry/distance_derivatives.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

using Long3 = Eigen::Matrix<long double, 3, 1>;

// exhaustive: corners, edges, then the interiors
long double to_segment(const Long3& p, const Long3& a, const Long3& b) {
    long double best = std::min((p - a).squaredNorm(), (p - b).squaredNorm());
    const Long3 e = b - a;
    const long double l = e.squaredNorm();
    if (l > 0) {
        const long double s = (p - a).dot(e) / l;
        if (s > 0 && s < 1) best = std::min(best, (p - a - s * e).squaredNorm());
    }
    return best;
}
long double oracle_triangle(const DistancePoints& x) {
    Long3 p = x[0].cast<long double>(), t[3];
    for (int i = 0; i < 3; ++i) t[i] = x[1 + i].cast<long double>();
    long double best = to_segment(p, t[0], t[1]);
    best = std::min({best, to_segment(p, t[1], t[2]), to_segment(p, t[2], t[0])});
    const Long3 n = (t[1] - t[0]).cross(t[2] - t[0]);
    if (n.squaredNorm() > 0) {
        bool inside = true;
        for (int i = 0; i < 3; ++i) inside &= n.dot((t[(i + 1) % 3] - t[i]).cross(p - t[i])) >= 0;
        const long double h = (p - t[0]).dot(n);
        if (inside) best = std::min(best, h * h / n.squaredNorm());
    }
    return best;
}
long double oracle_edges(const DistancePoints& x) {
    Long3 a = x[0].cast<long double>(), b = x[1].cast<long double>(), c = x[2].cast<long double>(),
          d = x[3].cast<long double>();
    long double best =
        std::min({to_segment(a, c, d), to_segment(b, c, d), to_segment(c, a, b), to_segment(d, a, b)});
    const Long3 e = b - a, f = d - c, w = c - a, n = e.cross(f);
    const long double area = n.squaredNorm();
    if (area > 0) {
        const long double r = n.dot(w.cross(f)), s = n.dot(w.cross(e));
        if (r >= 0 && r <= area && s >= 0 && s <= area) best = std::min(best, w.dot(n) * w.dot(n) / area);
    }
    return best;
}

Closest closest(bool edges, const DistancePoints& x) {
    return edges ? closest_edge_edge(x[0], x[1], x[2], x[3])
                 : closest_vertex_triangle(x[0], x[1], x[2], x[3]);
}
Vec3 box_point(Rng& g) { return {draw_uniform(g, -1, 1), draw_uniform(g, -1, 1), draw_uniform(g, -1, 1)}; }
DistancePoints random_stencil(Rng& g) { return {box_point(g), box_point(g), box_point(g), box_point(g)}; }

void expect_closest(bool edges, const DistancePoints& x, Real tolerance) {
    const Closest c = closest(edges, x);
    const Real d = std::sqrt(c.squared),
               expected = Real(std::sqrt(edges ? oracle_edges(x) : oracle_triangle(x)));
    EXPECT_NEAR(d, expected, tolerance) << (edges ? "edges" : "triangle");
    EXPECT_GE(c.weight.minCoeff(), 0);
    Vec3 difference = Vec3::Zero();
    for (int i = 0; i < 4; ++i)
        difference += (edges ? (i < 2 ? -1 : 1) : (i < 1 ? 1 : -1)) * c.weight[i] * x[i];
    EXPECT_LE((difference - c.difference).norm(), tolerance);
    EXPECT_NEAR(edges ? c.weight[0] + c.weight[1] : c.weight.tail<3>().sum(), 1, 1e-12);
    if (c.squared > 1e-8) {
        EXPECT_NEAR(squared_distance(c.feature, x), c.squared, 1e-7 * (1 + c.squared)) << c.feature.kind;
    }
}

// gradient and Hessian of the formula against central differences. Step 1e-5: truncation 1e-10, rounding
// 1e-16/1e-5, both times derivatives of the size of 1/d^2 and of the stencil's thinness.
template <class Value, class Derivatives>
void expect_derivatives(const DistancePoints& x, Value value, Derivatives derivatives, Real tolerance) {
    Gradient12 g, g_plus, g_minus, difference;
    Hessian12 h, unused;
    derivatives(x, g, h);
    const Real step = 1e-5;
    Hessian12 h_difference;
    for (int i = 0; i < 12; ++i) {
        DistancePoints plus = x, minus = x;
        plus[i / 3][i % 3] += step, minus[i / 3][i % 3] -= step;
        difference[i] = (value(plus) - value(minus)) / (2 * step);
        derivatives(plus, g_plus, unused), derivatives(minus, g_minus, unused);
        h_difference.col(i) = (g_plus - g_minus) / (2 * step);
    }
    EXPECT_LE((g - difference).norm(), tolerance * (1 + g.norm()));
    EXPECT_LE((h - h_difference).norm(), tolerance * (1 + h.norm()));
    EXPECT_LE((h - h.transpose()).norm(), 1e-12 * (1 + h.norm()));
}

void expect_feature_derivatives(const Feature& f, const DistancePoints& x, Real tolerance) {
    expect_derivatives(
        x, [&](const DistancePoints& y) { return squared_distance(f, y); },
        [&](const DistancePoints& y, Gradient12& g, Hessian12& h) {
            EXPECT_EQ(squared_distance_hessian(f, y, g, h), squared_distance(f, y));
            Gradient12 alone;
            squared_distance_gradient(f, y, alone);
            EXPECT_EQ(alone, g);
        },
        tolerance);
    expect_derivatives(
        x, [&](const DistancePoints& y) { return std::sqrt(squared_distance(f, y)); },
        [&](const DistancePoints& y, Gradient12& g, Hessian12& h) {
            distance_hessian(f, y, g, h);
            Gradient12 alone;
            distance_gradient(f, y, alone);
            EXPECT_EQ(alone, g);
        },
        tolerance);
}

// p over a face (or b over a) at height 0.4, moved across the border of its feature: value and gradient do
// not jump, and on each side the derivatives of the chosen formula are those of the smallest distance
void expect_border(bool edges, DistancePoints x, int moved, const Vec3& at, const Vec3& across) {
    Gradient12 g[2];
    Real d[2];
    for (int side = 0; side < 2; ++side) {
        const Real offset = side ? 1e-7 : -1e-7;
        DistancePoints y = x;
        y[moved] = at + offset * across;
        const Closest c = closest(edges, y);
        d[side] = squared_distance_gradient(c.feature, y, g[side]);
        y[moved] = at + 1e5 * offset * across; // clear of the border by more than the step of the difference
        const Closest off = closest(edges, y);
        expect_derivatives(
            y, [&](const DistancePoints& z) { return closest(edges, z).squared; },
            [&](const DistancePoints& z, Gradient12& gg, Hessian12& hh) {
                squared_distance_hessian(off.feature, z, gg, hh);
            },
            1e-5);
    }
    EXPECT_NEAR(d[0], d[1], 2e-6);         // 2e-7 across at slope below 10
    EXPECT_LE((g[0] - g[1]).norm(), 2e-5); // second derivatives below 100
}

} // namespace

TEST(distance, equals_the_exhaustive_search_on_random_pairs) {
    Rng g{41, 0, 0};
    for (int k = 0; k < 20000; ++k) {
        const DistancePoints x = random_stencil(g);
        for (bool edges : {false, true}) expect_closest(edges, x, 1e-12);
    }
}

TEST(distance, equals_the_exhaustive_search_on_degenerate_pairs) {
    Rng g{42, 0, 0};
    for (int k = 0; k < 20000; ++k) {
        // small lattice: parallel edges, points on lines, zero lengths and areas, all equal
        DistancePoints x;
        for (Vec3& p : x) p = Vec3(draw_int(g, 3) - 1, draw_int(g, 3) - 1, draw_int(g, 3) - 1);
        for (bool edges : {false, true}) expect_closest(edges, x, 1e-12);
        // thin and nearly parallel: the weights lose digits with the angle, the distance must not
        const Real angle = std::pow(10.0, -1 - k % 16);
        x = random_stencil(g);
        x[3] = x[2] + (x[1] - x[0]) + angle * box_point(g);
        expect_closest(true, x, 1e-8);
        x[3] = x[1] + 0.5 * (x[2] - x[1]) + angle * box_point(g);
        expect_closest(false, x, 1e-8);
    }
}

TEST(distance, derivatives_of_every_formula_equal_finite_differences) {
    Rng g{43, 0, 0};
    int tested = 0;
    while (tested < 400) {
        const DistancePoints x = random_stencil(g);
        const Vec3 n = (x[1] - x[0]).cross(x[3] - x[2]), m = (x[2] - x[1]).cross(x[3] - x[1]);
        if (n.norm() < 0.3 || m.norm() < 0.3) continue; // differences are too rough for thin ones
        for (Feature f :
             {Feature{Feature::point_point, {0, 2, 1, 3}}, Feature{Feature::point_line, {3, 0, 1, 2}},
              Feature{Feature::point_plane}, Feature{Feature::line_line}})
            if (squared_distance(f, x) > 0.01) expect_feature_derivatives(f, x, 1e-5);
        ++tested;
    }
}

TEST(distance, is_continuously_differentiable_across_the_borders_of_a_triangle) {
    const Vec3 t0(0, 0, 0), t1(2, 0, 0.1), t2(0.3, 0.2, 1.5), n = (t2 - t0).cross(t1 - t0).normalized();
    const DistancePoints x{Vec3::Zero(), t0, t1, t2};
    const Vec3 t[3] = {t0, t1, t2};
    for (int i = 0; i < 3; ++i) {
        const Vec3 a = t[i], b = t[(i + 1) % 3], e = (b - a).normalized(),
                   out = e.cross(n).dot(t[(i + 2) % 3] - a) > 0 ? Vec3(-e.cross(n)) : Vec3(e.cross(n));
        expect_border(false, x, 0, 0.4 * a + 0.6 * b + 0.4 * n, out); // face to edge
        expect_border(false, x, 0, a + 0.3 * out + 0.4 * n, -e);      // edge to corner
        expect_border(false, x, 0, b + 0.3 * out + 0.4 * n, e);
    }
}

TEST(distance, is_continuously_differentiable_across_the_borders_of_edge_pairs) {
    const DistancePoints x{Vec3(-1, 0, 0), Vec3(1, 0, 0.2), Vec3(0, 0.5, -1), Vec3(0.1, 0.6, 1)};
    // slide an end of b along b's line through the point where the interior solution leaves a or b
    const Vec3 e = x[1] - x[0], f = x[3] - x[2], n = e.cross(f);
    const Real s = n.dot((x[2] - x[0]).cross(e)) / n.squaredNorm();
    expect_border(true, x, 3, x[2] + s * f, f.normalized()); // lines to corner of b
    expect_border(true, x, 2, x[2] + s * f, f.normalized());
    const Real r = n.dot((x[2] - x[0]).cross(f)) / n.squaredNorm();
    expect_border(true, x, 1, x[0] + r * e, e.normalized()); // lines to corner of a
    expect_border(true, x, 0, x[0] + r * e, e.normalized());
    // corner of b against a: interior of a to corner of a
    DistancePoints y{Vec3(-1, 0, 0), Vec3(1, 0, 0), Vec3(0.9, 0.5, 0.3), Vec3(3, 2, 0.5)};
    expect_border(true, y, 2, Vec3(1, 0.5, 0.3), Vec3(1, 0, 0));
    y = {Vec3(0.9, 0.5, 0.3), Vec3(3, 2, 0.5), Vec3(-1, 0, 0), Vec3(1, 0, 0)};
    expect_border(true, y, 0, Vec3(1, 0.5, 0.3), Vec3(1, 0, 0));
}

TEST(distance, gradient_is_the_normal_with_barycentric_weights) {
    Rng g{44, 0, 0};
    for (int k = 0; k < 1000; ++k) {
        const DistancePoints x = random_stencil(g);
        for (bool edges : {false, true}) {
            const Closest c = closest(edges, x);
            if (c.squared < 1e-4) continue;
            Gradient12 gradient, expected;
            distance_gradient(c.feature, x, gradient);
            for (int i = 0; i < 4; ++i)
                expected.segment<3>(3 * i) =
                    (edges ? (i < 2 ? -1 : 1) : (i < 1 ? 1 : -1)) * c.weight[i] * c.difference.normalized();
            EXPECT_LE((gradient - expected).norm(), 1e-9)
                << c.feature.kind; // weights to 1e-12 over distances above 1e-2
        }
    }
}

// the reference configuration of spec A 3.4: the unnormalised edge-edge constraint is x y
TEST(distance, of_two_edges_times_their_cross_product_is_x_y) {
    for (Real x : {-0.9, -0.3, 0.2, 0.8})
        for (Real y : {0.1, 0.5, 1.0}) {
            const DistancePoints s{Vec3(0, 0, 0), Vec3(0, 1, 0), Vec3(x, 0, 0), Vec3(1, 1, y)};
            const Real area = (s[1] - s[0]).cross(s[3] - s[2]).norm();
            EXPECT_NEAR(std::sqrt(squared_distance({Feature::line_line}, s)) * area, std::abs(x * y), 1e-14);
        }
}

TEST(distance, mollifier_is_smooth_and_its_derivatives_equal_finite_differences) {
    Rng g{45, 0, 0};
    for (int k = 0; k < 300; ++k) {
        DistancePoints x = random_stencil(g);
        const Real a = (x[1] - x[0]).norm(), b = (x[3] - x[2]).norm(),
                   c = (x[1] - x[0]).cross(x[3] - x[2]).squaredNorm();
        if (a < 0.3 || b < 0.3 || c < 0.01) continue;
        EXPECT_EQ(edge_edge_mollifier(x, mollifier_threshold(1e-3, 1e-3)), 1);
        // inside the mollified range, and clearly outside
        for (Real threshold : {1.5 * c, 4 * c, 0.5 * c})
            expect_derivatives(
                x, [&](const DistancePoints& y) { return edge_edge_mollifier(y, threshold); },
                [&](const DistancePoints& y, Gradient12& gg, Hessian12& hh) {
                    edge_edge_mollifier_hessian(y, threshold, gg, hh);
                },
                1e-5);
        // both sides of the border: value one, gradient zero
        Gradient12 gradient;
        Hessian12 hessian;
        EXPECT_NEAR(edge_edge_mollifier_hessian(x, c * (1 + 1e-9), gradient, hessian), 1, 1e-12);
        EXPECT_LE(gradient.norm(), 1e-6);
        EXPECT_EQ(edge_edge_mollifier_hessian(x, c * (1 - 1e-9), gradient, hessian), 1);
        EXPECT_EQ(gradient.norm(), 0);
        // parallel: zero value and gradient
        x[3] = x[2] + 2 * (x[1] - x[0]);
        EXPECT_LE(edge_edge_mollifier_hessian(x, 1, gradient, hessian), 1e-29); // squares of rounding errors
        EXPECT_LE(gradient.norm(), 1e-13);
    }
}
