#include "core/math.h"
#include "core/random.h"
#include "geometry/convex.h"
#include "geometry/generate.h"
#include "geometry/hull.h"
#include "geometry/mass.h"
#include "geometry/topology.h"
#include <gtest/gtest.h>
#include <set>

using namespace sinew;

static std::vector<Real3> rotated(std::vector<Real3> points, std::uint64_t seed,
                                  const Vec3& shift = Vec3::Zero()) {
    Rng rng{seed};
    const Quat q = quat(draw_rotation(rng));
    for (Real3& p : points) p = real3(q * vec(p) + shift);
    return points;
}

static Real extent_of(const std::vector<Real3>& points) {
    Vec3 lo = vec(points[0]), hi = lo;
    for (const Real3& p : points) lo = lo.cwiseMin(vec(p)), hi = hi.cwiseMax(vec(p));
    return (hi - lo).maxCoeff();
}

// Closed surface, Euler's formula, supporting planes, all points inside, convex polygons, adjacency
static void expect_valid(const HullShape& h, const std::vector<Real3>& points) {
    const Real extent = extent_of(points);
    const int faces = int(h.face_begin.size()) - 1;
    EXPECT_EQ(int(h.vertices.size()) - int(h.edges.size()) + faces, 2);
    const MeshCheck check = check_mesh(mesh_of(h));
    EXPECT_TRUE(check.closed && check.oriented && check.manifold) << describe(check);
    EXPECT_TRUE(check.unused_vertices.empty());
    ASSERT_EQ(int(h.face_normal.size()), faces);
    ASSERT_EQ(int(h.face_offset.size()), faces);
    // 2e-9: triangles within 1e-9 of a plane are joined, and the plane is that of the joined polygon
    Real outside = 0;
    for (int f = 0; f < faces; ++f) {
        const Vec3 n = vec(h.face_normal[f]);
        EXPECT_NEAR(n.norm(), 1, 1e-14);
        for (const Real3& p : points) outside = std::max(outside, n.dot(vec(p)) - h.face_offset[f]);
        for (int k = h.face_begin[f]; k < h.face_begin[f + 1]; ++k)
            EXPECT_NEAR(n.dot(vec(h.vertices[h.face_vertex[k]])), h.face_offset[f], 2e-9 * extent);
    }
    EXPECT_LE(outside, 2e-9 * extent);
    ASSERT_EQ(h.neighbor_begin.size(), h.vertices.size() + 1);
    EXPECT_EQ(h.neighbor.size(), 2 * h.edges.size());
    for (std::size_t e = 0; e < h.edges.size(); ++e) {
        EXPECT_LT(h.edges[e][0], h.edges[e][1]);
        EXPECT_NE(h.edge_faces[e][0], h.edge_faces[e][1]);
    }
}

TEST(hull, of_a_cloud_around_a_box_has_eight_vertices_and_six_quads) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        Rng rng{seed};
        std::vector<Real3> points = make_box({1, 2, 3}).positions;
        // points on faces and edges, inside, and copies of corners
        for (int i = 0; i < 300; ++i) {
            Real3 p{draw_uniform(rng, -0.5, 0.5), draw_uniform(rng, -1, 1), draw_uniform(rng, -1.5, 1.5)};
            if (i % 3) p[i % 2] = i % 2 ? 1 : 0.5;
            if (i % 5 == 0) p.z = 1.5;
            points.push_back(p);
        }
        points.push_back(points[3]);
        const std::vector<Real3> turned = rotated(points, seed, Vec3(seed, 0, 0));
        const auto h = make_hull(turned);
        ASSERT_TRUE(h);
        EXPECT_EQ(h.value->vertices.size(), 8u);
        EXPECT_EQ(h.value->edges.size(), 12u);
        EXPECT_EQ(h.value->face_normal.size(), 6u);
        expect_valid(*h.value, turned);
        const auto m = mass_properties(mesh_of(*h.value), 1);
        ASSERT_TRUE(m);
        EXPECT_NEAR(m.value->volume, 6, 1e-12);
        EXPECT_NEAR(m.value->principal_inertia.x + m.value->principal_inertia.y +
                        m.value->principal_inertia.z,
                    2 * 6 * (1 + 4 + 9) / 12.0, 1e-11); // box: m (b^2 + c^2) / 12 ...
    }
}

TEST(hull, of_an_icosphere_keeps_every_vertex_and_triangle) {
    for (int level = 0; level < 5; ++level) {
        const PolygonMesh m = make_icosphere(2, level);
        const auto h = make_hull(m.positions);
        ASSERT_TRUE(h);
        EXPECT_EQ(h.value->vertices.size(), m.positions.size());
        EXPECT_EQ(int(h.value->face_normal.size()), polygon_count(m));
        if (level < 4) expect_valid(*h.value, m.positions);
        EXPECT_NEAR(mass_properties(mesh_of(*h.value), 1).value->volume, mass_properties(m, 1).value->volume,
                    1e-11);
    }
}

