#include "machine.h"
#include "core/parallel.h"
#include <algorithm>
#include <cctype>
#include <chrono>
#include <ctime>
#include <fstream>

namespace sinew::bench {

double cpu_seconds() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}
double wall_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double seconds(int threads) { return threads == 1 ? cpu_seconds() : wall_seconds(); }

Spread spread_of(std::vector<double> values) {
    if (values.empty()) return {};
    std::sort(values.begin(), values.end());
    const auto at = [&](double q) {
        const double place = q * double(values.size() - 1);
        const std::size_t i = std::size_t(place), j = std::min(i + 1, values.size() - 1);
        return values[i] + (place - double(i)) * (values[j] - values[i]);
    };
    return {at(0.5), at(0.25), at(0.75)};
}

Pairs measure_pairs(int pairs, int threads, const std::function<void()>& a, const std::function<void()>& b) {
    std::vector<double> time_a, time_b, ratio;
    a(), b(); // warm-up
    for (int i = 0; i < pairs; ++i) {
        const double t0 = seconds(threads);
        a();
        const double t1 = seconds(threads);
        b();
        const double t2 = seconds(threads);
        time_a.push_back(t1 - t0);
        time_b.push_back(t2 - t1);
        ratio.push_back((t1 - t0) / (t2 - t1));
    }
    return {spread_of(time_a), spread_of(time_b), spread_of(ratio)};
}

// worker pools are kept: making one takes longer than some measurements
static const Parallel& pool(int threads) {
    static const ParallelPtr one = make_parallel({.threads = 1}), two = make_parallel({.threads = 2});
    return threads == 1 ? *one : *two;
}

static void copy_piece(const double* from, double* to, long count) {
    const double* end = from + count / 8 * 8;
    for (; from < end; from += 8, to += 8) {
        for (int k = 0; k < 8; ++k) to[k] = from[k];
        asm volatile("" ::: "memory"); // keeps the compiler from calling memcpy
    }
    for (long k = 0; k < count % 8; ++k) to[k] = from[k];
}

void copy_loop(int threads, const double* from, double* to, long count) {
    constexpr long kPiece = 1 << 15; // 256 KB
    if (threads <= 1) return copy_piece(from, to, count);
    parallel_for(pool(threads), int((count + kPiece - 1) / kPiece), 1, [&](int piece, int) {
        const long begin = piece * kPiece;
        copy_piece(from + begin, to + begin, std::min(kPiece, count - begin));
    });
}

// eight chains of multiply and add that stay in registers: as much as one core can do
static void compute_piece(int rounds) {
    double a[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (int i = 0; i < rounds; ++i)
        for (double& x : a) x = x * 0.999999 + 1e-6;
    for (double& x : a) asm volatile("" ::"m"(x)); // keeps the compiler from dropping the work
}
static void compute_loop(int threads, int pieces) {
    parallel_for(pool(threads), pieces, 1, [](int, int) { compute_piece(20000); });
}

// one thread does half of what two do: ratio 1/2 is perfect
static Spread twice(const Spread& s) { return {2 * s.median, 2 * s.low, 2 * s.high}; }

Spread measure_compute_ceiling(int pairs) {
    constexpr int kPieces = 400;
    return twice(measure_pairs(
                     pairs, 2, [&] { compute_loop(1, kPieces / 2); }, [&] { compute_loop(2, kPieces); })
                     .ratio);
}

Ceilings measure_ceilings(int pairs) {
    constexpr long kReals = 1 << 23; // 64 MB from and to
    std::vector<double> from(kReals, 1.0), to(kReals, 0.0);
    Ceilings out;
    out.compute = measure_compute_ceiling(pairs);
    const Pairs copy = measure_pairs(
        pairs, 2, [&] { copy_loop(1, from.data(), to.data(), kReals / 2); },
        [&] { copy_loop(2, from.data(), to.data(), kReals); });
    out.copy = twice(copy.ratio);
    const double bytes = 2.0 * 8 * kReals / 2;
    out.copy_rate = {bytes / copy.a.median, bytes / copy.a.high, bytes / copy.a.low};
    return out;
}

std::string machine_name() {
    std::ifstream info("/proc/cpuinfo");
    std::string line, model = "unknown";
    while (std::getline(info, line))
        if (line.starts_with("model name")) {
            model = line.substr(line.find(':') + 1);
            break;
        }
    std::string name;
    for (char c : model) {
        if (std::isalnum(static_cast<unsigned char>(c)) || c == '.')
            name += char(std::tolower(c));
        else if (!name.empty() && name.back() != '-')
            name += '-';
    }
    while (!name.empty() && name.back() == '-') name.pop_back();
    return name + "-" + std::to_string(available_threads()) + "t";
}

} // namespace sinew::bench
