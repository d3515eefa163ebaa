// sinew-bench rigid: pyramids, heaps, chains, dolls and a stack of unequal masses by our one default and by the engines that
// are installed, 600 steps of 1/60 s each, in turns of 40 steps. Time is process time of the step call alone on one thread,
// wall time on more; an engine that needs over 60 s is stopped and its turns so far count. Quality is measured by one code for
// all, from poses alone.
#include "bench.h"
#include "constraint/joint_ball.h"
#include "constraint/list.h"
#include "core/math.h"
#include "geometry/mass.h"
#include "model/builder.h"
#include "energy/list.h"
#include "rigid_scenes.h"
#include "solver/velocity.h"
#include <cstdlib>
#include <fmt/format.h>

namespace sinew::bench {

namespace {

constexpr double kStep = 1.0 / 60, kMostSeconds = 60;

struct Own final : RigidEngine {
    ModelBuilder b;
    State now, next;
    std::unique_ptr<Solver> solver;
    Report report;
    StageTimes stages;

    Own(const RigidScene& s, int threads) {
        const ElementRow& gravity = *find_energy("gravity_frame");
        for (std::size_t i = 0; i < s.bodies.size(); ++i) {
            const BenchBody& body = s.bodies[i];
            begin_object(b, fmt::format("b{}", i), body.is_box ? "box" : "sphere");
            b.model.objects.back().friction = s.friction;
            if (!s.collides) b.model.objects.back().touches = 0;
            MassProperties m;
            if (body.mass > 0)
                m = scale_mass(body.is_box ? box_mass({2 * body.half.x, 2 * body.half.y, 2 * body.half.z}, 1) : sphere_mass(body.half.x, 1), body.mass);
            const int frame = add_frame(b, body.pose, m.mass, m.inertia, body.mass > 0 ? kFree : kFixed);
            if (body.mass > 0) add_energy(b, gravity, gravity.make_params().get(), std::array<int, 1>{frame});
            Shape shape;
            shape.kind = body.is_box ? Shape::box : Shape::sphere;
            shape.size = body.half;
            add_collider(b, shape, frame);
        }
        for (const BenchJoint& j : s.joints) add_ball_joint(j);
        finish_model(b);
        now = b.state;
        VelocitySettings settings;
        settings.sleep = false;
        Context context;
        context.threads = threads;
        solver = make_velocity(context, b.model, now, &settings);
        next = now;
    }
    void add_ball_joint(const BenchJoint& j) {
        JointBall::Params p;
        for (int side = 0; side < 2; ++side) { // bodies and frames have the same numbers
            const int f = side == 0 ? j.a : j.b;
            p.anchor.local[side] = real3(quat(b.state.frame.q[f]).conjugate() * (vec(j.at) - vec(b.state.frame.p[f])));
            p.anchor.axes[side] = real4(quat(b.state.frame.q[f]).conjugate());
        }
        begin_object(b, fmt::format("j{}", b.model.objects.size()), "joint");
        add_constraint(b, *find_constraint("joint_ball"), &p, std::array<int, 2>{j.a, j.b});
    }
    void step(double dt) override {
        report = solver->step(b.model, {}, now, next, dt);
        for (int k = 0; k < report.stages.count; ++k) { // mostly the same ones as before
            const StageTime& t = report.stages.entries[k];
            if (k < stages.count && stages.entries[k].name == t.name) stages.entries[k].seconds += t.seconds;
            else add_time(stages, t.name, t.seconds);
        }
        std::swap(now, next);
    }
    Pose pose(int i) const override { return {now.frame.p[i], now.frame.q[i]}; }
    std::string note() const override {
        std::string out = report.path;
        for (const StageTime& t : stages) out += fmt::format(", {} {:.3g}", t.name, 1e3 * t.seconds / double(now.step));
        return out;
    }
};

// Both engines step in turns, kChunk steps each: every turn gives one pair of times at the same moment of the scene.
constexpr int kSteps = 600, kChunk = 40;

struct Side {
    std::unique_ptr<RigidEngine> engine;
    int threads = 1, steps = 0;
    double total = 0;         // [s]
    double peak = 0;          // [m] largest joint error seen at the end of a turn
    std::vector<double> turn; // [s] per step of each turn

