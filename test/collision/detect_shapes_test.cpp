// Contacts of bodies by their shapes: known configurations, who meets whom, order, threads.
#include "allocation_counter.h"
#include "collision/detect_shapes.h"
#include "collision/manifold.h"
#include "core/math.h"
#include "core/random.h"
#include "geometry/distance_grid.h"
#include "geometry/generate.h"
#include "geometry/triangulate.h"
#include "model/builder.h"
#include "model/contact_rows.h"
#include <gtest/gtest.h>
#include <set>

namespace sinew {
namespace {

int add_moving_body(ModelBuilder& b, const std::string& name, const Shape& shape, const Pose& pose,
                    std::uint8_t flags = kFree) {
    const int object = begin_object(b, name, "test");
    add_collider(b, shape, add_frame(b, pose, 1, {}, flags, {0, -1, 0}, {0, 0, 2}));
    return object;
}

Contacts contacts_of_bodies(const ModelBuilder& b, Real margin = 0.01, int threads = 1) {
    const auto parallel = make_parallel(Context{threads, {}, {}});
    ShapeScratch scratch;
    Contacts out;
    EXPECT_TRUE(detect_shapes(*parallel, b.model, b.state.frame, margin, scratch, out));
    return out;
}

TEST(detect_shapes, a_box_on_the_floor_has_four_points_with_normal_up_and_the_depth) {
    ModelBuilder b;
    add_moving_body(b, "floor", {Shape::half_space, {}}, {}, kFixed);
    add_moving_body(b, "box", {Shape::box, {0.5, 0.5, 0.5}, 0.02}, {{0, 0.51, 0}, {}});
    finish_model(b);
    const Contacts got = contacts_of_bodies(b);
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
        const Real apart = stencil_distance(b.model, surface_state(b.state), stencil_of(b.model, c), vec(c.normal));
        EXPECT_NEAR(apart, c.gap, 1e-12); // the points lie on the grown shapes
        corners.insert({std::round(c.at.x * 2), std::round(c.at.z * 2)});
    }
    EXPECT_EQ(corners.size(), 4u);
}

// a heap of balls, boxes and capsules on a floor
ModelBuilder make_heap(int count) {
    ModelBuilder b;
    Rng rng{9, 0, 0};
    add_moving_body(b, "floor", {Shape::half_space, {}}, {}, kFixed);
    for (int i = 0; i < count; ++i) {
        const Shape shapes[] = {{Shape::sphere, {0.3, 0, 0}},
                                {Shape::box, {0.3, 0.2, 0.25}},
                                {Shape::capsule, {0.15, 0.2, 0}},
                                {Shape::cylinder, {0.2, 0.3, 0}}};
        const Real3 p{draw_uniform(rng, -1, 1), draw_uniform(rng, 0, 1.5), draw_uniform(rng, -1, 1)};
        add_moving_body(b, "thing" + std::to_string(i), shapes[i % 4], {p, draw_rotation(rng)},
                        i % 7 == 3 ? kFixed : kFree);
    }
    finish_model(b);
    return b;
}

TEST(detect_shapes, finds_the_pairs_that_all_pairs_by_hand_find_in_order_of_keys) {
    const ModelBuilder b = make_heap(60);
    const Contacts got = contacts_of_bodies(b);
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

// bodies of every kind of shape over hills: convex ones, meshes, solids, compounds in compounds
ModelBuilder make_mixed_heap(int count) {
    ModelBuilder b;
    Rng rng{11, 0, 0};
    HeightFieldShape hills{31, 31, 0.2, 0.2, {}};
    for (int k = 0; k < 31 * 31; ++k)
        hills.height.push_back(0.1 * std::sin(0.5 * (k % 31)) * std::cos(0.4 * (k / 31)));
    b.shapes.height_fields.push_back(hills);
    for (const PolygonMesh& m : {make_box({0.4, 0.3, 0.35}), make_icosphere(0.25, 2), make_grid(4, 4, 1, 1)})
        b.shapes.meshes.push_back({m.positions, triangulate(m).triangles});
    b.shapes.distance_grids.push_back(
        *build_distance_grid(*make_parallel({}), b.shapes.meshes[1], {.cell = 0.05}).value);
    b.shapes.distance_grids[0].mesh = 1;
    b.shapes.compounds.push_back(
        {{{Shape::sphere, {0.15, 0, 0}}, {Shape::mesh, {}, 0, 0}}, {{{0.2, 0, 0}, {}}, {{-0.2, 0, 0}, {}}}});
    b.shapes.compounds.push_back({{{Shape::compound, {}, 0.01, 0}, {Shape::box, {0.1, 0.1, 0.1}}},
                                  {{{0, 0.1, 0}, {}}, {{0, -0.2, 0}, {}}}});
    add_moving_body(b, "hills", {Shape::height_field, {}, 0, 0}, {{-3, 0, -3}, {}}, kFixed);
    add_moving_body(b, "wall", {Shape::half_space, {}}, {{0, -0.3, 0}, {}}, kFixed);
    const Shape shapes[] = {{Shape::sphere, {0.3, 0, 0}},   {Shape::mesh, {}, 0, 0},
                            {Shape::solid, {}, 0, 0},       {Shape::mesh, {}, 0.02, 2},
                            {Shape::box, {0.2, 0.15, 0.2}}, {Shape::compound, {}, 0, 1}};
    for (int i = 0; i < count; ++i) {
        const Real3 p{draw_uniform(rng, -1.5, 1.5), draw_uniform(rng, 0, 0.8), draw_uniform(rng, -1.5, 1.5)};
        add_moving_body(b, "thing" + std::to_string(i), shapes[i % 6], {p, draw_rotation(rng)},
                        i % 9 == 3 ? kFixed : kFree);
    }
    finish_model(b);
    return b;
}

TEST(detect_shapes, every_two_kinds_meet_and_the_order_does_not_depend_on_threads) {
    const ModelBuilder b = make_mixed_heap(60);
    const Contacts one = contacts_of_bodies(b);
    std::set<std::pair<int, int>> kinds;
    for (std::size_t k = 0; k < one.point_point.size(); ++k) {
        const PointContact& c = one.point_point[k];
        const int i = c.object_a < 2 ? c.object_a : 2 + (c.object_a - 2) % 6, j = 2 + (c.object_b - 2) % 6;
        kinds.insert({std::min(i, j), std::max(i, j)});
        EXPECT_LT(c.gap, 0.01);
        if (k) {
            EXPECT_LT(std::pair(one.point_point[k - 1].key, one.point_point[k - 1].feature),
                      std::pair(c.key, c.feature));
        }
    }
    EXPECT_GE(kinds.size(),
              27u); // of 2 * 6 with the ground and 21 with each other: what this heap brings together
    for (int threads : {2, 3, 8}) {
        const Contacts more = contacts_of_bodies(b, 0.01, threads);
        ASSERT_EQ(one.point_point.size(), more.point_point.size());
        for (std::size_t k = 0; k < one.point_point.size(); ++k) {
            EXPECT_EQ(one.point_point[k].feature, more.point_point[k].feature);
            EXPECT_EQ(one.point_point[k].gap, more.point_point[k].gap);
            EXPECT_TRUE(one.point_point[k].at == more.point_point[k].at);
            EXPECT_TRUE(one.point_point[k].normal == more.point_point[k].normal);
        }
    }
}

TEST(detect_shapes, every_broad_phase_gives_the_same_contacts) {
    const ModelBuilder b = make_mixed_heap(60);
    const auto parallel = make_parallel(Context{1, {}, {}});
    const Contacts expected = contacts_of_bodies(b);
    for (const BroadPhase phase :
         {BroadPhase::tree, BroadPhase::kept_pairs, BroadPhase::sweep, BroadPhase::grid, BroadPhase::hierarchical_grid, BroadPhase::brute_force}) {
        ShapeScratch scratch;
        scratch.broad_phase = phase;
        Contacts out;
        ASSERT_TRUE(detect_shapes(*parallel, b.model, b.state.frame, 0.01, scratch, out));
        ASSERT_EQ(out.point_point.size(), expected.point_point.size()) << name_of(phase);
        for (std::size_t k = 0; k < out.point_point.size(); ++k) {
            EXPECT_EQ(out.point_point[k].feature, expected.point_point[k].feature);
            EXPECT_EQ(out.point_point[k].gap, expected.point_point[k].gap);
        }
    }
}

TEST(detect_shapes, shapes_of_every_kind_take_no_memory_once_it_has_grown) {
    const ModelBuilder b = make_mixed_heap(40);
    const auto parallel = make_parallel(Context{1, {}, {}});
    ShapeScratch scratch;
    Contacts out;
    for (int k = 0; k < 5; ++k) {
        const long before = allocation_count();
        ASSERT_TRUE(detect_shapes(*parallel, b.model, b.state.frame, 0.01, scratch, out));
        if (k >= 2) {
            EXPECT_EQ(allocation_count() - before, 0) << k;
        }
    }
    EXPECT_GT(out.point_point.size(), 100u);
}

TEST(detect_shapes, data_that_is_missing_or_broken_touches_nothing_and_does_no_harm) {
    ModelBuilder b;
    const Real nan = std::numeric_limits<Real>::quiet_NaN();
    b.shapes.meshes = {{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 7}}},
                       {{{nan, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}},
                       {}};
    b.shapes.height_fields = {{3, 3, 1, 1, {0, 0}}, {2, 2, 1, 1, {0, 0, nan, 0}}};
    b.shapes.distance_grids = {{{}, 0.1, {3, 3, 3}, {1}, -1},
                               {{}, 0.1, {2, 2, 2}, std::vector<float>(8, 1), 1}};
    b.shapes.compounds = {{{{Shape::compound, {}, 0, 0}}, {{}}}, {{{Shape::sphere, {1, 0, 0}}}, {}}};
    int n = 0;
    for (const Shape::Kind kind :
         {Shape::hull, Shape::mesh, Shape::solid, Shape::height_field, Shape::compound})
        for (int data = -1; data < 4; ++data)
            add_moving_body(b, "bad" + std::to_string(n++), {kind, {}, 0, data}, {});
    add_moving_body(b, "thin", {Shape::mesh, {}, -1, 2}, {});
    add_moving_body(b, "ball", {Shape::sphere, {1, 0, 0}}, {});
    finish_model(b);
    EXPECT_TRUE(contacts_of_bodies(b).point_point.empty());
}

TEST(detect_shapes, same_contacts_in_the_same_order_at_any_number_of_threads) {
    const ModelBuilder b = make_heap(150);
    const Contacts one = contacts_of_bodies(b);
    for (int threads : {2, 3, 8}) {
        const Contacts more = contacts_of_bodies(b, 0.01, threads);
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
    add_moving_body(b, "a", {Shape::sphere, {0.5, 0, 0}}, {});
    add_moving_body(b, "b", {Shape::sphere, {0.5, 0, 0}}, {{1.05, 0, 0}, {}});
    // a dumb-bell of two balls
    b.shapes.compounds.push_back({{{Shape::sphere, {0.5, 0, 0}}, {Shape::sphere, {0.5, 0, 0}}},
                                  {{{0, 0, 1.02}, {}}, {{1.05, 0, 1.02}, {}}}});
    add_moving_body(b, "c", {Shape::compound, {}, 0, 0}, {});
    finish_model(b);
    EXPECT_EQ(contacts_of_bodies(b, 0.03).point_point.size(), 2u); // each ball of c with one of the others
    EXPECT_EQ(contacts_of_bodies(b, 0.06).point_point.size(), 3u);
    const auto parts = contacts_of_bodies(b, 0.06).point_point;
    for (std::size_t k = 1; k < parts.size(); ++k)
        EXPECT_LT(std::pair(parts[k - 1].key, parts[k - 1].feature),
                  std::pair(parts[k].key, parts[k].feature));
    b.model.contact_rules = {{1, 0, false, 0.3, 0.04}};
    const Contacts thick = contacts_of_bodies(b, 0.03);
    ASSERT_EQ(thick.point_point.size(), 3u);
    EXPECT_NEAR(thick.point_point[0].gap, 0.01, 1e-12);
    EXPECT_EQ(thick.point_point[0].friction, 0.3);
    b.model.contact_rules = {{1, 0, true, -1, -1}};
    EXPECT_EQ(contacts_of_bodies(b, 0.06).point_point.size(), 2u);
    b.model.objects[2].groups = 2;
    b.model.objects[0].touches = b.model.objects[1].touches = 1;
    EXPECT_EQ(contacts_of_bodies(b, 0.06).point_point.size(), 0u);
}

TEST(detect_shapes, right_after_the_unconstrained_prediction_finds_what_the_step_runs_into) {
    ModelBuilder b;
    add_moving_body(b, "floor", {Shape::half_space, {}}, {}, kFixed);
    add_moving_body(b, "ball", {Shape::sphere, {0.1, 0, 0}}, {{0, 0.15, 0}, {}});
    finish_model(b);
    b.state.frame.v[1] = {0.5, -6, 0}, b.state.frame.w[1] = {0, 0, 2};
    EXPECT_TRUE(contacts_of_bodies(b).point_point.empty());
    // v~ = v + h g, q~ = q + h v~
    const Real h = 1.0 / 60;
    FrameState& f = b.state.frame;
    vec(f.v[1]) += h * vec(b.model.gravity);
    vec(f.p[1]) += h * Vec3(vec(f.v[1]));
    const Contacts got = contacts_of_bodies(b);
    ASSERT_EQ(got.point_point.size(), 1u);
    const PointContact& c = got.point_point[0];
    EXPECT_NEAR(c.gap, 0.15 - h * (6 + h * 9.81) - 0.1, 1e-12);
    // the point of the ball moves with the predicted velocity and spin
    const Vec3 r(0, -0.1, 0), spin(0, 0, 2);
    EXPECT_LT((vec(c.velocity) - (Vec3(vec(f.v[1])) + spin.cross(r))).norm(), 1e-12);
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
