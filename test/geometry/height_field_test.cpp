#include "geometry/height_field.h"
#include "core/random.h"
#include <gtest/gtest.h>

using namespace sinew;

static HeightFieldShape hills() {
    HeightFieldShape f{13, 9, 0.5, 0.7, {}};
    Rng rng{1};
    for (int i = 0; i < f.nx * f.nz; ++i) f.height.push_back(draw_uniform(rng, -0.6, 0.6));
    return f;
}

TEST(height_field, all_its_questions_are_answered_as_by_its_mesh) {
    const HeightFieldShape f = hills();
    ASSERT_TRUE(is_height_field(f));
    const TriangleShape m = mesh_of(f);
    ASSERT_EQ(m.triangles.size(), std::size_t(2 * 12 * 8));
    const TriangleTree tree = build_triangle_tree(m);
    EXPECT_EQ(height_field_box(f).lo, tree.nodes[0].box.lo);
    EXPECT_EQ(height_field_box(f).hi, tree.nodes[0].box.hi);
    Rng rng{2};
    for (int trial = 0; trial < 4000; ++trial) {
        const Vec3 a(draw_uniform(rng, -1, 7), draw_uniform(rng, -2, 2), draw_uniform(rng, -1, 7)), b(draw_uniform(rng, -1, 7), draw_uniform(rng, -2, 2), draw_uniform(rng, -1, 7));
        Vec3 d = b - a;
        if (trial % 5 == 0) d = {0, -1, 0}; // straight down
        if (trial % 7 == 0) d.x() = 0;      // along a row
        const RayPoint hit = cast_ray(f, a, d, 2), exact = cast_ray(tree, m, a, d, 2);
        ASSERT_EQ(hit.triangle < 0, exact.triangle < 0) << trial;
        if (hit.triangle >= 0) {
            ASSERT_NEAR(hit.t, exact.t, 1e-10);
            EXPECT_NEAR(hit.normal.dot(exact.normal), 1, 1e-9);
        }
        const SurfacePoint near = find_closest(f, a, 0.8), best = find_closest(tree, m, a, 0.8);
        ASSERT_EQ(near.triangle < 0, best.triangle < 0);
        if (near.triangle >= 0) { ASSERT_NEAR(near.distance, best.distance, 1e-14); }
        const HeightSample s = sample_height(f, a.x(), a.z());
        const RayPoint down = cast_ray(tree, m, {a.x(), 10, a.z()}, {0, -1, 0}, 20);
        ASSERT_EQ(s.inside, down.triangle >= 0);
        if (s.inside) {
            ASSERT_NEAR(s.height, 10 - down.t, 1e-12);
            EXPECT_EQ(s.triangle, down.triangle);
            EXPECT_GT(s.normal.y(), 0);
        }
    }
}

TEST(height_field, a_patch_holds_the_triangles_over_its_region) {
    const HeightFieldShape f = hills();
    TriangleShape patch;
    std::vector<int> triangle;
    make_patch(f, {{1.1, 0, 1.5}, {1.9, 0, 2.0}}, patch, triangle);
    EXPECT_EQ(triangle, (std::vector<int>{2 * 26, 2 * 26 + 1, 2 * 27, 2 * 27 + 1})); // cells (2, 2) and (3, 2)
    for (std::size_t i = 0; i < triangle.size(); ++i)
        for (int k = 0; k < 3; ++k) EXPECT_EQ(Vec3(vec(patch.vertices[patch.triangles[i][k]])), height_field_triangle(f, triangle[i])[k]);
    make_patch(f, {{-3, 0, 0}, {-1, 0, 9}}, patch, triangle);
    EXPECT_TRUE(triangle.empty());
}

TEST(height_field, senseless_ones_are_recognised) {
    EXPECT_FALSE(is_height_field({}));
    EXPECT_FALSE(is_height_field({2, 2, 1, 1, {0, 0, 0}}));
    EXPECT_FALSE(is_height_field({2, 2, 0, 1, {0, 0, 0, 0}}));
    EXPECT_FALSE(is_height_field({2, 2, 1, 1, {0, 0, NAN, 0}}));
    EXPECT_TRUE(is_height_field({2, 2, 1, 1, {0, 0, 0, 0}}));
}
