#include "geometry/triangle_tree.h"
#include "core/random.h"
#include "data_path.h"
#include "geometry/generate.h"
#include "geometry/read_mesh.h"
#include "geometry/triangle_shape.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace sinew;

static Vec3 point_in_cube(Rng& rng, Real half) {
    return {draw_uniform(rng, -half, half), draw_uniform(rng, -half, half), draw_uniform(rng, -half, half)};
}

static TriangleShape random_soup(Rng& rng, int n, Real size) {
    TriangleShape s;
    for (int t = 0; t < n; ++t) {
        const Vec3 c = point_in_cube(rng, 1);
        for (int k = 0; k < 3; ++k) s.vertices.push_back(real3(c + size * point_in_cube(rng, 1)));
        s.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
    }
    // some without area: points, segments, doubled triangles
    s.triangles.push_back({0, 0, 0});
    s.triangles.push_back({1, 2, 1});
    s.triangles.push_back({3, 4, 5});
    return s;
}

TEST(triangle, the_closest_point_is_a_minimum_over_a_fine_sampling) {
    Rng rng{1};
    for (int trial = 0; trial < 2000; ++trial) {
        Vec3 x[3];
        for (Vec3& v : x) v = point_in_cube(rng, 1);
        if (trial % 7 == 0) x[2] = x[0] + 0.3 * (x[1] - x[0]); // collinear
        if (trial % 11 == 0) x[1] = x[0];
        const Vec3 p = point_in_cube(rng, 2);
        const TrianglePoint q = closest_on_triangle(p, x[0], x[1], x[2]);
        const Real d = (p - q.point).norm();
        EXPECT_NEAR((q.weight[0] * x[0] + q.weight[1] * x[1] + q.weight[2] * x[2] - q.point).norm(), 0, 1e-12);
        EXPECT_GE(q.weight.minCoeff(), 0);
        for (int i = 0; i <= 10; ++i)
            for (int j = 0; i + j <= 10; ++j) {
                const Vec3 y = x[0] + i / 10.0 * (x[1] - x[0]) + j / 10.0 * (x[2] - x[0]);
                ASSERT_GE((p - y).norm(), d - 1e-12) << trial; // rounding of coordinates of size 2
            }
    }
}

TEST(triangle_tree, closest_points_are_those_of_trying_every_triangle) {
    Rng rng{2};
    for (Real size : {0.01, 0.3, 2.0}) {
        const TriangleShape m = random_soup(rng, 300, size);
        const TriangleTree tree = build_triangle_tree(m);
        for (int trial = 0; trial < 500; ++trial) {
            const Vec3 p = trial % 10 ? point_in_cube(rng, 2) : Vec3(vec(m.vertices[trial % 300])); // also exactly at vertices
            SurfacePoint best;
            Real least = 1e300;
            for (int t = 0; t < int(m.triangles.size()); ++t) {
                const auto& v = m.triangles[t];
                const TrianglePoint q = closest_on_triangle(p, vec(m.vertices[v[0]]), vec(m.vertices[v[1]]), vec(m.vertices[v[2]]));
                const Real d = (p - q.point).squaredNorm();
                if (d < least) least = d, best.triangle = t;
            }
            const SurfacePoint found = find_closest(tree, m, p);
            ASSERT_EQ(found.triangle, best.triangle);
            ASSERT_EQ(found.distance, std::sqrt(least)); // same function, same bits
            EXPECT_EQ(find_closest(tree, m, p, found.distance * 0.999).triangle, found.distance > 0 ? -1 : found.triangle);
        }
    }
    EXPECT_EQ(find_closest(build_triangle_tree({}), {}, Vec3::Zero()).triangle, -1);
}

// Every triangle is a fiftieth as far as the one before: cuts by area take one off at a time, and the tree would be as deep
// as there are triangles.
TEST(triangle_tree, is_of_bounded_depth_and_answers_through_all_of_it) {
    TriangleShape s;
    for (int t = 0; t < 160; ++t) {
        const Real at = std::pow(0.02, t % 80 + 1) * (t < 80 ? 1 : -1);
        for (int k = 0; k < 3; ++k) s.vertices.push_back(real3(Vec3(at, k == 1 ? 0.1 * at : 0, k == 2 ? 0.1 * at : 0)));
        s.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
    }
    const TriangleTree tree = build_triangle_tree(s);
    std::vector<int> level(tree.nodes.size());
    for (std::size_t i = 0; i < tree.nodes.size(); ++i)
        if (tree.nodes[i].count == 0) level[tree.nodes[i].first] = level[tree.nodes[i].first + 1] = level[i] + 1;
    const int deepest = *std::max_element(level.begin(), level.end());
    EXPECT_LE(deepest, kTreeDepth);
    EXPECT_GT(deepest, kTreeDepth / 2); // the bound was met
    std::vector<int> found;
    find_triangles(tree, s, tree.nodes[0].box, false, found);
    EXPECT_EQ(found.size(), s.triangles.size());
    const Vec3 p(0, 1e-9, 2e-9);
    Real least = 1;
    for (const auto& t : s.triangles) least = std::min(least, (p - closest_on_triangle(p, vec(s.vertices[t[0]]), vec(s.vertices[t[1]]), vec(s.vertices[t[2]])).point).norm());
    EXPECT_EQ(find_closest(tree, s, p).distance, least);
    EXPECT_EQ(cast_ray(tree, s, Vec3(1, 1e-4 / 3, 1e-4 / 3), Vec3(-1, 0, 0), 2).triangle, 0);
}

