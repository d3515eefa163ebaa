// Predicates against integers of any length (GMP); intersection tests against Caratheodory's theorem on a
// lattice.
#include "core/random.h"
#include "geometry/exact.h"
#include <algorithm>
#include <gmpxx.h>
#include <gtest/gtest.h>

using namespace sinew;

namespace {

int gmp_orient2d(const Vec2& a, const Vec2& b, const Vec2& c) {
    const mpq_class ax = mpq_class(a.x()) - mpq_class(c.x()), ay = mpq_class(a.y()) - mpq_class(c.y());
    const mpq_class bx = mpq_class(b.x()) - mpq_class(c.x()), by = mpq_class(b.y()) - mpq_class(c.y());
    return sgn(mpq_class(ax * by - ay * bx));
}
int gmp_orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    mpq_class u[3], v[3], w[3];
    for (int k = 0; k < 3; ++k) {
        u[k] = mpq_class(b[k]) - mpq_class(a[k]);
        v[k] = mpq_class(c[k]) - mpq_class(a[k]);
        w[k] = mpq_class(d[k]) - mpq_class(a[k]);
    }
    mpq_class det = 0;
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        det += u[k] * (v[i] * w[j] - v[j] * w[i]);
    }
    return sgn(det);
}

using Int3 = Eigen::Matrix<long, 3, 1>;

// the origin in the convex hull of the points: then it is in a simplex of at most four independent ones
bool hull_has_origin(const std::vector<Int3>& p) {
    const int n = int(p.size());
    for (int i = 0; i < n; ++i) {
        if (p[i].isZero()) return true;
        for (int j = i + 1; j < n; ++j) {
            if (p[i].cross(p[j]).isZero() && p[i].dot(p[j]) <= 0) return true;
            for (int k = j + 1; k < n; ++k) {
                const Int3 a = p[i].cross(p[j]), b = p[j].cross(p[k]), c = p[k].cross(p[i]),
                           normal = a + b + c;
                if (a.dot(p[k]) == 0 && !normal.isZero() && normal.dot(a) >= 0 && normal.dot(b) >= 0 &&
                    normal.dot(c) >= 0)
                    return true;
                for (int l = k + 1; l < n; ++l) {
                    const auto det = [](const Int3& x, const Int3& y, const Int3& z) {
                        return x.dot(y.cross(z));
                    };
                    const long w0 = det(p[j], p[k], p[l]), w1 = -det(p[i], p[k], p[l]),
                               w2 = det(p[i], p[j], p[l]), w3 = -det(p[i], p[j], p[k]);
                    if (w0 + w1 + w2 + w3 == 0) continue; // flat
                    if ((w0 >= 0 && w1 >= 0 && w2 >= 0 && w3 >= 0) ||
                        (w0 <= 0 && w1 <= 0 && w2 <= 0 && w3 <= 0))
                        return true;
                }
            }
        }
    }
    return false;
}
bool oracle(const std::vector<Int3>& a, const std::vector<Int3>& b) {
    std::vector<Int3> d;
    for (const Int3& p : a)
        for (const Int3& q : b) d.push_back(p - q);
    return hull_has_origin(d);
}

Int3 lattice(Rng& g, int n) {
    return Int3(draw_int(g, 2 * n + 1) - n, draw_int(g, 2 * n + 1) - n, draw_int(g, 2 * n + 1) - n);
}
Triangle3 triangle(const std::vector<Int3>& t) {
    return {t[0].cast<double>(), t[1].cast<double>(), t[2].cast<double>()};
}

} // namespace

