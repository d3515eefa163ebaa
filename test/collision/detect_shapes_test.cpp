// Contacts of bodies by their shapes: known configurations, who meets whom, order, threads.
#include "collision/detect_shapes.h"
#include "collision/manifold.h"
#include "core/math.h"
#include "core/random.h"
#include "model/builder.h"
#include "model/contact_rows.h"
#include <gtest/gtest.h>
#include <set>

namespace sinew {
namespace {

int add_body(ModelBuilder& b, const std::string& name, const Shape& shape, const Pose& pose, std::uint8_t flags = kFree) {
    const int object = begin_object(b, name, "test");
    add_collider(b, shape, add_frame(b, pose, 1, {}, flags, {0, -1, 0}, {0, 0, 2}));
    return object;
}

Contacts detect(const ModelBuilder& b, Real margin = 0.01, int threads = 1, int* skipped = nullptr) {
    const auto parallel = make_parallel(Context{threads, {}, {}});
    ShapeScratch scratch;
    Contacts out;
    EXPECT_TRUE(detect_shapes(*parallel, b.model, b.state.frame, margin, scratch, out));
    if (skipped) *skipped = scratch.skipped;
    return out;
}

TEST(detect_shapes, a_box_on_the_floor_has_four_points_with_normal_up_and_the_depth) {
    ModelBuilder b;
    add_body(b, "floor", {Shape::half_space, {}}, {}, kFixed);
    add_body(b, "box", {Shape::box, {0.5, 0.5, 0.5}, 0.02}, {{0, 0.51, 0}, {}});
    finish_model(b);
    const Contacts got = detect(b);
    ASSERT_EQ(got.point_point.size(), 4u);
    std::set<std::pair<double, double>> corners;
    for (const PointContact& c : got.point_point) {
        EXPECT_EQ(c.object_a, 0);
        EXPECT_EQ(c.object_b, 1);
        EXPECT_LT((vec(c.normal) - Vec3(0, -1, 0)).norm(), 1e-12); // from the box to the floor
        EXPECT_NEAR(c.gap, -0.01, 1e-12);                          // 0.51 - 0.5 - rounding
        EXPECT_NEAR(c.thickness, 0.02, 1e-15);
        // the two points are where the frames say
        EXPECT_LT((vertex_position(b.model, surface_state(b.state), c.b) - vec(c.at)).norm(), 1e-12);
        const Vec3 velocity = vertex_velocity(b.model, surface_state(b.state), c.b);
        EXPECT_LT((velocity - vec(c.velocity)).norm(), 1e-12);
        const Real apart = stencil_distance(b.model, surface_state(b.state), stencil_of(c), vec(c.normal));
        EXPECT_NEAR(apart, c.gap, 1e-12); // the points lie on the grown shapes
        corners.insert({std::round(c.at.x * 2), std::round(c.at.z * 2)});
    }
    EXPECT_EQ(corners.size(), 4u);
}

// a heap of balls, boxes and capsules on a floor
ModelBuilder make_heap(int count) {
    ModelBuilder b;
    Rng rng{9, 0, 0};
    add_body(b, "floor", {Shape::half_space, {}}, {}, kFixed);
    for (int i = 0; i < count; ++i) {
        const Shape shapes[] = {{Shape::sphere, {0.3, 0, 0}}, {Shape::box, {0.3, 0.2, 0.25}}, {Shape::capsule, {0.15, 0.2, 0}},
                                {Shape::cylinder, {0.2, 0.3, 0}}};
        const Real3 p{draw_uniform(rng, -1, 1), draw_uniform(rng, 0, 1.5), draw_uniform(rng, -1, 1)};
        add_body(b, "thing" + std::to_string(i), shapes[i % 4], {p, draw_rotation(rng)}, i % 7 == 3 ? kFixed : kFree);
    }
    finish_model(b);
    return b;
}

TEST(detect_shapes, finds_the_pairs_that_all_pairs_by_hand_find_in_order_of_keys) {
    const ModelBuilder b = make_heap(60);
    const Contacts got = detect(b);
    std::set<std::uint64_t> mine, all;
    for (std::size_t k = 0; k < got.point_point.size(); ++k) {
        const PointContact& c = got.point_point[k];
        mine.insert(c.key);
        EXPECT_LT(c.gap, 0.01);
        if (!k) continue;
        const PointContact& before = got.point_point[k - 1];
        EXPECT_LT(std::pair(before.key, before.feature), std::pair(c.key, c.feature));
    }
    const auto& colliders = b.model.colliders;
    for (std::size_t i = 0; i < colliders.size(); ++i)
        for (std::size_t j = i + 1; j < colliders.size(); ++j) {
            if ((b.model.frame.flags[i] & kFixed) && (b.model.frame.flags[j] & kFixed)) continue;
            Manifold m;
            const Pose pi{b.state.frame.p[i], b.state.frame.q[i]}, pj{b.state.frame.p[j], b.state.frame.q[j]};
            if (collide_convex(*b.model.shapes, colliders[i].shape, pi, colliders[j].shape, pj, 0.01, m))
                for (int k = 0; k < m.count; ++k)
                    if (m.point[k].gap < 0.01) all.insert(std::uint64_t(i) << 32 | j);
        }
    EXPECT_GT(all.size(), 50u);
    EXPECT_EQ(mine, all);
}

TEST(detect_shapes, same_contacts_in_the_same_order_at_any_number_of_threads) {
    const ModelBuilder b = make_heap(150);
    const Contacts one = detect(b);
    for (int threads : {2, 3, 8}) {
        const Contacts more = detect(b, 0.01, threads);
        ASSERT_EQ(one.point_point.size(), more.point_point.size());
        for (std::size_t k = 0; k < one.point_point.size(); ++k) {
            EXPECT_EQ(one.point_point[k].key, more.point_point[k].key);
            EXPECT_EQ(one.point_point[k].feature, more.point_point[k].feature);
            EXPECT_EQ(one.point_point[k].gap, more.point_point[k].gap);
            EXPECT_TRUE(one.point_point[k].at == more.point_point[k].at);
        }
    }
}

TEST(detect_shapes, rules_groups_thickness_and_compounds_hold) {
    ModelBuilder b;
    add_body(b, "a", {Shape::sphere, {0.5, 0, 0}}, {});
    add_body(b, "b", {Shape::sphere, {0.5, 0, 0}}, {{1.05, 0, 0}, {}});
    // a dumb-bell of two balls
    b.shapes.compounds.push_back({{{Shape::sphere, {0.5, 0, 0}}, {Shape::sphere, {0.5, 0, 0}}}, {{{0, 0, 1.02}, {}}, {{1.05, 0, 1.02}, {}}}});
    add_body(b, "c", {Shape::compound, {}, 0, 0}, {});
    add_body(b, "soup", {Shape::mesh, {}, 0, 0}, {});
    b.shapes.meshes.push_back({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}});
    finish_model(b);
    int skipped = 0;
    EXPECT_EQ(detect(b, 0.03, 1, &skipped).point_point.size(), 2u); // each ball of c with one of the others
    EXPECT_EQ(detect(b, 0.06).point_point.size(), 3u);
    const auto parts = detect(b, 0.06).point_point;
    for (std::size_t k = 1; k < parts.size(); ++k)
        EXPECT_LT(std::pair(parts[k - 1].key, parts[k - 1].feature), std::pair(parts[k].key, parts[k].feature));
    b.model.contact_rules = {{1, 0, false, 0.3, 0.04}};
    const Contacts thick = detect(b, 0.03);
    ASSERT_EQ(thick.point_point.size(), 3u);
    EXPECT_NEAR(thick.point_point[0].gap, 0.01, 1e-12);
    EXPECT_EQ(thick.point_point[0].friction, 0.3);
    b.model.contact_rules = {{1, 0, true, -1, -1}};
    EXPECT_EQ(detect(b, 0.06).point_point.size(), 2u);
    b.model.objects[2].groups = 2;
    b.model.objects[0].touches = b.model.objects[1].touches = 1;
    EXPECT_EQ(detect(b, 0.06).point_point.size(), 0u);
}

TEST(detect_shapes, keeps_the_contacts_of_other_sources_and_refuses_what_is_no_number) {
    ModelBuilder b = make_heap(20);
    const auto parallel = make_parallel(Context{1, {}, {}});
    ShapeScratch scratch;
    Contacts out;
    out.point_point.resize(3); // vertices at obstacles
    ASSERT_TRUE(detect_shapes(*parallel, b.model, b.state.frame, 0.01, scratch, out));
    const std::size_t count = out.point_point.size();
    ASSERT_GT(count, 3u);
    ASSERT_TRUE(detect_shapes(*parallel, b.model, b.state.frame, 0.01, scratch, out));
    EXPECT_EQ(out.point_point.size(), count);
    EXPECT_EQ(out.point_point[2].source, PointContact::vertex_obstacle);
    b.state.frame.p[4].x = std::numeric_limits<Real>::quiet_NaN();
    EXPECT_FALSE(detect_shapes(*parallel, b.model, b.state.frame, 0.01, scratch, out));
    EXPECT_EQ(out.point_point.size(), 3u);
}

} // namespace
} // namespace sinew
