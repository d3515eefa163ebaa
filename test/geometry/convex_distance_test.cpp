#include "convex_cases.h"
#include "geometry/convex_closest.h"
#include "geometry/convex_distance.h"
#include "geometry/epa.h"
#include "geometry/sat.h"
#include <gtest/gtest.h>

using namespace sinew;

static Real depth_below(const ConvexCase& c, const Vec3& world) { // signed distance of a point
    return closest_point(c.shape, from(c.place, world)).distance;
}

// Direction and points must prove the distance; curved: allowance for EPA on curves
static void expect_proof(const ConvexCase& a, const ConvexCase& b, const ConvexDistance& r, Real curved) {
    const Real tolerance = r.distance > 0 ? 1e-10 : 1e-10 + curved;
    EXPECT_NEAR(r.normal.norm(), 1, 1e-12);
    EXPECT_NEAR(r.normal.dot(r.on_b - r.on_a), r.distance, 1e-12);
    EXPECT_NEAR(separation(a, b, r.normal), r.distance, tolerance);
    if (r.distance + a.shape.radius + b.shape.radius > 1e-9) { // cores apart: the points are on the shapes
        EXPECT_NEAR((r.on_b - r.on_a - r.distance * r.normal).norm(), 0, 1e-9);
        EXPECT_NEAR(depth_below(a, r.on_a), 0, 1e-9);
        EXPECT_NEAR(depth_below(b, r.on_b), 0, 1e-9);
    }
}

static bool is_curved(const ConvexCase& c) {
    return c.shape.core == Convex::cylinder || c.shape.core == Convex::cone;
}

TEST(convex_distance, of_every_pair_of_kinds_is_proved_by_its_direction_and_points) {
    int apart = 0, inside = 0;
    Real worst = 0;
    for (int i = 0; i < kConvexKinds; ++i)
        for (int j = 0; j < kConvexKinds; ++j)
            for (std::uint64_t seed = 0; seed < 60; ++seed) {
                Rng rng{seed, std::uint64_t(10 * i + j)};
                const ConvexCase a = draw_case(rng, i, 0, seed % 2),
                                 b = draw_case(rng, j, 1.6, seed % 3 == 0);
                const ConvexDistance r = convex_distance(a.shape, a.place, b.shape, b.place);
                SCOPED_TRACE(testing::Message() << i << " " << j << " seed " << seed);
                // deep inside a curve the depth is that of 120 points around: 1e-5 of the size was seen
                const Real curved = is_curved(a) || is_curved(b) ? 1e-9 : 0;
                expect_proof(a, b, r, curved);
                ++(r.distance > 0 ? apart : inside);
                // no direction is better; 1e-5 as above, exact for polytopes
                const Real found = search_separation(a, b, rng, 400, r.normal);
                worst = std::max(worst, found - r.distance);
                EXPECT_LE(found, r.distance + (curved > 0 ? 2e-5 : 2e-6));
                const ConvexDistance back = convex_distance(b.shape, b.place, a.shape, a.place);
                EXPECT_NEAR(back.distance, r.distance, curved > 0 ? 2e-5 : 2e-6);
            }
    EXPECT_GT(apart, 1000);
    EXPECT_GT(inside, 1000);
    RecordProperty("worst", std::to_string(worst));
}

TEST(convex_distance, agrees_with_a_fine_sampling_of_both_surfaces) {
    const auto sample = [](int kind, const Real3& s) {
        std::vector<Real3> p;
        if (kind == Shape::sphere) p = make_uv_sphere(s.x, 40, 20).positions;
        if (kind == Shape::capsule) p = make_capsule(s.x, 2 * s.y, 40, 10).positions;
        if (kind == Shape::cylinder) p = make_cylinder(s.x, 2 * s.y, 64).positions;
        if (kind == Shape::cone) p = make_cone(s.x, 2 * s.y, 64).positions;
        if (kind == Shape::box) p = make_box({2 * s.x, 2 * s.y, 2 * s.z}).positions;
        return make_hull(p).value->vertices;
    };
    // hulls of the samples are inside the shapes by at most the sagitta: r (1 - cos(pi / 40)) twice
    for (int i : {Shape::sphere, Shape::capsule, Shape::cylinder, Shape::cone, Shape::box})
        for (int j : {Shape::sphere, Shape::capsule, Shape::cylinder, Shape::cone, Shape::box})
            for (std::uint64_t seed = 0; seed < 6; ++seed) {
                Rng rng{seed, std::uint64_t(100 + 10 * i + j)};
                const Real3 sa{0.5, 0.4, 0.6}, sb{0.3, 0.6, 0.4};
                ShapeStore store;
                store.hulls = {*make_hull(sample(i, sa)).value, *make_hull(sample(j, sb)).value};
                const Placement fa,
                    fb = make_placement({real3(1.5 * vec(draw_unit_vector(rng))), draw_rotation(rng)});
                const Real exact = convex_distance(*make_convex(store, {Shape::Kind(i), sa}), fa,
                                                   *make_convex(store, {Shape::Kind(j), sb}), fb)
                                       .distance;
                const Real sampled = convex_distance(*make_convex(store, {Shape::hull, {}, 0, 0}), fa,
                                                     *make_convex(store, {Shape::hull, {}, 0, 1}), fb)
                                         .distance;
                EXPECT_GE(sampled, exact - 1e-9) << i << " " << j << " " << seed;
                EXPECT_LE(sampled, exact + 2 * (0.5 + 0.3) * (1 - std::cos(kPi / 40))) << i << " " << j;
            }
}

