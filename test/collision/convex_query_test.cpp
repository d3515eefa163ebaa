#include "../geometry/convex_cases.h"
#include "collision/convex_query.h"
#include "geometry/convex_distance.h"
#include "geometry/triangulate.h"
#include <gtest/gtest.h>

using namespace sinew;

TEST(convex_query, rays_enter_where_the_closed_forms_say) {
    const struct {
        Convex c;
        Vec3 o, d;
        Real time; // < 0: no hit
        Vec3 normal;
    } rows[] = {
        {case_shape(Shape::sphere, {0.5, 0, 0}), {-3, 0.3, 0}, {1, 0, 0}, 3 - 0.4, {-0.8, 0.6, 0}},
        {case_shape(Shape::sphere, {0.5, 0, 0}), {-3, 0.51, 0}, {1, 0, 0}, -1, {}},
        {case_shape(Shape::sphere, {0.5, 0, 0}), {3, 0, 0}, {1, 0, 0}, -1, {}},
        {case_shape(Shape::sphere, {0.5, 0, 0}), {0, 0.2, 0}, {1, 0, 0}, 0, {0, 1, 0}},
        {case_shape(Shape::box, {1, 2, 3}), {-5, 1, 1}, {2, 0, 0}, 2, {-1, 0, 0}},
        {case_shape(Shape::box, {1, 2, 3}), {4, 6, 0}, {-1, -1, 0}, 4, {0, 1, 0}},
        {case_shape(Shape::cylinder, {1, 2, 0}), {-3, 0, 0.6}, {1, 0, 0}, 2.2, {-0.8, 0, 0.6}},
        {case_shape(Shape::cylinder, {1, 2, 0}), {0.5, 5, 0}, {0, -1, 0}, 3, {0, 1, 0}},
        {case_shape(Shape::cone, {1, 1, 0}),
         {3, 0, 0},
         {-1, 0, 0},
         2.5,
         {2 / std::sqrt(5.0), 1 / std::sqrt(5.0), 0}},
        {case_shape(Shape::cone, {1, 1, 0}), {0.5, -3, 0}, {0, 1, 0}, 2, {0, -1, 0}},
        {case_shape(Shape::capsule, {0.5, 1, 0}), {0, 5, 0.3}, {0, -1, 0}, 4 - 0.4, {0, 0.8, 0.6}},
        {case_shape(Shape::half_space, {}), {7, 2, 3}, {1, -1, 0}, 2, {0, 1, 0}},
        {case_shape(Shape::plane, {}), {7, -2, 3}, {1, 1, 0}, 2, {0, -1, 0}},
        {case_shape(Shape::plane, {}), {7, -2, 3}, {1, -1, 0}, -1, {}},
        {make_triangle({0, 0, 0}, {0, 0, 1}, {1, 0, 0}, 0), {0.2, -1, 0.2}, {0, 1, 0}, 1, {0, -1, 0}},
        {make_triangle({0, 0, 0}, {0, 0, 1}, {1, 0, 0}, 0), {0.6, -1, 0.6}, {0, 1, 0}, -1, {}},
        {case_shape(Shape::box, {1, 1, 1}, 0.5), {-5, 1.3, 0}, {1, 0, 0}, 4 - 0.4, {-0.8, 0.6, 0}},
        {*make_convex(case_store(), {Shape::hull, {}, 0, 6}), {-5, 0.1, 0.1}, {1, 0, 0}, 4.7, {-1, 0, 0}}};
    int row = 0;
    const Placement f = case_place({1, 2, 3}, {0.3, 0.5, -0.2});
    for (const auto& c : rows) {
        SCOPED_TRACE(row++);
        RayHit hit;
        const bool found = cast_ray(c.c, f, at(f, c.o), f.R * c.d, 100, hit);
        ASSERT_EQ(found, c.time >= 0);
        if (!found) continue;
        EXPECT_NEAR(hit.time, c.time, 1e-12);
        EXPECT_NEAR((hit.normal - f.R * c.normal).norm(), 0, 1e-7);
        EXPECT_FALSE(c.time > 0 && cast_ray(c.c, f, at(f, c.o), f.R * c.d, c.time * 0.999, hit));
    }
}

