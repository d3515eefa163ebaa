// The whole surface against analytic obstacles, judged by sampling edges and triangles densely: what is near or inside is
// found, by the distance of the true shape, and flat sheets have no ghosts of their edges.
#include "collision/collision.h"
#include "collision/scene_step.h"
#include "core/random.h"
#include "core/math.h"
#include "geometry/implicit_shape.h"
#include "model/builder.h"
#include "model/contact_rows.h"
#include "model/stencil.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace sinew {
namespace {

constexpr Real kMargin = 0.1;

int add_obstacle(ModelBuilder& b, Obstacle::Shape shape, const Real3& size, const Pose& pose) {
    begin_object(b, "obstacle" + std::to_string(b.model.obstacles.size()), "test");
    Obstacle o;
    o.shape = shape;
    o.size = size;
    o.frame = add_frame(b, pose, 0, {}, kFixed);
    o.object = int(b.model.objects.size()) - 1;
    b.model.obstacles.push_back(o);
    return o.frame;
}

void add_triangle_sheet(ModelBuilder& b, const std::vector<Real3>& x, const std::vector<std::array<int, 3>>& triangles, Real thickness = 0) {
    begin_object(b, "sheet", "test");
    const int first = add_points(b, x, std::vector<Real>(x.size(), 1.0));
    add_surface_points(b, {first, first + int(x.size())}, thickness);
    add_surface_triangles(b, first, triangles);
}

Contacts contacts_with_obstacles(const Model& m, const State& s, Real margin, int threads = 1) {
    const auto parallel = make_parallel(Context{threads, {}, {}});
    std::vector<Real3> x(m.surface.vertices.size());
    surface_positions(*parallel, m, surface_state(s), x);
    DetectScratch scratch;
    Contacts out;
    EXPECT_TRUE(detect_obstacles(*parallel, m, x, s.point.alive, s.frame, {margin}, scratch, out));
    return out;
}

int count(const Contacts& c, PointContact::Source source) {
    return int(std::count_if(c.point_point.begin(), c.point_point.end(), [&](auto& p) { return p.source == source; }));
}

Real signed_distance(const State& s, const Obstacle& o, const Vec3& x) {
    const Quat q = quat(s.frame.q[o.frame]);
    return evaluate_shape(implicit_shape_of(o), q.conjugate() * (x - vec(s.frame.p[o.frame]))).distance;
}

// smallest signed distance of the surface by sampling, with n^2/2 points per triangle and n per edge
Real sampled_distance(const Model& m, const State& s, const Obstacle& o, int n) {
    Real low = 1e9;
    const auto at = [&](int v) { return Vec3(vec(s.point.x[m.surface.vertices[v].index])); };
    for (const auto& t : m.surface.triangles)
        for (int i = 0; i <= n; ++i)
            for (int j = 0; i + j <= n; ++j)
                low = std::min(low, signed_distance(s, o, (i * at(t[0]) + j * at(t[1]) + (n - i - j) * at(t[2])) / n));
    for (const auto& e : m.surface.edges)
        for (int i = 0; i <= n * 4; ++i)
            low = std::min(low, signed_distance(s, o, (i * at(e[0]) + (4 * n - i) * at(e[1])) / (4 * n)));
    return low;
}

// two folded triangles, or a single line, of random place beside a turned obstacle
ModelBuilder make_random(std::uint64_t seed, Obstacle::Shape shape, bool line) {
    Rng rng{seed, 1, 0};
    ModelBuilder b;
    const Vec3 at = 0.8 * draw_vec(rng, -1, 1);
    std::vector<Real3> x(4);
    for (Real3& p : x) p = real3(at + draw_vec(rng, -1, 1));
    if (line) {
        begin_object(b, "line", "test");
        add_points(b, std::span(x).first(2), std::vector<Real>(2, 1.0));
        add_surface_points(b, {0, 2}, 0);
        b.model.surface.edges.push_back({0, 1});
    } else {
        add_triangle_sheet(b, x, {{0, 1, 2}, {2, 1, 3}});
    }
    add_obstacle(b, shape, {0.3, 0.4, 0.2}, {{}, real4(exp_rotation(draw_vec(rng, -2, 2)))});
    finish_model(b);
    return b;
}

class obstacle_features : public testing::TestWithParam<std::pair<Obstacle::Shape, bool>> {};

TEST_P(obstacle_features, find_the_nearest_place_of_random_surfaces_and_miss_no_overlap) {
    const auto [shape, line] = GetParam();
    int inside = 0, near = 0, not_at_vertices = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        const ModelBuilder b = make_random(seed, shape, line);
        const Obstacle& o = b.model.obstacles[0];
        const int n = 60;
        const Real sampled = sampled_distance(b.model, b.state, o, n);
        // neighbouring samples are at most 3.5/60 apart, and the distance has slope 1; near its minimum it is quadratic
        // except at corners, where half of that is the error
        const Real error = 0.03;
        const Contacts found = contacts_with_obstacles(b.model, b.state, kMargin);
        Real lowest = 1e9, at_vertex = 1e9;
        for (const PointContact& c : found.point_point) {
            lowest = std::min(lowest, c.gap);
            if (c.vertex >= 0) at_vertex = std::min(at_vertex, c.gap);
            Vec3 x = Vec3::Zero();
            for (int k = 0; k < 3 && c.stencil[k] >= 0; ++k) x += c.weight[k] * vec(b.state.point.x[c.stencil[k]]);
            // rounding of turned positions
            EXPECT_NEAR(vec(c.normal).norm(), 1, 1e-12);
            EXPECT_NEAR(vec(c.normal).dot(x - vec(c.at)), c.gap, 1e-12);
            EXPECT_NEAR(stencil_distance(b.model, surface_state(b.state), stencil_of(b.model, c), vec(c.normal)), c.gap, 1e-12);
            // the distance of a feature is not below that of the shape; what is deep inside leaves by a longer way
            EXPECT_LE(signed_distance(b.state, o, x), std::max(c.gap, 0.0) + 1e-9) << seed;
        }
        if (sampled < -1e-9) {
            ++inside;
            EXPECT_LT(lowest, 0) << seed << " sampled " << sampled;
        } else if (sampled < kMargin) {
            ++near;
            EXPECT_LE(lowest, sampled + 1e-9) << seed;
            EXPECT_GE(lowest, std::min(0.0, sampled) - error) << seed;
        } else if (sampled > kMargin + error) {
            EXPECT_TRUE(found.point_point.empty()) << seed;
        }
        not_at_vertices += sampled < kMargin && at_vertex > lowest;
    }
    EXPECT_GT(inside, 20);
    EXPECT_GT(near, 10);
    EXPECT_GT(not_at_vertices, 30);
}

