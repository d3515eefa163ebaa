#include "core/math.h"
#include "render/camera.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace sinew {
namespace {

// coordinates in the picture, -1..1 both ways
Vec2 project(const Camera& c, double aspect, const Vec3& p) {
    const CameraAxes a = camera_axes(c);
    const Vec3 d = p - vec(c.eye);
    const double z = d.dot(vec(a.forward)), t = std::tan(c.fov / 2);
    return {d.dot(vec(a.right)) / (z * t * aspect), d.dot(vec(a.up)) / (z * t)};
}

TEST(camera, axes_are_orthonormal_even_when_the_camera_is_degenerate) {
    for (const Camera& c : {Camera{}, Camera{{0, 0, 0}, {0, 0, 0}}, Camera{{0, 5, 0}, {0, 0, 0}},
                            Camera{{1, 2, 3}, {4, 5, 6}, {0, 0, 0}}}) {
        const CameraAxes a = camera_axes(c);
        Mat3 m;
        m << vec(a.right), vec(a.up), -vec(a.forward);
        EXPECT_NEAR((m.transpose() * m - Mat3::Identity()).norm(), 0, 1e-12); // rounding
        EXPECT_NEAR(m.determinant(), 1, 1e-12);
    }
}

TEST(camera, a_fitted_camera_touches_the_margin_and_centres_the_box) {
    const Bounds boxes[] = {{{-1, -1, -1}, {1, 1, 1}}, {{5, 0, 3}, {9, 0.2, 4}}, {{0, 0, 0}, {1, 6, 1}}};
    for (const Bounds& box : boxes)
        for (const double aspect : {16.0 / 9, 1.0, 0.5})
            for (const Real3& up : {Real3{0, 1, 0}, Real3{0, 0, 1}}) {
                CameraFit fit;
                fit.aspect = aspect;
                fit.up = up;
                const Camera c = fit_camera(box, fit);
                Vec2 low(9, 9), high(-9, -9);
                for (int k = 0; k < 8; ++k) {
                    const Vec3 p(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y,
                                 k & 4 ? box.max.z : box.min.z);
                    const Vec2 q = project(c, aspect, p);
                    low = low.cwiseMin(q);
                    high = high.cwiseMax(q);
                }
                // exact up to rounding: the tight direction reaches 1 - margin on both sides, the other stays
                // within
                const double edge = 1 - fit.margin;
                EXPECT_LE(high.maxCoeff(), edge + 1e-9);
                EXPECT_GE(low.minCoeff(), -edge - 1e-9);
                const int tight = high.x() - low.x() > high.y() - low.y() ? 0 : 1;
                EXPECT_NEAR(high[tight], edge, 1e-9);
                EXPECT_NEAR(low[tight], -edge, 1e-9);
            }
}

TEST(camera, a_ball_touches_the_margin_on_all_sides_that_are_tight) {
    SnapshotLayout layout;
    layout.objects.resize(1);
    layout.objects[0].draw_points = true;
    layout.objects[0].radius = 2;
    Snapshot s;
    s.objects.resize(1);
    s.objects[0].position = {{7, 1, -3}};
    CameraFit fit;
    fit.aspect = 1;
    Bounds b = kEmptyBounds;
    CameraReach r;
    add_bounds(layout, s, b);
    add_reach(layout, s, fit, r);
    const Camera c = fit_camera(b, r, fit);
    // seen from the distance d a ball of radius R fills the cone sin(angle) = R / d, tan(angle) = (1 -
    // margin) tan(fov/2)
    const double t = (1 - fit.margin) * std::tan(fit.fov / 2), d = (vec(c.eye) - Vec3(7, 1, -3)).norm();
    EXPECT_NEAR(2 / d, t / std::sqrt(1 + t * t), 1e-12);
    EXPECT_NEAR((vec(c.look_at) - Vec3(7, 1, -3)).norm(), 0, 1e-12);
}

TEST(camera, an_empty_or_pointlike_scene_gives_a_finite_camera) {
    for (const Bounds& box : {kEmptyBounds, Bounds{{2, 2, 2}, {2, 2, 2}}}) {
        const Camera c = fit_camera(box, {});
        EXPECT_TRUE(vec(c.eye).allFinite());
        EXPECT_GT((vec(c.eye) - vec(c.look_at)).norm(), 0);
    }
}

TEST(camera, an_orbit_keeps_distance_and_height_and_closes) {
    const Camera c{{3, 2, 4}, {0.5, 1, 0}};
    const Camera quarter = orbit_camera(c, {0, 1, 0}, kPi / 2), full = orbit_camera(c, {0, 1, 0}, 2 * kPi);
    // x -> -z, z -> x about (0.5, 1, 0)
    EXPECT_NEAR((vec(quarter.eye) - Vec3(4.5, 2, -2.5)).norm(), 0, 1e-12);
    EXPECT_NEAR((vec(full.eye) - vec(c.eye)).norm(), 0, 1e-12);
}

SnapshotObject triangle_object(const char* kind) {
    SnapshotObject o;
    o.kind = kind;
    o.point_count = 3;
    o.rest = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
    o.polygon_begin = {0, 3};
    o.polygon_vertex = {0, 2, 1};
    return o;
}

TEST(camera, bounds_hold_living_finite_drawn_points_only) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    SnapshotLayout layout;
    layout.objects = {triangle_object("cloth"), triangle_object("plane"), SnapshotObject{},
                      triangle_object("box")};
    layout.objects[2].draw_points = true;
    layout.objects[2].radius = 0.5;
    layout.objects[3].rigid = true;
    Snapshot s;
    s.objects.resize(4);
    s.objects[0].position = {{0, 0, 0}, {1, 2, 0}, {nan, 99, 0}};
    s.objects[1].position = {{-100, 0, 0}, {100, 0, 0}, {0, 0, 100}};
    s.objects[2].position = {{3, 0, 0}, {50, 0, 0}};
    s.objects[2].alive = {1, 0};
    s.objects[3].pose.position = {0, -4, 0};
    Bounds b = kEmptyBounds;
    EXPECT_TRUE(is_empty(b));
    add_bounds(layout, s, b);
    EXPECT_EQ(b.min, (Real3{0, -4, -0.5}));
    EXPECT_EQ(b.max, (Real3{3.5, 2, 1}));
}

TEST(camera, the_ground_is_the_highest_horizontal_plane_or_below_the_scene) {
    SnapshotLayout layout;
    layout.objects = {triangle_object("plane"), triangle_object("plane")};
    for (auto& o : layout.objects) o.rigid = true;
    Snapshot s;
    s.objects.resize(2);
    s.objects[0].pose.position = {0, -0.6, 0};
    // a wall: turned upright, higher, but no ground
    s.objects[1].pose = {{0, 5, 0}, real4(exp_rotation(Vec3(kPi / 2, 0, 0)))};
    const Bounds box{{-1, -2, -3}, {1, 2, 3}};
    EXPECT_DOUBLE_EQ(find_ground(layout, s, box, {0, 1, 0}), -0.6);
    EXPECT_DOUBLE_EQ(find_ground({}, {}, box, {0, 1, 0}), -2);
    EXPECT_DOUBLE_EQ(find_ground({}, {}, box, {0, 0, 1}), -3);
    EXPECT_DOUBLE_EQ(find_ground({}, {}, kEmptyBounds, {0, 0, 1}), 0);
}

} // namespace
} // namespace sinew
