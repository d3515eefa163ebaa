// What contacts remember from step to step: by the names of their features, and by place where those changed.
#include "model/builder.h"
#include "solver/velocity_memory.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

Touch touch_at(std::uint64_t feature, double x, double z) {
    Touch t;
    t.key = 7, t.feature = feature;
    t.object_a = 0, t.object_b = 1;
    t.n = Vec3::UnitY(), t.at = Vec3(x, 0, z);
    return t;
}

struct Memory {
    ModelBuilder builder;
    State state;
    RowProblem problem;
    TouchScratch scratch;
    std::vector<TouchEvent> events;
    Memory() {
        finish_model(builder);
        register_velocity_memory(builder.model, state);
        problem.dt = 0.01;
    }
    void store(const TouchList& list) { store_forces(builder.model, list, problem, scratch, state, events); }
};

// four corners of a square of 1 m with loads 1 to 4
TouchList square() {
    TouchList list;
    for (int k = 0; k < 4; ++k) {
        list.touches.push_back(touch_at(10 + k, k % 2, k / 2));
        list.touches.back().impulse = Vec3(0.1, 1 + k, 0.2);
        list.touches.back().torque = Vec3(0, 0.5, 0);
    }
    return list;
}

} // namespace

TEST(velocity_memory, a_point_with_the_same_feature_gets_its_force_back) {
    Memory m;
    m.store(square());
    TouchList list = square();
    for (Touch& t : list.touches) t.impulse = t.torque = Vec3::Zero(), t.at += Vec3(3, 0, 0); // the place does not matter
    recall_touches(m.state, 0.02, list); // twice the step: twice the impulse
    for (int k = 0; k < 4; ++k) {
        EXPECT_TRUE(list.touches[k].known);
        EXPECT_LT((list.touches[k].impulse - 2 * Vec3(0.1, 1 + k, 0.2)).norm(), 1e-14); // round-off
        EXPECT_LT((list.touches[k].torque - Vec3(0, 1, 0)).norm(), 1e-14);
    }
}

TEST(velocity_memory, a_point_whose_feature_changed_takes_the_nearest_that_is_left_over) {
    Memory m;
    m.store(square());
    TouchList list = square();
    for (Touch& t : list.touches) t.impulse = Vec3::Zero();
    list.touches[1].feature = 90, list.touches[3].feature = 91; // corners that are now crossings of edges
    list.touches[1].at += Vec3(1e-3, 0, 0), list.touches[3].at -= Vec3(0, 0, 1e-3);
    std::swap(list.touches[1], list.touches[2]); // sorted by feature
    std::swap(list.touches[2], list.touches[3]);
    recall_touches(m.state, 0.01, list);
    for (const Touch& t : list.touches) {
        ASSERT_TRUE(t.known);
        const int corner = int(t.at.x() + 0.5) + 2 * int(t.at.z() + 0.5);
        EXPECT_NEAR(t.impulse.y(), 1 + corner, 1e-14);
    }
}

TEST(velocity_memory, a_new_point_far_from_all_old_ones_starts_from_nothing) {
    Memory m;
    TouchList before = square();
    before.touches.pop_back();
    m.store(before);
    TouchList list = square();
    for (Touch& t : list.touches) t.impulse = Vec3::Zero();
    recall_touches(m.state, 0.01, list);
    EXPECT_TRUE(list.touches[0].known && list.touches[1].known && list.touches[2].known);
    EXPECT_FALSE(list.touches[3].known); // 1 m from the others, further than a quarter of the contact's size
    EXPECT_EQ(list.touches[3].impulse.norm(), 0);
}