static Convex shape(Shape::Kind kind, const Real3& size, Real rounding = 0) {
    return *make_convex(case_store(), {kind, size, rounding});
}
static Placement placed_at(const Real3& p, const Real4& q = {}) { return make_placement({p, q}); }

TEST(convex_distance, closed_forms_of_aligned_primitives) {
    const Real4 quarter{std::sqrt(0.5), 0, 0, std::sqrt(0.5)}; // y axis to -x
    const Convex ball = shape(Shape::sphere, {0.5, 0, 0}), box = shape(Shape::box, {1, 2, 3}),
                 capsule = shape(Shape::capsule, {0.25, 1, 0}),
                 cylinder = shape(Shape::cylinder, {0.5, 1, 0}), cone = shape(Shape::cone, {1, 1, 0}),
                 floor = shape(Shape::half_space, {}), wall = shape(Shape::plane, {});
    struct Row {
        const Convex &a, &b;
        Placement at;
        Real distance;
        Vec3 normal;
    };
    const Real r5 = std::sqrt(5.0);
    const Row rows[] = {
        {ball, ball, placed_at({3, 0, 0}), 2, {1, 0, 0}},
        {ball, ball, placed_at({0, -0.5, 0}), -0.5, {0, -1, 0}},
        {box, ball, placed_at({0, 2.25, 0}), -0.25, {0, 1, 0}},
        {box, ball, placed_at({0.75, 0, 0}), -0.75, {1, 0, 0}},
        {box, ball, placed_at({4, 6, 0}), 4.5, {0.6, 0.8, 0}},
        {capsule, ball, placed_at({0, 3, 0}), 1.25, {0, 1, 0}},
        {capsule, capsule, placed_at({0, 0, 2}, quarter), 1.5, {0, 0, 1}},
        {capsule, capsule, placed_at({0, 0, 0.25}, quarter), -0.25, {0, 0, 1}},
        {box, box, placed_at({2, 1, 1}), 0, {1, 0, 0}},
        {box, box, placed_at({1.5, 0, 0}), -0.5, {1, 0, 0}},
        {box, capsule, placed_at({0, 4, 0}), 0.75, {0, 1, 0}},
        {box, capsule, placed_at({0, 2.5, 0}), -0.75, {0, 1, 0}}, // its end half a metre inside, and the ball
        {cylinder, ball, placed_at({2, 0, 0}), 1, {1, 0, 0}},
        {cylinder, ball, placed_at({0.25, 0.5, 0}), -0.75, {1, 0, 0}},
        {cylinder, cylinder, placed_at({0, 2.5, 0}), 0.5, {0, 1, 0}},
        {cylinder, box, placed_at({1.25, 0, 0}), -0.25, {1, 0, 0}},
        {cone, ball, placed_at({2, 1, 0}), 4 / r5 - 0.5, {2 / r5, 1 / r5, 0}},
        {cone, ball, placed_at({0, 2, 0}), 0.5, {0, 1, 0}},
        {cone, box, placed_at({0, -4, 0}), 1, {0, -1, 0}},
        {floor, box, placed_at({7, 1.5, 0}), -0.5, {0, 1, 0}},
        {floor, cone, placed_at({7, 3, 5}), 2, {0, 1, 0}},
        {box, floor, placed_at({0, -2.5, 0}), 0.5, {0, -1, 0}},
        {wall, ball, placed_at({0, -2, 0}), 1.5, {0, -1, 0}},
        {wall, ball, placed_at({0, -0.25, 0}), -0.25, {0, -1, 0}},
        {wall, cylinder, placed_at({0, 0.75, 0}, quarter), 0.25, {0, 1, 0}},
    };
    const Placement origin;
    int row = 0;
    for (const Row& c : rows) {
        SCOPED_TRACE(row++);
        const ConvexDistance r = convex_distance(c.a, origin, c.b, c.at);
        EXPECT_NEAR(r.distance, c.distance, 4e-12); // EPA's own tolerance for cylinder and box
        EXPECT_NEAR((r.normal - c.normal).norm(), 0, 1e-6);
        const ConvexDistance back = convex_distance(c.b, c.at, c.a, origin);
        EXPECT_NEAR(back.distance, c.distance, 4e-12);
        EXPECT_NEAR((back.normal + c.normal).norm(), 0, 1e-6);
    }
    EXPECT_TRUE(std::isinf(convex_distance(floor, origin, wall, origin).distance));
}

