#include "collision/mesh_convex.h"
#include "core/random.h"
#include "geometry/convex_closest.h"
#include "geometry/generate.h"
#include "geometry/height_field.h"
#include "geometry/hull.h"
#include "geometry/triangle_shape.h"
#include <gtest/gtest.h>

using namespace sinew;

static Convex box(Real x, Real y, Real z) {
    Convex c;
    c.core = Convex::box;
    c.size = {x, y, z};
    return c;
}
static Convex ball(Real radius) {
    Convex c;
    c.radius = radius;
    return c;
}
static Convex capsule(Real radius, Real half) {
    Convex c = ball(radius);
    c.core = Convex::segment;
    c.size.y() = half;
    return c;
}

struct Fixture {
    TriangleShape shape;
    MeshSurface surface;
    MeshContactScratch scratch;
    std::vector<Manifold> found;
    explicit Fixture(TriangleShape s) : shape(std::move(s)), surface(build_mesh_surface(shape)) {}
    bool collide(const Convex& c, const Placement& f, Real margin = 0.001, const Placement& mesh = {}) {
        return collide_mesh_convex(surface, mesh, 0, c, f, margin, scratch, found);
    }
};

// y = slope |x - middle|: a roof (slope < 0) or a valley
static TriangleShape folded_sheet(Real slope) {
    PolygonMesh m = make_grid(8, 8, 4, 4);
    for (Real3& x : m.positions) x.y = slope * std::abs(x.x);
    return shape_of(m);
}

TEST(mesh_convex, a_box_on_a_triangulated_floor_gets_the_floor_normal_only) {
    Fixture floor(shape_of(make_grid(24, 20, 6, 5)));
    HeightFieldShape field{25, 21, 0.25, 0.25, std::vector<double>(25 * 21, 0.0)};
    const HullShape hull = make_box_hull({0.3, 0.2, 0.4});
    Convex h;
    h.core = Convex::hull;
    h.hull_data = &hull;
    Rng rng{1};
    MeshContactScratch scratch;
    std::vector<Manifold> on_field;
    for (int trial = 0; trial < 3000; ++trial) {
        const Real depth = draw_uniform(rng, -0.01, 0.0005);
        const Vec3 at(draw_uniform(rng, -2, 2), 0.2 + depth, draw_uniform(rng, -1.5, 1.5));
        // turned about y, and every third time aligned with the grid, edges over edges
        const Vec3 turn(0, trial % 3 ? draw_uniform(rng, 0, 7) : 0, 0);
        const Vec3 snapped = trial % 6 == 0 ? Vec3(std::round(at.x() / 0.25) * 0.25 + 0.05, at.y(), std::round(at.z() / 0.25) * 0.25 + 0.1) : at;
        for (const Convex& c : {box(0.3, 0.2, 0.4), h}) {
            ASSERT_TRUE(floor.collide(c, turned_at(snapped, turn))) << trial;
            ASSERT_EQ(floor.found.size(), 1u) << trial;
            const Manifold& m = floor.found[0];
            ASSERT_LE((m.normal - Vec3::UnitY()).norm(), 1e-12) << trial;
            ASSERT_EQ(m.count, 4) << trial;
            Vec3 middle = Vec3::Zero();
            for (int i = 0; i < 4; ++i) {
                ASSERT_NEAR(m.point[i].gap, depth, 1e-12);
                // corners of the box: their distance from its axis
                ASSERT_NEAR((m.point[i].on_b - snapped).cwiseProduct(Vec3(1, 0, 1)).norm(), 0.5, 1e-6) << trial;
                middle += m.point[i].on_b / 4;
            }
            ASSERT_NEAR((middle - snapped).cwiseProduct(Vec3(1, 0, 1)).norm(), 0, 1e-6);
            ASSERT_TRUE(collide_height_field_convex(field, turned_at({-3, 0, -2.5}), 0, c, turned_at(snapped, turn), 0.001, scratch, on_field));
            ASSERT_EQ(on_field.size(), 1u) << trial;
            ASSERT_LE((on_field[0].normal - Vec3::UnitY()).norm(), 1e-12);
            ASSERT_EQ(on_field[0].count, 4);
        }
    }
}