TEST(hull, of_a_cylinder_has_two_caps_and_its_sides) {
    for (int sides : {3, 7, 64}) {
        const PolygonMesh m = make_cylinder(0.5, 2, sides);
        const auto points = rotated(m.positions, sides);
        const auto h = make_hull(points);
        ASSERT_TRUE(h);
        EXPECT_EQ(int(h.value->vertices.size()), 2 * sides);
        EXPECT_EQ(int(h.value->face_normal.size()), sides + 2);
        expect_valid(*h.value, points);
    }
}

TEST(hull, of_random_clouds_is_valid_at_any_scale_and_place) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        Rng rng{seed, 1};
        const Real scale = std::pow(10.0, draw_int(rng, 25) - 12);
        const Vec3 shift = vec(draw_in_ball(rng)) * scale * (seed % 4);
        const int count = 4 + draw_int(rng, 200);
        std::vector<Real3> points;
        for (int i = 0; i < count; ++i) {
            Vec3 p = vec(seed % 3 == 0 ? draw_unit_vector(rng) : draw_in_ball(rng));
            if (seed % 7 == 0) p = (p * 4).array().round() / 4; // many coplanar, collinear and equal points
            if (seed % 5 == 0) p.x() *= 1e-3;                   // thin
            points.push_back(real3(p * scale + shift));
        }
        const auto h = make_hull(points);
        if (!h) { // few rounded points may be flat
            EXPECT_TRUE(seed % 7 == 0 && count < 40) << seed;
            continue;
        }
        expect_valid(*h.value, points);
    }
}

TEST(hull, of_a_fine_lattice_is_its_box) {
    std::vector<Real3> points;
    for (int i = 0; i < 12; ++i)
        for (int j = 0; j < 12; ++j)
            for (int k = 0; k < 12; ++k) points.push_back({i / 11.0, j / 11.0, k / 11.0});
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        const auto turned = rotated(points, seed);
        const auto h = make_hull(turned);
        ASSERT_TRUE(h);
        EXPECT_EQ(h.value->vertices.size(), 8u);
        EXPECT_EQ(h.value->face_normal.size(), 6u);
        expect_valid(*h.value, turned);
    }
}

TEST(hull, refuses_flat_and_broken_input_by_name) {
    const auto message = [](const std::vector<Real3>& p) {
        const auto h = make_hull(p);
        return h || h.errors.empty() ? std::string() : h.errors[0].message;
    };
    EXPECT_EQ(message({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}),
              "a convex hull needs at least 4 points, there are 3");
    EXPECT_EQ(message(std::vector<Real3>(9, {1, 2, 3})), "all points of the hull are the same");
    std::vector<Real3> line, plane;
    Rng rng{3};
    for (int i = 0; i < 50; ++i) {
        line.push_back({1 + 0.1 * i, 2 - 0.3 * i, 0.7 * i});
        const Real u = draw_uniform(rng), v = draw_uniform(rng);
        plane.push_back({u + v, 2 * u - v, 0.3 * u});
    }
    EXPECT_EQ(message(line), "all points of the hull lie on a line");
    EXPECT_EQ(message(plane), "all points of the hull lie in a plane");
    plane[7].y = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(message(plane), "point 7 of the hull is not finite");
    EXPECT_EQ(message({{-1e308, 0, 0}, {1e308, 0, 0}, {0, 1e308, 0}, {0, 0, 1e308}}),
              "the points of the hull are too far apart");
}

TEST(hull, does_not_depend_on_the_order_of_well_separated_points) {
    std::vector<Real3> points = make_icosphere(1, 2).positions;
    std::vector<Real3> reversed(points.rbegin(), points.rend());
    const auto a = make_hull(points), b = make_hull(reversed);
    std::set<std::array<Real, 3>> na, nb;
    for (const Real3& v : a.value->vertices) na.insert({v.x, v.y, v.z});
    for (const Real3& v : b.value->vertices) nb.insert({v.x, v.y, v.z});
    EXPECT_EQ(na, nb);
    EXPECT_EQ(a.value->edges.size(), b.value->edges.size());
}

TEST(hull, box_hull_equals_the_hull_of_the_corners) {
    const HullShape h = make_box_hull({1, 2, 3});
    expect_valid(h, h.vertices);
    EXPECT_EQ(h.edges.size(), 12u);
}
