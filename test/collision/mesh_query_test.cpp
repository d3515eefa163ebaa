#include "collision/mesh_query.h"
#include "collision/solid_points.h"
#include "core/random.h"
#include "geometry/generate.h"
#include "geometry/triangulate.h"
#include <gtest/gtest.h>

using namespace sinew;

static TriangleShape shape_of(const PolygonMesh& m) { return {m.positions, triangulate(m).triangles}; }
static Placement random_place(Rng& rng) { return {quat(draw_rotation(rng)).toRotationMatrix(), 2 * Vec3(vec(draw_in_ball(rng)))}; }

TEST(mesh_query, a_placed_mesh_answers_as_its_transformed_copy) {
    const TriangleShape m = shape_of(make_icosphere(1, 2));
    const TriangleTree tree = build_triangle_tree(m);
    Rng rng{1};
    int hits = 0, overlaps = 0;
    for (int trial = 0; trial < 300; ++trial) {
        const Placement f = random_place(rng);
        TriangleShape w = m;
        for (Real3& x : w.vertices) x = real3(at(f, Vec3(vec(x))));
        const TriangleTree world = build_triangle_tree(w);
        const Vec3 o = 4 * Vec3(vec(draw_in_ball(rng))), d = f.p + Vec3(vec(draw_in_ball(rng))) - o;
        MeshRayHit hit;
        const RayPoint exact = cast_ray(world, w, o, d, 3);
        ASSERT_EQ(cast_ray_mesh(tree, m, f, o, d, 3, hit), exact.triangle >= 0);
        if (exact.triangle >= 0) {
            ++hits;
            EXPECT_NEAR(hit.hit.time, exact.t, 1e-12);
            EXPECT_LE(hit.hit.normal.dot(d), 0);
        }
        MeshPoint p;
        ASSERT_TRUE(closest_point_mesh(tree, m, f, o, 100, p));
        EXPECT_NEAR(p.distance, find_closest(world, w, o).distance, 1e-12);
        EXPECT_NEAR((p.closest - o).norm(), p.distance, 1e-12);
        Convex box;
        box.core = Convex::box;
        box.size = {0.2, 0.3, 0.4};
        const Placement fb = random_place(rng);
        std::vector<int> found, expected;
        for (int t = 0; t < int(w.triangles.size()); ++t) {
            const auto x = [&](int k) { return Vec3(vec(w.vertices[w.triangles[t][k]])); };
            if (overlap_convex(make_triangle(x(0), x(1), x(2), 0), {}, box, fb)) expected.push_back(t);
        }
        EXPECT_EQ(overlap_mesh(tree, m, f, box, fb, found), !expected.empty());
        EXPECT_EQ(found, expected);
        overlaps += !expected.empty();
    }
    EXPECT_GT(hits, 200);
    EXPECT_GT(overlaps, 20);
}

TEST(solid_points, points_of_any_shape_get_depth_and_normal_of_the_solid) {
    Context context;
    context.threads = 1;
    const auto grid = build_distance_grid(*make_parallel(context), shape_of(make_box({2, 1, 2})), {.cell = 0.05});
    ASSERT_TRUE(grid);
    const Placement solid{exp_rotation({0, 0, 0.3}).toRotationMatrix(), {1, 2, 3}};
    const Vec3 up = solid.R.col(1);
    Convex box, ball, capsule;
    box.core = Convex::box, box.size = {0.2, 0.1, 0.2};
    ball.radius = 0.1;
    capsule.core = Convex::segment, capsule.size.y() = 0.2, capsule.radius = 0.1;
    const Placement turned{solid.R * exp_rotation({kPi / 2, 0, 0}).toRotationMatrix(), solid.p + 0.59 * up};
    std::vector<Vec3> points;
    std::vector<SolidContact> found;
    for (const Convex& c : {box, ball, capsule}) {
        sample_core(c, 0.05, points);
        const Placement f = c.core == Convex::segment ? turned : Placement{solid.R, solid.p + 0.59 * up};
        collide_solid_points(*grid.value, solid, 0, points, f, c.radius, 0.001, found);
        ASSERT_FALSE(found.empty());
        for (const SolidContact& k : found) {
            // linear over the face: float precision of the grid
            EXPECT_NEAR(k.gap, -0.01, 1e-6);
            EXPECT_NEAR((k.normal - up).norm(), 0, 1e-5);
            EXPECT_NEAR(k.normal.dot(k.on_point - k.on_solid), k.gap, 1e-12);
        }
        collide_solid_points(*grid.value, solid, 0.02, points, f, c.radius, 0.001, found);
        EXPECT_NEAR(found[0].gap, -0.03, 1e-6);
        collide_solid_points(*grid.value, solid, 0, points, {f.R, f.p + 0.02 * up}, c.radius, 0.001, found);
        EXPECT_TRUE(found.empty());
    }
}

TEST(solid_points, samples_lie_on_the_core_and_are_dense) {
    Convex cylinder, cone, segment;
    cylinder.core = Convex::cylinder, cylinder.size = {0.3, 0.5, 0};
    cone.core = Convex::cone, cone.size = {0.3, 0.5, 0};
    segment.core = Convex::segment, segment.size.y() = 1;
    std::vector<Vec3> points;
    Rng rng{2};
    for (const Convex& c : {cylinder, cone, segment}) {
        sample_core(c, 0.04, points);
        for (const Vec3& p : points) EXPECT_NEAR(closest_point(c, p).distance, 0, 1e-12);
        for (int trial = 0; trial < 500; ++trial) {
            const Vec3 q = closest_point(c, 2 * Vec3(vec(draw_unit_vector(rng)))).closest;
            Real least = 1;
            for (const Vec3& p : points) least = std::min(least, (p - q).norm());
            EXPECT_LT(least, 0.04);
        }
    }
}