INSTANTIATE_TEST_SUITE_P(shapes, obstacle_features,
                         testing::Values(std::pair{Obstacle::sphere, false}, std::pair{Obstacle::sphere, true},
                                         std::pair{Obstacle::capsule, false}, std::pair{Obstacle::capsule, true},
                                         std::pair{Obstacle::box, false}, std::pair{Obstacle::box, true}));

const std::vector<Real3> kQuad{{-2, 0, -2}, {2, 0, -2}, {2, 0, 2}, {-2, 0, 2}};
const std::vector<std::array<int, 3>> kQuadFaces{{0, 1, 2}, {0, 2, 3}};

TEST(obstacle_surface, a_box_corner_through_the_inside_of_a_triangle_is_found) {
    ModelBuilder b;
    add_triangle_sheet(b, kQuad, kQuadFaces);
    // a corner straight up: the diagonal of the cube is sqrt(3) long
    const Quat up = rotation_between(Vec3(1, 1, 1).normalized(), Vec3::UnitY());
    add_obstacle(b, Obstacle::box, {0.5, 0.5, 0.5}, {{0.7, -0.8, -0.3}, real4(up)});
    finish_model(b);
    const Contacts found = contacts_with_obstacles(b.model, b.state, 0);
    ASSERT_EQ(found.point_point.size(), 1u);
    const PointContact& c = found.point_point[0];
    EXPECT_EQ(c.source, PointContact::triangle_obstacle);
    EXPECT_NEAR(c.gap, 0.8 - std::sqrt(0.75), 1e-12); // rounding
    EXPECT_NEAR(c.normal.y, 1, 1e-12);
    EXPECT_NEAR(c.at.x, 0.7, 1e-12);
    EXPECT_NEAR(c.at.z, -0.3, 1e-12);
}

