#include "core/math.h"
#include "data_path.h"
#include "geometry/generate.h"
#include "geometry/mass.h"
#include "geometry/read_mesh.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace sinew;

static PolygonMesh moved(PolygonMesh m, const Quat& rotation, const Vec3& offset) {
    for (Real3& x : m.positions) x = real3(rotation * vec(x) + offset);
    return m;
}

static std::string mass_error(const PolygonMesh& m, Real density = 1) {
    const auto r = mass_properties(m, density);
    return r ? "accepted" : r.errors[0].message;
}

// spec P, V11: V = 6, I = diag(6.5, 5, 2.5), off-diagonal < 2e-15
TEST(mass, v11_an_offset_box_has_its_closed_form) {
    const auto r = mass_properties(moved(make_box({1, 2, 3}), Quat::Identity(), {4, -7, 2}), 1);
    ASSERT_TRUE(r);
    EXPECT_NEAR(r.value->volume, 6, 1e-14);
    EXPECT_NEAR((vec(r.value->center) - Vec3(4, -7, 2)).norm(), 0, 1e-14);
    const Mat3 I = mat(r.value->inertia);
    const Real expected[3] = {6.5, 5, 2.5};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) EXPECT_NEAR(I(i, j), i == j ? expected[i] : 0, i == j ? 1e-14 : 2e-15);
    EXPECT_EQ(r.value->principal_frame, (Real4{1, 0, 0, 0}));
}

TEST(mass, an_offset_of_a_million_sizes_costs_no_digits) {
    // coordinates are exact in binary, so only the sums can lose digits
    const auto r =
        mass_properties(moved(make_box({1, 2, 3}), Quat::Identity(), {1048576, -2097152, 524288}), 1);
    ASSERT_TRUE(r);
    EXPECT_NEAR(r.value->volume, 6, 1e-14);
    EXPECT_NEAR((mat(r.value->inertia) - Vec3(6.5, 5, 2.5).asDiagonal().toDenseMatrix()).norm(), 0, 2e-14);
    EXPECT_EQ(r.value->center, (Real3{1048576, -2097152, 524288}));
}

TEST(mass, a_turned_box_keeps_its_moments_and_its_frame_turns_with_it) {
    const Quat q = exp_rotation({0.4, -1.1, 2.0});
    const auto r = mass_properties(moved(make_box({1, 2, 3}), q, {1, 2, 3}), 2);
    ASSERT_TRUE(r);
    const MassProperties& m = *r.value;
    EXPECT_NEAR(m.mass, 12, 1e-13);
    Real sorted[3] = {m.principal_inertia.x, m.principal_inertia.y, m.principal_inertia.z};
    std::sort(sorted, sorted + 3);
    EXPECT_NEAR(sorted[0], 5, 1e-13);
    EXPECT_NEAR(sorted[1], 10, 1e-13);
    EXPECT_NEAR(sorted[2], 13, 1e-13);
    const Mat3 R = quat(m.principal_frame).toRotationMatrix();
    EXPECT_NEAR((R * vec(m.principal_inertia).asDiagonal() * R.transpose() - mat(m.inertia)).norm(), 0,
                1e-13);
    const Mat3 turned =
        q.toRotationMatrix() * Vec3(13, 10, 5).asDiagonal() * q.toRotationMatrix().transpose();
    EXPECT_NEAR((turned - mat(m.inertia)).norm(), 0, 1e-13);
}

// largest relative difference of mass, moments and centre
static Real difference(const PolygonMesh& mesh, const MassProperties& exact) {
    const auto r = mass_properties(mesh, 700);
    EXPECT_TRUE(r) << r.errors[0].message;
    if (!r) return 1;
    const Real inertia = (mat(r.value->inertia) - mat(exact.inertia)).norm() / mat(exact.inertia).norm();
    const Real center = (vec(r.value->center) - vec(exact.center)).norm();
    return std::max({std::abs(r.value->mass / exact.mass - 1), inertia, center});
}

