// Bounding volumes against samples: what must be inside is inside, what shares a point overlaps; and where
// the volumes are exact, what overlaps has a common point, found by projecting back and forth.
#include "core/random.h"
#include "geometry/bounding_volumes.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

Vec3 draw(Rng& r, Real scale) {
    return scale * Vec3(draw_uniform(r, -1, 1), draw_uniform(r, -1, 1), draw_uniform(r, -1, 1));
}
// a slanted, flattened cloud somewhere, at any scale; seeds 0 mod 5: a point, a line, or a plane
std::vector<Vec3> draw_cloud(Rng& r, int seed) {
    const Real4 q = draw_rotation(r);
    const Real scale = std::pow(10, draw_int(r, 13) - 6);
    Vec3 sides(1, draw_uniform(r), 0.3 * draw_uniform(r));
    if (seed % 5 == 0)
        for (int k = seed / 5 % 4; k < 3; ++k) sides[k] = 0;
    const Vec3 at = draw(r, 2 * scale);
    std::vector<Vec3> points(1 + draw_int(r, 30));
    for (Vec3& p : points) p = at + quat(q) * (scale * sides.cwiseProduct(draw(r, 1)));
    return points;
}

// nearest point of the volume
Vec3 project(const Aabb& a, const Vec3& p) { return p.cwiseMax(a.lo).cwiseMin(a.hi); }
Vec3 project(const Sphere& a, const Vec3& p) {
    const Vec3 d = p - a.center;
    return d.norm() <= a.radius ? p : Vec3(a.center + a.radius / d.norm() * d);
}
Vec3 project(const Obb& a, const Vec3& p) {
    return a.center + a.axes * (a.axes.transpose() * (p - a.center)).cwiseMax(-a.half).cwiseMin(a.half);
}
template <class V> Real gap_of(const V& a, const V& b, Vec3 p) {
    Vec3 q = p;
    for (int k = 0; k < 4000; ++k) q = project(b, p), p = project(a, q);
    return (p - q).norm();
}

template <class V> class bounding_volume : public testing::Test {};
using Volumes = testing::Types<Aabb, Sphere, Obb, Kdop<14>, Kdop<18>, Kdop<26>>;

} // namespace

TYPED_TEST_SUITE(bounding_volume, Volumes);

TYPED_TEST(bounding_volume, contains_its_points_and_those_of_what_it_merges) {
    for (int seed = 0; seed < 400; ++seed) {
        Rng r{std::uint64_t(seed)};
        const auto first = draw_cloud(r, seed), second = draw_cloud(r, seed + 1);
        TypeParam a, b;
        build_bounds(first, a);
        build_bounds(second, b);
        const TypeParam both = merge(a, b);
        for (const Vec3& p : first) {
            ASSERT_TRUE(contains(a, p)) << "seed " << seed;
            ASSERT_TRUE(contains(both, p)) << "seed " << seed;
        }
        for (const Vec3& p : second) ASSERT_TRUE(contains(both, p)) << "seed " << seed;
    }
}

TYPED_TEST(bounding_volume, swept_contains_the_way) {
    for (int seed = 0; seed < 200; ++seed) {
        Rng r{std::uint64_t(seed), 1};
        const auto start = draw_cloud(r, seed);
        auto end = start;
        const Vec3 move = draw(r, 3 * start[0].norm());
        const Quat turn = quat(draw_rotation(r));
        for (Vec3& p : end) p = move + turn * p;
        TypeParam a, b;
        build_bounds(start, a);
        build_bounds(end, b);
        // a point on the way is itself rounded: by less than this
        const Real rounding = 1e-14 * (start[0].norm() + end[0].norm() + move.norm());
        const TypeParam way = grow(swept(a, b), rounding);
        for (std::size_t i = 0; i < start.size(); ++i)
            for (Real t : {0.0, 0.25, 0.5, 0.9, 1.0})
                ASSERT_TRUE(contains(way, (1 - t) * start[i] + t * end[i])) << "seed " << seed;
    }
}

TYPED_TEST(bounding_volume, grown_contains_what_is_within_reach) {
    for (int seed = 0; seed < 200; ++seed) {
        Rng r{std::uint64_t(seed), 2};
        const auto points = draw_cloud(r, seed);
        TypeParam a;
        build_bounds(points, a);
        const Real reach = draw_uniform(r) * points[0].norm();
        const TypeParam grown = grow(a, reach);
        for (const Vec3& p : points)
            for (int k = 0; k < 20; ++k) // a hair inside: the sample is rounded, too
                ASSERT_TRUE(contains(grown, p + (1 - 1e-12) * reach * vec(draw_unit_vector(r))))
                    << "seed " << seed;
    }
}

TYPED_TEST(bounding_volume, overlaps_where_a_point_is_in_both) {
    int together = 0, apart = 0;
    for (int seed = 0; seed < 1000; ++seed) {
        Rng r{std::uint64_t(seed), 3};
        const auto first = draw_cloud(r, seed);
        auto second = draw_cloud(r, seed + 1);
        const Real scale = (first.back() - first[0]).norm() / ((second.back() - second[0]).norm() + 1e-30);
        const Vec3 from = second[0], to = first[0] + draw_uniform(r, 0, 3) * (first.back() - first[0]);
        for (Vec3& p : second) p = to + scale * (p - from);
        TypeParam a, b;
        build_bounds(first, a);
        build_bounds(second, b);
        bool shared = false;
        for (int k = 0; k < 50; ++k) { // points of b's cloud and between them
            const Vec3 &p = second[draw_int(r, int(second.size()))],
                       &q = second[draw_int(r, int(second.size()))];
            const Vec3 s = p + draw_uniform(r) * (q - p);
            shared |= contains(a, s) && contains(b, s);
        }
        ASSERT_TRUE(!shared || overlap(a, b)) << "seed " << seed;
        ASSERT_EQ(overlap(a, b), overlap(b, a));
        together += overlap(a, b), apart += !overlap(a, b);
    }
    EXPECT_GT(together, 100);
    EXPECT_GT(apart, 100);
}

