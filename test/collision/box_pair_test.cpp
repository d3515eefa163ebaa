#include "collision/box_pair.h"
#include "core/random.h"
#include "geometry/convex_closest.h"
#include "geometry/convex_distance.h"
#include <cmath>
#include <gtest/gtest.h>
#include <set>

using namespace sinew;

namespace {

struct BoxCase {
    Convex a, b;
    Placement fa, fb;
    Real margin = 0;
};

Vec3 draw_vector(Rng& rng, Real size) { return {size * draw_uniform(rng, -1, 1), size * draw_uniform(rng, -1, 1), size * draw_uniform(rng, -1, 1)}; }

Convex draw_convex_box(Rng& rng, bool rounded) {
    Convex c;
    c.core = Convex::box;
    for (int k = 0; k < 3; ++k) c.size[k] = draw_uniform(rng, 0.1, 1);
    if (rounded) c.radius = draw_uniform(rng, 0, 0.1);
    return c;
}

// kinds: 0 anywhere near, 1 deep, 2 faces parallel and touching, 3 edges crossing near a touch, 4 beyond the margin mostly
BoxCase draw_boxes(Rng& rng, int kind) {
    BoxCase c;
    c.a = draw_convex_box(rng, kind == 0 && draw_uniform(rng, 0, 1) < 0.5);
    c.b = draw_convex_box(rng, kind == 0 && draw_uniform(rng, 0, 1) < 0.5);
    c.margin = draw_uniform(rng, 0, 1) < 0.2 ? 0 : 0.05;
    const Quat q = exp_rotation(draw_vector(rng, 3));
    Vec3 turn = draw_vector(rng, 3), p = draw_vector(rng, 1.5);
    if (kind == 1) p = draw_vector(rng, 0.4);
    if (kind == 2) {
        const int k = draw_int(rng, 3);
        turn = Vec3::Zero();
        turn[k] = draw_uniform(rng, -3, 3);
        p = draw_vector(rng, 0.5);
        p[k] = c.a.size[k] + c.b.size[k] + draw_uniform(rng, -0.01, 0.01);
    }
    if (kind == 4) p = draw_vector(rng, 3);
    c.fa = {q.toRotationMatrix(), draw_vector(rng, 5)};
    if (kind == 3) { // an edge of each through one point, directions and corners drawn
        const Mat3 r = exp_rotation(turn).toRotationMatrix();
        p = Vec3(c.a.size.x(), c.a.size.y(), draw_uniform(rng, -1, 1) * c.a.size.z()) +
            r * Vec3(c.b.size.x(), c.b.size.y(), draw_uniform(rng, -1, 1) * c.b.size.z()) + draw_vector(rng, 0.01);
    }
    c.fb = {c.fa.R * exp_rotation(turn).toRotationMatrix(), at(c.fa, p)};
    return c;
}

Real deepest(const Manifold& m) {
    Real gap = 1e300;
    for (int k = 0; k < m.count; ++k) gap = std::min(gap, m.point[k].gap);
    return gap;
}

// [m] separation of the boxes along n, by support points
Real separation(const BoxCase& c, const Vec3& n) {
    return n.dot(at(c.fb, support_grown(c.b, -(c.fb.R.transpose() * n))) - at(c.fa, support_grown(c.a, c.fa.R.transpose() * n)));
}

struct Counts {
    int closed = 0, open = 0, touching = 0, same = 0; // same: the very points of the judge
};

void check_boxes(const BoxCase& c, Counts& counts) {
    Manifold fast, judge;
    const auto hit = collide_boxes(c.a, c.fa, c.b, c.fb, c.margin, fast);
    const bool expected = collide_general(c.a, c.fa, c.b, c.fb, c.margin, judge);
    if (!hit) {
        ++counts.open;
        return;
    }
    ++counts.closed;
    const Real distance = convex_distance(c.a, c.fa, c.b, c.fb).distance;
    // the axis of a face is kept while it is within 1e-6 of the best
    const Real habit = 1e-6 * (std::abs(distance) + c.a.radius + c.b.radius) + 1e-11;
    if (std::abs(distance - c.margin) > habit) {
        ASSERT_EQ(*hit, expected);
    }
    if (!*hit || !expected) return;
    ++counts.touching;
    ASSERT_LE(fast.count, 4);
    // both keep points within 1e-5 of the contact's size, at most 4 m
    ASSERT_NEAR(deepest(fast), deepest(judge), 4e-5);
    ASSERT_NEAR(fast.normal.norm(), 1, 1e-12);
    // the normal is an axis of largest separation, which is the distance
    ASSERT_NEAR(separation(c, fast.normal), distance, habit);
    if (fast.normal.dot(judge.normal) > 1 - 1e-12) {
        // the same axis: the same points, unless more than four were to choose from
        std::set<std::uint64_t> names, others;
        for (int k = 0; k < fast.count; ++k) names.insert(fast.point[k].key);
        for (int k = 0; k < judge.count; ++k) others.insert(judge.point[k].key);
        ASSERT_EQ(int(names.size()), fast.count);
        counts.same += names == others;
        if (names == others)
            for (int k = 0; k < fast.count; ++k)
                for (int l = 0; l < judge.count; ++l)
                    if (fast.point[k].key == judge.point[l].key) {
                        ASSERT_NEAR((fast.point[k].on_a - judge.point[l].on_a).norm(), 0, 1e-9);
                        ASSERT_NEAR((fast.point[k].on_b - judge.point[l].on_b).norm(), 0, 1e-9);
                    }
    }
    for (int k = 0; k < fast.count; ++k) {
        const ManifoldPoint& p = fast.point[k];
        // rounding of a gap of order 1 in world coordinates of order 5
        ASSERT_NEAR(fast.normal.dot(p.on_b - p.on_a), p.gap, 1e-12);
        ASSERT_LE(p.gap, c.margin);
        ASSERT_GE(p.gap, distance - habit);
        // corners of features lie on the core along the normal; the ball of a rounded box reaches no further
        ASSERT_LE(closest_point(c.a, from(c.fa, p.on_a)).distance, 2e-5);
        ASSERT_LE(closest_point(c.b, from(c.fb, p.on_b)).distance, 2e-5);
    }
}

} // namespace

TEST(box_pair, agrees_with_the_general_way_on_a_hundred_thousand_pairs) {
    Counts counts[5];
    for (int kind = 0; kind < 5; ++kind)
        for (std::uint64_t seed = 0; seed < 20000; ++seed) {
            Rng rng{seed, std::uint64_t(100 + kind)};
            SCOPED_TRACE(testing::Message() << "kind " << kind << " seed " << seed);
            ASSERT_NO_FATAL_FAILURE(check_boxes(draw_boxes(rng, kind), counts[kind]));
        }
    for (int kind = 0; kind < 5; ++kind) {
        RecordProperty("open_" + std::to_string(kind), counts[kind].open);
        EXPECT_GT(counts[kind].touching, kind == 4 ? 200 : 1000);
        // the rest: four of up to eight, where ties in area or depth depend on the order of the corners
        EXPECT_GT(counts[kind].same, 0.7 * counts[kind].touching);
        // corners against corners and edges are few
        EXPECT_LT(counts[kind].open, 4000);
    }
    EXPECT_EQ(counts[1].open, 0); // what overlaps is always closed
}
