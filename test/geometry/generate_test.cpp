#include "core/math.h"
#include "geometry/generate.h"
#include "geometry/mass.h"
#include "geometry/topology.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace sinew;

static std::vector<std::pair<const char*, PolygonMesh>> closed_shapes() {
    return {{"box", make_box({1, 2, 3})},
            {"icosphere", make_icosphere(2, 2)},
            {"uv_sphere", make_uv_sphere(2, 7, 5)},
            {"smallest uv_sphere", make_uv_sphere(1, 0, 0)},
            {"capsule", make_capsule(0.5, 2, 8, 3)},
            {"smallest capsule", make_capsule(1, 1, 0, 0)},
            {"cylinder", make_cylinder(1, 2, 9)},
            {"cone", make_cone(1, 2, 9)}};
}

TEST(generate, closed_shapes_are_manifold_and_oriented_outwards) {
    for (const auto& [name, m] : closed_shapes()) {
        EXPECT_TRUE(validate_mesh(m).empty()) << name;
        const MeshCheck c = check_mesh(m);
        EXPECT_TRUE(c.closed && c.oriented && c.manifold) << name;
        EXPECT_EQ(describe(c), "") << name;
        const auto mass = mass_properties(m, 1);
        ASSERT_TRUE(mass) << name;
        EXPECT_GT(mass.value->volume, 0) << name;
        // Euler: V - E + F = 2
        EXPECT_EQ(vertex_count(m) - int(unique_edges(m).size()) + polygon_count(m), 2) << name;
    }
}

TEST(generate, vertices_lie_on_the_shape) {
    for (const PolygonMesh& m : {make_icosphere(2, 3), make_uv_sphere(2, 12, 8)})
        for (const Real3& x : m.positions) EXPECT_NEAR(vec(x).norm(), 2, 1e-15 * 8); // a few roundings
    for (const Real3& x : make_capsule(0.5, 2, 8, 3).positions) {
        const Vec3 axis(0, std::clamp(x.y, -1.0, 1.0), 0);
        EXPECT_NEAR((vec(x) - axis).norm(), 0.5, 1e-15);
    }
    EXPECT_EQ(vertex_count(make_icosphere(1, 3)), 10 * 64 + 2);
}

TEST(generate, a_grid_faces_up_and_its_texture_is_not_mirrored) {
    const PolygonMesh m = make_grid(3, 2, 6, 4);
    EXPECT_EQ(vertex_count(m), 12);
    EXPECT_EQ(polygon_count(m), 6);
    EXPECT_EQ(m.positions[0], (Real3{-3, 0, -2}));
    EXPECT_EQ(m.positions[3], (Real3{3, 0, -2}));
    EXPECT_EQ(m.positions[11], (Real3{3, 0, 2}));
    EXPECT_TRUE(validate_mesh(m).empty());
    for (int p = 0; p < polygon_count(m); ++p) {
        const int c = m.polygon_begin[p];
        const auto x = [&](int k) { return vec(m.positions[m.polygon_vertex[c + k]]); };
        const auto u = [&](int k) { return m.uv[m.polygon_uv[c + k]]; };
        EXPECT_GT((x(1) - x(0)).cross(x(2) - x(0)).y(), 0);
        const Real uv_area =
            (u(1)[0] - u(0)[0]) * (u(2)[1] - u(0)[1]) - (u(1)[1] - u(0)[1]) * (u(2)[0] - u(0)[0]);
        EXPECT_GT(uv_area, 0);
    }
    EXPECT_EQ(*find_vertex_group(m, "x_max"), (std::vector<int>{3, 7, 11}));
    EXPECT_EQ(*find_vertex_group(m, "corners"), (std::vector<int>{0, 3, 8, 11}));
    EXPECT_EQ(boundary_vertices(m, build_edges(m)).size(), 10u);
    EXPECT_EQ(polygon_count(make_quad(1, 1)), 1);
}

