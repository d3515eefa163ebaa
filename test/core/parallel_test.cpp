#include "core/crew.h"
#include "core/parallel.h"
#include <cmath>
#include <gtest/gtest.h>
#include <stdexcept>

using namespace sinew;

TEST(parallel, ordered_sum_has_the_same_bits_for_any_thread_count) {
    const int n = 100003; // not a multiple of the chunk size
    Real first = 0;
    for (int threads : {1, 2, 3, 8}) {
        auto p = make_parallel({.threads = threads});
        std::vector<Real> partial;
        const Real sum = ordered_sum(*p, n, 64, partial, [](int begin, int end) {
            Real s = 0;
            for (int i = begin; i < end; ++i) s += std::sin(Real(i)) * 1e3;
            return s;
        });
        if (threads == 1) first = sum;
        EXPECT_EQ(sum, first) << threads;
    }
}

TEST(parallel, every_item_is_visited_once) {
    auto p = make_parallel({.threads = 8});
    std::vector<int> seen(5000, 0);
    parallel_for(*p, 5000, 7, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) seen[i]++;
    });
    for (int s : seen) EXPECT_EQ(s, 1);
}

TEST(parallel, workers_share_out_every_item_once_and_never_meet_in_one_scratch) {
    auto p = make_parallel({.threads = 8});
    std::vector<int> seen(5000, 0);
    std::vector<std::vector<int>> scratch(8); // a data race on it shows under the thread sanitizer
    parallel_for_workers(*p, 5000, 7, [&](int worker, int begin, int end) {
        ASSERT_LT(worker, 8);
        scratch[worker].assign(100, begin);
        for (int i = begin; i < end; ++i) seen[i]++;
        for (int a : scratch[worker]) EXPECT_EQ(a, begin);
    });
    for (int s : seen) EXPECT_EQ(s, 1);
}

TEST(parallel, the_users_own_job_system_is_used) {
    int calls = 0;
    Context context;
    context.parallel_for = [&](int count, const std::function<void(int)>& task) {
        ++calls;
        for (int i = count - 1; i >= 0; --i) task(i); // backwards on purpose
    };
    auto p = make_parallel(context);
    std::vector<int> seen(3000, 0);
    parallel_for(*p, 3000, 100, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) seen[i]++;
    });
    EXPECT_EQ(calls, 1);
    for (int s : seen) EXPECT_EQ(s, 1);
}

TEST(crew, loops_run_every_task_once_whatever_comes_between) {
    for (int threads : {1, 2, 3, 8}) {
        const ParallelPtr p = make_parallel({.threads = threads});
        std::vector<int> count(1000, 0);
        with_crew(*p, [&] {
            for (int round = 0; round < 2000; ++round) {
                const int n = 1 + round % 1000;
                parallel_for(*p, n, 7, [&](int begin, int end) {
                    for (int i = begin; i < end; ++i) ++count[i];
                });
            }
        }, true);
        // of every thousand rounds 1000 - i reach index i
        for (int i = 0; i < 1000; ++i) ASSERT_EQ(count[i], 2 * (1000 - i)) << threads;
    }
}

TEST(crew, takes_loops_of_more_tasks_than_a_share_can_hold) {
    const ParallelPtr p = make_parallel({.threads = 2});
    std::vector<unsigned char> count((1 << 20) + 77, 0);
    with_crew(*p, [&] {
        parallel_for(*p, int(count.size()), 1, [&](int begin, int end) {
            for (int i = begin; i < end; ++i) ++count[i];
        });
    }, true);
    for (unsigned char c : count) ASSERT_EQ(c, 1);
}

TEST(crew, takes_loops_inside_loops_and_what_tasks_throw) {
    const ParallelPtr p = make_parallel({.threads = 2});
    std::vector<int> inner(100, 0);
    const auto run = [&](bool fails) {
        with_crew(*p, [&] {
            parallel_for(*p, 10, 1, [&](int begin, int) {
                if (fails && begin == 7) throw std::runtime_error("seven");
                parallel_for(*p, 10, 1, [&](int k, int) { ++inner[10 * begin + k]; });
            });
        }, true);
    };
    run(false);
    for (int k : inner) EXPECT_EQ(k, 1);
    EXPECT_THROW(run(true), std::runtime_error);
    run(false); // and goes on
    EXPECT_EQ(inner[70], 2);
}