TEST(convex_distance, of_concentric_and_flat_pairs_has_a_depth_and_a_unit_normal) {
    const Placement o;
    const Convex box = shape(Shape::box, {1, 2, 3}), cylinder = shape(Shape::cylinder, {0.5, 1, 0}),
                 capsule = shape(Shape::capsule, {0.25, 1, 0}), ball = shape(Shape::sphere, {1, 0, 0}),
                 point = shape(Shape::point, {}), segment = shape(Shape::segment, {0, 1, 0}),
                 sheet = shape(Shape::box, {1, 0, 1}),
                 triangle = make_triangle({-1, 0, -1}, {0, 0, 2}, {1, 0, -1}, 0);
    const Placement turned = placed_at({}, {std::sqrt(0.5), 0, 0, std::sqrt(0.5)});
    struct Row {
        const Convex &a, &b;
        const Placement& at;
        Real depth;
    };
    const Row rows[] = {{box, box, o, 2},
                        {cylinder, cylinder, o, 1},
                        {capsule, capsule, o, 0.5},
                        {ball, ball, o, 2},
                        {point, point, o, 0},
                        {segment, segment, o, 0},
                        {segment, segment, turned, 0},
                        {capsule, capsule, turned, 0.5},
                        {sheet, sheet, o, 0},
                        {triangle, triangle, o, 0},
                        {triangle, segment, o, 2 / std::sqrt(10.0)},
                        {triangle, segment, turned, 0},
                        {sheet, segment, turned, 0},
                        {box, ball, o, 2},
                        {cylinder, segment, o, 0.5},
                        {segment, point, o, 0},
                        {cylinder, triangle, o, 1}};
    int row = 0;
    for (const Row& c : rows) {
        SCOPED_TRACE(row++);
        for (bool back : {false, true}) {
            const ConvexDistance r =
                back ? convex_distance(c.b, c.at, c.a, o) : convex_distance(c.a, o, c.b, c.at);
            EXPECT_NEAR(r.distance, -c.depth, 1e-9);
            EXPECT_NEAR(r.normal.norm(), 1, 1e-12);
            const ConvexCase a{back ? c.b : c.a, back ? c.at : o, 0}, b{back ? c.a : c.b, back ? o : c.at, 0};
            EXPECT_NEAR(separation(a, b, r.normal), r.distance, 1e-9);
        }
    }
}

TEST(convex_distance, scales_exactly_with_powers_of_two_and_hardly_depends_on_the_place) {
    for (int i = 0; i < kConvexKinds; ++i)
        for (int j = 0; j < kConvexKinds; ++j)
            for (std::uint64_t seed = 0; seed < 4; ++seed) {
                Rng rng{seed, std::uint64_t(500 + 10 * i + j)};
                ConvexCase a = draw_case(rng, i, 0, seed % 2), b = draw_case(rng, j, 1.6, seed % 2);
                const Real once = convex_distance(a.shape, a.place, b.shape, b.place).distance;
                // far from the origin: the positions themselves are rounded to 1e6 * 1e-16
                const Vec3 far(1e6, -2e6, 3e6);
                ConvexCase fa = a, fb = b;
                fa.place.p += far, fb.place.p += far;
                EXPECT_NEAR(convex_distance(fa.shape, fa.place, fb.shape, fb.place).distance, once, 2e-5);
                if (i == 7 || j == 7) continue; // hulls are shared
                for (Real scale : {0x1p-60, 0x1p60}) {
                    ConvexCase sa = a, sb = b;
                    for (ConvexCase* c : {&sa, &sb}) {
                        c->shape.size *= scale, c->shape.radius *= scale, c->place.p *= scale;
                        for (Vec3& v : c->shape.corner) v *= scale;
                    }
                    EXPECT_EQ(convex_distance(sa.shape, sa.place, sb.shape, sb.place).distance, scale * once);
                }
            }
}