TEST(exact, orientations_equal_rational_arithmetic) {
    Rng g{51, 0, 0};
    const auto number = [&](int kind) {
        const double x = draw_uniform(g, -1, 1);
        return kind == 0   ? x
               : kind == 1 ? 1e6 + x * 1e-9
               : kind == 2 ? std::round(4 * x) / 4
                           : 0.1 * draw_int(g, 7);
    };
    long zeros = 0;
    for (int k = 0; k < 40000; ++k) {
        Vec3 p[4];
        for (Vec3& q : p) q = {number(k % 4), number(k % 4), number(k % 4)};
        // points of a plane and of a line, up to rounding
        if (k % 3 == 1) p[3] = p[0] + draw_uniform(g) * (p[1] - p[0]) + draw_uniform(g) * (p[2] - p[0]);
        if (k % 3 == 2) p[3] = p[0] + draw_uniform(g) * (p[1] - p[0]);
        const int s = orient3d(p[0], p[1], p[2], p[3]);
        EXPECT_EQ(s, gmp_orient3d(p[0], p[1], p[2], p[3]));
        EXPECT_EQ(s, -orient3d(p[1], p[0], p[2], p[3]));
        zeros += s == 0;
        const Vec2 a = p[0].head<2>(), b = p[1].head<2>(), c = p[3].head<2>();
        EXPECT_EQ(orient2d(a, b, c), gmp_orient2d(a, b, c));
    }
    EXPECT_GT(zeros, 1000);
}

// Sizes from the smallest to the largest doubles, alone and mixed, points of planes and lines among them:
// products of doubles over- or underflow there.
TEST(exact, orientations_equal_rational_arithmetic_at_every_size) {
    Rng g{54, 0, 0};
    long zeros = 0, signs = 0;
    for (int k = 0; k < 12000; ++k) {
        const int base = draw_int(g, 2090) - 1072, spread = k % 3 == 0 ? 0 : k % 3 == 1 ? 60 : 2000;
        const auto number = [&] {
            const int e = std::clamp(base + draw_int(g, spread + 1) - spread / 2, -1073, 1017);
            return std::ldexp(double(draw_int(g, 17) - 8), e); // a few bits: exact sums are frequent
        };
        Vec3 p[4];
        for (Vec3& q : p) q = {number(), number(), number()};
        if (k % 2) p[3] = p[1] + p[2] - p[0]; // often exact, never out of range
        if (k % 16 < 4) p[3][k % 3] = std::nextafter(p[3][k % 3], 1);
        ASSERT_TRUE(p[3].allFinite());
        const int s = orient3d(p[0], p[1], p[2], p[3]);
        ASSERT_EQ(s, gmp_orient3d(p[0], p[1], p[2], p[3])) << k;
        const Vec2 a = p[0].head<2>(), b = p[1].head<2>(), c = p[3].head<2>();
        ASSERT_EQ(orient2d(a, b, c), gmp_orient2d(a, b, c)) << k;
        (s ? signs : zeros)++;
    }
    EXPECT_GT(zeros, 1000);
    EXPECT_GT(signs, 1000);
}

TEST(exact, the_same_mesh_is_judged_the_same_at_every_size) {
    Rng g{55, 0, 0};
    long hits = 0;
    for (int k = 0; k < 800; ++k) {
        std::vector<Int3> a{lattice(g, 2), lattice(g, 2), lattice(g, 2)},
            b{lattice(g, 2), lattice(g, 2), lattice(g, 2)};
        Triangle3 s = triangle(a), t = triangle(b);
        const bool meet = triangles_intersect(s, t);
        hits += meet;
        for (int exponent : {-1074, -900, -400, -230, 250, 340, 700, 1020}) {
            Triangle3 scaled_s, scaled_t;
            for (int i = 0; i < 3; ++i)
                scaled_s[i] = s[i] * std::ldexp(1.0, exponent),
                scaled_t[i] = t[i] * std::ldexp(1.0, exponent);
            ASSERT_EQ(triangles_intersect(scaled_s, scaled_t), meet) << k << " times 2^" << exponent;
        }
    }
    EXPECT_GT(hits, 80);
}

TEST(exact, orientations_of_what_is_not_finite_are_zero) {
    const double bad[] = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()};
    for (double v : bad)
        for (int i = 0; i < 4; ++i) {
            Vec3 p[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
            p[i].y() = v;
            EXPECT_EQ(orient3d(p[0], p[1], p[2], p[3]), 0);
            if (i < 3) {
                EXPECT_EQ(orient2d(p[0].head<2>(), p[1].head<2>(), p[2].head<2>()), 0);
            }
        }
}

