#include "core/math.h"
#include "geometry/triangulate.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace sinew;

// A polygon given in the plane, placed somewhere in space.
static PolygonMesh polygon_in_space(const std::vector<Vec2>& corners) {
    PolygonMesh m;
    std::vector<int> ids;
    const Quat q = exp_rotation({0.3, -0.7, 1.1});
    for (const Vec2& x : corners) {
        ids.push_back(vertex_count(m));
        m.positions.push_back(real3(q * Vec3(x.x(), x.y(), 0) + Vec3(3, -2, 5)));
    }
    add_polygon(m, ids);
    return m;
}

// The triangles are n - 2, none is turned over, and together they have the polygon's area: they cover it
// once.
static void expect_partition(const PolygonMesh& m, bool no_flat_triangle = true) {
    const Triangulation t = triangulate(m);
    const int n = polygon_size(m, 0);
    ASSERT_EQ(int(t.triangles.size()), n - 2);
    const Real3 polygon = polygon_area_vector(m, 0);
    const Vec3 area = vec(polygon);
    Real sum = 0;
    for (std::size_t i = 0; i < t.triangles.size(); ++i) {
        const auto [a, b, c] = t.triangles[i];
        const Vec3 x = vec(m.positions[a]);
        const Real part =
            0.5 * (vec(m.positions[b]) - x).cross(vec(m.positions[c]) - x).dot(area.normalized());
        EXPECT_GT(part, no_flat_triangle ? 0 : -1e-12 * area.norm());
        sum += part;
        for (int k = 0; k < 3; ++k) EXPECT_EQ(m.polygon_vertex[t.corners[i][k]], t.triangles[i][k]);
    }
    EXPECT_NEAR(sum, area.norm(), 1e-12 * n * area.norm()); // rounding of n products
}

TEST(triangulate, a_convex_polygon_is_a_fan_from_its_first_corner) {
    const PolygonMesh m = polygon_in_space({{0, 0}, {2, 0}, {3, 1}, {2, 2}, {0, 2}});
    EXPECT_EQ(triangulate(m).triangles, (std::vector<std::array<int, 3>>{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}}));
}

TEST(triangulate, a_concave_quad_is_cut_through_its_reflex_corner) {
    for (int shift = 0; shift < 4; ++shift) {
        std::vector<Vec2> q{{0, 0}, {2, -1}, {1, 0}, {2, 1}};
        std::rotate(q.begin(), q.begin() + shift, q.end());
        expect_partition(polygon_in_space(q));
    }
}

TEST(triangulate, collinear_corners_give_no_flat_triangle) {
    expect_partition(polygon_in_space({{0, 0}, {1, 0}, {2, 0}, {2, 2}, {0, 2}}));
    expect_partition(polygon_in_space({{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}}));
}

TEST(triangulate, random_star_shaped_polygons_are_covered_once) {
    std::mt19937 random(7);
    std::uniform_real_distribution<Real> radius(0.1, 1);
    for (int n = 4; n < 120; ++n) {
        std::vector<Vec2> x;
        for (int i = 0; i < n; ++i) {
            const Real angle = 2 * kPi * i / n, r = radius(random);
            x.push_back({r * std::cos(angle), r * std::sin(angle)});
        }
        expect_partition(polygon_in_space(x));
    }
}

TEST(triangulate, combs_and_spirals_are_covered_once) {
    std::vector<Vec2> comb, spiral;
    for (int i = 0; i < 40; ++i) comb.push_back({i / 2.0, i % 2 ? 0.1 : 5.0});
    comb.push_back({19.5, -1}), comb.push_back({0, -1});
    std::reverse(comb.begin(), comb.end());
    expect_partition(polygon_in_space(comb));
    for (int i = 0; i <= 200; ++i)
        spiral.push_back(Vec2(std::cos(0.1 * i), std::sin(0.1 * i)) * (1 + 0.05 * i));
    for (int i = 200; i >= 0; --i)
        spiral.push_back(Vec2(std::cos(0.1 * i), std::sin(0.1 * i)) * (0.9 + 0.05 * i));
    expect_partition(polygon_in_space(spiral));
}

TEST(triangulate, a_hole_with_a_bridge_stays_a_hole) {
    // outer square, bridge to the inner square (run clockwise), and back
    const std::vector<Vec2> x{{0, 0}, {4, 0}, {4, 4}, {0, 4}, {0, 0}, {1, 1}, {1, 3}, {3, 3}, {3, 1}, {1, 1}};
    const PolygonMesh m = polygon_in_space(x);
    expect_partition(m);
    const Real3 area = polygon_area_vector(m, 0);
    EXPECT_NEAR(vec(area).norm(), 12, 1e-12);
}

TEST(triangulate, degenerate_and_crossing_polygons_still_give_n_minus_two_triangles) {
    std::vector<Vec2> star, eight{{0, 0}, {1, 1}, {1, 0}, {0, 1}}, point(6, Vec2(1, 1)), line;
    for (int i = 0; i < 5; ++i) star.push_back({std::cos(4 * kPi * i / 5), std::sin(4 * kPi * i / 5)});
    for (int i = 0; i < 9; ++i) line.push_back({Real(i), 0});
    for (const auto& x : {star, eight, point, line})
        EXPECT_EQ(triangulate(polygon_in_space(x)).triangles.size(), x.size() - 2);
    // random zigzags across themselves
    std::mt19937 random(3);
    std::uniform_int_distribution<int> cell(0, 3);
    for (int n = 4; n < 60; ++n) {
        std::vector<Vec2> x;
        for (int i = 0; i < n; ++i) x.push_back({Real(cell(random)), Real(cell(random))});
        const Triangulation t = triangulate(polygon_in_space(x));
        ASSERT_EQ(int(t.triangles.size()), n - 2);
        // every edge of the polygon is in the boundary of the triangles: the chain of triangles has the right
        // boundary
        std::map<std::pair<int, int>, int> chain;
        for (const auto& c : t.triangles)
            for (int k = 0; k < 3; ++k) chain[{c[k], c[(k + 1) % 3]}]++, chain[{c[(k + 1) % 3], c[k]}]--;
        for (int i = 0; i < n; ++i) EXPECT_EQ((chain[{i, (i + 1) % n}]), 1);
    }
}

TEST(triangulate, a_polygon_bent_out_of_its_plane_keeps_its_orientation) {
    PolygonMesh m;
    m.positions = {{0, 0, 0}, {1, 0, 0.3}, {1, 1, 0}, {0, 1, 0.3}};
    add_polygon(m, {0, 1, 2, 3});
    for (const auto& t : triangulate(m).triangles) {
        const Vec3 x = vec(m.positions[t[0]]);
        EXPECT_GT((vec(m.positions[t[1]]) - x).cross(vec(m.positions[t[2]]) - x).z(), 0);
    }
}

TEST(triangulate, a_huge_crossing_polygon_takes_bounded_time) {
    std::mt19937 random(5);
    std::uniform_real_distribution<Real> u(0, 1);
    std::vector<Vec2> x(50000);
    for (Vec2& p : x) p = {u(random), u(random)};
    EXPECT_EQ(triangulate(polygon_in_space(x)).triangles.size(), x.size() - 2); // unbounded search would take hours
}