// Refitted trees and others of the same mesh answer bit for bit alike, also where several triangles are as near.
TEST(triangle_tree, a_refitted_tree_answers_as_a_new_one) {
    Rng rng{12};
    TriangleShape m = shape_of(make_uv_sphere(1, 12, 8)); // symmetric: many triangles are as near
    TriangleTreeScratch scratch, other;
    TriangleTree kept, again;
    build_triangle_tree(m, scratch, kept);
    const auto rest = m.vertices;
    for (int step = 1; step <= 20; ++step) {
        for (std::size_t i = 0; i < rest.size(); ++i) {
            const Vec3 x = vec(rest[i]);
            m.vertices[i] = {x.x() * (1 + 0.2 * step), x.y() / (1 + 0.1 * step), x.z() + (step % 3) * 0.3 * std::sin(7 * x.x())};
        }
        refit_triangle_tree(m, scratch, kept);
        const TriangleTree fresh = build_triangle_tree(m);
        build_triangle_tree(m, other, again); // memory of the last time
        ASSERT_EQ(again.order, fresh.order);
        ASSERT_EQ(tree_cost(again), tree_cost(fresh));
        std::vector<int> a, b;
        for (int trial = 0; trial < 100; ++trial) {
            Vec3 p = point_in_cube(rng, 4);
            if (trial % 4 == 1) p.x() = 0;             // on planes of symmetry
            if (trial % 4 == 2) p = Vec3(0, p.y(), 0); // and on the axis
            if (trial % 4 == 3) p = vec(m.vertices[trial % m.vertices.size()]);
            const SurfacePoint x = find_closest(kept, m, p), y = find_closest(fresh, m, p);
            ASSERT_EQ(x.triangle, y.triangle);
            ASSERT_EQ(x.distance, y.distance);
            ASSERT_EQ(x.at.point, y.at.point);
            const RayPoint r = cast_ray(kept, m, p, Vec3(1, 0.3, 0), 10), q = cast_ray(fresh, m, p, Vec3(1, 0.3, 0), 10);
            ASSERT_EQ(r.triangle, q.triangle);
            ASSERT_EQ(r.t, q.t);
            find_triangles(kept, m, grow(Aabb{p, p}, 0.3), true, a);
            find_triangles(fresh, m, grow(Aabb{p, p}, 0.3), true, b);
            ASSERT_EQ(a, b);
            ASSERT_NEAR(winding_number(kept, m, p), winding_number_exact(m, p), 0.05);
        }
    }
    EXPECT_GT(tree_cost(kept), tree_cost(build_triangle_tree(m)));
}

TEST(triangle_tree, triangles_in_a_box_are_those_of_trying_every_triangle) {
    Rng rng{3};
    const TriangleShape m = random_soup(rng, 400, 0.2);
    const TriangleTree tree = build_triangle_tree(m);
    std::vector<int> found, expected;
    for (int trial = 0; trial < 200; ++trial) {
        const Vec3 a = point_in_cube(rng, 1.2), b = point_in_cube(rng, 1.2);
        const Aabb box{a.cwiseMin(b), a.cwiseMax(b)};
        for (bool exact : {false, true}) {
            expected.clear();
            for (int t = 0; t < int(m.triangles.size()); ++t) {
                const Vec3 x = vec(m.vertices[m.triangles[t][0]]), y = vec(m.vertices[m.triangles[t][1]]), z = vec(m.vertices[m.triangles[t][2]]);
                if (exact ? triangle_overlaps_box(x, y, z, box) : overlap(box, merge(merge(box_of(x), y), z))) expected.push_back(t);
            }
            find_triangles(tree, m, box, exact, found);
            ASSERT_EQ(found, expected);
        }
    }
}

