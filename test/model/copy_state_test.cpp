// copy_state (model/copy_state.h): every member, whatever was there before, and the array that is to be left alone.
#include "model/copy_state.h"
#include "model/visit.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

State make_state(int n, double seed) {
    State s;
    s.time = seed, s.step = int(seed);
    for (int i = 0; i < n; ++i) {
        s.point.x.push_back({seed, 1.0 * i, 2}), s.point.v.push_back({1, seed, 1.0 * i});
        s.point.alive.push_back(std::uint8_t(i % 2)), s.point.age.push_back(seed * i), s.point.id.push_back(std::uint32_t(i));
        s.frame.p.push_back({seed, 3, 1.0 * i}), s.frame.q.push_back({1, seed, 0, 1.0 * i});
        s.frame.v.push_back({seed, 4, 1.0 * i}), s.frame.w.push_back({seed, 5, 1.0 * i});
        s.scalar.s.push_back(seed + i), s.scalar.ds.push_back(seed - i);
        s.animated.x.push_back({seed, 6, 1.0 * i}), s.animated.v.push_back({seed, 7, 1.0 * i});
    }
    s.attributes.push_back({"colour", 3, std::vector<double>(3 * n, seed)});
    s.memory.push_back({"a", 1, std::vector<double>(n, seed)});
    s.memory.push_back({"b", 1, std::vector<double>(2 * n, -seed)});
    return s;
}

} // namespace

TEST(copy_state, is_the_same_state_on_any_number_of_threads) {
    for (int n : {0, 3, 50000})
        for (int threads : {1, 3}) {
            const ParallelPtr parallel = make_parallel({.threads = threads});
            const State from = make_state(n, 2);
            for (State to : {State{}, make_state(7, 5), make_state(60000, 9)}) {
                copy_state(*parallel, from, to);
                EXPECT_EQ(hash(to), hash(from)) << n << " of " << threads;
            }
        }
}

TEST(copy_state, leaves_one_array_alone) {
    const ParallelPtr parallel = make_parallel({.threads = 1});
    const State from = make_state(4, 2);
    State to = make_state(6, 5), fresh;
    copy_state(*parallel, from, to, "b");
    EXPECT_EQ(to.memory[0].values, from.memory[0].values);
    EXPECT_EQ(to.memory[1].values, make_state(6, 5).memory[1].values);
    copy_state(*parallel, from, fresh, "b");
    EXPECT_EQ(fresh.memory[1].name, "b");
    EXPECT_TRUE(fresh.memory[1].values.empty());
}
