// Shapes that go through others within a step, against a dense search along the way.
#include "../geometry/convex_cases.h"
#include "collision/passage.h"
#include "geometry/convex_distance.h"
#include <gtest/gtest.h>
#include <random>

using namespace sinew;

namespace {

struct Draw {
    std::mt19937_64 random{7};
    Real in(Real lo, Real hi) { return std::uniform_real_distribution<Real>(lo, hi)(random); }
    Vec3 direction() {
        for (;;)
            if (const Vec3 x(in(-1, 1), in(-1, 1), in(-1, 1)); x.norm() < 1 && x.norm() > 0.1) return x.normalized();
    }
    Convex thin() {
        switch (int(in(0, 5))) {
        case 0: return case_shape(Shape::capsule, {in(0.005, 0.05), in(0, 0.5), 0});
        case 1: return case_shape(Shape::box, {in(0.005, 0.3), in(0.005, 0.3), in(0.005, 0.3)});
        case 2: return case_shape(Shape::cylinder, {in(0.01, 0.3), in(0.01, 0.3), 0});
        case 3: return case_shape(Shape::sphere, {in(0.01, 0.1), 0, 0});
        default: return case_shape(Shape::box, {in(0.005, 0.05), in(0.005, 0.05), in(0.1, 0.5)}, 0.004);
        }
    }
};

MovingShape moving(const Convex& c, const RigidMotion& m, Real until = 1) { return {{}, c, m, until}; }

Placement place_of(const MovingShape& s, Real t) { return place_at(s.motion, std::min(t, s.until)); }

} // namespace

TEST(passage, cores_are_inside_by_the_depth_or_less) {
    Draw draw;
    std::vector<Convex> shapes{case_shape(Shape::cone, {0.4, 0.3, 0}), case_shape(Shape::cone, {0.1, 0.6, 0}, 0.01),
                               case_shape(Shape::hull, {}, 0, 6), case_shape(Shape::hull, {}, 0.02, 6)};
    for (int k = 0; k < 40; ++k) shapes.push_back(draw.thin());
    for (const Convex& c : shapes) {
        const Real inner = inner_radius(c), depth = 0.5 * inner;
        ASSERT_GT(inner, 0);
        HullShape room;
        const Convex core = core_of(c, depth, room);
        const bool scaled = c.core == Convex::cone || c.core == Convex::hull;
        Real least = 1e9;
        for (int i = 0; i < 200; ++i) {
            const Vec3 d = draw.direction();
            const Real by = d.dot(support_grown(c, d) - support_grown(core, d));
            EXPECT_GT(by, 0);
            if (scaled) {
                EXPECT_LE(by, depth * (1 + 1e-9)); // rounding
            }
            least = std::min(least, by);
            // a ball of the inner radius fits
            EXPECT_GE(d.dot(support_grown(c, d) - center_of(c)), inner * (1 - 1e-9) * (c.core == Convex::cone ? 0 : 1));
        }
        if (!scaled) {
            EXPECT_GE(least, depth * (1 - 1e-9)); // taken off all around
        }
    }
}

// First time at which the core is in b, by small steps: never after the time found, and no deep meeting is missed.
TEST(passage, stops_before_the_core_meets_for_random_motions_with_turns) {
    Draw draw;
    ShapeCache cache;
    PassageScratch scratch;
    int stopped = 0, free = 0, stopped_again = 0;
    for (int k = 0; k < 600; ++k) {
        const Convex a = draw.thin(), wall = case_shape(Shape::box, {0.01, 2, 2});
        RigidMotion ma{{exp_rotation(draw.in(0, 3) * draw.direction()).toRotationMatrix(), Vec3(draw.in(-4, -0.6), draw.in(-1, 1), draw.in(-1, 1))},
                       draw.in(0, 0.1) * draw.direction(), Vec3(draw.in(0, 8), draw.in(-1, 1), draw.in(-1, 1)), draw.in(0, 7) * draw.direction()};
        RigidMotion mb{Placement{}, Vec3::Zero(), Vec3(draw.in(-0.5, 0.5), 0, 0), k % 3 ? Vec3(Vec3::Zero()) : Vec3(draw.in(0, 0.5) * draw.direction())};
        const MovingShape sa = moving(a, ma, k % 5 ? 1 : draw.in(0.2, 1)), sb = moving(wall, mb, k % 7 ? 1 : draw.in(0.2, 1));
        const Real inner = inner_radius(a), near = 0.05 * inner;
        const Real t = find_passage(cache, sa, sb, 0.5 * inner, near, scratch);
        HullShape room;
        const Convex core = core_of(a, 0.5 * inner, room);
        constexpr int kSteps = 3000;
        Real deep = 2;
        for (int i = 0; i <= kSteps && deep > 1; ++i)
            if (convex_distance(core, place_of(sa, Real(i) / kSteps), wall, place_of(sb, Real(i) / kSteps)).distance <= 0) deep = Real(i) / kSteps;
        if (deep == 0) continue; // not judged
        if (deep <= 1) {
            ASSERT_LT(t, deep) << k;
        }
        if (t > 1) {
            ++free;
            continue;
        }
        ++stopped;
        // apart by `near` at that time, and not much more: it has touched, unless it was as near from the start
        const Real then = convex_distance(a, place_of(sa, t), wall, place_of(sb, t)).distance;
        const Real start = convex_distance(a, place_of(sa, 0), wall, place_of(sb, 0)).distance;
        if (start > 2 * near) {
            EXPECT_NEAR(then, near, 1e-7) << k; // the tolerance of the cast, 1e-8 of the sizes
        }
        ASSERT_LT(deep, 2) << k; // what is stopped would have been deep
        // From where it has stopped it goes on, with the rest of its motion or all of it again: time 0 would hold it for ever.
        for (const Real part : {1 - t, 1.0}) {
            const MovingShape next_a = moving(a, {place_of(sa, t), ma.center, part * ma.shift, part * ma.turn});
            const MovingShape next_b = moving(wall, {place_of(sb, t), mb.center, part * mb.shift, part * mb.turn});
            const Real again = find_passage(cache, next_a, next_b, 0.5 * inner, near, scratch);
            ASSERT_GT(again, 0) << k;
            stopped_again += again <= 1;
            if (again > 1) continue;
            EXPECT_GT(convex_distance(core, place_of(next_a, again), wall, place_of(next_b, again)).distance, 0) << k;
        }
    }
    EXPECT_GT(stopped, 100);
    EXPECT_GT(stopped_again, 100);
    EXPECT_GT(free, 100);
}

