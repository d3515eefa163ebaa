// One body more in a running scene of 8000: `sinew::spawn`, and what it adds to the step after it, against a step of that scene.
// The heap of `rigid` while it settles; a ball is dropped above it between two steps.
// Claim: together at most 1 % of a step. What a spawn must not do is build anything of the scene anew.
#include "bench.h"
#include "core/math.h"
#include "rigid_scenes.h"
#include "sinew/sinew.h"
#include <fmt/format.h>

namespace sinew::bench {

namespace {

constexpr int kSide = 20;      // 8000 bodies
constexpr int kSettling = 60;  // steps before the first pair
constexpr double kStep = 1.0 / 60;

std::string text_of(const RigidScene& s) {
    std::string text = R"({ "time": { "fps": 60, "seconds": 60 }, "solver": "velocity", "objects": {)";
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

} // namespace

void run_spawn(const Options& o, Results& r) {
    const Context context{.threads = 1};
    const RigidScene heap = make_heap(o.size > 0 ? o.size : kSide);
    const auto level = parse(context, text_of(heap));
    const auto ball = parse(context, R"({ "objects": { "ball": { "kind": "sphere", "radius": 0.5, "mass": 0.5236 } } })");
    if (!level || !ball) return;
    auto built = build(context, *level.value);
    if (!built) return;
    Model& model = built.value->model;
    State& now = built.value->state;
    Solver& solver = *built.value->solver;
    State spare = now;
    Report report;
    const auto step = [&] { advance(solver, model, {}, now, spare, kStep, report); };
    for (int i = 0; i < kSettling; ++i) step();
    std::vector<double> calls;
    int count = 0;
    const Pairs pairs = measure_pairs(o.pairs, 1, step, [&] {
        const double start = cpu_seconds();
        const auto id = spawn(model, now, *ball.value, {{1.5 * (count % 9 - 4), 60 + 1.5 * (count / 9 % 20), 0}, {}}, fmt::format("s{}", count));
        calls.push_back(cpu_seconds() - start);
        count += bool(id);
        step();
    });
    const Ceilings machine = measure_ceilings(9);
    add_ceilings(r, "after", machine);
    add(r, heap.name, 1, "a step", "ms", {1e3 * pairs.a.median, 1e3 * pairs.a.low, 1e3 * pairs.a.high});
    const Spread call = spread_of(calls);
    add(r, heap.name, 1, "the call of spawn", "us", {1e6 * call.median, 1e6 * call.low, 1e6 * call.high});
    add_at_most(r, heap.name, 1, "the call of spawn against a step", {call.median / pairs.a.median, call.low / pairs.a.median, call.high / pairs.a.median}, 0.01, !r.busy);
    add_at_most(r, heap.name, 1, "spawn and the step after it against a step, less one",
                {1 / pairs.ratio.median - 1, 1 / pairs.ratio.high - 1, 1 / pairs.ratio.low - 1}, 0.01, !r.busy);
    add(r, heap.name, 1, "bodies spawned", "", exactly(count));
    r.hash = fmt::format("{:016x}", hash(now));
}

} // namespace sinew::bench