TEST(triangle, box_overlap_agrees_with_clipping_the_triangle_to_the_box) {
    Rng rng{4};
    int hits = 0;
    for (int trial = 0; trial < 5000; ++trial) {
        const Vec3 a = point_in_cube(rng, 1), b = point_in_cube(rng, 1), x[3] = {point_in_cube(rng, 1.5), point_in_cube(rng, 1.5), point_in_cube(rng, 1.5)};
        const Aabb box{a.cwiseMin(b), a.cwiseMax(b)};
        std::vector<Vec3> polygon(x, x + 3);
        for (int k = 0; k < 6 && !polygon.empty(); ++k) {
            const auto inside = [&](const Vec3& p) { return k % 2 ? box.hi[k / 2] - p[k / 2] : p[k / 2] - box.lo[k / 2]; };
            std::vector<Vec3> next;
            for (std::size_t i = 0; i < polygon.size(); ++i) {
                const Vec3 p = polygon[i], q = polygon[(i + 1) % polygon.size()];
                const Real dp = inside(p), dq = inside(q);
                if (dp >= 0) next.push_back(p);
                if ((dp < 0) != (dq < 0)) next.push_back(p + dp / (dp - dq) * (q - p));
            }
            polygon = std::move(next);
        }
        hits += !polygon.empty();
        ASSERT_EQ(triangle_overlaps_box(x[0], x[1], x[2], box), !polygon.empty()) << trial;
    }
    EXPECT_GT(hits, 1000);
    EXPECT_LT(hits, 4000);
}

TEST(triangle_tree, rays_hit_the_first_triangle_and_no_ray_slips_through_an_edge) {
    const TriangleShape m = shape_of(make_icosphere(1, 3));
    const TriangleTree tree = build_triangle_tree(m);
    Rng rng{5};
    for (int trial = 0; trial < 3000; ++trial) {
        const Vec3 from = 3 * vec(draw_unit_vector(rng));
        // to a vertex, to the middle of an edge, or anywhere inside
        const auto& t = m.triangles[draw_int(rng, int(m.triangles.size()))];
        const Vec3 v0 = vec(m.vertices[t[0]]), v1 = vec(m.vertices[t[1]]);
        const Vec3 to = trial % 3 == 0 ? v0 : trial % 3 == 1 ? Vec3((v0 + v1) / 2) : Vec3(0.5 * vec(draw_in_ball(rng)));
        const Vec3 inside = to * (1 - 1e-6);
        const RayPoint hit = cast_ray(tree, m, from, inside - from, 1);
        ASSERT_GE(hit.triangle, 0) << trial;
        const Vec3 p = from + hit.t * (inside - from);
        EXPECT_NEAR(find_closest(tree, m, p).distance, 0, 1e-13);
        EXPECT_NEAR(hit.weight.sum(), 1, 1e-12);
    }
    EXPECT_EQ(cast_ray(tree, m, {3, 0, 0}, {1, 0, 0}, 1e300).triangle, -1);
    EXPECT_EQ(cast_ray(tree, m, {3, 0, 0}, {-1, 0, 0}, 1.5).triangle, -1); // too short
    EXPECT_NEAR(cast_ray(tree, m, {0, 0, 0}, {0, 2, 0}, 10).t, 0.5, 0.01);  // from inside; the sphere's sag
    EXPECT_EQ(cast_ray(tree, m, {0, 0, 0}, {0, 0, 0}, 10).triangle, -1);
}

TEST(triangle_tree, winding_numbers_tell_inside_from_outside_and_agree_with_the_sum) {
    for (const char* name : {"", "meshes/bunny.obj", "meshes/spot.obj"}) {
        TriangleShape m = shape_of(make_icosphere(1, 3));
        if (*name) {
            const Result<PolygonMesh> read = read_mesh(find_data(name));
            if (!read) continue;
            m = shape_of(*read.value);
        }
        const TriangleTree tree = build_triangle_tree(m);
        const Aabb box = tree.nodes[0].box;
        Rng rng{6};
        for (int trial = 0; trial < 300; ++trial) {
            const Vec3 p = box.lo + (box.hi - box.lo).cwiseProduct((point_in_cube(rng, 0.6) + Vec3::Constant(0.5)));
            EXPECT_NEAR(winding_number(tree, m, p), winding_number_exact(m, p), 0.05) << name; // order 1 at opening ratio 3
        }
    }
}

TEST(triangle_tree, pseudonormals_and_winding_numbers_agree_on_the_sign) {
    for (const char* name : {"", "meshes/bunny.obj", "meshes/spot.obj"}) {
        TriangleShape m = shape_of(make_box({1, 0.2, 2}));
        if (*name) {
            const Result<PolygonMesh> read = read_mesh(find_data(name));
            if (!read) continue;
            m = shape_of(*read.value);
        }
        const TriangleTree tree = build_triangle_tree(m);
        const Pseudonormals normals = build_pseudonormals(m);
        const Aabb box = tree.nodes[0].box;
        Rng rng{7};
        int differ = 0;
        for (int trial = 0; trial < 2000; ++trial) {
            const Vec3 p = box.lo + (box.hi - box.lo).cwiseProduct((point_in_cube(rng, 0.6) + Vec3::Constant(0.5)));
            const SurfacePoint s = find_closest(tree, m, p);
            const bool inside = (p - s.at.point).dot(pseudonormal(normals, m, s)) < 0;
            differ += inside != (winding_number(tree, m, p) > 0.5);
        }
        EXPECT_EQ(differ, 0) << name;
    }
}
