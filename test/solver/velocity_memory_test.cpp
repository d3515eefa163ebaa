// What contacts remember from step to step: by the names of their features, and by place where those changed.
#include "model/builder.h"
#include "solver/velocity_memory.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

const ParallelPtr kOne = make_parallel({.threads = 1});

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
    void store(const TouchList& list) { store_forces(*kOne, builder.model, list, problem, scratch, state, events); }
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
    recall_touches(*kOne, m.state, 0.02, list); // twice the step: twice the impulse
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
    recall_touches(*kOne, m.state, 0.01, list);
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
    recall_touches(*kOne, m.state, 0.01, list);
    EXPECT_TRUE(list.touches[0].known && list.touches[1].known && list.touches[2].known);
    EXPECT_FALSE(list.touches[3].known); // 1 m from the others, further than a quarter of the contact's size
    EXPECT_EQ(list.touches[3].impulse.norm(), 0);
}

TEST(velocity_memory, of_many_pairs_is_the_same_for_any_number_of_threads) {
    // several pieces of the list; pairs of 1 to 5 points, every seventh pair is new, some old ones are gone
    const auto make = [](bool now) {
        TouchList list;
        for (int pair = 0; pair < 1500; ++pair) {
            if (pair % (now ? 11 : 7) == 3) continue;
            for (int k = 0; k <= pair % 5; ++k) {
                list.touches.push_back(touch_at(10 + k, k, pair));
                list.touches.back().key = std::uint64_t(pair) << 32 | 5000;
                list.touches.back().object_a = pair, list.touches.back().object_b = 5000;
                if (!now) list.touches.back().impulse = Vec3(0, 1 + pair + 0.1 * k, 0);
            }
        }
        return list;
    };
    const ParallelPtr three = make_parallel({.threads = 3});
    Memory m;
    m.store(make(false));
    m.events.clear();
    TouchList list = make(true), other = make(true);
    recall_touches(*kOne, m.state, 0.01, list);
    recall_touches(*three, m.state, 0.01, other);
    for (std::size_t i = 0; i < list.touches.size(); ++i) {
        const Touch& t = list.touches[i];
        const int pair = t.object_a;
        ASSERT_EQ(t.known, pair % 7 != 3) << pair;
        // a force divided and multiplied by the time step: one rounding each
        if (t.known) {
            ASSERT_NEAR(t.impulse.y(), 1 + pair + 0.1 * double(t.feature - 10), 1e-12 * (1 + pair));
        }
        ASSERT_EQ(t.impulse, other.touches[i].impulse);
    }
    // who is new, who is gone: sorted
    m.store(list);
    std::vector<int> began, ended;
    for (const TouchEvent& e : m.events) (e.began ? began : ended).push_back(e.object_a);
    EXPECT_TRUE(began.empty()); // new ones carry nothing yet
    std::vector<int> gone;
    for (int pair = 0; pair < 1500; ++pair)
        if (pair % 11 == 3 && pair % 7 != 3) gone.push_back(pair);
    EXPECT_EQ(ended, gone);
}
