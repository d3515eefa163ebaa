// Detection against analytic obstacles: the same contacts as testing every pair, in the order of keys, for any threads.
#include "collision/collision.h"
#include "core/math.h"
#include "core/random.h"
#include "model/stencil.h"
#include "geometry/implicit_shape.h"
#include "model/builder.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

constexpr int kCloudPoints = 6000; // several chunks
constexpr Real kThickness = 0.02, kCloudMargin = 0.05;

// a cloud of points, then one object per shape, turned, moving and spinning
ModelBuilder make_cloud() {
    ModelBuilder b;
    Rng rng{3, 1, 0};
    std::vector<Real3> x(kCloudPoints);
    for (Real3& p : x) p = real3(draw_vec(rng, -1, 1));
    begin_object(b, "cloud", "particles");
    const int first = add_points(b, x, std::vector<Real>(kCloudPoints, 1.0));
    add_surface_points(b, {first, first + kCloudPoints}, kThickness);
    const Real33 none{};
    for (int k = 0; k < 4; ++k) {
        begin_object(b, "obstacle" + std::to_string(k), "sphere");
        const Pose pose{real3(draw_vec(rng, -0.5, 0.5)), real4(exp_rotation(draw_vec(rng, -1, 1)))};
        Obstacle o;
        o.frame = add_frame(b, pose, 0, none, kFixed, real3(draw_vec(rng, -1, 1)), real3(draw_vec(rng, -1, 1)));
        o.shape = Obstacle::Shape(k);
        o.size = {0.3, 0.4, 0.2};
        o.object = k + 1;
        b.model.obstacles.push_back(o);
    }
    return b;
}

Contacts contacts_of_cloud(const ModelBuilder& b, int threads, std::span<const std::uint8_t> alive = {}) {
    Context context;
    context.threads = threads;
    const ParallelPtr parallel = make_parallel(context);
    DetectScratch scratch;
    Contacts out;
    detect_obstacles(*parallel, b.model, b.state.point.x, alive, b.state.frame, {kCloudMargin}, scratch, out);
    return out;
}

} // namespace

TEST(obstacles, contacts_are_those_of_every_pair_sorted_by_key) {
    const ModelBuilder b = make_cloud();
    const Contacts found = contacts_of_cloud(b, 1);
    std::size_t next = 0;
    for (int i = 0; i < kCloudPoints; ++i)
        for (int k = 0; k < 4; ++k) {
            const Obstacle& o = b.model.obstacles[k];
            const Vec3 p = vec(b.state.frame.p[o.frame]), x = vec(b.state.point.x[i]);
            const Quat q = quat(b.state.frame.q[o.frame]);
            const ImplicitHit hit = evaluate_shape({ImplicitShape::Kind(k), o.size}, q.conjugate() * (x - p));
            if (!(hit.distance - kThickness < kCloudMargin)) continue;
            ASSERT_LT(next, found.point_point.size());
            const PointContact& c = found.point_point[next++];
            EXPECT_EQ(c.vertex, i);
            EXPECT_EQ(c.obstacle, k);
            EXPECT_NEAR(c.gap, hit.distance - kThickness, 1e-14);
            EXPECT_NEAR(vec(c.normal).norm(), 1, 1e-12);
            const Vec3 at = p + q * hit.closest; // rounding of two turns
            EXPECT_NEAR((vec(c.at) - at).norm(), 0, 1e-13);
            const Vec3 v = vec(b.state.frame.v[o.frame]) + vec(b.state.frame.w[o.frame]).cross(at - p);
            EXPECT_NEAR((vec(c.velocity) - v).norm(), 0, 1e-12);
        }
    EXPECT_EQ(next, found.point_point.size());
    EXPECT_GT(next, 1000u);
    for (std::size_t k = 1; k < next; ++k) EXPECT_LT(found.point_point[k - 1].key, found.point_point[k].key);
}

TEST(obstacles, any_number_of_threads_finds_the_same) {
    const ModelBuilder b = make_cloud();
    const Contacts one = contacts_of_cloud(b, 1);
    for (int threads : {2, 3, 8}) {
        const Contacts more = contacts_of_cloud(b, threads);
        ASSERT_EQ(more.point_point.size(), one.point_point.size()) << threads;
        for (std::size_t k = 0; k < one.point_point.size(); ++k) {
            EXPECT_EQ(more.point_point[k].key, one.point_point[k].key);
            EXPECT_EQ(more.point_point[k].gap, one.point_point[k].gap);
            EXPECT_TRUE(more.point_point[k].normal == one.point_point[k].normal);
        }
    }
}

