// sinew-bench rigid: pyramids, heaps, chains, dolls and a stack of unequal masses by our one default on one and on two threads and by
// the engines that are installed, on one thread, 600 steps of 1/60 s each, in turns of 40 steps. Time is that of the step call alone:
// process time where one thread is compared, wall time of both sides where two are. An engine that needs over 60 s is stopped: it
// counts as slower, and what it had reached is compared with what we had at that step. Quality is measured by one code for all, from
// poses alone, every tenth step.
#include "bench.h"
#include "rigid_own.h"
#include "rigid_precision.h"
#include "rigid_scatter.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <optional>

namespace sinew::bench {

namespace {

constexpr double kMostSeconds = 60;
constexpr int kLook = 10;            // steps between two looks at the quality
constexpr int kCeilingPairs = 9;     // of a ceiling between two turns
constexpr double kTie = 1.2;         // where dropped bodies come to lie is chaotic: a fifth more is no worse
constexpr double kLeastDrift = 1e-6; // [m] below it nobody has moved
constexpr std::size_t kClaimed = 8000; // bodies of scenes whose speed-up by the second thread is claimed

struct Side {
    std::unique_ptr<RigidEngine> engine;
    int threads = 1, steps = 0;
    bool looks = true;                // at its quality; who has the poses of another need not
    double total = 0;                 // [s] by the clock of its threads
    double joint = 0, stretch = 0;    // [m] largest seen
    std::vector<double> cpu, wall;    // [s] per step of each whole turn
    std::vector<std::pair<int, double>> deepest; // step, [m]