TYPED_TEST(bounding_volume, empty_is_nowhere) {
    TypeParam none, some;
    build_bounds(std::span<const Vec3>(), none);
    EXPECT_TRUE(is_empty(none));
    const std::vector<Vec3> points{Vec3(1, 2, 3), Vec3(-1, 0, 5)};
    build_bounds(points, some);
    EXPECT_FALSE(is_empty(some));
    EXPECT_FALSE(overlap(none, some) || overlap(some, none) || overlap(none, none));
    EXPECT_FALSE(contains(none, Vec3(1, 2, 3)));
    for (const Vec3& p : points)
        EXPECT_TRUE(contains(merge(none, some), p) && contains(merge(some, none), p));
    EXPECT_TRUE(is_empty(grow(none, 0.1)));
}

namespace {

template <class V> void check_gaps() {
    int together = 0, apart = 0;
    for (int seed = 0; seed < 300; ++seed) {
        Rng r{std::uint64_t(seed), 4};
        std::vector<Vec3> first(12), second(12);
        const Vec3 at = draw(r, 2.5);
        for (Vec3& p : first) p = draw(r, 1);
        for (Vec3& p : second) p = at + draw(r, 1).cwiseProduct(Vec3(1, 0.3, 0.1));
        V a, b;
        build_bounds(first, a);
        build_bounds(second, b);
        const Quat turn = quat(draw_rotation(r));
        if constexpr (std::is_same_v<V, Obb>) a.axes = turn.toRotationMatrix();
        // back and forth converges to the distance, slowly where sides are nearly parallel: 1e-3 of the size
        const Real gap = gap_of(a, b, at);
        if (gap > 1e-3) {
            ++apart;
            ASSERT_FALSE(overlap(a, b)) << "seed " << seed << ", gap " << gap;
        } else if (gap < 1e-12) {
            ++together;
            ASSERT_TRUE(overlap(a, b)) << "seed " << seed;
        }
    }
    EXPECT_GT(together, 30);
    EXPECT_GT(apart, 30);
}

} // namespace

TEST(bounding_volume_overlap, of_boxes_is_that_of_the_sets) { check_gaps<Aabb>(); }
TEST(bounding_volume_overlap, of_spheres_is_that_of_the_sets) { check_gaps<Sphere>(); }
TEST(bounding_volume_overlap, of_oriented_boxes_is_that_of_the_sets) { check_gaps<Obb>(); }

TEST(bounding_volume_size, oriented_box_of_a_slanted_box_is_tight) {
    Rng r{1};
    const Quat turn = quat(draw_rotation(r));
    std::vector<Vec3> points;
    for (int k = 0; k < 8; ++k)
        points.push_back(turn * Vec3(k & 1 ? 3 : -3, k & 2 ? 1 : -1, k & 4 ? 0.2 : -0.2));
    Obb b;
    build_bounds(points, b);
    Vec3 half = b.half;
    std::sort(half.data(), half.data() + 3);
    EXPECT_LT((half - Vec3(0.2, 1, 3)).norm(), 1e-12); // rounding
}

TEST(bounding_volume_size, sphere_is_within_a_fifth_of_the_largest_that_its_diameter_may_need) {
    for (int seed = 0; seed < 200; ++seed) {
        Rng r{std::uint64_t(seed), 6};
        const auto points = draw_cloud(r, seed);
        Real diameter = 0;
        for (const Vec3& p : points)
            for (const Vec3& q : points) diameter = std::max(diameter, (p - q).norm());
        Sphere s;
        build_bounds(points, s);
        // the smallest radius is at most sqrt(3/8) diameters (Jung 1901)
        EXPECT_LE(s.radius, 1.2 * std::sqrt(3.0 / 8) * diameter + 1e-12 * points[0].norm());
    }
}

TEST(bounding_volume_size, more_slabs_are_tighter) {
    // a point near a corner of the box, outside the tetrahedron: each diagonal cuts more of it off
    const std::vector<Vec3> points{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
    Aabb box;
    Kdop<14> k14;
    Kdop<18> k18;
    Kdop<26> k26;
    build_bounds(points, box), build_bounds(points, k14), build_bounds(points, k18),
        build_bounds(points, k26);
    const Vec3 corner(0.9, 0.9, 0.9), edge(0.9, 0.9, 0);
    EXPECT_TRUE(contains(box, corner) && contains(box, edge));
    EXPECT_FALSE(contains(k14, corner) || contains(k18, corner) || contains(k26, corner));
    EXPECT_FALSE(contains(k18, edge) || contains(k26, edge));
    EXPECT_TRUE(contains(k18, Vec3(0.45, 0.45, 0.45)));
    EXPECT_FALSE(contains(k26, Vec3(0.45, 0.45, 0.45)));
}
