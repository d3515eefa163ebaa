#include "../geometry/convex_cases.h"
#include "collision/manifold.h"
#include "collision/manifold_clip.h"
#include "geometry/convex_closest.h"
#include "geometry/convex_distance.h"
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace sinew;

static std::set<std::uint64_t> keys(const Manifold& m) {
    std::set<std::uint64_t> k;
    for (int i = 0; i < m.count; ++i) k.insert(m.point[i].key);
    return k;
}
// Area of the convex quadrilateral (or triangle) of the points seen along the normal, in any order
static Real spanned_area(const Manifold& m) {
    Real most = 0;
    for (int i = 0; i < m.count; ++i)
        for (int j = 0; j < m.count; ++j)
            for (int k = 0; k < m.count; ++k)
                for (int l = 0; l < m.count; ++l)
                    most = std::max(
                        most,
                        m.normal.dot(
                            (m.point[k].on_a - m.point[i].on_a).cross(m.point[l].on_a - m.point[j].on_a)) /
                            2);
    return most;
}

TEST(manifold, of_every_pair_of_kinds_lies_on_both_shapes_and_contains_the_deepest_point) {
    int touching = 0;
    for (int i = 0; i < kConvexKinds; ++i)
        for (int j = 0; j < kConvexKinds; ++j)
            for (std::uint64_t seed = 0; seed < 80; ++seed) {
                Rng rng{seed, std::uint64_t(10 * i + j)};
                const ConvexCase a = draw_case(rng, i, 0, seed % 2),
                                 b = draw_case(rng, j, 1.2, seed % 3 == 0);
                const Real margin = seed % 5 == 0 ? 0 : 0.05;
                SCOPED_TRACE(testing::Message() << i << " " << j << " seed " << seed);
                const ConvexDistance d = convex_distance(a.shape, a.place, b.shape, b.place);
                Manifold m;
                const bool hit = collide_convex(a.shape, a.place, b.shape, b.place, margin, m);
                if (std::abs(d.distance - margin) > 1e-9) {
                    EXPECT_EQ(hit, d.distance <= margin);
                }
                if (!hit) continue;
                ++touching;
                ASSERT_LE(m.count, 4);
                Real deepest = 1e9;
                for (int k = 0; k < m.count; ++k) {
                    const ManifoldPoint& p = m.point[k];
                    deepest = std::min(deepest, p.gap);
                    EXPECT_NEAR(m.normal.dot(p.on_b - p.on_a), p.gap, 1e-9);
                    EXPECT_LE(p.gap, margin + 1e-12);
                    EXPECT_GE(p.gap, d.distance - 1e-9);
                    // within the shapes: corners of features, moved along the normal by the rounding
                    EXPECT_LE(closest_point(a.shape, from(a.place, p.on_a)).distance, 2e-5);
                    EXPECT_LE(closest_point(b.shape, from(b.place, p.on_b)).distance, 2e-5);
                }
                // 1e-5 of the size of the contact may be missing, manifold.cpp
                EXPECT_NEAR(deepest, d.distance, 3e-5);
                EXPECT_EQ(int(keys(m).size()), m.count);
                Manifold again, back;
                collide_convex(a.shape, a.place, b.shape, b.place, margin, again);
                for (int k = 0; k < m.count; ++k) EXPECT_EQ(again.point[k].on_a, m.point[k].on_a);
                EXPECT_TRUE(collide_convex(b.shape, b.place, a.shape, a.place, margin, back) ||
                            std::abs(d.distance - margin) < 1e-5);
            }
    EXPECT_GT(touching, 1500);
}

TEST(manifold, of_a_box_on_a_box_is_the_overlap_of_the_faces) {
    const Convex big = case_shape(Shape::box, {1, 0.5, 1}), small = case_shape(Shape::box, {0.5, 0.5, 0.25});
    Manifold m;
    ASSERT_TRUE(collide_convex(big, case_place({0, 0, 0}), small, case_place({0.1, 0.99, 0.2}), 0.1, m));
    EXPECT_EQ(m.normal, Vec3(0, 1, 0));
    ASSERT_EQ(m.count, 4);
    EXPECT_NEAR(spanned_area(m), 1 * 0.5, 1e-12);
    for (int i = 0; i < 4; ++i) {
        EXPECT_NEAR(m.point[i].gap, -0.01, 1e-12);
        EXPECT_NEAR(m.point[i].on_a.y(), 0.5, 1e-12);
        EXPECT_NEAR(m.point[i].on_b.y(), 0.49, 1e-12);
    }
    // half over the side: two corners of b, two crossings at a's edge
    ASSERT_TRUE(collide_convex(big, case_place({0, 0, 0}), small, case_place({1, 0.99, 0.2}), 0.1, m));
    ASSERT_EQ(m.count, 4);
    EXPECT_NEAR(spanned_area(m), 0.5 * 0.5, 1e-12);
    // turned by an eighth of a turn: a regular octagon of area 8 (sqrt 2 - 1); four of its corners span at
    // least half
    const Convex cube = case_shape(Shape::box, {1, 1, 1});
    ASSERT_TRUE(collide_convex(cube, case_place({0, 0, 0}), cube, case_place({0, 1.999, 0}, {0, kPi / 4, 0}), 0.1, m));
    ASSERT_EQ(m.count, 4);
    EXPECT_GE(spanned_area(m), 0.5 * 8 * (std::sqrt(2.0) - 1));
}