    const std::vector<double>& turns() const { return threads == 1 ? cpu : wall; }
    void run_turn(const RigidScene& s) {
        const int first = steps;
        // clocks are read after as many; after each where steps are long, so that nobody goes far beyond its time
        const int at_once = turns().empty() || turns().back() > 0.01 ? 1 : kLook;
        double by_cpu = 0, by_wall = 0;
        while (steps < first + kRigidTurn && total < kMostSeconds) {
            const double cpu_start = cpu_seconds(), wall_start = wall_seconds();
            for (int k = 0; k < at_once; ++k) engine->step(kRigidStep);
            const double wall_taken = wall_seconds() - wall_start, cpu_taken = cpu_seconds() - cpu_start;
            by_cpu += cpu_taken, by_wall += wall_taken;
            total += threads == 1 ? cpu_taken : wall_taken;
            steps += at_once;
            if (looks && steps % kLook == 0) look(s);
        }
        if (steps < first + kRigidTurn) return;
        cpu.push_back(by_cpu / kRigidTurn), wall.push_back(by_wall / kRigidTurn);
    }
    void look(const RigidScene& s) {
        const RigidQuality q = measure_quality(s, poses(s));
        joint = std::max(joint, q.joint), stretch = std::max(stretch, q.stretch);
        deepest.emplace_back(steps, q.deepest);
    }
    double peak(int until) const { // [m] deepest penetration seen up to that step
        double most = 0;
        for (const auto& [step, depth] : deepest)
            if (step <= until) most = std::max(most, depth);
        return most;
    }
    bool is_stopped() const { return steps < kRigidSteps && total >= kMostSeconds; }
    bool runs() const { return steps < kRigidSteps && total < kMostSeconds; }
    std::vector<Pose> poses(const RigidScene& s) const {
        std::vector<Pose> out;
        for (std::size_t i = 0; i < s.bodies.size(); ++i) out.push_back(engine->pose(int(i)));
        return out;
    }
};

struct Ratio {
    Spread turns;    // a/b of each turn that both made
    double mean = 0; // a/b of the sum of those turns
};
Ratio ratio_of(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> ratio;
    double sum_a = 0, sum_b = 0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        ratio.push_back(a[i] / b[i]);
        sum_a += a[i], sum_b += b[i];
    }
    if (ratio.empty()) return {}; // one of them did not even make a whole turn
    return {spread_of(ratio), sum_a / sum_b};
}

// what we had at the end of the other's last turn
struct Common {
    std::vector<Pose> poses;
    int steps = 0;
};
Common run_in_turns(const RigidScene& s, Side& one, Side& two, Side& other) {
    Common out;
    while (one.runs() || two.runs() || other.runs()) {
        const bool all = other.runs();
        if (one.runs()) one.run_turn(s);
        if (two.runs()) two.run_turn(s);
        if (!all) continue;
        other.run_turn(s);
        out = {one.poses(s), one.steps};
    }
    return out;
}

void add_times(Results& out, const RigidScene& s, const std::string& name, const Side& side) {
    if (!side.turns().empty()) {
        Spread ms = spread_of(side.turns());
        ms.median *= 1e3, ms.low *= 1e3, ms.high *= 1e3;
        add(out, s.name, side.threads, name + " time per step", "ms", ms);
    }
    add(out, s.name, side.threads, name + " mean time per step", "ms", exactly(1e3 * side.total / side.steps));
    if (const std::string note = side.engine->note(); !note.empty()) fmt::print("{} {} threads: {}\n", s.name, side.threads, note);
}

RigidQuality add_side(Results& out, const RigidScene& s, const std::string& name, const Side& side) {
    const RigidQuality q = measure_quality(s, side.poses(s));
    const auto put = [&](const char* what, const char* unit, double x) { add(out, s.name, side.threads, name + " " + what, unit, exactly(x)); };
    add_times(out, s, name, side);
    put("steps", "", side.steps);
    put("drift", "m", q.drift);
    if (s.collides) {
        put("deepest penetration", "m", q.deepest);
        put("peak penetration", "m", side.peak(side.steps));
        put("mean penetration", "m", q.mean);
        put("overlapping pairs", "", q.pairs);
        put("top", "m", q.top);
        if (s.name == "massstack") put("displacement", "m", q.moved);
    }
    if (!s.joints.empty()) {
        put("joint error", "m", q.joint);
        put("joint error seen", "m", side.joint);
        put("stretch of all joints", "m", q.stretch);
        put("stretch of all joints seen", "m", side.stretch);
    }
    return q;
}

// What no peer does at its defaults: 1:1000 stands (nobody leaves its place by half a cube), the heavy chain keeps its length to
// 1 mm at every moment looked at, the pyramid drifts by less than 5 mm.
void claim_alone(Results& out, const RigidScene& s, const Side& own, const RigidQuality& q) {
    const auto claim = [&](const char* what, double value, double limit) { add_at_most(out, s.name, 1, what, exactly(value), limit, true); };
    claim("sinew needs of its 60 s", own.total / kMostSeconds, 1);
    if (s.name == "massstack") claim("stands: sinew displacement [m]", q.moved, 0.5);
    if (s.name == "chain20heavy") claim("keeps its length: sinew stretch seen [m]", own.stretch, 1e-3);
    if (s.name == "pyramid20") claim("stands still: sinew drift [m]", q.drift, 5e-3);
}

void claim_same_poses(Results& out, const RigidScene& s, const Side& one, const Side& two) {
    if (one.steps != two.steps) return; // one of them was stopped
    const std::vector<Pose> a = one.poses(s), b = two.poses(s);
    int others = 0;
    for (std::size_t i = 0; i < a.size(); ++i) others += std::memcmp(&a[i], &b[i], sizeof(Pose)) != 0;
    add_at_most(out, s.name, 2, "bodies elsewhere than on one thread", exactly(others), 0, true);
}

// Box3D and Jolt, whichever is faster, relative to Bullet in one run of all three, as means of 600 steps: not to be had as
// packages, so a target and no claim.
struct Target {
    const char* scene;
    double ratio;
};
constexpr Target kTargets[] = {{"pyramid20", 0.44}, {"heap1000", 0.39}, {"heap8000", 0.37}, {"chain100", 0.63}};

// claim: no slower than the other engine
void compare_times(Results& out, const RigidScene& s, const char* name, int threads, const Ratio& ratio, const Side& other) {
    if (other.is_stopped())
        add_at_most(out, s.name, threads, fmt::format("{} is stopped at 60 s: counts as slower", name), exactly(ratio.mean), 1, true);
    else add_at_most(out, s.name, threads, fmt::format("time against {}", name), ratio.turns, 1, !out.busy);
}

// Largest horizontal way of a body at the end against that of the other engine; none where the scene swings, so that the way is its motion.
struct DriftClaim {
    double ratio = 0, limit = 1;
};
std::optional<DriftClaim> compare_drift(const RigidScene& s, double own, double other) {
    if (s.name.rfind("chain", 0) == 0 && s.name.find("heavy") == std::string::npos) return {};
    const bool dropped = s.name.rfind("heap", 0) == 0 || s.name.rfind("ragdolls", 0) == 0;
    return DriftClaim{std::max(own, kLeastDrift) / std::max(other, kLeastDrift), dropped ? kTie : 1};
}

// Claims: no worse than the other engine. Means of depths are told: they are of the pairs that overlap, fewer where a pile has fallen apart.
void compare_quality(Results& out, const RigidScene& s, const char* name, const Side& one, const Common& common, const Side& side, const RigidQuality& other) {
    const RigidQuality own = measure_quality(s, common.poses);
    const auto part = [](double a, double b) { return exactly(a / std::max(b, 1e-12)); };
    const auto claim = [&](const char* what, double a, double b) {
        add_at_most(out, s.name, 1, fmt::format("{} against {}", what, name), part(a, b), 1, true);
    };
    if (s.collides) {
        claim("penetration", own.deepest, other.deepest);
        claim("peak penetration", one.peak(common.steps), side.peak(common.steps));
        add(out, s.name, 1, fmt::format("mean penetration against {}", name), "", part(own.mean, other.mean));
    }
    const auto drift = compare_drift(s, own.drift, other.drift);
    if (drift && is_scattered(s)) add(out, s.name, 1, fmt::format("drift of this start against {}", name), "", exactly(drift->ratio));
    else if (drift)
        add_at_most(out, s.name, 1, fmt::format("drift against {}", name), exactly(drift->ratio), drift->limit, true);
    if (!s.joints.empty()) claim("joint error", own.joint, other.joint);
}

// false: the other engine cannot hold the scene, and nothing was compared
bool compare_with(Results& out, const RigidScene& s, const RigidEngineEntry& e, const RigidEngineEntry& sinew, bool first) {
    Side one, two, other;
    std::string why = "no reason given";
    other.engine = e.make(s, 1, why);
    if (!other.engine) {
        for (int threads : {1, 2}) add(out, s.name, threads, fmt::format("{} cannot hold the scene ({}): not compared", e.name, why), "", exactly(0));
        return false;
    }
    one.engine = sinew.make(s, 1, why), two.engine = sinew.make(s, 2, why);
    two.threads = 2, two.looks = false;
    const Common common = run_in_turns(s, one, two, other);
    if (first) {
        claim_alone(out, s, one, add_side(out, s, sinew.name, one));
        add_times(out, s, sinew.name, two);
        claim_same_poses(out, s, one, two);
    }
    const RigidQuality q = add_side(out, s, e.name, other);
    const Ratio alone = ratio_of(one.cpu, other.cpu), both = ratio_of(two.wall, other.wall);
    compare_times(out, s, e.name, 1, alone, other);
    compare_times(out, s, e.name, 2, both, other);
    for (const Target& t : kTargets)
        if (s.name == t.scene && std::string_view(e.name) == "bullet")
            out.rows.push_back({s.name, 1, "mean time against bullet, Box3D and Jolt", "", exactly(alone.mean), fmt::format("target {}", t.ratio), Verdict::none});
    compare_quality(out, s, e.name, one, common, other, q);
    return true;
}

// One and two threads in turns, wall time, who begins changes. The ceiling of computing is measured between all turns: each speed-up is
// divided by the mean of the two around it.
void compare_threads(Results& out, const RigidScene& s, const RigidEngineEntry& e) {
    std::string why;
    Side sides[2];
    for (int k = 0; k < 2; ++k) sides[k].engine = e.make(s, k + 1, why), sides[k].threads = 2, sides[k].looks = false; // wall clock for both
    std::vector<double> speed_up, ceiling, part;
    double before = measure_compute_ceiling(kCeilingPairs).median;
    for (int turn = 0; sides[0].runs() && sides[1].runs(); ++turn) {
        for (int k = 0; k < 2; ++k) sides[(turn + k) % 2].run_turn(s);
        const double after = measure_compute_ceiling(kCeilingPairs).median;
        if (std::min(sides[0].wall.size(), sides[1].wall.size()) > speed_up.size()) {
            speed_up.push_back(sides[0].wall.back() / sides[1].wall.back());
            ceiling.push_back(0.5 * (before + after));
            part.push_back(speed_up.back() / ceiling.back());
        }
        before = after;
    }
    for (int k = 0; k < 2; ++k) fmt::print("{} on {}: {}\n", s.name, k ? "two threads" : "one thread", sides[k].engine->note());
    const Spread around = spread_of(ceiling);
    add(out, s.name, 2, "speed-up", "", spread_of(speed_up));
    add(out, s.name, 2, "ceiling of computing between the turns", "", around);
    if (s.bodies.size() < kClaimed) return add(out, s.name, 2, "speed-up / ceiling", "", spread_of(part)); // told, not claimed
    add_at_least(out, s.name, 2, "speed-up / ceiling", spread_of(part), 0.85, !out.busy && around.median >= kQuiet);
}

} // namespace