TEST(obstacles, rules_switch_pairs_off_and_change_their_thickness_and_the_last_one_wins) {
    ModelBuilder b = make_cloud();
    b.model.contact_rules.push_back({0, 1, true, -1, -1});
    b.model.contact_rules.push_back({2, 0, true, -1, -1});
    b.model.contact_rules.push_back({0, 2, false, -1, 0.1});
    bool sphere = false;
    for (const PointContact& c : contacts_of_cloud(b, 1).point_point) {
        EXPECT_NE(c.obstacle, 0);
        EXPECT_EQ(c.thickness, c.obstacle == 1 ? 0.1 : kThickness);
        sphere = sphere || c.obstacle == 1;
    }
    EXPECT_TRUE(sphere);
}

TEST(obstacles, dead_points_touch_nothing) {
    const ModelBuilder b = make_cloud();
    std::vector<std::uint8_t> alive(kCloudPoints, 1);
    for (int i = 0; i < kCloudPoints; i += 2) alive[i] = 0;
    const Contacts found = contacts_of_cloud(b, 1, alive);
    EXPECT_FALSE(found.point_point.empty());
    for (const PointContact& c : found.point_point) EXPECT_EQ(c.vertex % 2, 1);
}

// what comes nearer than the margin while both go their ways is found, and what stays is found within the margin alone
TEST(obstacles, each_vertex_and_each_obstacle_looks_as_far_as_its_own_way) {
    ModelBuilder b = make_cloud();
    std::vector<Real> way(kCloudPoints, 0);
    for (int i = 0; i < kCloudPoints; i += 10) way[i] = 0.2;
    const ParallelPtr parallel = make_parallel({});
    const auto found = [&](Real ahead) {
        DetectScratch scratch;
        Contacts out;
        EXPECT_TRUE(detect_obstacles(*parallel, b.model, b.state.point.x, {}, b.state.frame, {kCloudMargin, way, ahead}, scratch, out));
        return out.point_point;
    };
    const auto gap = [&](int i, int k, Vec3* at = nullptr) {
        const Obstacle& o = b.model.obstacles[k];
        const Vec3 p = vec(b.state.frame.p[o.frame]);
        const Quat q = quat(b.state.frame.q[o.frame]);
        const ImplicitHit hit = evaluate_shape({ImplicitShape::Kind(k), o.size}, q.conjugate() * (vec(b.state.point.x[i]) - p));
        if (at) *at = p + q * hit.closest;
        return hit.distance - kThickness;
    };
    // obstacles at rest: exactly those
    std::size_t next = 0;
    const auto still = found(0);
    for (int i = 0; i < kCloudPoints; ++i)
        for (int k = 0; k < 4; ++k)
            if (gap(i, k) < kCloudMargin + way[i]) {
                ASSERT_LT(next, still.size());
                EXPECT_EQ(still[next].vertex, i);
                EXPECT_EQ(still[next++].obstacle, k);
            }
    EXPECT_EQ(next, still.size());
    // moving and turning: at least those that the nearest place of the obstacle could bring within the margin
    constexpr Real kAhead = 0.1;
    next = 0;
    std::size_t wanted = 0;
    const auto moving = found(kAhead);
    for (int i = 0; i < kCloudPoints; ++i)
        for (int k = 0; k < 4; ++k) {
            const int f = b.model.obstacles[k].frame;
            Vec3 at;
            const Real distance = gap(i, k, &at);
            const Vec3 v = vec(b.state.frame.v[f]) + vec(b.state.frame.w[f]).cross(at - vec(b.state.frame.p[f]));
            const bool listed = next < moving.size() && moving[next].vertex == i && moving[next].obstacle == k;
            if (listed) ++next;
            if (!(distance < kCloudMargin + way[i] + kAhead * v.norm())) continue;
            EXPECT_TRUE(listed) << i << ' ' << k;
            ++wanted;
        }
    EXPECT_EQ(next, moving.size());
    EXPECT_GT(wanted, still.size() + 100);
}
