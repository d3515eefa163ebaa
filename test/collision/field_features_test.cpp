// The surface against height fields: gaps judged by the distance of every pair of triangles, overlaps by pushing them out, flat
// sheets on flat fields without ghosts.
#include "collision/collision.h"
#include "collision/scene_step.h"
#include "core/random.h"
#include "geometry/convex_distance.h"
#include "geometry/height_field.h"
#include "model/builder.h"
#include "model/stencil.h"
#include "model/surface.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace sinew {
namespace {

HeightFieldShape make_hills(std::uint64_t seed, int nx, int nz, Real rough) {
    Rng rng{seed, 2, 0};
    HeightFieldShape f{nx, nz, 0.25, 0.3, {}};
    for (int k = 0; k < nz; ++k)
        for (int i = 0; i < nx; ++i) f.height.push_back(0.3 * std::sin(0.9 * i) * std::cos(0.7 * k) + rough * draw_uniform(rng, -1, 1));
    return f;
}

// the field in `pose` of the frame in `at`
ModelBuilder make_ground(const HeightFieldShape& f, const Pose& at = {}, const Pose& pose = {}, Real thickness = 0) {
    ModelBuilder b;
    begin_object(b, "ground", "test");
    Obstacle o;
    o.shape = Obstacle::height_field, o.data = 0, o.pose = pose, o.thickness = thickness;
    o.frame = add_frame(b, at, 0, {}, kFixed);
    o.object = 0;
    const TriangleShape mesh = mesh_of(f);
    for (const Real3& x : mesh.vertices)
        add_surface_vertex_in_frame(b, o.frame, real3(vec(pose.position) + quat(pose.rotation) * vec(x)), thickness);
    add_surface_triangles(b, 0, mesh.triangles);
    b.shapes.height_fields.push_back(f);
    b.model.obstacles.push_back(o);
    return b;
}
void add_sheet_and_lines(ModelBuilder& b, const std::vector<Real3>& x, const std::vector<std::array<int, 3>>& triangles,
                         const std::vector<std::array<int, 2>>& lines = {}) {
    begin_object(b, "sheet", "test");
    const int first = add_points(b, x, std::vector<Real>(x.size(), 1.0));
    const int vertices = add_surface_points(b, {first, first + int(x.size())}, 0);
    add_surface_triangles(b, vertices, triangles);
    add_surface_edges(b, vertices, lines);
}

Contacts contacts_with_field(ModelBuilder& b, Real margin) {
    if (!b.model.shapes) finish_model(b);
    const auto parallel = make_parallel(Context{1, {}, {}});
    std::vector<Real3> x(b.model.surface.vertices.size());
    surface_positions(*parallel, b.model, surface_state(b.state), x);
    DetectScratch scratch;
    Contacts out;
    EXPECT_TRUE(detect_obstacles(*parallel, b.model, x, b.state.point.alive, b.state.frame, {margin}, scratch, out));
    return out;
}
Real smallest_gap(const Contacts& c) {
    Real low = 1e9;
    for (const PointContact& p : c.point_point) low = std::min(low, Real(p.gap));
    return low;
}

Real triangle_gap(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b) {
    const Convex x = make_triangle(a[0], a[1], a[2], 0), y = make_triangle(b[0], b[1], b[2], 0);
    return core_distance({&x, &y, {}}).distance;
}
// of an element (a line repeats a corner) and every triangle of the field; 0 where they cross
Real field_gap(const HeightFieldShape& f, const std::array<Vec3, 3>& t) {
    Real low = 1e9;
    for (int k = 0; k < 2 * (f.nx - 1) * (f.nz - 1); ++k) low = std::min(low, triangle_gap(height_field_triangle(f, k), t));
    return low;
}

} // namespace