TEST(mesh_convex, other_shapes_on_the_floor_get_its_normal_too) {
    Fixture floor(shape_of(make_grid(24, 20, 6, 5)));
    Convex cylinder, cone;
    cylinder.core = Convex::cylinder, cylinder.size = {0.3, 0.2, 0};
    cone.core = Convex::cone, cone.size = {0.3, 0.2, 0};
    Rng rng{2};
    for (int trial = 0; trial < 2000; ++trial) {
        const Real depth = draw_uniform(rng, -0.01, 0.0005);
        const Vec3 at(draw_uniform(rng, -2, 2), 0.2 + depth, draw_uniform(rng, -1.5, 1.5));
        const Vec3 lying = Vec3(kPi / 2, 0, 0);
        struct Case {
            Convex c;
            Vec3 turn;
        };
        for (const Case& k : {Case{ball(0.2), {}}, Case{capsule(0.2, 0.5), lying}, Case{cylinder, {0, 1, 0}}, Case{cone, {0, 1, 0}}}) {
            ASSERT_TRUE(floor.collide(k.c, turned_at(at, k.turn))) << trial << " " << k.c.core;
            for (const Manifold& m : floor.found) {
                ASSERT_LE((m.normal - Vec3::UnitY()).norm(), 1e-12) << trial << " " << k.c.core;
                Real deepest = 1;
                for (int i = 0; i < m.count; ++i) deepest = std::min(deepest, m.point[i].gap);
                ASSERT_NEAR(deepest, depth, 1e-9) << k.c.core;
            }
        }
    }
}

// A contact step without friction: gravity, then impulses along the normals until no point approaches.
TEST(mesh_convex, a_box_slides_over_the_floor_without_a_bump) {
    Fixture floor(shape_of(make_grid(40, 12, 8, 2.4)));
    const Convex c = box(0.25, 0.1, 0.2);
    const Real dt = 1.0 / 240, mass = 5;
    const Vec3 inertia = mass / 3 * Vec3(0.1 * 0.1 + 0.2 * 0.2, 0.25 * 0.25 + 0.2 * 0.2, 0.25 * 0.25 + 0.1 * 0.1);
    Vec3 p(-3.4, 0.1, 0.03), v(2, 0, 0.11), w = Vec3::Zero();
    Quat q = exp_rotation({0, 0.3, 0});
    const Vec3 v0 = v;
    Real largest = 0;
    int contacts = 0;
    for (int step = 0; step < 700; ++step) {
        const Placement f{q.toRotationMatrix(), p};
        const Mat3 inverse = f.R * inertia.cwiseInverse().asDiagonal() * f.R.transpose();
        v.y() -= 9.81 * dt;
        floor.collide(c, f, 0.002);
        struct Point {
            Vec3 r, n;
            Real target, impulse;
        };
        std::vector<Point> points;
        for (const Manifold& m : floor.found)
            for (int i = 0; i < m.count; ++i)
                points.push_back({m.point[i].on_b - p, m.normal, m.point[i].gap > 0 ? -m.point[i].gap / dt : 0, 0});
        contacts += int(points.size());
        for (int sweep = 0; sweep < 400; ++sweep)
            for (Point& k : points) {
                const Real speed = k.n.dot(v + w.cross(k.r)), weight = 1 / mass + k.n.dot((inverse * k.r.cross(k.n)).cross(k.r));
                const Real next = std::max(0.0, k.impulse + (k.target - speed) / weight), change = next - k.impulse;
                k.impulse = next;
                v += change / mass * k.n;
                w += change * (inverse * k.r.cross(k.n));
            }
        p += dt * v;
        q = (exp_rotation(dt * w) * q).normalized();
        largest = std::max({largest, (v - v0).norm(), w.norm()});
    }
    EXPECT_GT(p.x(), 2.0); // it crossed 29 rows of triangles
    EXPECT_EQ(contacts, 4 * 700);
    EXPECT_LT(largest, 1e-6);
}