TEST(manifold, of_flat_contacts_of_every_solid_has_the_points_it_needs) {
    const Convex floor = case_shape(Shape::half_space, {}), ground = case_shape(Shape::box, {5, 1, 5}),
                 tri = make_triangle({-9, 0, -9}, {0, 0, 9}, {9, 0, -9}, 0);
    const Vec3 lying(0, 0, kPi / 2);
    const struct {
        Convex c;
        Vec3 turn;
        Real height; // of its origin when it touches
        int count;
        Real area;
    } rows[] = {{case_shape(Shape::box, {0.5, 1, 0.25}), {0, 0.3, 0}, 1, 4, 0.5},
                {case_shape(Shape::cylinder, {0.5, 1, 0}), {0, 0.3, 0}, 1, 4, 2 * 0.25 * 0.8},
                {case_shape(Shape::cylinder, {0.5, 1, 0}), lying, 0.5, 2, 0},
                {case_shape(Shape::cone, {0.5, 1, 0}), {0, 0.3, 0}, 1, 4, 2 * 0.25 * 0.8},
                {case_shape(Shape::capsule, {0.5, 1, 0}), lying, 0.5, 2, 0},
                {case_shape(Shape::capsule, {0.5, 1, 0}), {0, 0, 0}, 1.5, 1, 0},
                {case_shape(Shape::sphere, {0.5, 0, 0}), {0, 0, 0}, 0.5, 1, 0},
                {case_shape(Shape::cone, {0.5, 1, 0}), {0, 0, kPi}, 1, 1, 0},
                {case_shape(Shape::segment, {0, 1, 0}, 0.1), lying, 0.1, 2, 0},
                {case_shape(Shape::point, {}, 0.1), lying, 0.1, 1, 0},
                {make_triangle({0, 0, 0}, {0, 0, 1}, {1, 0, 0}, 0.1), {0, 0, 0}, 0.1, 3, 0.5}};
    int row = 0;
    for (const auto& c : rows) {
        SCOPED_TRACE(row++);
        for (int k = 0; k < 3; ++k) {
            SCOPED_TRACE(k);
            const Convex& below = k == 0 ? floor : k == 1 ? ground : tri;
            Manifold m, back;
            const Placement fa = case_place({0, k == 1 ? -1.0 : 0.0, 0}),
                            fb = case_place({0.1, c.height - 0.001, 0.1}, c.turn);
            ASSERT_TRUE(collide_convex(below, fa, c.c, fb, 0.01, m));
            EXPECT_EQ(m.count, c.count);
            EXPECT_GT(m.normal.y(), 1 - 1e-9);
            EXPECT_GE(spanned_area(m), c.area - 1e-9);
            for (int i = 0; i < m.count; ++i) EXPECT_NEAR(m.point[i].gap, -0.001, 1e-9);
            ASSERT_TRUE(collide_convex(c.c, fb, below, fa, 0.01, back));
            EXPECT_EQ(back.count, c.count);
            EXPECT_LT(back.normal.y(), -1 + 1e-9);
            EXPECT_NEAR(spanned_area(back), spanned_area(m),
                        1e-6 + 0.2 * spanned_area(m)); // other four of twelve
        }
    }
}

TEST(manifold, of_parallel_capsules_and_of_lying_cylinders_has_two_points) {
    const Convex capsule = case_shape(Shape::capsule, {0.2, 1, 0}), cylinder = case_shape(Shape::cylinder, {0.2, 1, 0});
    for (const Convex* c : {&capsule, &cylinder}) {
        Manifold m;
        ASSERT_TRUE(collide_convex(*c, case_place({0, 0, 0}), *c, case_place({0.395, 0.5, 0}), 0.01, m));
        ASSERT_EQ(m.count, 2);
        EXPECT_NEAR((m.point[0].on_a - m.point[1].on_a).norm(), 1.5, 1e-9);
        EXPECT_NEAR(m.point[0].gap, -0.005, 1e-9);
        EXPECT_NEAR(m.point[1].gap, -0.005, 1e-9);
        // crossing
        ASSERT_TRUE(collide_convex(*c, case_place({0, 0, 0}), *c, case_place({0.395, 0.5, 0}, {0.5, 0, 0}), 0.01, m));
        EXPECT_EQ(m.count, 1);
    }
}