TEST(field_features, the_smallest_gap_of_a_sheet_or_line_over_hills_is_that_of_all_pairs_of_triangles) {
    int seen = 0, inside = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        Rng rng{seed, 3, 0};
        const HeightFieldShape f = make_hills(seed, 9, 8, seed % 2 ? 0.15 : 0);
        const bool line = seed % 3 == 0;
        std::vector<Real3> x;
        for (int i = 0; i < 4; ++i) x.push_back(real3(Vec3(1, 0.7, 1) + 0.8 * draw_vec(rng, -1, 1)));
        const auto at = [&](int i) { return Vec3(vec(x[i])); };
        const Real gap = line ? field_gap(f, {at(0), at(1), at(1)})
                              : std::min(field_gap(f, {at(0), at(1), at(2)}), field_gap(f, {at(2), at(1), at(3)}));
        bool above = gap > 1e-3; // clear of the field, and not wholly below it
        for (int i = 0; i < (line ? 2 : 4); ++i) {
            const HeightSample under = sample_height(f, x[i].x, x[i].z);
            above = above && under.inside && x[i].y > under.height;
        }
        if (!above) continue;
        // frame and shape both turned: contacts must not depend on it
        const Pose frame{{0.3, -2, 1}, real4(Quat(Eigen::AngleAxisd(0.4, Vec3(1, 2, 3).normalized())))};
        const Pose own{{-1, 0.5, 0.2}, real4(Quat(Eigen::AngleAxisd(-0.9, Vec3(0, 1, 1).normalized())))};
        for (Real3& p : x) {
            const Vec3 in_frame = vec(own.position) + quat(own.rotation) * vec(p);
            p = real3(vec(frame.position) + quat(frame.rotation) * in_frame);
        }
        ModelBuilder b = make_ground(f, frame, own);
        if (line) add_sheet_and_lines(b, {x[0], x[1]}, {}, {{0, 1}});
        else add_sheet_and_lines(b, x, {{0, 1, 2}, {2, 1, 3}});
        const Contacts c = contacts_with_field(b, 0.5);
        ++seen;
        if (gap < 0.5) {
            // GJK ends within its own tolerance of the least distance
            EXPECT_NEAR(smallest_gap(c), gap, 1e-7) << seed;
            const auto least = std::min_element(c.point_point.begin(), c.point_point.end(),
                                                [](auto& p, auto& q) { return p.gap < q.gap; });
            inside += least->source != PointContact::vertex_obstacle;
        } else {
            EXPECT_GE(smallest_gap(c), 0.5) << seed;
        }
    }
    EXPECT_GT(seen, 60);
    EXPECT_GT(inside, 15); // not by vertices alone
}

// A node sticks out of a sheet by h: the sheet is told to rise by h at the node.
TEST(field_features, a_peak_that_passes_through_a_coarse_sheet_pushes_it_up_by_what_it_sticks_out) {
    HeightFieldShape f{9, 9, 0.25, 0.25, std::vector<double>(81, 0.0)};
    f.height[4 * 9 + 4] = 0.4;
    for (const Real tilt : {0.0, 0.3}) {
        ModelBuilder b = make_ground(f);
        const auto at = [&](Real x, Real z) { return Real3{x, 0.3 + tilt * (x - 1), z}; };
        add_sheet_and_lines(b, {at(0.1, 0.1), at(1.9, 0.2), at(1, 1.9)}, {{0, 2, 1}});
        const Contacts c = contacts_with_field(b, 0);
        const Real depth = 0.1 / std::hypot(1, tilt); // along the sheet's normal
        ASSERT_FALSE(c.point_point.empty()) << tilt;
        for (const PointContact& p : c.point_point) {
            EXPECT_EQ(p.source, PointContact::triangle_obstacle);
            EXPECT_NEAR(p.gap, -depth, 1e-12);
            EXPECT_NEAR(p.normal.y, 1 / std::hypot(1, tilt), 1e-12);
        }
    }
}