TEST(mesh_convex, a_ridge_carries_a_box_and_pushes_a_ball_away_from_it) {
    Fixture roof(folded_sheet(-0.5));
    roof.surface.one_sided = true;
    ASSERT_TRUE(roof.collide(box(0.4, 0.1, 0.3), turned_at({0.05, 0.099, 0.02})));
    Real deepest = 1;
    for (const Manifold& m : roof.found) {
        EXPECT_GE(m.normal.y(), 0.89); // between the two slopes' normals
        for (int i = 0; i < m.count; ++i) deepest = std::min(deepest, m.point[i].gap);
    }
    EXPECT_NEAR(deepest, -0.001, 1e-9);
    // a ball over the ridge, to the side by less than the slope's normal: the ridge's edge points to its centre
    const Vec3 center(0.03, 0.195, 0.1);
    ASSERT_TRUE(roof.collide(ball(0.2), turned_at(center)));
    ASSERT_EQ(roof.found.size(), 1u);
    EXPECT_NEAR((roof.found[0].normal - Vec3(center.x(), center.y(), 0).normalized()).norm(), 0, 1e-9);
    EXPECT_NEAR(roof.found[0].point[0].gap, std::hypot(0.03, 0.195) - 0.2, 1e-12);
}

TEST(mesh_convex, a_valley_holds_a_ball_by_both_slopes_and_by_nothing_else) {
    Fixture valley(folded_sheet(0.5));
    valley.surface.one_sided = true;
    const Vec3 n1 = Vec3(-0.5, 1, 0).normalized(), n2 = Vec3(0.5, 1, 0).normalized();
    for (Real z : {0.0, 0.13, 0.25}) {
        ASSERT_TRUE(valley.collide(ball(0.2), turned_at({0, 0.2 * std::sqrt(1.25) - 0.001, z})));
        ASSERT_EQ(valley.found.size(), 2u);
        for (const Manifold& m : valley.found) EXPECT_LT(std::min((m.normal - n1).norm(), (m.normal - n2).norm()), 1e-12);
    }
}

TEST(mesh_convex, an_open_sheet_pushes_to_both_sides) {
    Fixture sheet(shape_of(make_grid(8, 8, 4, 4)));
    EXPECT_FALSE(sheet.surface.one_sided);
    for (Real side : {1.0, -1.0}) {
        ASSERT_TRUE(sheet.collide(box(0.3, 0.2, 0.3), turned_at({0.1, side * 0.19, 0.2})));
        ASSERT_EQ(sheet.found.size(), 1u);
        EXPECT_EQ(sheet.found[0].normal, Vec3(0, side, 0));
        EXPECT_NEAR(sheet.found[0].point[0].gap, -0.01, 1e-12);
    }
}

TEST(mesh_convex, a_box_on_a_box_mesh_overhanging_its_edge_is_pushed_up_only) {
    PolygonMesh m = make_box({2, 2, 2});
    Fixture crate(shape_of(m));
    EXPECT_TRUE(crate.surface.one_sided);
    Rng rng{3};
    for (int trial = 0; trial < 500; ++trial) {
        const Vec3 at(draw_uniform(rng, 0.5, 1.05), 1.2 - 0.004, draw_uniform(rng, -0.6, 0.6));
        ASSERT_TRUE(crate.collide(box(0.3, 0.2, 0.3), turned_at(at, {0, draw_uniform(rng, 0, 3), 0})));
        for (const Manifold& k : crate.found) ASSERT_LE((k.normal - Vec3::UnitY()).norm(), 1e-12) << trial;
    }
    // a corner of the mesh pushes a ball along the line to its centre
    const Vec3 d = Vec3(1, 0.8, 0.6).normalized();
    ASSERT_TRUE(crate.collide(ball(0.3), turned_at(Vec3(1, 1, 1) + 0.29 * d)));
    ASSERT_EQ(crate.found.size(), 1u);
    EXPECT_NEAR((crate.found[0].normal - d).norm(), 0, 1e-9);
    EXPECT_NEAR(crate.found[0].point[0].gap, -0.01, 1e-12);
}