TEST(generate, texture_of_a_sphere_is_not_mirrored) {
    const PolygonMesh m = make_uv_sphere(1, 8, 4);
    EXPECT_EQ(m.polygon_uv.size(), m.polygon_vertex.size());
    for (int p = 0; p < polygon_count(m); ++p) {
        const int c = m.polygon_begin[p];
        const auto u = [&](int k) { return m.uv[m.polygon_uv[c + k]]; };
        EXPECT_GT((u(1)[0] - u(0)[0]) * (u(2)[1] - u(0)[1]) - (u(1)[1] - u(0)[1]) * (u(2)[0] - u(0)[0]), 0)
            << p;
    }
}

TEST(generate, a_line_turned_about_the_axis) {
    using Line = std::vector<std::array<Real, 2>>;
    // a double cone, whichever way the line runs: two poles and n vertices, volume of the pyramids over a regular polygon
    const int n = 12;
    const Real base = 0.5 * n * std::sin(2 * kPi / n) * 4; // area, radius 2
    for (const Line& line : {Line{{0, 1}, {2, 0}, {0, -3}}, Line{{0, -3}, {2, 0}, {0, 1}}}) {
        const PolygonMesh m = make_lathe(line, n, 0);
        EXPECT_EQ(vertex_count(m), n + 2);
        EXPECT_EQ(describe(check_mesh(m)), "");
        EXPECT_NEAR(mass_properties(m, 1).value->volume, base * 4 / 3, 1e-13); // roundings of sums of 24 terms
    }
    // a square ring: closed, of genus 1, n times the prism over its cross-section cut along planes (Pappus for a polygon)
    const PolygonMesh ring = make_lathe(Line{{1, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 0}}, n, 0.5);
    EXPECT_EQ(vertex_count(ring), 8 * n);
    const MeshCheck c = check_mesh(ring);
    EXPECT_TRUE(c.closed && c.oriented && c.manifold);
    EXPECT_EQ(vertex_count(ring) - int(unique_edges(ring).size()) + polygon_count(ring), 0);
    EXPECT_NEAR(mass_properties(ring, 1).value->volume, 0.5 * n * std::sin(2 * kPi / n) * (4 - 1), 1e-13);
    EXPECT_TRUE(ring.vertex_groups.empty());
    // a skirt: open at both ends, cut into rows of at most `cell`, all on the cone, normals away from the axis
    const PolygonMesh skirt = make_lathe(Line{{0.2, 1}, {0.8, 0.2}}, 16, 0.3);
    EXPECT_EQ(vertex_count(skirt), 16 * 5); // length 1: four parts of 0.25
    EXPECT_EQ(find_vertex_group(skirt, "first")->size(), 16u);
    EXPECT_EQ(find_vertex_group(skirt, "last")->back(), 79);
    for (const Real3& x : skirt.positions) EXPECT_NEAR(std::hypot(x.x, x.z), 0.2 + 0.75 * (1 - x.y), 1e-15);
    for (int p = 0; p < polygon_count(skirt); ++p) {
        const auto x = [&](int k) { return vec(skirt.positions[skirt.polygon_vertex[skirt.polygon_begin[p] + k]]); };
        EXPECT_GT((x(1) - x(0)).cross(x(2) - x(0)).dot(Vec3(x(0).x(), 0, x(0).z())), 0);
    }
}

TEST(generate, a_chain_begins_and_ends_exactly_where_asked) {
    const Real3 a{0.1, 0.2, 0.3}, b{1.7, -0.4, 0.9};
    const PolygonMesh m = make_chain(a, b, 7);
    EXPECT_EQ(vertex_count(m), 8);
    EXPECT_EQ(m.segments.size(), 7u);
    EXPECT_EQ(m.positions.front(), a);
    EXPECT_EQ(m.positions.back(), b);
    for (const auto& s : m.segments)
        EXPECT_NEAR((vec(m.positions[s[1]]) - vec(m.positions[s[0]])).norm(), (vec(b) - vec(a)).norm() / 7,
                    1e-15);
    EXPECT_EQ(*find_vertex_group(m, "last"), (std::vector<int>{7}));
}
