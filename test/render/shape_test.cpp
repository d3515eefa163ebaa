#include "render/sample_scene.h"
#include "render/shape.h"
#include <gtest/gtest.h>
#include <set>

namespace sinew {
namespace {

constexpr double kCrease = 0.75;

TEST(shape, a_box_has_flat_faces_and_a_ball_is_smooth) {
    const DrawnShape box = *build_drawn_shape(box_object(1), kCrease).value;
    EXPECT_EQ(box.triangles.size(), 12u);
    EXPECT_EQ(box.normal_vertex.size(), 24u); // three at each corner
    EXPECT_FALSE(box.open);
    const SnapshotObject ball = sphere_object(1, 24, 12); // faces meet at 15 degrees
    const DrawnShape smooth = *build_drawn_shape(ball, kCrease).value;
    EXPECT_EQ(smooth.normal_vertex.size(), ball.rest.size());
    EXPECT_FALSE(smooth.open);
}

TEST(shape, corners_of_a_triangle_have_normals_of_their_own_vertices) {
    const DrawnShape s = *build_drawn_shape(box_object(1), kCrease).value;
    std::set<int> used;
    for (std::size_t t = 0; t < s.triangles.size(); ++t)
        for (int k = 0; k < 3; ++k) {
            EXPECT_EQ(s.normal_vertex[s.normals[t][k]], s.triangles[t][k]);
            used.insert(s.normals[t][k]);
        }
    EXPECT_EQ(used.size(), s.normal_vertex.size());
}

TEST(shape, the_crease_angle_decides) {
    // faces of a box meet at 90 degrees
    EXPECT_EQ(build_drawn_shape(box_object(1), kPi / 2 + 0.01).value->normal_vertex.size(), 8u);
    EXPECT_EQ(build_drawn_shape(box_object(1), kPi / 2 - 0.01).value->normal_vertex.size(), 24u);
}

TEST(shape, a_cloth_is_an_open_smooth_sheet) {
    const DrawnShape s = *build_drawn_shape(cloth_object(5), kCrease).value;
    EXPECT_TRUE(s.open);
    EXPECT_EQ(s.triangles.size(), 32u);
    EXPECT_EQ(s.normal_vertex.size(), 25u);
}

TEST(shape, broken_polygons_are_errors_that_name_the_object) {
    SnapshotObject o = box_object(1);
    o.name = "crate";
    o.polygon_vertex[3] = 8;
    auto r = build_drawn_shape(o, kCrease);
    ASSERT_FALSE(r);
    EXPECT_NE(r.errors[0].path.find("crate"), std::string::npos) << r.errors[0].path;
    o = box_object(1);
    o.segments = {{0, -1}};
    EXPECT_FALSE(build_drawn_shape(o, kCrease));
    o = box_object(1);
    o.polygon_begin.back() = 1000;
    EXPECT_FALSE(build_drawn_shape(o, kCrease));
    o = box_object(1);
    o.point_count = -5;
    EXPECT_FALSE(build_drawn_shape(o, kCrease));
}

TEST(shape, an_object_without_faces_is_fine) {
    const auto r = build_drawn_shape(ball_object(1), kCrease);
    ASSERT_TRUE(r);
    EXPECT_TRUE(r.value->triangles.empty());
    EXPECT_TRUE(build_drawn_shape(SnapshotObject{}, kCrease));
}

} // namespace
} // namespace sinew