TEST(exact, orientations_see_the_last_bit) {
    const double e = 0x1p-52;
    EXPECT_EQ(orient2d({0, 0}, {1, 1}, {0.5, 0.5}), 0);
    EXPECT_EQ(orient2d({0, 0}, {1, 1}, {0.5, 0.5 + e / 2}), 1);
    EXPECT_EQ(orient2d({0, 0}, {1, 1}, {0.5, 0.5 - e / 4}), -1);
    EXPECT_EQ(orient3d({1e8, 0, 0}, {1e8 + 1, 0, 0}, {1e8, 1, 0}, {1e8, 0.3, 1e-40}), 1);
    EXPECT_EQ(orient3d({1e8, 0, 0}, {1e8 + 1, 0, 0}, {1e8, 1, 0}, {1e8, 0.3, -1e-40}), -1);
}

TEST(exact, intersections_equal_the_search_over_all_simplices) {
    Rng g{52, 0, 0};
    long hits[3] = {};
    const int rounds = 20000;
    for (int k = 0; k < rounds; ++k) {
        const int n = 1 + k % 4;
        std::vector<Int3> a{lattice(g, n), lattice(g, n), lattice(g, n)},
            b{lattice(g, n), lattice(g, n), lattice(g, n)};
        if (k % 5 == 0) // all in one plane
            for (int i = 0; i < 3; ++i) a[i].z() = b[i].z() = a[0].x() + a[0].y();
        const Triangle3 s = triangle(a), t = triangle(b);
        const bool triangles = oracle(a, b), pierced = oracle({a[0], a[1]}, b),
                   segments = oracle({a[0], a[1]}, {b[0], b[1]});
        EXPECT_EQ(triangles_intersect(s, t), triangles);
        EXPECT_EQ(triangles_intersect(t, {s[1], s[0], s[2]}), triangles);
        EXPECT_EQ(segment_intersects_triangle(s[0], s[1], t), pierced);
        EXPECT_EQ(segments_intersect(s[0], s[1], t[0], t[1]), segments);
        hits[0] += triangles, hits[1] += pierced, hits[2] += segments;
    }
    for (long h : hits) EXPECT_GT(h, rounds / 50);
}

// near the common corner the triangles are cones: they meet beyond it when the cones do
TEST(exact, triangles_with_a_common_corner_meet_beyond_it_when_their_cones_do) {
    Rng g{53, 0, 0};
    long hits = 0, tested = 0;
    for (int k = 0; k < 30000; ++k) {
        const int n = 1 + k % 3;
        const Int3 v = lattice(g, n), a[2] = {lattice(g, n), lattice(g, n)},
                   b[2] = {lattice(g, n), lattice(g, n)};
        const Int3 e0 = a[0] - v, e1 = a[1] - v, f0 = b[0] - v, f1 = b[1] - v;
        if (hull_has_origin({e0, e1}) || hull_has_origin({f0, f1})) continue; // not a cone with a tip
        const bool expected = hull_has_origin({e0, e1, -f0, -f1});
        EXPECT_EQ(triangles_intersect_beyond_corner(triangle({v, a[0], a[1]}), triangle({v, b[0], b[1]})),
                  expected);
        hits += expected, ++tested;
    }
    EXPECT_GT(tested, 10000);
    EXPECT_GT(hits, 1000);
}

TEST(exact, triangles_with_a_common_edge_meet_beyond_it_when_folded) {
    const Vec3 a(0, 0, 0), b(1, 0, 0), c(0.3, 1, 0);
    EXPECT_FALSE(triangles_intersect_beyond_edge({a, b, c}, {a, b, Vec3(0.5, -1, 0)}));
    EXPECT_TRUE(triangles_intersect_beyond_edge({a, b, c}, {a, b, Vec3(0.5, 1, 0)}));
    EXPECT_TRUE(triangles_intersect_beyond_edge({a, b, c}, {b, a, Vec3(-3, 0.1, 0)}));
    EXPECT_FALSE(triangles_intersect_beyond_edge({a, b, c}, {a, b, Vec3(0.5, 1, 1e-300)}));
    EXPECT_FALSE(triangles_intersect_beyond_edge({a, b, c}, {a, b, Vec3(0.5, 0, 1)}));
}