// An edge of a sheet across a ridge, and one that lies below the field altogether.
TEST(field_features, an_edge_across_a_ridge_and_points_below_the_ground_are_pushed_out_upwards) {
    HeightFieldShape f{3, 11, 1, 0.1, std::vector<double>(33, 0.0)};
    for (int k = 0; k < 11; ++k) f.height[k * 3 + 1] = 0.5; // ridge along z at x = 1
    ModelBuilder b = make_ground(f);
    add_sheet_and_lines(b, {{0.5, 0.4, 0.52}, {1.5, 0.4, 0.52}}, {}, {{0, 1}});
    const Contacts c = contacts_with_field(b, 0);
    Real deepest = 0;
    for (const PointContact& p : c.point_point) {
        EXPECT_GT(p.normal.y, 0.7);
        if (p.source == PointContact::edge_obstacle) deepest = std::min(deepest, Real(p.gap));
    }
    EXPECT_NEAR(deepest, -0.1, 1e-12); // the line is 0.1 below the ridge
    ModelBuilder deep = make_ground(f);
    add_sheet_and_lines(deep, {{0.2, -3, 0.5}, {1, -0.2, 0.5}, {5, -1, 0.5}}, {}); // the last beside the field
    const Contacts d = contacts_with_field(deep, 0.01);
    ASSERT_EQ(std::ranges::count(d.point_point, PointContact::vertex_obstacle, &PointContact::source), 2);
    for (const PointContact& p : d.point_point) {
        EXPECT_LT(p.gap, 0);
        // moved out by its depth it is on the surface
        const Vec3 out = vec(deep.state.point.x[p.a.index]) - p.gap * vec(p.normal);
        EXPECT_NEAR(sample_height(f, out.x(), out.z()).height, out.y(), 1e-9);
    }
}

TEST(field_features, a_flat_sheet_on_a_flat_field_touches_by_its_vertices_alone_straight_up) {
    const HeightFieldShape flat{41, 41, 0.1, 0.1, std::vector<double>(41 * 41, 0.0)};
    ModelBuilder b = make_ground(flat, {}, {}, 0.01);
    std::vector<Real3> x;
    std::vector<std::array<int, 3>> t;
    for (int k = 0; k < 6; ++k)
        for (int i = 0; i < 6; ++i) x.push_back({0.53 + 0.47 * i, 0.011, 0.61 + 0.43 * k});
    for (int k = 0; k < 5; ++k)
        for (int i = 0; i < 5; ++i) {
            const int a = 6 * k + i;
            t.push_back({a, a + 6, a + 1}), t.push_back({a + 1, a + 6, a + 7});
        }
    add_sheet_and_lines(b, x, t);
    const Contacts c = contacts_with_field(b, 0.005);
    EXPECT_EQ(c.point_point.size(), 36u);
    for (const PointContact& p : c.point_point) {
        EXPECT_EQ(p.source, PointContact::vertex_obstacle);
        EXPECT_EQ(p.normal, (Real3{0, 1, 0}));
        EXPECT_NEAR(p.gap, 0.001, 1e-15);
    }
}

// A ball in a valley, and one on three spikes: held from every side, and by one contact where the ground is flat.
TEST(field_features, a_thick_vertex_touches_every_side_of_a_hollow) {
    HeightFieldShape valley{5, 9, 0.5, 0.25, {}};
    for (int i = 0; i < 45; ++i) valley.height.push_back(0.75 * std::abs(0.5 * (i % 5) - 1));
    ModelBuilder v = make_ground(valley, {}, {}, 0.08);
    add_sheet_and_lines(v, {{1, 0.09, 0.6}}, {});
    const Contacts two = contacts_with_field(v, 0);
    ASSERT_EQ(two.point_point.size(), 2u);
    for (const PointContact& p : two.point_point) {
        EXPECT_NEAR(p.gap, 0.09 * 0.8 - 0.08, 1e-12); // cos a = 0.8
        EXPECT_NEAR(std::abs(p.normal.x), 0.6, 1e-12);
    }
    EXPECT_NEAR(two.point_point[0].normal.x + two.point_point[1].normal.x, 0, 1e-12);
    HeightFieldShape spikes{7, 7, 0.5, 0.5, std::vector<double>(49, 0.0)};
    const std::array<std::array<int, 2>, 3> tops{{{2, 2}, {4, 2}, {3, 4}}};
    for (const auto& [i, k] : tops) spikes.height[k * 7 + i] = 1;
    const Vec3 middle(1.5, 1.5, 1.4);
    ModelBuilder s = make_ground(spikes, {}, {}, 0.9);
    add_sheet_and_lines(s, {real3(middle)}, {});
    const Contacts three = contacts_with_field(s, 0);
    for (const auto& [i, k] : tops) { // each tip by its distance
        const Vec3 way = middle - height_field_node(spikes, i, k);
        EXPECT_TRUE(std::any_of(three.point_point.begin(), three.point_point.end(), [&](const PointContact& p) {
            return std::abs(p.gap + 0.9 - way.norm()) < 1e-12 && (vec(p.normal) - way.normalized()).norm() < 1e-12;
        }));
    }
    for (std::size_t i = 1; i < three.point_point.size(); ++i) EXPECT_LT(three.point_point[i - 1].feature, three.point_point[i].feature);
}

