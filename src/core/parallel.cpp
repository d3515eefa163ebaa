#include "core/parallel.h"
#include "core/cgroup.h"
#include "core/crew.h"
#ifdef SINEW_HAVE_TBB
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#endif
#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#ifdef __linux__
#include <sched.h>
#endif

namespace sinew {

#if defined(SINEW_HAVE_TBB) || defined(SINEW_PLAIN_THREADS)
#define SINEW_HAVE_CREW 1
namespace {

constexpr int kMostTasks = (1 << 20) - 1; // of a piece of a loop of a crew
constexpr int kSpins = 4000; // before a thread that waits lets others run: some 20 microseconds, longer than most gaps between loops

// One loop at a time. Every thread has a share of its tasks, the same part in all loops, so that what loops over the same things
// write stays in its cache; who is done helps the others. `claim` of a share holds the number of the loop, the end of the
// share and the next task; who replaces it by its successor has that task, and the loop cannot end before: `task` and `data` read
// in between are those of this loop.
struct Crew {
    struct alignas(64) Share { std::atomic<std::uint64_t> claim{0}; }; // loop << 40 | end << 20 | next
    static constexpr int kMost = 64;
    Share share[kMost];
    alignas(64) std::atomic<int> done{0};
    alignas(64) std::atomic<void (*)(void*, int)> task{nullptr};
    std::atomic<void*> data{nullptr};
    std::atomic<bool> over{false}, in_loop{false}, failed{false};
    std::exception_ptr failure;
    std::uint64_t loop = 0;
    int threads = 1;

    // runs what is left of a share; how many tasks these were
    int run_share(Share& s) {
        int ran = 0;
        for (;;) {
            std::uint64_t word = s.claim.load(std::memory_order_acquire);
            const int next = int(word & kMostTasks), end = int(word >> 20 & kMostTasks);
            if (next >= end) break;
            void (*const f)(void*, int) = task.load(std::memory_order_relaxed);
            void* const with = data.load(std::memory_order_relaxed);
            if (!s.claim.compare_exchange_strong(word, word + 1, std::memory_order_acq_rel)) continue;
            try {
                f(with, next);
            } catch (...) {
                if (!failed.exchange(true)) failure = std::current_exception();
            }
            done.fetch_add(1, std::memory_order_release);
            ++ran;
        }
        return ran;
    }
    bool help(int thread) {
        int ran = 0;
        for (int k = 0; k < threads; ++k) ran += run_share(share[(thread + k) % threads]);
        return ran > 0;
    }
    static void wait(int& spins) {
        if (++spins > kSpins) std::this_thread::yield();
#if defined(__x86_64__)
        else __builtin_ia32_pause();
#endif
    }
    void help_until_over(int thread) {
        for (int spins = 0; !over.load(std::memory_order_acquire);) {
            if (help(thread)) spins = 0;
            else wait(spins);
        }
    }
    void run(int count, void (*f)(void*, int), void* with) {
        in_loop.store(true, std::memory_order_relaxed);
        done.store(0, std::memory_order_relaxed);
        task.store(f, std::memory_order_relaxed);
        data.store(with, std::memory_order_relaxed);
        ++loop;
        for (int k = threads - 1; k >= 0; --k) {
            const auto begin = std::uint64_t(count) * k / threads, end = std::uint64_t(count) * (k + 1) / threads;
            share[k].claim.store(loop << 40 | end << 20 | begin, std::memory_order_release);
        }
        help(0);
        for (int spins = 0; done.load(std::memory_order_acquire) < count;) wait(spins);
        in_loop.store(false, std::memory_order_relaxed);
        if (failed.exchange(false)) std::rethrow_exception(failure);
    }
};

} // namespace
#endif

struct Parallel {
    int threads = 1;
    std::function<void(int, const std::function<void(int)>&)> user;
#ifdef SINEW_HAVE_TBB
    // lets a run ask for more threads than the machine has cores (tests run 8 on 2)
    std::unique_ptr<tbb::global_control> limit;
    mutable tbb::task_arena arena;
#endif
#ifdef SINEW_HAVE_CREW
    mutable Crew* crew = nullptr;
#endif
};

void ParallelDelete::operator()(Parallel* p) const { delete p; }

int available_threads() {
    int n = std::max(1u, std::thread::hardware_concurrency());
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) n = std::max(1, CPU_COUNT(&set));
#endif
    if (const int quota = cgroup_quota()) n = std::min(n, quota);
    return n;
}

static int available_processors() { // asked for once: it reads files
    static const int n = available_threads();
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

#ifdef SINEW_HAVE_CREW
// Never by oneTBB meanwhile: the thread that waits for its loop could be given the task of a helper, which ends after it.
static void run_by_crew(Crew& crew, int count, void (*task)(void*, int), void* data) {
    if (crew.in_loop.load(std::memory_order_relaxed)) { // a loop inside a loop
        for (int i = 0; i < count; ++i) task(data, i);
        return;
    }
    if (count <= kMostTasks) return crew.run(count, task, data);
    struct Piece {
        void (*task)(void*, int);
        void* data;
        int first;
    };
    for (Piece piece{task, data, 0}; piece.first < count; piece.first += kMostTasks)
        crew.run(std::min(kMostTasks, count - piece.first), [](void* of, int i) {
            const Piece& q = *static_cast<const Piece*>(of);
            q.task(q.data, q.first + i);
        }, &piece);
}
#endif

void run_tasks(const Parallel& p, int count, void (*task)(void*, int), void* data) {
    if (p.user) {
        p.user(count, [&](int i) { task(data, i); });
        return;
    }
#ifdef SINEW_HAVE_CREW
    if (p.crew) return run_by_crew(*p.crew, count, task, data);
#endif
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

#ifdef SINEW_HAVE_CREW
// f with the crew in place; `end` lets the helpers go
template <class End> static void lead_crew(const Parallel& p, Crew& crew, void (*f)(void*), void* data, const End& end) {
    p.crew = &crew;
    const auto finish = [&] {
        p.crew = nullptr;
        crew.over.store(true, std::memory_order_release);
        end();
    };
    try {
        f(data);
    } catch (...) {
        finish();
        throw;
    }
    finish();
}
#endif

void run_with_crew(const Parallel& p, void (*f)(void*), void* data, bool crowded) {
#ifdef SINEW_HAVE_CREW
    // helpers that wait hold a processor each: not where there are more of them than processors
    const int most = crowded ? Crew::kMost : std::min(Crew::kMost, available_processors());
    if (!p.user && !p.crew && p.threads > 1 && p.threads <= most) {
        Crew crew;
        crew.threads = p.threads;
#ifdef SINEW_HAVE_TBB
        p.arena.execute([&] {
            tbb::task_group helpers;
            for (int k = 1; k < p.threads; ++k) helpers.run([&crew, k] { crew.help_until_over(k); });
            lead_crew(p, crew, f, data, [&] { helpers.wait(); });
        });
#else
        std::vector<std::thread> helpers;
        for (int k = 1; k < p.threads; ++k) helpers.emplace_back([&crew, k] { crew.help_until_over(k); });
        lead_crew(p, crew, f, data, [&] {
            for (std::thread& helper : helpers) helper.join();
        });
#endif
        return;
    }
#endif
    (void)p, (void)crowded;
    f(data);
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

#undef SINEW_HAVE_CREW