TEST(passage, what_touches_from_the_start_stops_with_its_core_and_what_stays_beside_goes_on) {
    ShapeCache cache;
    PassageScratch scratch;
    const Convex rod = case_shape(Shape::capsule, {0.01, 0.2, 0}), wall = case_shape(Shape::box, {0.01, 2, 2});
    // along y, its axis at x = -0.02: touches. Turned half about z its ends pass through the wall.
    const Placement at{Mat3::Identity(), Vec3(-0.02, 0, 0)};
    const MovingShape held = moving(wall, resting({}));
    const RigidMotion turns{at, Vec3::Zero(), Vec3::Zero(), Vec3(0, 0, kPi)};
    const Real t = find_passage(cache, moving(rod, turns), held, 0.005, 0.0005, scratch);
    // the core is 0.005 from the wall, and half of it is left where the end of its axis has come by 0.2 sin(pi t) = 0.0025
    EXPECT_NEAR(t, std::asin(0.0025 / 0.2) / kPi, 1e-6);
    const RigidMotion slides{at, Vec3::Zero(), Vec3(0.004, 5, 3), Vec3(9, 0, 0)};
    EXPECT_GT(find_passage(cache, moving(rod, slides), held, 0.005, 0.0005, scratch), 1);
}

// A triangle that is not met, but always near, counts.
TEST(passage, triangles_beside_the_way_count_as_near) {
    auto store = std::make_shared<ShapeStore>();
    TriangleShape sheets; // across the way at x = 1, and along it at y = 0.0106: 0.0006 from the ball of 0.01, 0.0056 from its core
    sheets.vertices = {{1, -2, -2}, {1, 2, -2}, {1, 0, 2}, {-3, 0.0106, -3}, {5, 0.0106, -3}, {1, 0.0106, 3}};
    sheets.triangles = {{0, 1, 2}, {3, 4, 5}};
    store->meshes.push_back(sheets);
    ShapeCache cache;
    update_shape_cache(store, cache);
    PassageScratch scratch;
    const Convex ball = case_shape(Shape::sphere, {0.01, 0, 0});
    const MovingShape mesh{{Shape::mesh, {}, 0, 0}, std::nullopt, resting({}), 1};
    const Real t = find_passage(cache, moving(ball, {{}, Vec3::Zero(), Vec3(2, 0, 0), Vec3::Zero()}), mesh, 0.005, 0.0005, scratch);
    // near from the start: its core stops where half of 0.0056 is left, before the sheet at x = 1
    EXPECT_NEAR(t, (1 - 0.005 - 0.0028) / 2, 1e-6);
}

TEST(passage, meshes_and_height_fields_stop_what_boxes_stop) {
    auto store = std::make_shared<ShapeStore>();
    TriangleShape sheet;
    sheet.vertices = {{0, -2, -2}, {0, 2, -2}, {0, 2, 2}, {0, -2, 2}};
    sheet.triangles = {{0, 1, 2}, {0, 2, 3}};
    store->meshes.push_back(sheet);
    HeightFieldShape ground;
    ground.nx = ground.nz = 9, ground.dx = ground.dz = 0.5;
    ground.height.assign(81, 0.0);
    store->height_fields.push_back(ground);
    ShapeCache cache;
    update_shape_cache(store, cache);
    PassageScratch scratch;
    Draw draw;
    for (int k = 0; k < 100; ++k) {
        const Convex rod = case_shape(Shape::capsule, {draw.in(0.005, 0.03), draw.in(0.05, 0.3), 0});
        RigidMotion m{{exp_rotation(draw.in(0, 3) * draw.direction()).toRotationMatrix(), Vec3(draw.in(-2, -0.5), 0, 0)}, Vec3::Zero(), Vec3(draw.in(0, 4), 0, 0),
                      draw.in(0, 5) * draw.direction()};
        const Real depth = 0.5 * rod.radius, near = 0.05 * rod.radius;
        const Real exact = find_passage(cache, moving(rod, m), moving(case_shape(Shape::box, {1e-9, 2, 2}), resting({})), depth, near, scratch);
        const MovingShape mesh{{Shape::mesh, {}, 0, 0}, std::nullopt, resting({}), 1};
        EXPECT_NEAR(find_passage(cache, moving(rod, m), mesh, depth, near, scratch), exact, 1e-6) << k;
        // the ground lies in xz and its normal is y: x of the motion becomes -y
        const Mat3 turn = exp_rotation(Vec3(0, 0, -kPi / 2)).toRotationMatrix();
        const RigidMotion down{{turn * m.start.R, turn * m.start.p + Vec3(2, 0, 2)}, m.center, turn * m.shift, turn * m.turn};
        const MovingShape field{{Shape::height_field, {}, 0, 0}, std::nullopt, resting({}), 1};
        EXPECT_NEAR(find_passage(cache, moving(rod, down), field, depth, near, scratch), exact, 1e-6) << k;
    }
}
