// The order in which a sweep visits elements of points, four at a time (position_batch.h), such that memory is read in order
// and the bits do not depend on the number of threads.
// Points fall into blocks of consecutive numbers. Elements that touch the same blocks are a task, visited by one thread;
// tasks of one phase share no block, so a phase runs in parallel. First come the elements inside of one block, then the seams
// between blocks. Colours of single elements would read all points once per colour; here almost all of the sweep works on a
// block that stays in the cache.
// Within a task elements are taken by their smallest point and put into the first open batch with whose elements they share
// no point that moves; a few batches that follow each other are free of each other as well, so that none waits for the last.
#pragma once
#include <span>
#include <vector>

namespace sinew {

struct BatchPlan {
    std::vector<int> lane;           // element per lane of each batch, -1 = none
    std::vector<int> task_begin{0};  // per task: its first batch
    std::vector<int> phase_begin{0}; // per phase: its first task
    // chains (chain_plan.h): runs of batches that follow each other come before all others
    std::vector<int> run_begin{0};   // per run: its first batch; the last entry: the first batch that is in none
    std::vector<unsigned char> flipped; // per lane of the runs: the link goes from its second point to its first
    int batch_count() const { return task_begin.back(); }
    int phase_count() const { return int(phase_begin.size()) - 1; }
};

// Appends to the plan. stencil: `width` <= 4 points per element; `elements` are those to visit; held per point; `together`: elements that are free
// of each other, a multiple of the lanes.
void build_batch_plan(std::span<const int> stencil, int width, std::span<const int> elements, std::span<const unsigned char> held,
                      int points, int together, BatchPlan&);

} // namespace sinew