TEST(obstacle_surface, a_box_face_on_a_large_triangle_has_its_four_corners) {
    ModelBuilder b;
    add_triangle_sheet(b, kQuad, kQuadFaces, 0.01);
    add_obstacle(b, Obstacle::box, {0.2, 0.2, 0.2}, {{1, -0.205, -0.3}, {}});
    finish_model(b);
    const Contacts found = contacts_with_obstacles(b.model, b.state, 0);
    ASSERT_EQ(found.point_point.size(), 4u);
    for (const PointContact& c : found.point_point) {
        EXPECT_EQ(c.source, PointContact::triangle_obstacle);
        EXPECT_NEAR(c.gap, -0.005, 1e-12);
        EXPECT_NEAR(c.normal.y, 1, 1e-12);
    }
}

TEST(obstacle_surface, an_edge_over_a_box_edge_is_found_once_for_each_crossing) {
    ModelBuilder b;
    add_triangle_sheet(b, kQuad, kQuadFaces, 0.01);
    // a ridge along x under the sheet; it crosses the diagonal and no border
    add_obstacle(b, Obstacle::box, {1, 0.2, 0.2}, {{0, -0.2 * std::sqrt(2.0) - 0.005, 0}, real4(exp_rotation(Vec3(kPi / 4, 0, 0)))});
    finish_model(b);
    const Contacts found = contacts_with_obstacles(b.model, b.state, 0);
    EXPECT_EQ(count(found, PointContact::edge_obstacle), 1);
    EXPECT_EQ(count(found, PointContact::triangle_obstacle), 2); // the ends of the ridge
    EXPECT_EQ(count(found, PointContact::vertex_obstacle), 0);
    for (const PointContact& c : found.point_point) EXPECT_NEAR(c.gap, -0.005, 1e-12);
}

TEST(obstacle_surface, a_needle_through_a_triangle_is_found) {
    for (Obstacle::Shape shape : {Obstacle::capsule, Obstacle::box}) {
        ModelBuilder b;
        add_triangle_sheet(b, kQuad, kQuadFaces);
        const Quat tilt(Eigen::AngleAxisd(0.5, Vec3::UnitX()));
        add_obstacle(b, shape, {0.01, 1, 0.01}, {{0.9, 0.2, -0.3}, real4(tilt)});
        finish_model(b);
        const Contacts found = contacts_with_obstacles(b.model, b.state, 0);
        ASSERT_EQ(found.point_point.size(), 1u) << shape;
        // out over the lower, nearer end, which is about 0.68 below the sheet
        EXPECT_NEAR(found.point_point[0].normal.y, -1, 1e-12);
        EXPECT_NEAR(found.point_point[0].gap, -(std::cos(0.5) - 0.2), 0.02);
    }
}