// V11: a mesh of edge h differs from the round body by O(h^2): halving h quarters the error. The ratio
// differs from 4 by O(h^2) itself, 0.1 at these sizes.
TEST(mass, v11_meshes_of_round_bodies_converge_with_the_square_of_the_edge) {
    const auto expect_order = [](const char* name, Real coarse, Real fine) {
        EXPECT_NEAR(coarse / fine, 4, 0.1) << name;
        EXPECT_LT(fine, 0.02) << name;
    };
    const Real r = 0.7, h = 1.3, rho = 700;
    expect_order("icosphere", difference(make_icosphere(r, 3), sphere_mass(r, rho)),
                 difference(make_icosphere(r, 4), sphere_mass(r, rho)));
    expect_order("uv sphere", difference(make_uv_sphere(r, 32, 16), sphere_mass(r, rho)),
                 difference(make_uv_sphere(r, 64, 32), sphere_mass(r, rho)));
    expect_order("capsule", difference(make_capsule(r, h, 32, 8), capsule_mass(r, h, rho)),
                 difference(make_capsule(r, h, 64, 16), capsule_mass(r, h, rho)));
    expect_order("cylinder", difference(make_cylinder(r, h, 32), cylinder_mass(r, h, rho)),
                 difference(make_cylinder(r, h, 64), cylinder_mass(r, h, rho)));
    expect_order("cone", difference(make_cone(r, h, 32), cone_mass(r, h, rho)),
                 difference(make_cone(r, h, 64), cone_mass(r, h, rho)));
    EXPECT_LT(difference(make_box({1, 2, 3}), box_mass({1, 2, 3}, rho)), 1e-14);
}

TEST(mass, a_cavity_is_subtracted) {
    PolygonMesh m = make_box({4, 4, 4});
    const PolygonMesh inner = make_box({2, 2, 2});
    m.positions.insert(m.positions.end(), inner.positions.begin(), inner.positions.end());
    for (int p = 0; p < 6; ++p) {
        std::vector<int> q(inner.polygon_vertex.begin() + 4 * p, inner.polygon_vertex.begin() + 4 * p + 4);
        std::reverse(q.begin(), q.end());
        for (int& v : q) v += 8;
        add_polygon(m, q);
    }
    const auto r = mass_properties(m, 1);
    ASSERT_TRUE(r);
    EXPECT_NEAR(r.value->volume, 56, 1e-13);
    EXPECT_NEAR(r.value->principal_inertia.x, 64 * 32.0 / 12 - 8 * 8.0 / 12,
                1e-12); // m (b^2 + c^2) / 12 each
}

TEST(mass, what_bounds_no_volume_is_refused_with_the_reason) {
    PolygonMesh open = make_box({1, 1, 1});
    open.polygon_begin.pop_back();
    open.polygon_vertex.resize(20);
    EXPECT_EQ(mass_error(open), "the mesh does not bound a volume: 4 open edges (4-5, 4-6, 5-7, 6-7)");
    PolygonMesh inward = make_box({1, 1, 1});
    for (int p = 0; p < 6; ++p)
        std::reverse(inward.polygon_vertex.begin() + 4 * p, inward.polygon_vertex.begin() + 4 * p + 4);
    EXPECT_EQ(mass_error(inward), "the volume is negative: the polygons face inwards");
    EXPECT_EQ(mass_error(make_box({1, 0, 1})), "the mesh has no volume");
    EXPECT_EQ(mass_error(PolygonMesh{}), "the mesh does not bound a volume: it has no polygons");
    EXPECT_EQ(mass_error(make_box({1, 1, 1}), 0), "the density must be positive and finite");
    EXPECT_EQ(mass_error(make_box({1e200, 1e200, 1e200})), "the mesh is too large for its mass to be computed");
    PolygonMesh broken = make_box({1, 1, 1});
    broken.polygon_vertex[3] = 99;
    EXPECT_EQ(mass_error(broken), "index out of range");
}

TEST(mass, thin_plates_and_tiny_bodies_have_mass) {
    const auto plate = mass_properties(make_box({1, 1e-6, 1}), 1000);
    ASSERT_TRUE(plate);
    EXPECT_NEAR(plate.value->mass / 1e-3, 1, 1e-9); // rounding of 1e-6 / 2 beside 1
    const auto grain = mass_properties(moved(make_icosphere(1e-7, 2), Quat::Identity(), {1, 1, 1}), 1000);
    EXPECT_TRUE(grain);
}

TEST(mass, another_mass_scales_the_inertia) {
    const MassProperties m = scale_mass(sphere_mass(1, 1), 5);
    EXPECT_EQ(m.mass, 5);
    EXPECT_NEAR(m.principal_inertia.y, 2, 1e-15);
    EXPECT_NEAR(m.inertia(0, 0), 2, 1e-15);
}