TEST(convex_query, random_rays_enter_where_the_distance_first_vanishes) {
    int hits = 0;
    for (int kind = 1; kind < kConvexKinds; ++kind)
        for (std::uint64_t seed = 0; seed < 200; ++seed) {
            Rng rng{seed, std::uint64_t(kind)};
            const ConvexCase c = draw_case(rng, kind, 1, seed % 2);
            const Vec3 o = 4 * vec(draw_unit_vector(rng)), d = c.place.p + 0.6 * vec(draw_in_ball(rng)) - o;
            RayHit hit;
            const bool found = cast_ray(c.shape, c.place, o, d, 2, hit);
            Real least = 1e9;
            for (int i = 0; i <= 400; ++i) {
                const Real t = (found ? hit.time : 2) * i / 400;
                least = std::min(least, closest_point(c.shape, c.place, o + t * d).distance);
            }
            EXPECT_GE(least, -1e-9) << kind << " " << seed; // nothing before the hit
            if (found) {
                EXPECT_NEAR(closest_point(c.shape, c.place, hit.point).distance, 0, 1e-9) << kind;
            }
            hits += found;
        }
    EXPECT_GT(hits, 500);
}

TEST(rigid_motion, joins_its_two_poses_straight_or_by_a_screw) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        Rng rng{seed, 2};
        const Pose a{draw_in_ball(rng), draw_rotation(rng)}, b{draw_in_ball(rng), draw_rotation(rng)};
        for (const RigidMotion& m : {motion_between(a, b), screw_between(a, b)}) {
            EXPECT_NEAR((place_at(m, 0).p - vec(a.position)).norm(), 0, 1e-12);
            EXPECT_NEAR((place_at(m, 1).p - vec(b.position)).norm(), 0, 1e-9);
            EXPECT_NEAR((place_at(m, 1).R - make_placement(b).R).norm(), 0, 1e-9);
        }
        const RigidMotion screw = screw_between(a, b);
        EXPECT_NEAR(screw.shift.cross(screw.turn).norm(), 0, 1e-12); // along the axis
        const RigidMotion line = motion_between(a, b);
        EXPECT_NEAR((place_at(line, 0.5).p - (vec(a.position) + vec(b.position)) / 2).norm(), 0, 1e-12);
    }
}

TEST(rigid_motion, bounds_hold_for_every_point_of_the_shape) {
    for (int kind = 1; kind < kConvexKinds; ++kind)
        for (std::uint64_t seed = 0; seed < 50; ++seed) {
            Rng rng{seed, std::uint64_t(40 + kind)};
            const ConvexCase c = draw_case(rng, kind, 1, seed % 2);
            const RigidMotion m{c.place, vec(draw_in_ball(rng)), vec(draw_in_ball(rng)),
                                4 * vec(draw_in_ball(rng))};
            const Vec3 n = vec(draw_unit_vector(rng));
            const Real t = draw_uniform(rng);
            const Placement now = place_at(m, t);
            const MotionBound b = bound_motion(c.shape, m, find_reach(c.shape, m), now, n);
            for (int i = 0; i < 20; ++i) {
                const Real s = draw_uniform(rng) * (1 - t);
                const Vec3 x = support_grown(c.shape, vec(draw_unit_vector(rng)));
                const Real advance = n.dot(at(place_at(m, t + s), x) - at(now, x));
                EXPECT_LE(advance, s * (b.drift + b.swing) + 1e-12);
                EXPECT_LE(advance, s * (b.drift + b.speed) + s * s / 2 * b.acceleration + 1e-12);
            }
        }
}