// A closed body of eight triangles, turned at random, dips by `depth` into the top of a wide box, near the rim or above the
// middle. Lifting the whole body by `depth` frees it, so that no point of it is deeper, and no contact more than twice as deep:
// edges and triangles that stand upright in the box are not "a metre from its side". Every overlap is told, at least as deep as
// the deepest point.
TEST(obstacle_surface, a_body_that_dips_into_a_wide_box_is_as_deep_as_it_is) {
    int at_edges = 0, without_vertex = 0;
    for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
        Rng rng{seed, 3, 0};
        const Real depth = std::pow(10.0, draw_uniform(rng, -6, -1)), size = draw_uniform(rng, 0.05, 0.6);
        const Quat turn = exp_rotation(draw_vec(rng, -3, 3));
        std::vector<Real3> x;
        for (int k = 0; k < 6; ++k) x.push_back(real3(turn * (size * (k % 2 ? 1 : -1) * draw_uniform(rng, 0.3, 1) * Vec3(Vec3::Unit(k / 2)))));
        Real low = 1e9;
        for (const Real3& p : x) low = std::min(low, Real(p.y));
        // the rim is at |x| = 1, |z| = 0.8; every third body stands across it
        const Vec3 at(seed % 3 ? draw_uniform(rng, -1.1, 1.1) : 1, -depth - low, seed % 3 ? draw_uniform(rng, -0.9, 0.9) : draw_uniform(rng, 0.7, 0.9));
        for (Real3& p : x) p = real3(vec(p) + at);
        ModelBuilder b;
        add_triangle_sheet(b, x, {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}});
        add_obstacle(b, Obstacle::box, {1, 0.09, 0.8}, {{0, -0.09, 0}, {}});
        finish_model(b);
        const Contacts found = contacts_with_obstacles(b.model, b.state, kMargin);
        const Real sampled = sampled_distance(b.model, b.state, b.model.obstacles[0], 12);
        Real lowest = 1e9;
        bool vertex = false;
        for (const PointContact& c : found.point_point) {
            lowest = std::min(lowest, c.gap);
            vertex = vertex || (c.vertex >= 0 && c.gap < 0);
            at_edges += c.gap < 0 && c.vertex < 0;
        }
        EXPECT_GE(lowest, -2 * depth * (1 + 1e-8) - 1e-11) << seed; // rounding of positions of size 1
        if (sampled < -1e-9) {
            EXPECT_LE(lowest, sampled + 1e-9) << seed;
            without_vertex += !vertex;
        }
    }
    EXPECT_GT(at_edges, 100);
    EXPECT_GT(without_vertex, 50);
}

// A corner or a ridge of a box comes up through a flat sheet of 5 cm cells by h. Contacts of the sheet's edges and triangles are
// upright, one is as deep as h, and none is deeper.
TEST(obstacle_surface, a_flat_sheet_on_corners_and_ridges_of_boxes_is_pushed_straight_up) {
    constexpr int n = 20;
    constexpr Real cell = 0.05;
    std::vector<Real3> x;
    std::vector<std::array<int, 3>> faces;
    for (int i = 0; i <= n; ++i)
        for (int j = 0; j <= n; ++j) x.push_back({(i - n / 2) * cell, 0, (j - n / 2) * cell});
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            const int a = i * (n + 1) + j;
            faces.push_back({a, a + 1, a + n + 2});
            faces.push_back({a, a + n + 2, a + n + 1});
        }
    const Quat corner = rotation_between(Vec3(1, 1, 1).normalized(), Vec3::UnitY()), ridge(Eigen::AngleAxisd(kPi / 4, Vec3::UnitX()));
    for (const bool on_ridge : {false, true})
        for (const Real h : {1e-9, 1e-5, 0.002, 0.005, 0.01, 0.02, 0.04})
            for (std::uint64_t seed = 0; seed < 60; ++seed) {
                Rng rng{seed, 6, 0};
                ModelBuilder b;
                add_triangle_sheet(b, x, faces);
                const Quat turn = Quat(Eigen::AngleAxisd(draw_uniform(rng, 0, 6), Vec3::UnitY())) * (on_ridge ? ridge : corner);
                const Real up = on_ridge ? 0.1 * std::sqrt(2.0) : 0.5 * std::sqrt(3.0);
                const Real3 half = on_ridge ? Real3{0.2, 0.1, 0.1} : Real3{0.5, 0.5, 0.5};
                add_obstacle(b, Obstacle::box, half, {{draw_uniform(rng, -0.1, 0.1), h - up, draw_uniform(rng, -0.1, 0.1)}, real4(turn)});
                finish_model(b);
                const Contacts found = contacts_with_obstacles(b.model, b.state, 0);
                Real deepest = 0;
                for (const PointContact& c : found.point_point) {
                    deepest = std::min(deepest, c.gap);
                    const Real upright = c.vertex < 0 ? c.normal.y : 1; // vertices go to the nearest face
                    EXPECT_GT(upright, 1 - 1e-9) << on_ridge << " " << h << " " << seed;
                }
                EXPECT_NEAR(deepest, -h, 1e-9 * h + 1e-14) << on_ridge << " " << h << " " << seed;
            }
}