TEST(manifold, of_crossing_edges_is_the_crossing) {
    const Convex cube = case_shape(Shape::box, {1, 1, 1});
    const Real s = std::sqrt(2.0);
    // one stands on an edge along z, the other hangs on an edge along x
    Manifold m;
    ASSERT_TRUE(collide_convex(cube, case_place({0, 0, 0}, {0, 0, kPi / 4}), cube,
                               case_place({0.1, 2 * s - 0.01, 0.2}, {kPi / 4, 0, 0}), 0, m));
    ASSERT_EQ(m.count, 1);
    EXPECT_NEAR((m.normal - Vec3(0, 1, 0)).norm(), 0, 1e-9);
    EXPECT_NEAR(m.point[0].gap, -0.01, 1e-9);
    EXPECT_NEAR((m.point[0].on_a - Vec3(0, s, 0.2)).norm(), 0, 1e-9);
    EXPECT_EQ(m.point[0].key >> 62, 2u);
}

TEST(manifold, keeps_its_keys_under_small_motion) {
    const Convex box = case_shape(Shape::box, {0.5, 0.4, 0.3}), cylinder = case_shape(Shape::cylinder, {0.4, 0.4, 0}),
                 ground = case_shape(Shape::box, {2, 0.4, 2}), floor = case_shape(Shape::half_space, {}),
                 capsule = case_shape(Shape::capsule, {0.1, 0.4, 0}),
                 hull = *make_convex(case_store(), {Shape::hull, {}, 0, 6}),
                 tri = make_triangle({-2, 0.4, -2}, {0, 0.4, 3}, {2, 0.4, -2}, 0);
    const struct {
        const Convex &a, &b;
        Vec3 p, turn;
    } rows[] = {
        {ground, box, {0.1, 0.799, 0.2}, {0, 0.4, 0}},      {ground, box, {1.9, 0.799, 0.2}, {0, 0.4, 0}},
        {ground, cylinder, {0.1, 0.799, 0.2}, {0, 0.4, 0}}, {floor, box, {0.1, 0.399, 0.2}, {0, 0.4, 0}},
        {ground, hull, {0.1, 0.899, 0.2}, {0, 0.4, 0}},     {tri, box, {0.1, 0.799, 0.2}, {0, 0.4, 0}},
        {ground, capsule, {0, 0.499, 0}, {0, 0, kPi / 2}},  {hull, hull, {0.02, 0.999, 0.03}, {0, 0.1, 0}}};
    int row = 0;
    for (const auto& c : rows) {
        SCOPED_TRACE(row++);
        Manifold first;
        ASSERT_TRUE(collide_convex(c.a, case_place({0, 0, 0}), c.b, case_place(c.p, c.turn), 0.01, first));
        for (std::uint64_t seed = 0; seed < 100; ++seed) {
            Rng rng{seed, 5};
            const Vec3 shift = 1e-9 * vec(draw_in_ball(rng)), turn = 1e-9 * vec(draw_in_ball(rng));
            Manifold m;
            ASSERT_TRUE(
                collide_convex(c.a, case_place({0, 0, 0}), c.b, case_place(c.p + shift, c.turn + turn), 0.01, m));
            EXPECT_EQ(keys(m), keys(first)) << seed;
        }
        // sliding a little keeps most of what touches: candidates are the same features
        Manifold slid;
        ASSERT_TRUE(
            collide_convex(c.a, case_place({0, 0, 0}), c.b, case_place(c.p + Vec3(1e-3, 0, 1e-3), c.turn), 0.01, slid));
        EXPECT_EQ(keys(slid), keys(first));
    }
}