TEST(convex_query, casts_of_moving_shapes_hit_when_the_closed_forms_say) {
    const Convex ball = case_shape(Shape::sphere, {0.5, 0, 0}), box = case_shape(Shape::box, {1, 1, 1}),
                 floor = case_shape(Shape::half_space, {});
    CastHit hit;
    // balls: 0.6 aside, contact when the centres are 1 apart: x = 4 - 0.8
    ASSERT_TRUE(
        cast_convex(ball, straight(case_place({0, 0, 0}), {8, 0, 0}), ball, resting(case_place({4, 0.6, 0})), 0, hit));
    EXPECT_NEAR(hit.time, 3.2 / 8, 1e-7);
    EXPECT_LE(hit.time, 3.2 / 8);
    EXPECT_NEAR((hit.normal - Vec3(0.8, 0.6, 0)).norm(), 0, 1e-6);
    // with a separation of 0.25: centres 1.25 apart
    ASSERT_TRUE(cast_convex(ball, straight(case_place({0, 0, 0}), {8, 0, 0}), ball, resting(case_place({4, 0.6, 0})),
                            0.25, hit));
    EXPECT_NEAR(hit.time, (4 - std::sqrt(1.25 * 1.25 - 0.36)) / 8, 1e-7);
    EXPECT_FALSE(cast_convex(ball, straight(case_place({0, 0, 0}), {8, 0, 0}), ball, resting(case_place({4, 1.001, 0})),
                             0, hit));
    // both move; boxes face to face
    ASSERT_TRUE(cast_convex(box, straight(case_place({0, 0, 0}), {3, 0, 0}), box,
                            straight(case_place({6, 0.5, 0}), {-5, 0, 0}), 0, hit));
    EXPECT_NEAR(hit.time, 0.5, 1e-7);
    EXPECT_LE(hit.time, 0.5);
    // start in contact
    ASSERT_TRUE(
        cast_convex(box, straight(case_place({0, 0, 0}), {3, 0, 0}), box, resting(case_place({1, 0.5, 0})), 0, hit));
    EXPECT_EQ(hit.time, 0);
    // a box tips about its own centre onto the floor: lowest corner at height h - cos(pi/4 - angle) sqrt 2
    const RigidMotion tip{case_place({0, 1.3, 0}), Vec3::Zero(), Vec3::Zero(), {0, 0, kPi / 4}};
    ASSERT_TRUE(cast_convex(floor, resting(case_place({0, 0, 0})), box, tip, 0, hit));
    const Real angle = kPi / 4 - std::acos(1.3 / std::sqrt(2.0));
    EXPECT_NEAR(hit.time, angle / (kPi / 4), 1e-6);
    EXPECT_LE(hit.time, angle / (kPi / 4));
    EXPECT_TRUE(hit.converged);
}

TEST(convex_query, a_spinning_rod_hits_a_ball_at_the_angle_of_the_closed_form) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        Rng rng{seed, 3};
        const Real r = draw_uniform(rng, 0.01, 0.1), ball_r = draw_uniform(rng, 0.05, 0.3),
                   far = draw_uniform(rng, 0.6, 1.5), ahead = draw_uniform(rng, 0.7, 2.4),
                   turn = draw_uniform(rng, 3.2, 20.0);
        const Convex rod = case_shape(Shape::capsule, {r, 2, 0}), ball = case_shape(Shape::sphere, {ball_r, 0, 0});
        // rod along y turns about z; ball `ahead` radians in front of one end and not yet at the other
        const Placement world = case_place(vec(draw_in_ball(rng)) * 5, 3 * vec(draw_in_ball(rng)));
        const RigidMotion spin{world, Vec3::Zero(), Vec3::Zero(), world.R * Vec3(0, 0, turn)};
        const Vec3 at_ball(-far * std::sin(ahead), far * std::cos(ahead), 0);
        CastHit hit;
        ASSERT_TRUE(cast_convex(rod, spin, ball, resting({Mat3::Identity(), at(world, at_ball)}), 0, hit));
        const Real angle = ahead - std::asin((r + ball_r) / far), exact = std::max(0.0, angle) / turn;
        EXPECT_LE(hit.time, exact + 1e-12) << seed;
        EXPECT_NEAR(hit.time, exact, 1e-6) << seed;
        EXPECT_TRUE(hit.converged);
    }
}

// The axis of the screw 1e9 m away: the motion is nearly straight, and as exact as a straight one.
TEST(convex_query, a_screw_about_a_far_axis_is_as_exact_as_a_straight_motion) {
    const Convex ball = case_shape(Shape::sphere, {0.5, 0, 0});
    const Real far = 1e9, turn = 8 / far;
    const RigidMotion m{case_place({0, 0, 0}), {0, far, 0}, Vec3::Zero(), {0, 0, turn}};
    for (Real t : {0.0, 0.1, 0.37, 0.5, 1.0}) {
        // x = far sin(turn t), y = far (1 - cos(turn t)), in extended precision
        const long double angle = (long double)turn * t;
        const Vec3 exact(Real((long double)far * sinl(angle)), Real(2 * (long double)far * sinl(angle / 2) * sinl(angle / 2)), 0);
        EXPECT_NEAR((place_at(m, t).p - exact).norm(), 0, 1e-14) << t; // 8 m times the unit of rounding
    }
    CastHit hit;
    ASSERT_TRUE(cast_convex(ball, m, ball, resting(case_place({4, 0.6, 0})), 0, hit));
    EXPECT_NEAR(hit.time, 3.2 / 8, 1e-8); // the path rises by 5e-9 m; half the tolerance of the search is 1e-8 m
    EXPECT_LE(hit.time, 3.2 / 8 + 1e-9);
    EXPECT_TRUE(hit.converged);
}