// A face of a box in a large triangle keeps its four corners down to where rounding decides.
TEST(obstacle_surface, the_four_corners_of_a_face_are_there_at_any_depth) {
    for (int digits = 2; digits <= 13; ++digits)
        for (std::uint64_t seed = 0; seed < 50; ++seed) {
            Rng rng{seed, 5, 0};
            const Pose pose{real3(draw_vec(rng, -3, 3)), real4(exp_rotation(draw_vec(rng, -2, 2)))};
            const Quat q = quat(pose.rotation);
            const Vec3 p = vec(pose.position);
            std::vector<Real3> x;
            for (const Real3& corner : kQuad) x.push_back(real3(p + q * vec(corner)));
            ModelBuilder b;
            add_triangle_sheet(b, x, kQuadFaces);
            const Real depth = std::pow(10.0, -digits);
            add_obstacle(b, Obstacle::box, {0.2, 0.2, 0.2}, {real3(p + q * Vec3(1, -0.2 + depth, -0.3)), pose.rotation});
            finish_model(b);
            EXPECT_EQ(contacts_with_obstacles(b.model, b.state, 0).point_point.size(), 4u) << digits << " " << seed;
        }
}

// A sphere under a flat sheet of many triangles has one nearest place, wherever it is.
TEST(obstacle_surface, a_flat_sheet_has_no_ghosts_of_its_edges) {
    constexpr int n = 8;
    std::vector<Real3> x;
    std::vector<std::array<int, 3>> faces;
    for (int i = 0; i <= n; ++i)
        for (int j = 0; j <= n; ++j) x.push_back({i - 0.5 * n, 0, j - 0.5 * n});
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            const int a = i * (n + 1) + j;
            faces.push_back({a, a + 1, a + n + 2});
            faces.push_back({a, a + n + 2, a + n + 1});
        }
    Rng rng{5, 1, 0};
    for (int k = 0; k < 200; ++k) {
        ModelBuilder b;
        add_triangle_sheet(b, x, faces);
        Real3 at = real3(draw_vec(rng, -3, 3));
        at.y = -1;
        if (k % 3 == 0) at.x = std::round(at.x); // under an edge
        if (k % 6 == 0) at.z = std::round(at.z); // under a vertex
        add_obstacle(b, Obstacle::sphere, {1, 0, 0}, {at, {}});
        finish_model(b);
        const Contacts found = contacts_with_obstacles(b.model, b.state, 1e-6);
        EXPECT_EQ(found.point_point.size(), 1u) << k;
    }
}

TEST(obstacle_surface, contacts_are_the_same_in_the_same_order_at_any_number_of_threads) {
    ModelBuilder b;
    Rng rng{9, 1, 0};
    std::vector<Real3> x;
    std::vector<std::array<int, 3>> faces;
    for (int i = 0; i < 4000; ++i) {
        const Vec3 at = draw_vec(rng, -2, 2);
        for (int k = 0; k < 3; ++k) x.push_back(real3(at + 0.2 * draw_vec(rng, -1, 1)));
        faces.push_back({3 * i, 3 * i + 1, 3 * i + 2});
    }
    add_triangle_sheet(b, x, faces);
    for (int k = 0; k < 40; ++k)
        add_obstacle(b, Obstacle::Shape(1 + k % 3), {0.2, 0.3, 0.1}, {real3(draw_vec(rng, -2, 2)), real4(exp_rotation(draw_vec(rng, -2, 2)))});
    finish_model(b);
    const Contacts one = contacts_with_obstacles(b.model, b.state, 0.02);
    EXPECT_GT(count(one, PointContact::edge_obstacle), 100);
    EXPECT_GT(count(one, PointContact::triangle_obstacle), 30);
    const auto order = [](const PointContact& c) { return std::tuple(c.source, c.key); };
    EXPECT_TRUE(std::is_sorted(one.point_point.begin(), one.point_point.end(), [&](auto& p, auto& q) { return order(p) < order(q); }));
    for (int threads : {2, 3, 8}) {
        const Contacts more = contacts_with_obstacles(b.model, b.state, 0.02, threads);
        ASSERT_EQ(more.point_point.size(), one.point_point.size());
        for (std::size_t k = 0; k < one.point_point.size(); ++k) {
            EXPECT_EQ(more.point_point[k].key, one.point_point[k].key);
            EXPECT_EQ(more.point_point[k].gap, one.point_point[k].gap);
        }
    }
}