// A sheet wider than a table: its triangles that reach over the rim are held by the rim.
TEST(field_features, the_rim_of_a_field_holds_what_lies_across_it) {
    const HeightFieldShape flat{5, 5, 0.25, 0.25, std::vector<double>(25, 0.0)};
    ModelBuilder b = make_ground(flat);
    add_sheet_and_lines(b, {{-1, -0.1, 0.4}, {2, -0.1, 0.3}, {0.5, -0.1, 3}, {0.5, -0.1, -2}}, {{0, 1, 3}, {0, 2, 1}});
    const Contacts c = contacts_with_field(b, 0);
    EXPECT_EQ(std::ranges::count(c.point_point, PointContact::vertex_obstacle, &PointContact::source), 0);
    EXPECT_GT(std::ranges::count(c.point_point, PointContact::triangle_obstacle, &PointContact::source), 0);
    for (const PointContact& p : c.point_point) {
        EXPECT_NEAR(p.gap, -0.1, 1e-12);
        EXPECT_NEAR(p.normal.y, 1, 1e-12);
    }
}

TEST(field_features, a_safe_step_stops_a_sheet_and_a_point_above_the_field) {
    const HeightFieldShape f = make_hills(5, 9, 8, 0.1);
    ModelBuilder b = make_ground(f);
    add_sheet_and_lines(b, {{0.3, 1, 0.3}, {1.7, 1, 0.4}, {0.9, 1, 1.8}}, {{0, 2, 1}});
    add_sheet_and_lines(b, {{0.2, 1, 1.2}}, {}); // beside the sheet
    finish_model(b);
    const auto parallel = make_parallel(Context{1, {}, {}});
    std::vector<Real> direction(std::size_t(dofs_of(b.model).size()), 0.0);
    for (int i = 0; i < point_count(b.model); ++i) direction[dofs_of(b.model).point_offset(i) + 1] = -2;
    SceneStepScratch scratch;
    SafeStep out;
    ASSERT_TRUE(find_scene_step(*parallel, b.model, {b.state, direction, {}}, {}, false, scratch, out));
    EXPECT_GT(out.step, 0.05) << out.kind << " " << out.pair[0] << " " << out.pair[1];
    EXPECT_LT(out.step, 0.5); // the ground is less than 1 m away
    const Real y = 1 - 2 * out.step;
    const Real gap = field_gap(f, {Vec3(0.3, y, 0.3), Vec3(1.7, y, 0.4), Vec3(0.9, y, 1.8)});
    EXPECT_GT(std::min(gap, y - sample_height(f, 0.2, 1.2).height), 0);
}

TEST(field_features, fields_that_are_none_touch_nothing) {
    for (const HeightFieldShape& f : {HeightFieldShape{}, HeightFieldShape{2, 2, 1, 1, {0, 0, 0}},
                                      HeightFieldShape{2, 2, 1, 1, {0, 0, std::nan(""), 0}}, HeightFieldShape{2, 2, 0, 1, {0, 0, 0, 0}}}) {
        ModelBuilder b = make_ground(f);
        add_sheet_and_lines(b, {{0.3, 0, 0.3}, {0.7, -1, 0.4}, {0.9, 0, 0.8}}, {{0, 1, 2}});
        EXPECT_TRUE(contacts_with_field(b, 0.1).point_point.empty());
    }
    ModelBuilder none = make_ground(HeightFieldShape{2, 2, 1, 1, {0, 0, 0, 0}});
    none.model.obstacles[0].data = 7;
    add_sheet_and_lines(none, {{0.3, 0, 0.3}}, {});
    EXPECT_TRUE(contacts_with_field(none, 0.1).point_point.empty());
}

} // namespace sinew
