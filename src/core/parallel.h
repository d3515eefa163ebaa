// The one place for threads. Loops are cut into chunks whose borders depend on the number of items only, never
// on the number of workers, and partial results are combined in a fixed order: same bits for any thread count.
// Back end: oneTBB, the user's own parallel-for (Context), or serial.
#pragma once
#include "sinew/types.h"
#include <functional>
#include <memory>
#include <vector>

namespace sinew {

struct Parallel; // a worker pool, made once per solver or command
struct ParallelDelete {
    void operator()(Parallel*) const;
};
using ParallelPtr = std::unique_ptr<Parallel, ParallelDelete>;
ParallelPtr make_parallel(const Context&);
int thread_count(const Parallel&);
int available_threads(); // what affinity and cgroup limits leave to this process

// Runs task(0..count-1), in any order, at most thread_count at once.
void run_tasks(const Parallel&, int count, void (*task)(void* data, int index), void* data);

// The same, dealt out in order to at most thread_count workers; task(data, worker, index). No two tasks of one
// worker run at once: scratch memory can be kept per worker instead of per task. Which worker runs a task differs
// from run to run, so a task must leave nothing in that memory for the next.
void run_worker_tasks(const Parallel&, int count, void (*task)(void* data, int worker, int index), void* data);

// Calls task(data) so that a library which itself runs on oneTBB (Embree's tree builder) gets one thread inside it:
// what such a library orders by thread would otherwise differ from run to run.
void run_alone(void (*task)(void* data), void* data);

inline constexpr int kGrain = 1024; // items per chunk unless a loop says otherwise

inline int chunk_count(int n, int grain) { return (n + grain - 1) / grain; }

// f(begin, end) over chunks of `grain` items
template <class F> void parallel_for(const Parallel& p, int n, int grain, F&& f) {
    const int chunks = chunk_count(n, grain);
    if (chunks <= 1) {
        if (n > 0) f(0, n);
        return;
    }
    struct Job {
        F* f;
        int n, grain;
    } job{&f, n, grain};
    run_tasks(
        p, chunks,
        [](void* data, int c) {
            const Job& j = *static_cast<Job*>(data);
            const int begin = c * j.grain, end = begin + j.grain < j.n ? begin + j.grain : j.n;
            (*j.f)(begin, end);
        },
        &job);
}

// f(worker, begin, end) over chunks of `grain` items, with worker in [0, thread_count)
template <class F> void parallel_for_workers(const Parallel& p, int n, int grain, F&& f) {
    struct Job {
        F* f;
        int n, grain;
    } job{&f, n, grain};
    run_worker_tasks(
        p, chunk_count(n, grain),
        [](void* data, int worker, int c) {
            const Job& j = *static_cast<Job*>(data);
            const int begin = c * j.grain, end = begin + j.grain < j.n ? begin + j.grain : j.n;
            (*j.f)(worker, begin, end);
        },
        &job);
}

// Sum of f(begin, end) over chunks, added from left to right. `partial` is the caller's scratch, so that no
// memory is allocated once it has grown.
template <class F> Real ordered_sum(const Parallel& p, int n, int grain, std::vector<Real>& partial, F&& f) {
    const int chunks = chunk_count(n, grain);
    if (int(partial.size()) < chunks) partial.resize(chunks);
    parallel_for(p, n, grain, [&](int begin, int end) { partial[begin / grain] = f(begin, end); });
    Real sum = 0;
    for (int c = 0; c < chunks; ++c) sum += partial[c];
    return sum;
}

} // namespace sinew
