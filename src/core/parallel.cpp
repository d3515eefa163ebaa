#include "core/parallel.h"
#ifdef SINEW_HAVE_TBB
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <thread>
#ifdef __linux__
#include <sched.h>
#endif

namespace sinew {

struct Parallel {
    int threads = 1;
    std::function<void(int, const std::function<void(int)>&)> user;
#ifdef SINEW_HAVE_TBB
    // lets a run ask for more threads than the machine has cores (tests run 8 on 2)
    std::unique_ptr<tbb::global_control> limit;
    mutable tbb::task_arena arena;
#endif
};

void ParallelDelete::operator()(Parallel* p) const { delete p; }

// cgroup v2 quota in whole processors, 0 if there is none
static int cgroup_quota() {
    int result = 0;
    if (FILE* f = std::fopen("/sys/fs/cgroup/cpu.max", "r")) {
        long long quota = 0, period = 0;
        if (std::fscanf(f, "%lld %lld", &quota, &period) == 2 && period > 0)
            result = std::max(1, int((quota + period - 1) / period));
        std::fclose(f);
    }
    return result;
}

int available_threads() {
    int n = std::max(1u, std::thread::hardware_concurrency());
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) n = std::max(1, CPU_COUNT(&set));
#endif
    if (const int quota = cgroup_quota()) n = std::min(n, quota);
    return n;
}

ParallelPtr make_parallel(const Context& context) {
    ParallelPtr p(new Parallel);
    // more would exhaust address space and processes long before it helped; results are the same for any number
    constexpr int most = 1024;
    p->threads = context.threads > 0 ? std::min(context.threads, most) : available_threads();
    p->user = context.parallel_for;
#ifdef SINEW_HAVE_TBB
    if (!p->user && p->threads > 1) {
        p->limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                         std::max(p->threads, available_threads()));
        p->arena.initialize(p->threads);
    }
#elif !defined(SINEW_PLAIN_THREADS)
    if (!p->user) p->threads = 1;
#endif
    return p;
}

int thread_count(const Parallel& p) { return p.threads; }

#ifdef SINEW_PLAIN_THREADS
// For the thread sanitizer, which cannot see what oneTBB's own library synchronises: new threads for each loop.
// Thread k takes every threads-th task from k on, so that neighbouring tasks always meet on different threads
// and nothing but the end of the loop orders them.
static void run_on_plain_threads(int threads, int count, void (*task)(void*, int), void* data) {
    threads = std::min(threads, count);
    const auto work = [=](int first) {
        for (int i = first; i < count; i += threads) task(data, i);
    };
    std::vector<std::thread> others;
    for (int k = 1; k < threads; ++k) others.emplace_back(work, k);
    work(0);
    for (std::thread& other : others) other.join();
}
#endif

void run_tasks(const Parallel& p, int count, void (*task)(void*, int), void* data) {
    if (p.user) {
        p.user(count, [&](int i) { task(data, i); });
        return;
    }
#ifdef SINEW_HAVE_TBB
    if (p.threads > 1) {
        p.arena.execute([&] {
            tbb::parallel_for(
                0, count, [&](int i) { task(data, i); }, tbb::simple_partitioner());
        });
        return;
    }
#elif defined(SINEW_PLAIN_THREADS)
    if (p.threads > 1) {
        run_on_plain_threads(p.threads, count, task, data);
        return;
    }
#endif
    for (int i = 0; i < count; ++i) task(data, i);
}

void run_worker_tasks(const Parallel& p, int count, void (*task)(void*, int, int), void* data) {
    struct Deal {
        void (*task)(void*, int, int);
        void* data;
        int count;
        std::atomic<int> next{0};
    } deal{task, data, count};
    run_tasks(
        p, std::min(p.threads, count),
        [](void* d, int worker) {
            Deal& deal = *static_cast<Deal*>(d);
            for (int i; (i = deal.next.fetch_add(1, std::memory_order_relaxed)) < deal.count;)
                deal.task(deal.data, worker, i);
        },
        &deal);
}

void run_alone(void (*task)(void*), void* data) {
#ifdef SINEW_HAVE_TBB
    tbb::task_arena arena(1);
    arena.execute([&] { task(data); });
#else
    task(data);
#endif
}

} // namespace sinew