TEST(convex_distance, of_hulls_without_volume_and_of_thin_ones) {
    ShapeStore store;
    store.hulls.resize(3);
    store.hulls[0].vertices = {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}}; // a sheet without faces
    store.hulls[1].vertices = {{0, 0, 0}};
    store.hulls[2] =
        *make_hull(std::vector<Real3>{{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}, {0, 1e-6, 0}}).value;
    const Convex sheet = *make_convex(store, {Shape::hull, {}, 0, 0}),
                 dot = *make_convex(store, {Shape::hull, {}, 0, 1}),
                 thin = *make_convex(store, {Shape::hull, {}, 0, 2}), box = shape(Shape::box, {1, 1, 1});
    EXPECT_NEAR(convex_distance(sheet, {}, sheet, placed_at({0.3, 0.5, 0})).distance, 0.5, 1e-12);
    EXPECT_NEAR(convex_distance(sheet, {}, sheet, placed_at({0.3, 0, 0})).distance, 0, 1e-12);
    EXPECT_NEAR(convex_distance(box, {}, sheet, placed_at({0, 0.75, 0})).distance, -0.25, 1e-12);
    EXPECT_NEAR(convex_distance(box, {}, dot, placed_at({0.5, 0.75, 0})).distance, -0.25, 1e-12);
    EXPECT_NEAR(convex_distance(dot, placed_at({0.5, 1.75, 0}), box, {}).distance, 0.75, 1e-12);
    EXPECT_NEAR(convex_distance(thin, {}, thin, placed_at({0, 0.5, 0})).distance, 0.5 - 1e-6, 1e-12);
    EXPECT_NEAR(convex_distance(thin, {}, thin, {}).distance, -1e-6, 1e-11);
}

TEST(convex_distance, stops_early_with_a_lower_bound) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        Rng rng{seed, 900};
        const ConvexCase a = draw_case(rng, 1 + draw_int(rng, 8), 0, false),
                         b = draw_case(rng, 1 + draw_int(rng, 8), 3, false);
        const Real exact = convex_distance(a.shape, a.place, b.shape, b.place).distance;
        const Real bound = convex_distance(a.shape, a.place, b.shape, b.place, 0.2).distance;
        if (exact <= 0.2) {
            EXPECT_NEAR(bound, exact, 1e-12);
        } else {
            EXPECT_GT(bound, 0.2);
            EXPECT_LE(bound, exact + 1e-12);
        }
    }
}

TEST(convex_distance, survives_numbers_that_are_not_finite) {
    const Real bad[] = {std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity(), 1e300};
    for (int i = 0; i < kConvexKinds; ++i)
        for (int j = 0; j < kConvexKinds; ++j)
            for (Real x : bad) {
                Rng rng{3, std::uint64_t(10 * i + j)};
                ConvexCase a = draw_case(rng, i, 0, false), b = draw_case(rng, j, 1, false);
                b.place.p.x() = x;
                const ConvexDistance r = convex_distance(a.shape, a.place, b.shape, b.place);
                EXPECT_FALSE(r.distance < -1e3);
            }
}

TEST(sat, and_the_expanding_polytope_agree_on_overlapping_polytopes) {
    int compared = 0;
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
        Rng rng{seed, 950};
        const int kinds[] = {Shape::box, 7, 8};
        const ConvexCase a = draw_case(rng, kinds[draw_int(rng, 2)], 0, false),
                         b = draw_case(rng, kinds[draw_int(rng, 3)], 0.8, false);
        const ConvexPair pair = make_pair(a.shape, a.place, b.shape, b.place);
        Simplex s;
        if (run_gjk(pair, 1e9, s).state != GjkResult::overlapping) continue;
        const SeparatingAxis axis = find_separating_axis(pair, 1e9);
        const Penetration p = run_epa(pair, s);
        EXPECT_NEAR(-axis.separation, p.depth, 2e-6 * p.depth + 1e-11) << seed; // SAT's preference for faces
        ++compared;
    }
    EXPECT_GT(compared, 200);
}

