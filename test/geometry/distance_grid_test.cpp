#include "geometry/distance_grid.h"
#include "core/random.h"
#include "data_path.h"
#include "geometry/generate.h"
#include "geometry/implicit_shape.h"
#include "geometry/read_mesh.h"
#include "geometry/triangle_shape.h"
#include "geometry/triangulate.h"
#include <gtest/gtest.h>

using namespace sinew;

static Vec3 point_in_box(Rng& rng, const Aabb& b) {
    return {draw_uniform(rng, b.lo.x(), b.hi.x()), draw_uniform(rng, b.lo.y(), b.hi.y()), draw_uniform(rng, b.lo.z(), b.hi.z())};
}

TEST(distance_grid, a_sphere_is_reproduced_to_second_order_in_the_cell) {
    const ParallelPtr p = make_parallel({.threads = 2});
    // sag of the triangles: 1 - cos of half the edge angle, edge 1.2 / 16
    const TriangleShape m = shape_of(make_icosphere(1, 4));
    const Real sag = 0.003;
    for (int resolution : {16, 32}) {
        const auto grid = build_distance_grid(*p, m, {.resolution = resolution, .padding = 3});
        ASSERT_TRUE(grid);
        const Real h = grid.value->cell;
        Rng rng{1};
        for (int trial = 0; trial < 4000; ++trial) {
            const Vec3 x = point_in_box(rng, grid_box(*grid.value));
            if (x.norm() < 0.3) continue; // curvature grows without bound at the centre
            const DistanceSample s = sample_distance(*grid.value, x);
            // trilinear: 3/8 h^2 max |second derivative| = 3/8 h^2 / r
            EXPECT_NEAR(s.distance, x.norm() - 1, 3.0 / 8 * h * h / (x.norm() - h) + sag);
            EXPECT_NEAR(s.normal.dot(x.normalized()), 1, 4 * h * h / x.squaredNorm() + 0.005);
            EXPECT_EQ(is_inside(*grid.value, x), s.distance < 0);
        }
    }
}

TEST(distance_grid, a_box_is_exact_at_the_nodes_and_within_the_bound_between) {
    const ParallelPtr p = make_parallel({.threads = 1});
    const auto grid = build_distance_grid(*p, shape_of(make_box({1, 0.5, 2})), {.cell = 0.07, .padding = 4});
    ASSERT_TRUE(grid);
    const DistanceGridShape& g = *grid.value;
    const ImplicitShape box{ImplicitShape::box, {0.5, 0.25, 1}};
    for (int k = 0; k < g.size[2]; ++k)
        for (int j = 0; j < g.size[1]; ++j)
            for (int i = 0; i < g.size[0]; ++i)
                ASSERT_NEAR(g.distance[(std::size_t(k) * g.size[1] + j) * g.size[0] + i],
                            evaluate_shape(box, grid_node(g, i, j, k)).distance, 1e-7); // float
    Rng rng{2};
    for (int trial = 0; trial < 5000; ++trial) {
        const Vec3 x = point_in_box(rng, grow(grid_box(g), 0.3));
        const ImplicitHit exact = evaluate_shape(box, x);
        EXPECT_NEAR(sample_distance(g, x).distance, exact.distance, 0.5 * std::sqrt(3.0) * g.cell);
        EXPECT_TRUE(std::abs(exact.distance) < g.cell || is_inside(g, x) == (exact.distance < 0));
    }
    // over the middle of a face the field is linear: distance and normal to float precision
    const DistanceSample s = sample_distance(g, {0.03, 0.3, 0.1});
    EXPECT_NEAR(s.distance, 0.05, 1e-7);
    EXPECT_NEAR(s.normal.y(), 1, 1e-6);
}

TEST(distance_grid, thread_count_does_not_change_a_bit) {
    const TriangleShape m = shape_of(make_capsule(0.3, 1, 16, 6));
    const auto one = build_distance_grid(*make_parallel({.threads = 1}), m, {.resolution = 40});
    const auto three = build_distance_grid(*make_parallel({.threads = 3}), m, {.resolution = 40});
    ASSERT_TRUE(one && three);
    EXPECT_EQ(one.value->distance, three.value->distance);
}

TEST(distance_grid, open_empty_and_oversized_meshes_are_refused) {
    const ParallelPtr p = make_parallel({.threads = 1});
    EXPECT_FALSE(build_distance_grid(*p, {}, {}));
    EXPECT_FALSE(build_distance_grid(*p, shape_of(make_grid(3, 3, 1, 1)), {}));
    EXPECT_FALSE(build_distance_grid(*p, shape_of(make_box({1, 1, 1})), {.cell = 1e-4}));
    EXPECT_FALSE(build_distance_grid(*p, shape_of(make_box({0, 0, 0})), {}));
    TriangleShape bad = shape_of(make_box({1, 1, 1}));
    bad.triangles[0][0] = 99;
    EXPECT_FALSE(build_distance_grid(*p, bad, {}));
    bad = shape_of(make_box({1, 1, 1}));
    bad.vertices[0].x = NAN;
    EXPECT_FALSE(build_distance_grid(*p, bad, {}));
}

TEST(distance_grid, its_zero_surface_is_closed_and_lies_on_the_mesh) {
    const PolygonMesh ball = make_icosphere(1, 4);
    const TriangleShape mesh{ball.positions, triangulate(ball).triangles};
    const DistanceGridShape g = *build_distance_grid(*make_parallel({}), mesh, {.cell = 0.1}).value;
    const TriangleShape surface = mesh_of(g);
    EXPECT_TRUE(is_closed(surface));
    EXPECT_GT(surface.triangles.size(), 1000u);
    Real volume = 0;
    for (const auto& t : surface.triangles)
        volume += Vec3(vec(surface.vertices[t[0]])).dot(Vec3(vec(surface.vertices[t[1]])).cross(Vec3(vec(surface.vertices[t[2]])))) / 6;
    // linear along edges of at most sqrt(3) cells: 3/8 cell^2 off at most, so is the volume per area
    for (const Real3& x : surface.vertices) EXPECT_NEAR(vec(x).norm(), 1, 0.375 * 0.01 + 0.003);
    EXPECT_NEAR(volume, 4.0 / 3 * kPi, 4 * kPi * 0.007); // outwards, or it would be negative
}

TEST(distance_grid, scanned_meshes_have_the_right_sign_and_distance) {
    const ParallelPtr p = make_parallel({.threads = 2});
    for (const char* name : {"meshes/bunny.obj", "meshes/spot.obj"}) {
        const std::string path = find_data(name);
        if (path.empty()) GTEST_SKIP() << "no data";
        const TriangleShape m = shape_of(*read_mesh(path).value);
        if (!is_closed(m)) {
            EXPECT_FALSE(build_distance_grid(*p, m, {}));
            continue;
        }
        const auto grid = build_distance_grid(*p, m, {.resolution = 48});
        ASSERT_TRUE(grid) << name << grid.errors[0].message;
        const TriangleTree tree = build_triangle_tree(m);
        const Pseudonormals normals = build_pseudonormals(m);
        Rng rng{3};
        for (int trial = 0; trial < 3000; ++trial) {
            const Vec3 x = point_in_box(rng, grid_box(*grid.value));
            const SurfacePoint s = find_closest(tree, m, x);
            const Real sign = (x - s.at.point).dot(pseudonormal(normals, m, s)) < 0 ? -1 : 1;
            ASSERT_NEAR(sample_distance(*grid.value, x).distance, sign * s.distance, 0.5 * std::sqrt(3.0) * grid.value->cell) << name;
        }
    }
}
