#include "rigid_scatter.h"
#include "core/math.h"
#include "rigid_own.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace sinew::bench {

namespace {

constexpr int kStarts = 9, kFineStarts = 3;
constexpr int kFiner = 8;           // steps in one of the comparison's
constexpr double kMostSeconds = 60; // of process time for the comparison's steps, as in the comparison of times
constexpr double kAgree = 0.03;     // of the converged way: means of nine starts differ by less than this, nearer is a tie

struct Scattered {
    const char* name;
    RigidScene (*make)(int, std::uint32_t);
    int k;
};
constexpr Scattered kScattered[] = {{"heap1000", make_heap, 10}, {"ragdolls125", make_ragdolls, 5}};

const Scattered* find_scattered(const std::string& name) {
    for (const Scattered& s : kScattered)
        if (name == s.name) return &s;
    return nullptr;
}

struct Ways { // horizontal, of each start
    std::vector<double> mean, largest; // [m]
};

std::vector<double> horizontal_ways(const RigidScene& s, const RigidEngine& engine) {
    std::vector<double> out;
    for (std::size_t i = 0; i < s.bodies.size(); ++i) {
        if (s.bodies[i].mass == 0) continue;
        const Real3 from = s.bodies[i].pose.position, to = engine.pose(int(i)).position;
        out.push_back(std::hypot(to.x - from.x, to.z - from.z));
    }
    return out;
}

// empty: cannot hold the scene, or not within its time
Ways run_starts(const RigidEngineEntry& e, const Scattered& scattered, int starts, int finer) {
    Ways out;
    for (int seed = 1; seed <= starts; ++seed) {
        const RigidScene s = scattered.make(scattered.k, std::uint32_t(seed));
        std::string why;
        const auto engine = e.make(s, 1, why);
        const double begin = cpu_seconds();
        for (int i = 0; engine && i < finer * kRigidSteps; ++i) {
            engine->step(kRigidStep / finer);
            if (cpu_seconds() - begin > finer * kMostSeconds) return {};
        }
        if (!engine) return {};
        const std::vector<double> ways = horizontal_ways(s, *engine);
        out.mean.push_back(std::accumulate(ways.begin(), ways.end(), 0.0) / double(ways.size()));
        out.largest.push_back(*std::max_element(ways.begin(), ways.end()));
    }
    return out;
}

double mean_of(const std::vector<double>& x) { return std::accumulate(x.begin(), x.end(), 0.0) / double(x.size()); }

} // namespace

bool is_scattered(const RigidScene& s) { return find_scattered(s.name) != nullptr; }

void compare_scattered(Results& out, const RigidScene& s, std::span<const RigidEngineEntry> engines) {
    const Scattered& scattered = *find_scattered(s.name);
    const auto tell = [&](const std::string& what, const std::vector<double>& x) { add(out, s.name, 1, what, "m", spread_of(x)); };
    std::vector<const RigidEngineEntry*> held;
    std::vector<double> way, fine; // of those, [m]
    for (const RigidEngineEntry& e : engines) {
        const Ways coarse = run_starts(e, scattered, kStarts, 1);
        const Ways converged = coarse.mean.empty() ? Ways{} : run_starts(e, scattered, kFineStarts, kFiner);
        if (converged.mean.empty()) continue; // the comparison of times has told why
        tell(fmt::format("{} largest way of {} starts", e.name, kStarts), coarse.largest);
        tell(fmt::format("{} largest way, step/{}", e.name, kFiner), converged.largest);
        tell(fmt::format("{} mean way of {} starts", e.name, kStarts), coarse.mean);
        tell(fmt::format("{} mean way, step/{}", e.name, kFiner), converged.mean);
        held.push_back(&e), way.push_back(mean_of(coarse.mean)), fine.push_back(mean_of(converged.mean));
    }
    if (held.empty() || held[0] != &engines[0]) return;
    const double reference = mean_of(fine);
    const auto error = [&](std::size_t i) { return std::abs(way[i] / reference - 1); };
    add(out, s.name, 1, "converged mean way: mean of the engines", "m", exactly(reference));
    double apart = 0;
    for (double x : fine) apart = std::max(apart, std::abs(x / reference - 1));
    add(out, s.name, 1, "their largest distance from it, relative", "", exactly(apart));
    for (std::size_t i = 0; i < held.size(); ++i) {
        add(out, s.name, 1, fmt::format("{} mean way, relative error", held[i]->name), "", exactly(error(i)));
        if (i > 0) add_at_most(out, s.name, 1, fmt::format("error of the mean way against {}", held[i]->name), exactly(error(0) / std::max(error(i), kAgree)), 1, true);
    }
}

} // namespace sinew::bench