TEST(mesh_convex, balls_outside_a_convex_mesh_get_the_distance_and_normal_of_the_hull) {
    const PolygonMesh mesh = make_icosphere(1, 2);
    Fixture sphere(shape_of(mesh));
    const Result<HullShape> hull = make_hull(mesh.positions);
    ASSERT_TRUE(hull);
    Convex h;
    h.core = Convex::hull;
    h.hull_data = &*hull.value;
    Rng rng{4};
    const Placement where = turned_at({0.3, -2, 1}, {1, 0.5, -0.7});
    for (int trial = 0; trial < 1000; ++trial) {
        const Vec3 p = draw_uniform(rng, 1.0, 1.35) * Vec3(vec(draw_unit_vector(rng)));
        const ClosestPoint exact = closest_point(h, p);
        const bool touches = sphere.collide(ball(0.2), turned_at(at(where, p)), 0.05, where);
        ASSERT_EQ(touches, exact.distance - 0.2 <= 0.05);
        if (!touches) continue;
        Real deepest = 1;
        for (const Manifold& m : sphere.found)
            for (int i = 0; i < m.count; ++i) {
                if (m.point[i].gap >= deepest) continue;
                deepest = m.point[i].gap;
                // normals are snapped by at most 1e-3
                EXPECT_NEAR((m.normal - where.R * exact.normal).norm(), 0, 1.1e-3);
            }
        ASSERT_NEAR(deepest, exact.distance - 0.2, 1e-6);
    }
}

TEST(mesh_convex, a_half_space_touches_the_lowest_vertices) {
    Fixture crate(shape_of(make_box({2, 2, 2})));
    Convex ground;
    ground.core = Convex::half_space;
    ASSERT_TRUE(crate.collide(ground, turned_at({0, -0.99, 0})));
    ASSERT_EQ(crate.found.size(), 1u);
    EXPECT_EQ(crate.found[0].count, 4);
    EXPECT_EQ(crate.found[0].normal, Vec3(0, -1, 0));
    EXPECT_NEAR(crate.found[0].point[0].gap, -0.01, 1e-12);
}

TEST(mesh_convex, a_height_field_is_solid_below_and_thickness_grows_a_mesh) {
    HeightFieldShape field{9, 9, 0.5, 0.5, {}};
    for (int k = 0; k < 9; ++k)
        for (int i = 0; i < 9; ++i) field.height.push_back(0.1 * i);
    MeshContactScratch scratch;
    std::vector<Manifold> found;
    const Vec3 n = Vec3(-0.2, 1, 0).normalized();
    // a small ball 0.3 below the slope
    ASSERT_TRUE(collide_height_field_convex(field, {}, 0, ball(0.05), turned_at({2.1, 0.42 - 0.3, 1.9}), 0.01, scratch, found));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NEAR((found[0].normal - n).norm(), 0, 1e-12);
    EXPECT_NEAR(found[0].point[0].gap, -0.3 * n.y() - 0.05, 1e-12);
    EXPECT_FALSE(collide_height_field_convex(field, {}, 0, ball(0.05), turned_at({-1, 0, 1}), 0.01, scratch, found));
    Fixture floor(shape_of(make_grid(4, 4, 2, 2)));
    ASSERT_TRUE(collide_mesh_convex(floor.surface, {}, 0.02, ball(0.1), turned_at({0.1, 0.125, 0.2}), 0.01, floor.scratch, floor.found));
    EXPECT_NEAR(floor.found[0].point[0].gap, 0.005, 1e-12);
    EXPECT_NEAR(floor.found[0].point[0].on_a.y(), 0.02, 1e-12);
}