static std::unique_ptr<RigidEngine> make_own(const RigidScene& s, int threads, std::string&) { return std::make_unique<OwnEngine>(s, threads); }

std::span<const RigidEngineEntry> rigid_engines() {
    static const RigidEngineEntry entries[] = {
        {"sinew", make_own},
#ifdef SINEW_HAVE_BULLET
        {"bullet", make_bullet},
#endif
#ifdef SINEW_HAVE_ODE
        {"ode", make_ode},
#endif
#ifdef SINEW_HAVE_MUJOCO
        {"mujoco", make_mujoco},
#endif
    };
    return entries;
}

// --size N: scenes of at most N bodies
void run_rigid(const Options& o, Results& out) {
    const int most = o.size > 0 ? o.size : 10000;
    const char *only = std::getenv("SINEW_BENCH_SCENE"), *peer = std::getenv("SINEW_BENCH_PEER");
    const std::vector<RigidScene> scenes{make_mass_stack(), make_heavy_chain(20), make_chain(100), make_pyramid(20), make_heap(10),
                                         make_ragdolls(5),  make_heap(20),        make_pyramid(100)};
    const auto engines = rigid_engines();
    add_ceilings(out, "before", measure_ceilings(o.pairs));
    for (const RigidScene& s : scenes) {
        if (int(s.bodies.size()) > most || (only && s.name != only)) continue;
        bool first = true;
        for (const RigidEngineEntry& e : engines.subspan(1)) {
            if (peer && std::string_view(peer) != e.name) continue;
            if (compare_with(out, s, e, engines[0], first)) first = false;
        }
        if (is_scattered(s)) compare_scattered(out, s, engines);
        if (s.name == "pyramid20" || s.name == "heap1000" || s.name == "ragdolls125") compare_precision(out, s);
        if (s.bodies.size() >= 1000) compare_threads(out, s, engines[0]);
    }
    add_ceilings(out, "after", measure_ceilings(o.pairs));
}

} // namespace sinew::bench
