#include "core/math.h"
#include "geometry/generate.h"
#include "geometry/mass.h"
#include "geometry/transform.h"
#include <gtest/gtest.h>

using namespace sinew;

static void expect_near(const Real3& a, const Real3& b, Real tolerance = 1e-14) {
    EXPECT_NEAR((vec(a) - vec(b)).norm(), 0, tolerance)
        << vec(a).transpose() << " and " << vec(b).transpose();
}

TEST(transform, scale_comes_before_rotation_before_translation) {
    const Real4 quarter = real4(exp_rotation({0, 0, kPi / 2})); // x to y
    const Transform t = make_transform({2, 3, 4}, quarter, {10, 20, 30});
    expect_near(transform_point(t, {1, 0, 0}), {10, 22, 30});
    expect_near(transform_point(t, {0, 1, 0}), {7, 20, 30});
    expect_near(transform_vector(t, {0, 0, 1}), {0, 0, 4});
}

TEST(transform, composition_and_inverse_agree_with_points) {
    const Transform a = make_transform({1, 2, 0.5}, real4(exp_rotation({1, 2, 3})), {1, -2, 3});
    const Transform b = make_transform(Pose{{4, 5, 6}, real4(exp_rotation({-1, 0.5, 0.1}))});
    const Real3 x{0.3, -0.7, 1.9};
    expect_near(transform_point(compose(a, b), x), transform_point(a, transform_point(b, x)));
    expect_near(transform_point(compose(*invert(a), a), x), x);
    EXPECT_FALSE(invert(make_transform({1, 0, 1}, {}, {})));
}

TEST(transform, a_rotation_not_of_unit_length_does_not_scale) {
    const Transform t = make_transform(Pose{{0, 0, 0}, {3, 0, 0, 3}});
    expect_near(transform_point(t, {1, 0, 0}), {0, 1, 0});
}

TEST(transform, normals_stay_perpendicular_under_uneven_scaling) {
    const Transform t = make_transform({1, 5, 0.2}, real4(exp_rotation({0.3, 0.2, 0.9})), {1, 1, 1});
    const Vec3 e = Vec3(1, 2, 3), f = Vec3(-1, 0.5, 0.2), n = e.cross(f).normalized();
    const Real3 m = transform_normal(t, real3(n));
    EXPECT_NEAR(vec(m).dot(vec(transform_vector(t, real3(e)))), 0, 1e-14);
    EXPECT_NEAR(vec(m).dot(vec(transform_vector(t, real3(f)))), 0, 1e-14);
    EXPECT_NEAR(vec(m).norm(), 1, 1e-15);
}

TEST(transform, a_mirrored_mesh_still_faces_outwards) {
    PolygonMesh m = make_uv_sphere(1, 8, 4);
    m.attributes.push_back({"normal", 3, {}});
    for (const Real3& x : m.positions)
        m.attributes[0].values.insert(m.attributes[0].values.end(), {x.x, x.y, x.z});
    const auto before = m;
    transform_mesh(make_transform({-2, 2, 2}, {}, {5, 0, 0}), m);
    const auto mass = mass_properties(m, 1);
    ASSERT_TRUE(mass);
    EXPECT_NEAR(mass.value->volume, 8 * mass_properties(before, 1).value->volume, 1e-12);
    for (int i = 0; i < vertex_count(m); ++i) {
        const Vec3 n(&m.attributes[0].values[3 * i]);
        EXPECT_NEAR((n - (vec(m.positions[i]) - Vec3(5, 0, 0)) / 2).norm(), 0, 1e-14);
    }
    // each corner keeps its texture coordinate, each polygon its first corner
    for (int p = 0; p < polygon_count(m); ++p) {
        const int begin = m.polygon_begin[p], n = polygon_size(m, p);
        for (int k = 0; k < n; ++k) {
            EXPECT_EQ(m.polygon_vertex[begin + k], before.polygon_vertex[begin + (n - k) % n]);
            EXPECT_EQ(m.polygon_uv[begin + k], before.polygon_uv[begin + (n - k) % n]);
        }
    }
}

TEST(transform, every_axis_can_be_turned_to_every_other_by_a_proper_rotation) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int s : {-1, 1})
                for (int t : {-1, 1}) {
                    const Mat3 r = mat(axis_rotation({i, s}, {j, t}));
                    EXPECT_EQ(Vec3(r * (s * Vec3::Unit(i))), Vec3(t * Vec3::Unit(j)));
                    EXPECT_EQ(Mat3(r * r.transpose()), Mat3(Mat3::Identity()));
                    EXPECT_EQ(r.determinant(), 1);
                }
}

TEST(transform, files_with_other_units_and_axes_come_to_metres_and_the_scenes_up) {
    const auto t = file_transform("cm", "z", "y");
    ASSERT_TRUE(t);
    expect_near(transform_point(*t.value, {100, 200, 300}), {1, 3, -2});
    expect_near(transform_point(*file_transform("in", "y", "y").value, {1, 2, 3}), {0.0254, 0.0508, 0.0762});
    expect_near(transform_point(*file_transform("m", "x", "y").value, {1, 2, 3}), {-2, 1, 3});
}

TEST(transform, wrong_units_and_axes_are_all_named) {
    const auto r = file_transform("kg", "up", "y");
    ASSERT_EQ(r.errors.size(), 2u);
    EXPECT_EQ(r.errors[0].path, "unit");
    EXPECT_EQ(r.errors[0].message, "this is no unit of length");
    EXPECT_EQ(r.errors[1].path, "up");
    EXPECT_FALSE(file_transform("parsnip", "y", "y"));
    EXPECT_FALSE(file_transform("m^2", "y", "y"));
    EXPECT_FALSE(parse_axis(""));
    EXPECT_FALSE(parse_axis("-"));
    EXPECT_FALSE(parse_axis("w"));
    EXPECT_FALSE(parse_axis("xy"));
    EXPECT_EQ(parse_axis("-Z")->sign, -1);
}
