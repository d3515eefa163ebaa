#include "collision/solid_points.h"
#include "core/random.h"
#include "geometry/convex_closest.h"
#include "geometry/generate.h"
#include "geometry/triangle_shape.h"
#include <gtest/gtest.h>

using namespace sinew;

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
