// What every benchmark needs to say something that holds on another day: clocks, interleaved pairs with their
// spread, and the machine's own ceilings in the same run. bench/README.md explains the method.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace sinew::bench {

double
cpu_seconds(); // CLOCK_PROCESS_CPUTIME_ID: other programs on the machine hardly disturb it; one thread only
double wall_seconds(); // steady clock: for more than one thread
double seconds(int threads);

struct Spread {
    double median = 0, low = 0, high = 0; // low, high: first and third quartile
};
Spread spread_of(std::vector<double> values);
inline Spread exactly(double value) { return {value, value, value}; } // counted, not timed

// A, B, A, B ...: times of both, and the ratio a/b of each pair, so that what changes slowly cancels
struct Pairs {
    Spread a, b, ratio; // [s], [s], 1
};
Pairs measure_pairs(int pairs, int threads, const std::function<void()>& a, const std::function<void()>& b);

// Plain loop of loads and stores over `count` reals, cut into pieces for the threads. Not memcpy: above the
// size of the last cache that one bypasses caches, which no program that uses its results does.
void copy_loop(int threads, const double* from, double* to, long count);

// The machine: how much faster two threads are than one at twice the work of one, where 2 is perfect.
struct Ceilings {
    Spread compute;   // a loop of multiplications and additions in registers
    Spread copy;      // the plain copy
    Spread copy_rate; // [B/s] read plus written, one thread
};
Ceilings measure_ceilings(int pairs);
Spread measure_compute_ceiling(int pairs); // the first of them alone
inline constexpr double kQuiet = 1.8; // below this speed-up of the compute loop something else is running

std::string machine_name(); // processor and number of threads, fit for a folder name

} // namespace sinew::bench
