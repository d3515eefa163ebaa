// Any two shapes: bodies given as convex shape, mesh, solid, grid alone or hull touch alike; swapping changes
// nothing; everything lies still on everything flat.
#include "collision/shape_pair.h"
#include "core/random.h"
#include "geometry/convex_distance.h"
#include "geometry/distance_grid.h"
#include "geometry/generate.h"
#include "geometry/height_field.h"
#include "geometry/hull.h"
#include "geometry/triangle_shape.h"
#include <gtest/gtest.h>

namespace sinew {
namespace {

// A box of half edges 0.3, 0.2, 0.25 in every way a body can be given; a floor in every way.
struct BoxesAndFloors {
    ShapeCache cache;
    std::vector<Shape> boxes, floors; // the first box is the convex one
    ShapePairScratch scratch;
    std::vector<ShapePoint> points;

    BoxesAndFloors() {
        auto store = std::make_shared<ShapeStore>();
        const Real3 half{0.3, 0.2, 0.25};
        const auto parallel = make_parallel(Context{2, {}, {}});
        store->hulls.push_back(make_box_hull(half));
        store->meshes.push_back(shape_of(make_box({2 * half.x, 2 * half.y, 2 * half.z})));
        store->distance_grids.push_back(
            *build_distance_grid(*parallel, store->meshes[0], {.cell = 0.02}).value);
        store->distance_grids[0].mesh = 0;
        boxes = {
            {Shape::box, half}, {Shape::hull, {}, 0, 0}, {Shape::mesh, {}, 0, 0}, {Shape::solid, {}, 0, 0}};
        store->meshes.push_back(shape_of(make_grid(24, 20, 6, 5)));
        store->height_fields.push_back({25, 21, 0.25, 0.25, std::vector<double>(25 * 21, 0.0)});
        floors = {{Shape::half_space, {}},
                  {Shape::plane, {}},
                  {Shape::mesh, {}, 0, 1},
                  {Shape::height_field, {}, 0, 0},
                  {Shape::box, {5, 1, 5}}};
        update_shape_cache(store, cache);
    }
    // the floor's top is y = 0 and lies under the origin
    static Placement floor_place(const Shape& s) {
        if (s.kind == Shape::height_field) return turned_at({-3, 0, -2.5});
        return turned_at({0, s.kind == Shape::box ? -1.0 : 0.0, 0});
    }
    const std::vector<ShapePoint>& collide(const Shape& a, const Placement& fa, const Shape& b,
                                           const Placement& fb, Real margin) {
        collide_shapes(cache, a, fa, b, fb, margin, scratch, points);
        return points;
    }
    Real deepest() const {
        Real d = std::numeric_limits<Real>::infinity();
        for (const ShapePoint& p : points) d = std::min(d, p.gap);
        return d;
    }
};

TEST(shape_pair, a_box_of_any_kind_lies_on_a_floor_of_any_kind_with_four_corners_and_one_normal) {
    BoxesAndFloors w;
    Rng rng{3};
    for (int trial = 0; trial < 200; ++trial) {
        const Real depth = draw_uniform(rng, -0.01, 0.0005);
        const Vec3 p(draw_uniform(rng, -2, 2), 0.2 + depth, draw_uniform(rng, -1.5, 1.5));
        const Placement f = turned_at(p, {0, trial % 3 ? draw_uniform(rng, 0, 7) : 0, 0});
        for (const Shape& floor : w.floors)
            for (const Shape& box : w.boxes) {
                w.collide(floor, BoxesAndFloors::floor_place(floor), box, f, 0.001);
                ASSERT_EQ(w.points.size(), 4u) << trial << " floor " << floor.kind << " box " << box.kind;
                Vec3 middle = Vec3::Zero();
                for (const ShapePoint& q : w.points) {
                    ASSERT_LE((q.normal - Vec3::UnitY()).norm(), 1e-9) << floor.kind << " " << box.kind;
                    ASSERT_NEAR(q.gap, depth, 1e-9) << floor.kind << " " << box.kind;
                    middle += q.on_b / 4;
                }
                // the corners themselves: their middle is the box's
                ASSERT_LE((middle - p).cwiseProduct(Vec3(1, 0, 1)).norm(), 1e-6)
                    << floor.kind << " " << box.kind;
            }
    }
}

TEST(shape_pair, boxes_of_any_kind_are_as_far_apart_as_the_convex_ones) {
    BoxesAndFloors w;
    Rng rng{5};
    const Convex c = *make_convex(store_of(w.cache), w.boxes[0]);
    // a normal within 1e-3 rad of a face's is taken for it (mesh_feature.h): 0.02 m (1e-3)^2/2 of the gap at most
    const Real kSnapped = 1e-8;
    int apart = 0, overlapping = 0, same = 0;
    for (int trial = 0; trial < 1000; ++trial) {
        const Placement fa = turned_at(Vec3::Zero(), vec(draw_unit_vector(rng)) * draw_uniform(rng, 0, 3));
        Placement fb =
            turned_at(vec(draw_unit_vector(rng)) * 0.6, vec(draw_unit_vector(rng)) * draw_uniform(rng, 0, 3));
        // moved along the normal to a gap of our choice
        const ConvexDistance d0 = convex_distance(c, fa, c, fb);
        fb.p += (draw_uniform(rng, -0.01, 0.02) - d0.distance) * d0.normal;
        const Real expected = convex_distance(c, fa, c, fb).distance;
        for (std::size_t i = 0; i < w.boxes.size(); ++i)
            for (std::size_t j = 0; j < w.boxes.size(); ++j) {
                w.collide(w.boxes[i], fa, w.boxes[j], fb, 0.02);
                if (expected > 0.0199 || expected < -0.0101)
                    continue; // at the margin rounding decides; another direction got best
                if (expected > 0) {
                    ASSERT_NEAR(w.deepest(), expected, kSnapped) << trial << " " << i << " " << j;
                    ++apart;
                } else { // features of triangles may be deeper than the best direction of the whole, never
                         // shallower
                    ASSERT_LE(w.deepest(), expected + kSnapped) << trial << " " << i << " " << j;
                    ASSERT_GE(w.deepest(), 2 * expected - kSnapped) << trial << " " << i << " " << j;
                    same += w.deepest() > expected - kSnapped;
                    ++overlapping;
                }
            }
    }
    EXPECT_GT(apart, 10000);
    EXPECT_GT(overlapping, 5000);
    EXPECT_GT(same, 0.9 * overlapping);
}

// points of a and b are on their surfaces, the gap is the distance between them along the normal
void expect_sound(const ShapePoint& p, Real margin) {
    EXPECT_NEAR(p.normal.norm(), 1, 1e-12);
    EXPECT_NEAR((p.on_b - p.on_a).dot(p.normal), p.gap, 1e-6); // the expanding polytope stops there
    EXPECT_LE(p.gap, margin);
}

TEST(shape_pair, points_are_sound_and_as_deep_when_swapped_for_every_two_kinds) {
    BoxesAndFloors w;
    auto store = std::make_shared<ShapeStore>(store_of(w.cache));
    HeightFieldShape hills{21, 21, 0.1, 0.1, {}};
    for (int k = 0; k < 21 * 21; ++k)
        hills.height.push_back(0.05 * std::sin(0.9 * (k % 21)) * std::cos(0.7 * (k / 21)));
    store->height_fields.push_back(hills);
    store->meshes.push_back(shape_of(make_icosphere(0.3, 2)));
    store->distance_grids.push_back(
        *build_distance_grid(*make_parallel({}), store->meshes[2], {.cell = 0.1}).value); // no mesh
    update_shape_cache(store, w.cache);
    std::vector<Shape> all = w.boxes;
    for (const Shape& s :
         {Shape{Shape::sphere, {0.3, 0, 0}, 0.01}, Shape{Shape::capsule, {0.1, 0.2, 0}},
          Shape{Shape::cone, {0.2, 0.3, 0}}, Shape{Shape::half_space, {}}, Shape{Shape::plane, {}},
          Shape{Shape::mesh, {}, 0.02, 1}, Shape{Shape::mesh, {}, 0, 2}, Shape{Shape::solid, {}, 0.01, 1},
          Shape{Shape::height_field, {}, 0, 1}, Shape{Shape::point, {}, 0.05},
          Shape{Shape::segment, {0, 0.3, 0}}})
        all.push_back(s);
    Rng rng{8};
    for (const Shape& a : all)
        for (const Shape& b : all) {
            int touching = 0;
            for (int trial = 0; trial < 8; ++trial) {
                // hills and planes reach far: shapes near their middle
                const auto put = [&](const Shape& s) {
                    Placement f = turned_at(0.25 * vec(draw_in_ball(rng)),
                                            vec(draw_unit_vector(rng)) * draw_uniform(rng, 0, 3));
                    if (s.kind == Shape::height_field) f.p -= f.R * Vec3(1, 0, 1);
                    return f;
                };
                const Placement fa = put(a), fb = put(b);
                std::vector<ShapePoint> one = w.collide(a, fa, b, fb, 0.01),
                                        two = w.collide(b, fb, a, fa, 0.01);
                ASSERT_EQ(one.empty(), two.empty()) << a.kind << " " << b.kind << " " << trial;
                touching += !one.empty();
                Real depth[2] = {1, 1};
                for (const ShapePoint& p : one) expect_sound(p, 0.01), depth[0] = std::min(depth[0], p.gap);
                for (const ShapePoint& p : two) expect_sound(p, 0.01), depth[1] = std::min(depth[1], p.gap);
                EXPECT_NEAR(depth[0], depth[1], 1e-6) << a.kind << " " << b.kind;
                if (HasFailure()) return;
            }
            // two unbounded shapes, and flat sheets without inside that cross each other or hills, do not
            // touch
            const auto unbounded = [](const Shape& s) {
                return s.kind == Shape::half_space || s.kind == Shape::plane;
            };
            const auto open = [](const Shape& s) { return s.kind == Shape::mesh && s.data == 1; };
            if ((open(a) || a.kind == Shape::height_field) && (open(b) || b.kind == Shape::height_field))
                continue;
            if (a.kind <= Shape::segment || b.kind <= Shape::segment) continue; // rarely
            EXPECT_EQ(touching > 0, !(unbounded(a) && unbounded(b)))
                << a.kind << " " << b.kind << " " << touching;
        }
}

TEST(shape_pair, what_is_wholly_inside_a_solid_leaves_it_by_the_nearest_way) {
    BoxesAndFloors w;
    // near the top of the box of half height 0.2
    for (const Shape& s : {Shape{Shape::sphere, {0.02, 0, 0}}, Shape{Shape::box, {0.02, 0.02, 0.02}}}) {
        w.collide(w.boxes[3], {}, s, turned_at({0.03, 0.1, 0.02}), 0.001);
        ASSERT_FALSE(w.points.empty()) << s.kind;
        for (const ShapePoint& p : w.points) EXPECT_GT(p.normal.y(), 0.99);
        EXPECT_NEAR(w.deepest(), -0.12, 0.01); // half a cell
        EXPECT_TRUE(w.collide(w.boxes[2], {}, s, turned_at({2, 0.1, 0.02}), 0.001).empty());
    }
    // a solid in a solid
    const std::vector<ShapePoint> points =
        w.collide(w.boxes[3], {}, w.boxes[3], turned_at({0.01, 0.15, 0.02}), 0.001);
    ASSERT_FALSE(points.empty());
}

TEST(shape_pair, thickness_moves_the_surfaces_apart) {
    BoxesAndFloors w;
    for (Shape a : w.boxes)
        for (Shape b : w.boxes) {
            a.rounding = 0.01, b.rounding = 0.02;
            w.collide(a, {}, b, turned_at({0.1, 0.45, 0}), 0.03);
            ASSERT_EQ(w.points.size(), 4u) << a.kind << " " << b.kind;
            for (const ShapePoint& p : w.points) {
                EXPECT_NEAR(p.gap, 0.02, 1e-9);
                EXPECT_NEAR(p.on_a.y(), 0.21, 1e-9);
                EXPECT_NEAR(p.on_b.y(), 0.23, 1e-9);
            }
        }
}

// A contact step without friction: gravity, then impulses along the normals until no point approaches.
TEST(shape_pair, boxes_of_triangles_slide_over_floors_of_triangles_without_a_bump) {
    BoxesAndFloors w;
    const Real dt = 1.0 / 240, mass = 5;
    const Vec3 inertia =
        mass / 3 * Vec3(0.2 * 0.2 + 0.25 * 0.25, 0.3 * 0.3 + 0.25 * 0.25, 0.3 * 0.3 + 0.2 * 0.2);
    for (const Shape& floor : {w.floors[2], w.floors[3]})
        for (const Shape& box : {w.boxes[2], w.boxes[3]}) {
            Vec3 p(-2, 0.2, 0.03), v(2, 0, 0.11), spin = Vec3::Zero();
            Quat q = exp_rotation({0, 0.3, 0});
            const Vec3 v0 = v;
            Real largest = 0;
            for (int step = 0; step < 400; ++step) {
                const Placement f{q.toRotationMatrix(), p};
                const Mat3 inverse = f.R * inertia.cwiseInverse().asDiagonal() * f.R.transpose();
                v.y() -= 9.81 * dt;
                w.collide(floor, BoxesAndFloors::floor_place(floor), box, f, 0.002);
                ASSERT_FALSE(w.points.empty()) << floor.kind << " " << box.kind << " " << step;
                std::vector<Real> impulse(w.points.size(), 0);
                for (int sweep = 0; sweep < 400; ++sweep)
                    for (std::size_t k = 0; k < impulse.size(); ++k) {
                        const Vec3 n = w.points[k].normal, r = w.points[k].on_b - p;
                        const Real target = w.points[k].gap > 0 ? -w.points[k].gap / dt : 0;
                        const Real speed = n.dot(v + spin.cross(r)),
                                   weight = 1 / mass + n.dot((inverse * r.cross(n)).cross(r));
                        const Real next = std::max(0.0, impulse[k] + (target - speed) / weight),
                                   change = next - impulse[k];
                        impulse[k] = next;
                        v += change / mass * n;
                        spin += change * (inverse * r.cross(n));
                    }
                p += dt * v;
                q = (exp_rotation(dt * spin) * q).normalized();
                largest = std::max({largest, (v - v0).norm(), spin.norm()});
            }
            EXPECT_LT(largest, 1e-6) << floor.kind << " " << box.kind; // the bound of the sliding box
        }
}

} // namespace
} // namespace sinew