    void run_turn(const RigidScene& s) {
        const double before = seconds(threads);
        for (int k = 0; k < kChunk; ++k) engine->step(kStep);
        const double taken = seconds(threads) - before;
        turn.push_back(taken / kChunk);
        total += taken, steps += kChunk;
        if (!s.joints.empty()) peak = std::max(peak, measure_quality(s, poses(s)).joint);
    }
    bool runs() const { return steps < kSteps && total < kMostSeconds; }
    std::vector<Pose> poses(const RigidScene& s) const {
        std::vector<Pose> out;
        for (std::size_t i = 0; i < s.bodies.size(); ++i) out.push_back(engine->pose(int(i)));
        return out;
    }
};

// a/b of each turn; one that was stopped has no more turns
Spread run_in_turns(const RigidScene& s, Side& a, Side& b) {
    while (a.runs() || b.runs()) {
        if (a.runs()) a.run_turn(s);
        if (b.runs()) b.run_turn(s);
    }
    std::vector<double> ratio;
    for (std::size_t i = 0; i < std::min(a.turn.size(), b.turn.size()); ++i) ratio.push_back(a.turn[i] / b.turn[i]);
    return spread_of(ratio);
}

RigidQuality add_side(Results& out, const RigidScene& s, const std::string& name, const Side& side) {
    const RigidQuality q = measure_quality(s, side.poses(s));
    const auto put = [&](const char* what, const char* unit, const Spread& x) {
        add(out, s.name, side.threads, name + " " + what, unit, x);
    };
    Spread ms = spread_of(side.turn);
    ms.median *= 1e3, ms.low *= 1e3, ms.high *= 1e3;
    put("time per step", "ms", ms);
    put("mean time per step", "ms", exactly(1e3 * side.total / side.steps));
    put("steps", "", exactly(side.steps));
    put("drift", "m", exactly(q.drift));
    if (s.collides) {
        put("deepest penetration", "m", exactly(q.deepest));
        put("mean penetration", "m", exactly(q.mean));
        put("top", "m", exactly(q.top));
    }
    if (!s.joints.empty()) {
        put("joint error", "m", exactly(q.joint));
        put("joint error seen", "m", exactly(side.peak));
        put("stretch of all joints", "m", exactly(q.stretch));
    }
    if (const std::string note = side.engine->note(); !note.empty()) fmt::print("{} {} threads: {}\n", s.name, side.threads, note);
    return q;
}

// Claims: no slower, and no worse, than the other engine. A fall is no drift: where bodies are dropped only depth counts.
void compare(Results& out, const RigidScene& s, const char* name, const Spread& ratio, const RigidQuality& own, const RigidQuality& other) {
    add_at_most(out, s.name, 1, fmt::format("time against {}", name), ratio, 1, !out.busy);
    const auto claim = [&](const char* what, double a, double b) {
        add_at_most(out, s.name, 1, fmt::format("{} against {}", what, name), exactly(a / std::max(b, 1e-12)), 1, true);
    };
    if (s.collides) claim("penetration", own.deepest, other.deepest);
    if (s.name.rfind("pyramid", 0) == 0 || s.name == "massstack") claim("drift", own.drift, other.drift);
    if (!s.joints.empty()) claim("joint error", own.joint, other.joint);
}

// one and two threads in turns, wall time; the ceiling of computing just before and after
void compare_threads(Results& out, const RigidScene& s, const RigidEngineEntry& e) {
    const double before = measure_compute_ceiling(9).median;
    Side one, two;
    one.engine = e.make(s, 1), two.engine = e.make(s, 2);
    one.threads = two.threads = 2; // wall clock for both
    Spread speed_up = run_in_turns(s, one, two);
    const double ceiling = std::min(before, measure_compute_ceiling(9).median);
    add(out, s.name, 2, "speed-up", "", speed_up);
    for (double* x : {&speed_up.median, &speed_up.low, &speed_up.high}) *x /= ceiling;
    add_at_least(out, s.name, 2, "speed-up / ceiling", speed_up, 0.85, !out.busy && ceiling >= kQuiet);
}

} // namespace

static std::unique_ptr<RigidEngine> make_own(const RigidScene& s, int threads) { return std::make_unique<Own>(s, threads); }

std::span<const RigidEngineEntry> rigid_engines() {
    static const RigidEngineEntry entries[] = {
        {"sinew", make_own, true},
#ifdef SINEW_HAVE_BULLET
        {"bullet", make_bullet, false},
#endif
#ifdef SINEW_HAVE_ODE
        {"ode", make_ode, false},
#endif
#ifdef SINEW_HAVE_MUJOCO
        {"mujoco", make_mujoco, false},
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
            Side own, other;
            other.engine = e.make(s, 1);
            if (!other.engine) {
                fmt::print("{}: {} cannot hold the scene, not compared\n", s.name, e.name);
                continue;
            }
            own.engine = engines[0].make(s, 1);
            const Spread ratio = run_in_turns(s, own, other);
            const RigidQuality mine = first ? add_side(out, s, engines[0].name, own) : measure_quality(s, own.poses(s));
            compare(out, s, e.name, ratio, mine, add_side(out, s, e.name, other));
            first = false;
        }
        if (s.bodies.size() >= 1000) compare_threads(out, s, engines[0]);
    }
    add_ceilings(out, "after", measure_ceilings(o.pairs));
}

} // namespace sinew::bench