TEST(mass, diagonalisation_rebuilds_any_symmetric_matrix) {
    for (int trial = 0; trial < 200; ++trial) {
        const Mat3 a = Mat3::Random(), s = a + a.transpose();
        Real3 moments;
        Real4 rotation;
        diagonalise(real33(s), moments, rotation);
        const Mat3 R = quat(rotation).toRotationMatrix();
        EXPECT_NEAR((R * vec(moments).asDiagonal() * R.transpose() - s).norm(), 0, 1e-14);
        EXPECT_NEAR(R.determinant(), 1, 1e-14);
    }
    Real3 moments;
    Real4 rotation;
    diagonalise(real33(Mat3::Constant(1)), moments, rotation); // rank one
    EXPECT_NEAR(moments.x + moments.y + moments.z, 3, 1e-14);
    diagonalise(real33(Mat3::Zero()), moments, rotation);
    EXPECT_EQ(rotation, (Real4{1, 0, 0, 0}));
}

TEST(mass, known_models_have_mass_or_a_reason) {
    const std::string spot = find_data("meshes/spot.obj"), bunny = find_data("meshes/bunny.obj");
    if (spot.empty() || bunny.empty()) GTEST_SKIP() << "no mesh data";
    const auto r = mass_properties(*read_mesh(spot).value, 1000);
    ASSERT_TRUE(r) << r.errors[0].message;
    const Real3& p = r.value->principal_inertia;
    EXPECT_GT(p.x + p.y, p.z);
    EXPECT_GT(p.y + p.z, p.x);
    EXPECT_GT(p.z + p.x, p.y);
    EXPECT_NE(mass_error(*read_mesh(bunny).value).find("open edges"),
              std::string::npos); // the scan has holes below
}

// A body cut into pieces has the sum of their mass properties: a box of two halves and a quarter turned about, and parts of
// different density against the sums by hand.
TEST(mass, bodies_fixed_together_have_the_sum_of_their_masses_and_moments) {
    const Quat turn(Eigen::AngleAxisd(0.5 * kPi, Vec3::UnitY())), common(Eigen::AngleAxisd(0.8, Vec3(1, 2, -1).normalized()));
    const Vec3 offset(3, -1, 2);
    // box 2 x 1 x 1 about the origin, its right half written as a box turned by a quarter
    const std::vector<MassProperties> halves{box_mass({1, 1, 1}, 700), box_mass({1, 1, 1}, 700)};
    const auto placed = [&](const Vec3& p, const Quat& q) { return Pose{real3(offset + common * p), real4(common * q)}; };
    const std::vector<Pose> poses{placed({-0.5, 0, 0}, Quat::Identity()), placed({0.5, 0, 0}, turn)};
    const MassProperties joined = join_mass(halves, poses), whole = box_mass({2, 1, 1}, 700);
    EXPECT_NEAR(joined.mass, whole.mass, 1e-12 * whole.mass);
    EXPECT_NEAR(joined.volume, 2, 1e-14);
    EXPECT_NEAR((vec(joined.center) - offset).norm(), 0, 1e-14);
    const Mat3 R = common.toRotationMatrix();
    EXPECT_NEAR((mat(joined.inertia) - R * mat(whole.inertia) * R.transpose()).norm(), 0, 1e-12 * whole.mass);
    // a ball of 2 kg and one of 1 kg, 3 m apart along x: centre at 1 m, moment about y: 2 * 1 + 1 * 4 plus their own
    const MassProperties a = scale_mass(sphere_mass(0.1, 1), 2), b = scale_mass(sphere_mass(0.2, 1), 1);
    const MassProperties pair = join_mass(std::vector{a, b}, std::vector<Pose>{{}, {{3, 0, 0}, {}}});
    EXPECT_NEAR(pair.center.x, 1, 1e-15);
    EXPECT_NEAR(pair.inertia(1, 1), 6 + 0.4 * (2 * 0.01 + 0.04), 1e-14);
    EXPECT_NEAR(pair.inertia(0, 0), 0.4 * (2 * 0.01 + 0.04), 1e-14);
    // a cone's own centre is not its origin
    const MassProperties cone = join_mass(std::vector{cone_mass(1, 2, 1)}, std::vector<Pose>{{{0, 5, 0}, real4(turn)}});
    EXPECT_NEAR(cone.center.y, 4.5, 1e-14);
}