TEST(manifold, reduction_keeps_the_deepest_point_and_the_area) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        Rng rng{seed, 6};
        ClipPoints in;
        const int count = 5 + draw_int(rng, 30);
        for (int i = 0; i < count; ++i) { // around an ellipse, in order
            const Real angle = 2 * kPi * (i + 0.8 * draw_uniform(rng)) / count;
            const Vec3 x(std::cos(angle), 0, -0.3 * std::sin(angle));
            in.point[in.count++] = {x, x, draw_uniform(rng, -1, 0), std::uint64_t(i)};
        }
        Real area = 0, deepest = 0;
        for (int i = 0; i < count; ++i) {
            area += in.point[i].on_a.cross(in.point[(i + 1) % count].on_a).y() / 2;
            deepest = std::min(deepest, in.point[i].gap);
        }
        Manifold m;
        reduce_points(in, Vec3::UnitY(), m);
        ASSERT_EQ(m.count, 4);
        EXPECT_NEAR(m.point[0].gap, deepest, 2e-5); // 1e-5 of the size, manifold_reduce.cpp
        // the largest quadrilateral in an ellipse has 2 / pi = 0.64 of its area; greedy with one corner
        // given: half
        EXPECT_GE(spanned_area(m), 0.45 * area) << seed;
    }
    // coincident and collinear points give fewer
    ClipPoints line;
    for (int i = 0; i < 5; ++i)
        line.point[line.count++] = {Vec3(i / 2, 0, 0), Vec3(i / 2, 0, 0), 0, std::uint64_t(i)};
    Manifold m;
    reduce_points(line, Vec3::UnitY(), m);
    EXPECT_EQ(m.count, 2);
}

TEST(manifold, through_the_store_equals_the_plain_call_and_refuses_what_is_not_convex) {
    ShapeStore store = case_store();
    Manifold m, n;
    const Shape box{Shape::box, {1, 1, 1}}, hull{Shape::hull, {}, 0.1, 2};
    const Pose pa{{1, 2, 3}, {0.5, 0.5, 0.5, 0.5}}, pb{{1.5, 3, 3}, {2, 0, 0, 0}};
    ASSERT_TRUE(collide_convex(store, box, pa, hull, pb, 0, m));
    ASSERT_TRUE(collide_convex(*make_convex(store, box), make_placement(pa), *make_convex(store, hull),
                               make_placement(pb), 0, n));
    ASSERT_EQ(m.count, n.count);
    for (int i = 0; i < m.count; ++i) EXPECT_EQ(m.point[i].key, n.point[i].key);
    EXPECT_FALSE(collide_convex(store, {Shape::mesh, {}, 0, 0}, pa, box, pb, 0, m));
    EXPECT_FALSE(collide_convex(store, {Shape::plane}, pa, {Shape::half_space}, pb, 1e9, m));
    EXPECT_EQ(m.count, 0);
}

// Phi(q + h dq) by central differences; 1e-6 balances their error h^2 against rounding 1e-15 / h
TEST(manifold, normal_direction_is_the_derivative_of_the_gap) {
    int tried = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        Rng rng{seed, 60};
        // rounded shapes apart: the gap is differentiable
        const ConvexCase a = draw_case(rng, draw_int(rng, kConvexKinds), 1, true),
                         b = draw_case(rng, draw_int(rng, kConvexKinds), 2.5, true);
        const ConvexDistance d = convex_distance(a.shape, a.place, b.shape, b.place);
        if (d.distance < 0.05) continue;
        const ContactDirection n = contact_direction(d.normal, d.on_a - a.place.p, d.on_b - b.place.p);
        Vec6 va, vb;
        va << vec(draw_in_ball(rng)), vec(draw_in_ball(rng));
        vb << vec(draw_in_ball(rng)), vec(draw_in_ball(rng));
        const auto gap = [&](Real h) {
            const auto moved = [&](const Placement& f, const Vec6& v) {
                return Placement{exp_rotation(h * v.tail<3>()).toRotationMatrix() * f.R,
                                 f.p + h * v.head<3>()};
            };
            return convex_distance(a.shape, moved(a.place, va), b.shape, moved(b.place, vb)).distance;
        };
        const Real h = 1e-6, rate = (gap(h) - gap(-h)) / (2 * h);
        EXPECT_NEAR(n.on_a.dot(va) + n.on_b.dot(vb), rate, 1e-5) << seed;
        ++tried;
    }
    EXPECT_GT(tried, 100);
}

TEST(manifold, directions_give_the_relative_velocity_in_the_contact_frame) {
    Rng rng{1, 61};
    const Vec3 n = vec(draw_unit_vector(rng)), ra = vec(draw_in_ball(rng)), rb = vec(draw_in_ball(rng)),
               va = vec(draw_in_ball(rng)), wa = vec(draw_in_ball(rng)), vb = vec(draw_in_ball(rng)),
               wb = vec(draw_in_ball(rng));
    Vec3 s, t;
    contact_frame(n, s, t);
    Vec6 qa, qb;
    qa << va, wa;
    qb << vb, wb;
    const Vec3 relative_velocity = vb + wb.cross(rb) - va - wa.cross(ra);
    for (const Vec3& d : {n, s, t}) {
        const ContactDirection c = contact_direction(d, ra, rb);
        EXPECT_NEAR(c.on_a.dot(qa) + c.on_b.dot(qb), d.dot(relative_velocity), 1e-14);
    }
}