// A floor that tilts about the origin meets a ball beside it: distance cos(phi) y - sin(phi) x of the centre = radius.
TEST(convex_query, a_turning_half_space_hits_when_the_closed_form_says) {
    const Convex ball = case_shape(Shape::sphere, {0.5, 0, 0});
    const Real phi = std::acos(0.5 / std::sqrt(5.0)) - std::atan2(2.0, 1.0);
    for (Shape::Kind kind : {Shape::half_space, Shape::plane}) {
        const Convex floor = case_shape(kind, {});
        const RigidMotion tilt{case_place({0, 0, 0}), Vec3::Zero(), Vec3::Zero(), {0, 0, 1}};
        CastHit hit;
        ASSERT_TRUE(cast_convex(floor, tilt, ball, resting(case_place({2, 1, 0})), 0, hit)) << kind;
        EXPECT_LE(hit.time, phi);
        EXPECT_NEAR(hit.time, phi, 1e-7);
        EXPECT_TRUE(hit.converged);
        ASSERT_TRUE(cast_convex(ball, resting(case_place({2, 1, 0})), floor, tilt, 0, hit)) << kind;
        EXPECT_NEAR(hit.time, phi, 1e-7);
        // away from it
        const RigidMotion back{case_place({0, 0, 0}), Vec3::Zero(), Vec3::Zero(), {0, 0, -0.9}};
        EXPECT_FALSE(cast_convex(floor, back, ball, resting(case_place({2, 1, 0})), 0, hit)) << kind;
    }
}

void judge_casts(std::uint64_t seeds, int samples) {
    int hits = 0, misses = 0, rough = 0;
    for (int i = 0; i < kConvexKinds; ++i)
        for (int j = 0; j < kConvexKinds; ++j)
            for (std::uint64_t seed = 0; seed < seeds; ++seed) {
                Rng rng{seed, std::uint64_t(1000 + 10 * i + j)};
                const ConvexCase a = draw_case(rng, i, 0, true), b = draw_case(rng, j, 0, true);
                const Placement fa =
                    make_placement({real3(2.2 * vec(draw_unit_vector(rng))), draw_rotation(rng)});
                const Real spin = seed % 3 == 0 ? 0 : 5;
                const RigidMotion ma{fa, 0.3 * vec(draw_in_ball(rng)), -fa.p + 1.2 * vec(draw_in_ball(rng)),
                                     spin * vec(draw_in_ball(rng))},
                    mb{b.place, Vec3::Zero(), Vec3::Zero(), spin * vec(draw_in_ball(rng))};
                CastHit hit;
                const bool found = cast_convex(a.shape, ma, b.shape, mb, 0, hit);
                SCOPED_TRACE(testing::Message() << i << " " << j << " " << seed);
                // no overlap before the time, sampled finely; 1e-9: EPA and rounding
                for (int k = 0; k <= samples; ++k) {
                    const Real t = (found ? hit.time : 1) * k / samples;
                    const Real d =
                        convex_distance(a.shape, place_at(ma, t), b.shape, place_at(mb, t)).distance;
                    ASSERT_GE(d, found && hit.time == 0 ? -10 : -1e-9) << t;
                }
                if (found && hit.time > 0) {
                    EXPECT_LE(hit.distance, 1e-7); // and contact at it: tight
                    rough += !hit.converged;
                }
                ++(found ? hits : misses);
            }
    EXPECT_GT(hits, 200);
    EXPECT_GT(misses, 50);
    EXPECT_EQ(rough, 0);
}
TEST(convex_query, casts_never_miss_and_are_never_late) { judge_casts(12, 200); }
TEST(soak_convex_query, casts_never_miss_and_are_never_late) { judge_casts(10000 / (kConvexKinds * kConvexKinds) + 1, 2000); }

TEST(convex_query, overlap_is_the_sign_of_the_distance) {
    int inside = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        Rng rng{seed, 4};
        const ConvexCase a = draw_case(rng, draw_int(rng, kConvexKinds), 0, seed % 2),
                         b = draw_case(rng, draw_int(rng, kConvexKinds), 1.3, seed % 3 == 0);
        const bool over = overlap_convex(a.shape, a.place, b.shape, b.place);
        EXPECT_EQ(over, convex_distance(a.shape, a.place, b.shape, b.place).distance <= 0);
        inside += over;
    }
    EXPECT_GT(inside, 200);
}