TEST(sat, of_boxes_in_closed_form_equals_the_general_search) {
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        Rng rng{seed, 960};
        ConvexCase a = draw_case(rng, Shape::box, 0, false), b = draw_case(rng, Shape::box, 1.5, false);
        if (seed % 4 == 0) b.place.R = Mat3::Identity(); // parallel edges
        const ConvexPair pair = make_pair(a.shape, a.place, b.shape, b.place);
        const SeparatingAxis fast = find_box_axis(pair, 1e9), slow = find_separating_axis(pair, 1e9);
        if (slow.separation > 0 && fast.separation > 0)
            continue; // two vertices apart: neither is the distance
        EXPECT_NEAR(fast.separation, slow.separation, 2e-6 * std::abs(slow.separation)) << seed;
        EXPECT_NEAR(fast.normal.dot(fast.on_b - fast.on_a), fast.separation, 1e-12);
        EXPECT_NEAR(slow.normal.dot(slow.on_b - slow.on_a), slow.separation, 1e-12);
        EXPECT_GT(fast.normal.dot(slow.normal), 1 - 1e-9) << seed;
        EXPECT_EQ(fast.kind, slow.kind) << seed;
        EXPECT_EQ(fast.feature_a, slow.feature_a) << seed;
    }
}

TEST(sat, says_separated_exactly_when_polytopes_are) {
    int apart = 0;
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        Rng rng{seed, 970};
        const int kinds[] = {Shape::box, 7, 8};
        const ConvexCase a = draw_case(rng, kinds[draw_int(rng, 3)], 0, false),
                         b = draw_case(rng, kinds[draw_int(rng, 3)], 1.4, false);
        const ConvexPair pair = make_pair(a.shape, a.place, b.shape, b.place);
        Simplex s;
        const bool separated = run_gjk(pair, 1e9, s).state == GjkResult::separated;
        EXPECT_EQ(find_separating_axis(pair, 1e9).separation > 0, separated) << seed;
        apart += separated;
    }
    EXPECT_GT(apart, 300);
    EXPECT_LT(apart, 1200);
}

TEST(convex_distance, contact_frame_is_right_handed_and_orthonormal) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        Rng rng{seed, 980};
        const Vec3 n = seed < 3 ? Vec3(Vec3::Unit(int(seed))) : vec(draw_unit_vector(rng));
        Mat3 frame;
        Vec3 s, t;
        contact_frame(n, s, t);
        frame << s, t, n;
        EXPECT_NEAR((frame.transpose() * frame - Mat3::Identity()).norm(), 0, 1e-14);
        EXPECT_NEAR(frame.determinant(), 1, 1e-14);
    }
}

// The expanding polytope spent its points on all directions around a common axis: of these pairs the worst changed its
// depth by 8e-4 m when a and b were swapped.
TEST(convex_distance, of_bodies_of_revolution_on_one_axis_is_the_same_when_swapped) {
    Real worst = 0;
    int overlapping = 0;
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
        Rng rng{seed, 4243};
        const int kinds[] = {Shape::cone, Shape::cylinder};
        const ConvexCase a = draw_case(rng, Shape::cone, 0, false);
        ConvexCase b = draw_case(rng, kinds[seed % 2], 1, false);
        b.place.R = a.place.R;
        if (seed % 3 == 0) b.place.R.col(0) *= -1, b.place.R.col(1) *= -1; // upside down
        b.place.p = a.place.p + a.place.R * Vec3(0, draw_uniform(rng, -0.5, 0.5), 0);
        const ConvexDistance d = convex_distance(a.shape, a.place, b.shape, b.place);
        const Real back = convex_distance(b.shape, b.place, a.shape, a.place).distance;
        overlapping += d.distance < 0;
        worst = std::max(worst, std::abs(back - d.distance));
        ASSERT_NEAR(separation(a, b, d.normal), d.distance, 1e-8) << seed;
    }
    EXPECT_GT(overlapping, 1000);
    EXPECT_LT(worst, 1e-8); // the proof of the direction above is as exact
}

TEST(soak_convex_distance, of_a_million_pairs_a_quarter_of_them_aligned_is_proved_by_its_direction) {
    for (std::uint64_t seed = 0; seed < 1000000; ++seed) {
        Rng rng{seed, 4242};
        const int i = draw_int(rng, kConvexKinds), j = draw_int(rng, kConvexKinds);
        const ConvexCase a = draw_case(rng, i, 0, false);
        ConvexCase b = draw_case(rng, j, 1.8, false);
        if (seed % 4 == 0) b.place.R = a.place.R;
        if (seed % 8 == 0)
            b.place.p = a.place.p +
                        a.place.R * Vec3(draw_int(rng, 3) - 1, draw_int(rng, 3) - 1, draw_int(rng, 3) - 1);
        const ConvexDistance d = convex_distance(a.shape, a.place, b.shape, b.place);
        const Real back = convex_distance(b.shape, b.place, a.shape, a.place).distance;
        ASSERT_NEAR(separation(a, b, d.normal), d.distance, 1e-8) << seed; // 7e-9 was seen
        ASSERT_NEAR(back, d.distance, 1e-8) << seed;                       // 8e-10 was seen
    }
}
