// One body more in a running scene of 8000: `sinew::spawn`, and what it adds to the step after it, against a step of that scene, on one
// thread (process time) and on two (wall time). The heap of `rigid` while it settles; a ball is dropped above it between two steps.
// Claims: the call, and call and step after it less a step without, at most 1 % of a step each. Steps differ by some 10 % from one to the next, so
// that there are hundreds of pairs, in which who comes first changes; medians of blocks of twenty pairs give the spread.
// What a spawn must not do is build anything of the scene anew.
#include "bench.h"
#include "core/math.h"
#include "rigid_scenes.h"
#include "sinew/sinew.h"
#include <array>
#include <fmt/format.h>
#include <map>

namespace sinew::bench {

namespace {

constexpr int kSide = 20;      // 8000 bodies
constexpr int kSettling = 60;  // steps before the first pair
constexpr int kBlock = 20;     // pairs
constexpr double kStep = 1.0 / 60;

std::string text_of(const RigidScene& s) {
    std::string text = R"({ "time": { "fps": 60, "seconds": 60 }, "solver": "velocity", "solvers": { "velocity": { "sleep": false } }, "objects": {)";
    int k = 0;
    for (const BenchBody& b : s.bodies) {
        const auto [p, q] = b.pose;
        const Eigen::AngleAxisd turn(quat(q));
        text += fmt::format(R"("b{}": {{ "kind": "{}", "{}": {}, "at": [{}, {}, {}], "friction": {}, "rotate": {{ "axis": [{}, {}, {}], "angle": {} }}{} }},)", k++,
                            b.is_box ? "box" : "sphere", b.is_box ? "size" : "radius",
                            b.is_box ? fmt::format("[{}, {}, {}]", 2 * b.half.x, 2 * b.half.y, 2 * b.half.z) : fmt::format("{}", b.half.x), p.x, p.y, p.z,
                            s.friction, turn.axis().x(), turn.axis().y(), turn.axis().z(), turn.angle(),
                            b.mass > 0 ? fmt::format(R"(, "mass": {})", b.mass) : "");
    }
    return text + "} }";
}

struct Heap { // the scene as it runs
    Built built;
    State spare;
    Report report;
    int spawned = 0;
    std::map<std::string, std::array<double, 2>> stages; // [s] of all steps without and after a spawn
    void step() { advance(*built.solver, built.model, {}, built.state, spare, kStep, report); }
};

struct SpawnTimes {
    std::vector<double> step, call, more; // [s] without a spawn; of the call; of call and step after it, less a step without, over that
};

SpawnTimes measure_spawns(Heap& heap, const Scene& ball, int pairs, int threads) {
    SpawnTimes out;
    for (int k = 0; k < pairs; ++k) {
        double taken[2]{};
        for (int turn = 0; turn < 2; ++turn) {
            const bool with = (turn + k) % 2;
            const double start = seconds(threads);
            if (with) {
                const int n = heap.spawned;
                const Pose at{{1.5 * (n % 9 - 4), 60 + 1.5 * (n / 9 % 20), 0}, {}};
                heap.spawned += bool(spawn(heap.built.model, heap.built.state, ball, at, fmt::format("s{}", n)));
                out.call.push_back(seconds(threads) - start);
            }
            heap.step();
            taken[with] = seconds(threads) - start;
            for (const StageTime& s : heap.report.stages) heap.stages[std::string(s.name)][with] += s.seconds;
        }
        out.step.push_back(taken[0]);
        out.more.push_back((taken[1] - taken[0]) / taken[0]);
    }
    return out;
}

// median of all, spread of the medians of blocks
Spread by_blocks(const std::vector<double>& x) {
    std::vector<double> medians;
    for (std::size_t i = 0; i + kBlock <= x.size(); i += kBlock)
        medians.push_back(spread_of({x.begin() + std::ptrdiff_t(i), x.begin() + std::ptrdiff_t(i) + kBlock}).median);
    const Spread blocks = spread_of(medians);
    return {spread_of(x).median, blocks.low, blocks.high};
}

Spread times(double factor, const Spread& s) { return {factor * s.median, factor * s.low, factor * s.high}; }

} // namespace

void run_spawn(const Options& o, Results& r) {
    const RigidScene scene = make_heap(o.size > 0 ? o.size : kSide);
    const int pairs = kBlock * o.pairs; // 300 unless said
    add_ceilings(r, "before", measure_ceilings(9));
    for (int threads : {1, 2}) {
        const Context context{.threads = threads};
        const auto level = parse(context, text_of(scene));
        const auto ball = parse(context, R"({ "objects": { "ball": { "kind": "sphere", "radius": 0.5, "mass": 0.5236 } } })");
        if (!level || !ball) return;
        auto built = build(context, *level.value);
        if (!built) return;
        Heap heap{std::move(*built.value), {}, {}};
        heap.spare = heap.built.state;
        for (int i = 0; i < kSettling; ++i) heap.step();
        measure_spawns(heap, *ball.value, 1, threads); // warm-up
        const SpawnTimes t = measure_spawns(heap, *ball.value, pairs, threads);
        const Spread step = by_blocks(t.step), call = by_blocks(t.call);
        add(r, scene.name, threads, "a step", "ms", times(1e3, step));
        add(r, scene.name, threads, "the call of spawn", "us", times(1e6, call));
        add_at_most(r, scene.name, threads, "the call of spawn against a step", times(1 / step.median, call), 0.01, !r.busy);
        add_at_most(r, scene.name, threads, "spawn and the step after it against a step, less one", by_blocks(t.more), 0.01, !r.busy);
        fmt::print("{} threads, wall time of stages after a spawn, less without [us]:", threads);
        for (const auto& [name, sum] : heap.stages) fmt::print(" {} {:.0f}", name, 1e6 * (sum[1] - sum[0]) / (pairs + 1));
        fmt::print("\n");
        add(r, scene.name, threads, "bodies spawned", "", exactly(heap.spawned));
        const std::string end = fmt::format("{:016x}", hash(heap.built.state));
        if (threads == 2) add_at_most(r, scene.name, threads, "state differs from one thread", exactly(end != r.hash), 0, true);
        r.hash = end;
    }
    add_ceilings(r, "after", measure_ceilings(9));
}

} // namespace sinew::bench
