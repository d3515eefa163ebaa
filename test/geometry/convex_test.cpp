#include "core/random.h"
#include "geometry/generate.h"
#include "geometry/hull.h"
#include "geometry/shape_bounds.h"
#include <gtest/gtest.h>

using namespace sinew;

static Pose draw_pose(Rng& rng, Real size) {
    return {real3(vec(draw_in_ball(rng)) * size), draw_rotation(rng)};
}

// Every convex kind with a mesh whose vertices lie in the shape and come within `chord` of its surface
struct Sampled {
    Shape shape;
    std::vector<Real3> points;
    Real chord;
};
static std::vector<Sampled> sampled(ShapeStore& store) {
    store.hulls.push_back(*make_hull(make_icosphere(0.8, 2).positions).value);
    const Real c = 1 - std::cos(kPi / 200);
    return {{{Shape::point, {}}, {{0, 0, 0}}, 0},
            {{Shape::segment, {0, 0.7, 0}}, {{0, 0.7, 0}, {0, -0.7, 0}}, 0},
            {{Shape::sphere, {0.4, 0, 0}}, make_uv_sphere(0.4, 200, 100).positions, 2 * c * 0.4},
            {{Shape::capsule, {0.3, 0.6, 0}}, make_capsule(0.3, 1.2, 200, 50).positions, 2 * c * 0.3},
            {{Shape::box, {0.3, 0.6, 0.9}}, make_box({0.6, 1.2, 1.8}).positions, 0},
            {{Shape::cylinder, {0.5, 0.6, 0}}, make_cylinder(0.5, 1.2, 200).positions, c * 0.5},
            {{Shape::cone, {0.5, 0.6, 0}}, make_cone(0.5, 1.2, 200).positions, c * 0.5},
            {{Shape::hull, {}, 0, 0}, make_icosphere(0.8, 2).positions, 0}};
}

TEST(convex, support_is_the_furthest_of_all_points_of_the_shape) {
    ShapeStore store;
    for (const Sampled& s : sampled(store)) {
        Rng rng{7, std::uint64_t(s.shape.kind)};
        const auto c = make_convex(store, s.shape);
        ASSERT_TRUE(c);
        int hint = 0;
        for (int i = 0; i < 300; ++i) {
            Vec3 d = vec(draw_unit_vector(rng));
            if (i < 6) d = (i % 2 ? 1 : -1) * Vec3::Unit(i / 2);
            Real most = -1e9;
            for (const Real3& p : s.points) most = std::max(most, d.dot(vec(p)));
            const SupportPoint p = support(*c, d, hint);
            hint = p.id;
            const Real found = d.dot(support_grown(*c, d));
            EXPECT_GE(found, most - 1e-15 * 4); // sums of three products of size 1
            EXPECT_LE(found, most + s.chord + 4e-15);
            EXPECT_NEAR(d.dot(p.x) + c->radius, found, 4e-15); // the hint changes nothing
            EXPECT_LE((p.x - Vec3::Zero()).norm(), radius_about(*c, Vec3::Zero()) + 1e-15);
        }
    }
}

TEST(convex, bounds_of_posed_shapes_are_the_boxes_of_their_points) {
    ShapeStore store;
    for (const Sampled& s : sampled(store)) {
        Rng rng{8, std::uint64_t(s.shape.kind)};
        for (int i = 0; i < 50; ++i) {
            Shape shape = s.shape;
            shape.rounding = i % 2 ? 0.05 : 0;
            const Pose pose = draw_pose(rng, 3);
            Aabb expected;
            for (const Real3& p : s.points) expected = merge(expected, at(make_placement(pose), vec(p)));
            expected = grow(expected, shape.rounding);
            const Aabb box = shape_bounds(store, shape, pose);
            EXPECT_LE((box.lo - expected.lo).maxCoeff(), 1e-14);
            EXPECT_GE((box.lo - expected.lo).minCoeff(), -s.chord - 1e-14);
            EXPECT_GE((box.hi - expected.hi).minCoeff(), -1e-14);
            EXPECT_LE((box.hi - expected.hi).maxCoeff(), s.chord + 1e-14);
        }
    }
}

