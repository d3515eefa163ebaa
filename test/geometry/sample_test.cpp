#include "core/math.h"
#include "geometry/generate.h"
#include "geometry/sample.h"
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace sinew;

constexpr std::uint64_t kSeed = 42;
constexpr int kCount = 20000;

TEST(sample, box_and_sphere_are_filled_evenly) {
    const Real3 min{-1, 2, 0}, max{3, 3, 10}, center{1, -2, 3};
    Vec3 mean = Vec3::Zero();
    int inner = 0;
    for (int i = 0; i < kCount; ++i) {
        const Real3 x = sample_in_box(kSeed, i, min, max), y = sample_in_sphere(kSeed, i, center, 2);
        for (int k = 0; k < 3; ++k) EXPECT_TRUE(x[k] >= min[k] && x[k] < max[k]);
        const Real r = (vec(y) - vec(center)).norm();
        EXPECT_LT(r, 2);
        inner += r < 1;
        mean += vec(x) / kCount;
    }
    // standard error of the mean: side / sqrt(12 n) = 0.002 side; five of them
    EXPECT_NEAR(mean.x(), 1, 0.01 * 4);
    EXPECT_NEAR(mean.y(), 2.5, 0.01 * 1);
    EXPECT_NEAR(mean.z(), 5, 0.01 * 10);
    // half the radius holds an eighth of the volume; binomial standard error 0.0023
    EXPECT_NEAR(Real(inner) / kCount, 0.125, 0.012);
}

TEST(sample, item_i_depends_on_seed_and_index_alone) {
    const PolygonMesh m = make_box({1, 2, 3});
    const SurfaceTable t = build_surface_table(m);
    const Real3 first = sample_on_surface(kSeed, 7, m, t).position;
    for (int i = 100; i > 0; --i) sample_on_surface(kSeed, i, m, t);
    EXPECT_EQ(sample_on_surface(kSeed, 7, m, t).position, first);
    EXPECT_NE(sample_on_surface(kSeed + 1, 7, m, t).position, first);
    EXPECT_NE(sample_on_surface(kSeed, 8, m, t).position, first);
    EXPECT_EQ(sample_in_box(3, 4, {0, 0, 0}, {1, 1, 1}), sample_in_box(3, 4, {0, 0, 0}, {1, 1, 1}));
}

TEST(sample, grid_points_are_cell_centres_with_x_fastest) {
    const PointGrid g = make_point_grid({0, 0, 0}, {2, 1, 0}, 0.5);
    EXPECT_EQ(g.count, (std::array<int, 3>{4, 2, 1}));
    EXPECT_EQ(point_count(g), 8);
    EXPECT_EQ(grid_point(g, 0), (Real3{0.25, 0.25, 0}));
    EXPECT_EQ(grid_point(g, 1), (Real3{0.75, 0.25, 0}));
    EXPECT_EQ(grid_point(g, 7), (Real3{1.75, 0.75, 0}));
    EXPECT_EQ(grid_point(g, 8), grid_point(g, 0));
    EXPECT_EQ(make_point_grid({0, 0, 0}, {1, 1, 1}, 1e-300).count[0], 1048576);
    EXPECT_EQ(make_point_grid({0, 0, 0}, {1, 1, 1}, 0).count[0], 1048576);
    EXPECT_EQ(make_point_grid({1, 1, 1}, {1, 1, 1}, 0).count[0], 1); // 0 / 0
}

TEST(sample, every_vertex_has_the_same_chance) {
    const PolygonMesh m = make_box({1, 1, 1});
    std::vector<int> hits(8, 0);
    for (int i = 0; i < kCount; ++i) hits[sample_vertex(kSeed, i, m)]++;
    for (int h : hits) EXPECT_NEAR(Real(h) / kCount, 0.125, 0.012); // five standard errors
    const std::vector<int> chosen{2, 5};
    std::set<int> seen;
    for (int i = 0; i < 50; ++i) seen.insert(sample_vertex(kSeed, i, chosen));
    EXPECT_EQ(seen, (std::set<int>{2, 5}));
    EXPECT_EQ(sample_vertex(kSeed, 0, PolygonMesh{}), -1);
    EXPECT_EQ(sample_vertex(kSeed, 0, std::span<const int>{}), -1);
}

TEST(sample, polygons_are_hit_in_proportion_to_their_area) {
    const PolygonMesh m = make_box({1, 2, 3});
    const SurfaceTable t = build_surface_table(m);
    EXPECT_NEAR(surface_area(t), 22, 1e-14);
    std::vector<int> hits(6, 0);
    Vec3 mean = Vec3::Zero();
    for (int i = 0; i < kCount; ++i) {
        const SurfaceSample s = sample_on_surface(kSeed, i, m, t);
        hits[s.polygon]++;
        mean += vec(s.position) / kCount;
        // on the face, with its outward normal
        const Vec3 x = vec(s.position), n = vec(s.normal), half(0.5, 1, 1.5);
        EXPECT_NEAR(x.dot(n), half.dot(n.cwiseAbs()), 1e-15);
        EXPECT_LE((x.cwiseAbs() - half).maxCoeff(), 1e-15);
        Vec3 weighted = Vec3::Zero();
        for (int k = 0; k < 3; ++k) {
            EXPECT_GE(s.weight[k], 0);
            weighted += s.weight[k] * vec(m.positions[t.triangulation.triangles[s.triangle][k]]);
        }
        EXPECT_NEAR((weighted - x).norm(), 0, 1e-15 * 4);
    }
    const Real area[6] = {6, 6, 3, 3, 2, 2}; // faces across x, y, z
    for (int p = 0; p < 6; ++p)
        EXPECT_NEAR(Real(hits[p]) / kCount, area[p] / 22, 0.017); // five standard errors
    EXPECT_LT(mean.norm(), 0.06);
}

TEST(sample, a_triangle_is_filled_evenly) {
    PolygonMesh m;
    m.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    add_polygon(m, {0, 1, 2});
    const SurfaceTable t = build_surface_table(m);
    // the corner x + y < 1/2 is a quarter of the area
    int corner = 0;
    for (int i = 0; i < kCount; ++i) {
        const Real3 x = sample_on_surface(kSeed, i, m, t).position;
        corner += x.x + x.y < 0.5;
    }
    EXPECT_NEAR(Real(corner) / kCount, 0.25, 0.016);
}

TEST(sample, triangles_without_area_are_never_chosen) {
    PolygonMesh m;
    m.positions = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}};
    add_polygon(m, {0, 1, 2});
    add_polygon(m, {0, 1, 3});
    add_polygon(m, {0, 1, 2});
    const SurfaceTable t = build_surface_table(m);
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(sample_on_surface(kSeed, i, m, t).polygon, 1);
    m.positions[3] = {3, 0, 0};
    EXPECT_EQ(sample_on_surface(kSeed, 0, m, build_surface_table(m)).triangle, -1);
}