TEST(obstacle_surface, positions_and_poses_that_are_not_numbers_are_refused) {
    const auto parallel = make_parallel(Context{1, {}, {}});
    for (int what = 0; what < 3; ++what) {
        ModelBuilder b;
        add_triangle_sheet(b, kQuad, kQuadFaces, 0.01);
        add_obstacle(b, Obstacle::sphere, {1, 0, 0}, {{0, -0.9, 0}, {}});
        finish_model(b);
        DetectScratch scratch;
        Contacts out;
        std::vector<Real3> x = b.state.point.x;
        ASSERT_TRUE(detect_obstacles(*parallel, b.model, x, {}, b.state.frame, {}, scratch, out));
        EXPECT_FALSE(out.point_point.empty());
        if (what == 0) x[2].y = std::nan("");
        if (what == 1) x[3].x = std::numeric_limits<Real>::infinity();
        if (what == 2) b.state.frame.p[0].z = std::nan("");
        EXPECT_FALSE(detect_obstacles(*parallel, b.model, x, {}, b.state.frame, {}, scratch, out)) << what;
        EXPECT_TRUE(out.point_point.empty());
    }
}

// Twelve sheets share an edge like the pages of a book; only the last one reaches down to the ball. The edge is then no nearest
// place of the surface: that page is.
TEST(obstacle_surface, an_edge_of_many_triangles_knows_all_of_them) {
    for (const bool last_down : {false, true}) {
        ModelBuilder b;
        add_obstacle(b, Obstacle::sphere, {1, 0, 0}, {});
        std::vector<Real3> x{{-2, 1.05, 0}, {2, 1.05, 0}};
        std::vector<std::array<int, 3>> pages;
        for (int k = 0; k < 12; ++k) {
            const bool down = last_down && k == 11;
            x.push_back({0.1 * (k - 5), down ? 0.3 : 2.0, down ? 2.0 : 0.2 * (k - 5)});
            pages.push_back({0, 1, 2 + k});
        }
        add_triangle_sheet(b, x, pages);
        const Contacts c = contacts_with_obstacles(b.model, b.state, kMargin);
        EXPECT_EQ(count(c, PointContact::edge_obstacle), last_down ? 0 : 1);
        EXPECT_EQ(count(c, PointContact::triangle_obstacle), last_down ? 1 : 0);
    }
}