TEST(convex, bounds_of_unbounded_and_composed_shapes) {
    const Real inf = std::numeric_limits<Real>::infinity();
    ShapeStore store;
    store.height_fields.push_back({3, 2, 0.5, 2, {0, 1, 2, 3, 1, 0}});
    store.meshes.push_back({{{0, 0, 0}, {1, 0, 0}, {0, 2, 0}}, {{0, 1, 2}}});
    store.distance_grids.push_back({{-1, -1, -1}, 0.5, {5, 3, 2}, {}, -1});
    store.compounds.push_back({{{Shape::sphere, {1, 0, 0}}, {Shape::mesh, {}, 0, 0}}, {{{5, 0, 0}, {}}, {}}});
    store.compounds.push_back({{{Shape::compound, {}, 0, 1}}, {{}}}); // contains itself
    const Pose up{{0, 3, 0}, {}};

    EXPECT_EQ(shape_bounds(store, {Shape::half_space}, up).hi.y(), 3);
    EXPECT_EQ(shape_bounds(store, {Shape::half_space}, up).lo.y(), -inf);
    EXPECT_EQ(shape_bounds(store, {Shape::half_space}, up).hi.x(), inf);
    EXPECT_EQ(shape_bounds(store, {Shape::plane}, up).lo.y(), 3);
    const Pose tilted{{}, {std::cos(0.3), std::sin(0.3), 0, 0}};
    EXPECT_EQ(shape_bounds(store, {Shape::half_space}, tilted).hi.y(), inf);

    Aabb b = shape_bounds(store, {Shape::height_field, {}, 0, 0}, up);
    EXPECT_EQ(b.hi, Vec3(1, 6, 2));
    EXPECT_EQ(b.lo, Vec3(0, -inf, 0));
    b = shape_bounds(store, {Shape::mesh, {}, 0.25, 0}, up);
    EXPECT_EQ(b.lo, Vec3(-0.25, 2.75, -0.25));
    EXPECT_EQ(b.hi, Vec3(1.25, 5.25, 0.25));
    b = shape_bounds(store, {Shape::solid, {}, 0, 0}, {});
    EXPECT_EQ(b.hi, Vec3(1, 0, -0.5));
    b = shape_bounds(store, {Shape::compound, {}, 0, 0}, {});
    EXPECT_EQ(b.lo, Vec3(0, -1, -1));
    EXPECT_EQ(b.hi, Vec3(6, 2, 1));
    EXPECT_TRUE(is_empty(shape_bounds(store, {Shape::compound, {}, 0, 1}, {})));
    EXPECT_TRUE(is_empty(shape_bounds(store, {Shape::hull, {}, 0, 3}, {})));
}

TEST(convex, shapes_that_are_not_convex_or_not_finite_give_nothing) {
    ShapeStore store;
    EXPECT_FALSE(make_convex(store, {Shape::mesh, {}, 0, 0}));
    EXPECT_FALSE(make_convex(store, {Shape::hull, {}, 0, 0}));
    EXPECT_FALSE(make_convex(store, {Shape::sphere, {-1, 0, 0}}));
    EXPECT_FALSE(make_convex(store, {Shape::box, {1, 1, std::numeric_limits<double>::infinity()}}));
    EXPECT_FALSE(make_convex(store, {Shape::box, {1, 1, 1}, std::nan("")}));
    EXPECT_EQ(make_placement({{1, 2, 3}, {0, 0, 0, 0}}).R, Mat3(Mat3::Identity()));
    EXPECT_EQ(make_triangle({1, 1, 1}, {1, 1, 1}, {1, 1, 1}, 0).normal.norm(), 1);
}