// The shape of an obstacle may stand anywhere in its frame.
TEST(obstacle_surface, a_shape_placed_in_its_frame_is_met_where_it_stands) {
    const Pose frame{{0.4, -1, 2}, real4(Quat(Eigen::AngleAxisd(0.7, Vec3(1, -1, 2).normalized())))};
    const Pose own{{0.3, 0.2, -0.5}, real4(Quat(Eigen::AngleAxisd(1.1, Vec3(2, 1, 0).normalized())))};
    const Quat q = quat(frame.rotation) * quat(own.rotation);
    const Vec3 p = vec(frame.position) + quat(frame.rotation) * Vec3(vec(own.position));
    for (Obstacle::Shape shape : {Obstacle::plane, Obstacle::sphere, Obstacle::capsule, Obstacle::box}) {
        const std::vector<Real3> local{{0.1, 0.53, 0.05}, {0.2, 0.54, -0.3}, {-0.3, 0.52, 0.1}};
        std::vector<Real3> x;
        for (const Real3& a : local) x.push_back(real3(p + q * Vec3(vec(a))));
        ModelBuilder here, direct;
        add_obstacle(here, shape, {0.5, 0.5, 0.5}, frame);
        here.model.obstacles[0].pose = own;
        add_obstacle(direct, shape, {0.5, 0.5, 0.5}, {real3(p), real4(q)});
        add_triangle_sheet(here, x, {{0, 1, 2}}), add_triangle_sheet(direct, x, {{0, 1, 2}});
        const Contacts a = contacts_with_obstacles(here.model, here.state, 0.6), b = contacts_with_obstacles(direct.model, direct.state, 0.6);
        ASSERT_EQ(a.point_point.size(), b.point_point.size()) << shape;
        ASSERT_FALSE(a.point_point.empty());
        for (std::size_t i = 0; i < a.point_point.size(); ++i) {
            EXPECT_NEAR(a.point_point[i].gap, b.point_point[i].gap, 1e-14);
            EXPECT_NEAR((vec(a.point_point[i].normal) - vec(b.point_point[i].normal)).norm(), 0, 1e-14);
            // the place on the obstacle, in the axes of its frame
            const Vec3 at = vec(frame.position) + quat(frame.rotation) * Vec3(vec(a.point_point[i].b.local));
            EXPECT_NEAR((at - Vec3(vec(b.point_point[i].at))).norm(), 0, 1e-14);
        }
        // safe steps too
        std::vector<Real> direction(std::size_t(dofs_of(here.model).size()), 0.0);
        const Vec3 down = -2 * (q * Vec3::UnitY());
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 3; ++k) direction[dofs_of(here.model).point_offset(i) + k] = down[k];
        const auto parallel = make_parallel(Context{1, {}, {}});
        SceneStepScratch scratch;
        SafeStep posed, plain;
        ASSERT_TRUE(find_scene_step(*parallel, here.model, {here.state, direction, {}}, {}, false, scratch, posed));
        ASSERT_TRUE(find_scene_step(*parallel, direct.model, {direct.state, direction, {}}, {}, false, scratch, plain));
        EXPECT_LT(plain.step, 0.9);
        EXPECT_NEAR(posed.step, plain.step, 1e-9);
    }
}

// A sheet comes down on an obstacle: its vertices pass beside it, its inside does not.
TEST(obstacle_surface, safe_steps_end_before_triangles_and_lines_meet_obstacles) {
    for (Obstacle::Shape shape : {Obstacle::sphere, Obstacle::capsule, Obstacle::box})
        for (bool line : {false, true}) {
            int limited = 0;
            for (std::uint64_t seed = 1; seed <= 60; ++seed) {
                ModelBuilder b = make_random(seed, shape, line);
                Rng rng{seed, 2, 0};
                const Obstacle& o = b.model.obstacles[0];
                const Dofs dofs = dofs_of(b.model);
                std::vector<Real> direction(dofs.size(), 0.0);
                for (int i = 0; i < point_count(b.model); ++i) b.state.point.x[i].y += 3;
                for (int i = 0; i < point_count(b.model); ++i) direction[dofs.point_offset(i) + 1] = -4 - 0.2 * i;
                for (int c = 0; c < 3; ++c) direction[dofs.frame_offset(o.frame) + 3 + c] = draw_uniform(rng, -2, 2);
                const auto parallel = make_parallel(Context{1, {}, {}});
                SceneStepScratch scratch;
                SafeStep step;
                ASSERT_TRUE(find_scene_step(*parallel, b.model, {b.state, direction, {}}, {}, false, scratch, step));
                const auto at = [&](Real t) {
                    State s = b.state;
                    for (int i = 0; i < point_count(b.model); ++i) s.point.x[i].y += t * direction[dofs.point_offset(i) + 1];
                    const Vec3 turn = Eigen::Map<const Vec3>(direction.data() + dofs.frame_offset(o.frame) + 3);
                    s.frame.q[o.frame] = real4(exp_rotation(t * turn) * quat(s.frame.q[o.frame]));
                    return sampled_distance(b.model, s, o, 12);
                };
                for (int k = 0; k <= 20; ++k) ASSERT_GT(at(step.step * k / 20), 0) << seed;
                limited += step.step < 1 && step.kind != SafeStep::vertex_obstacle;
            }
            EXPECT_GT(limited, 5) << shape << line;
        }
}

} // namespace
} // namespace sinew
