// sinew-bench rigid: pyramids, heaps, chains, dolls and a stack of unequal masses by our one default and by the engines that
// are installed, 600 steps of 1/60 s each, in turns of 40 steps. Time is process time of the step call alone on one thread,
// wall time on more; an engine that needs over 60 s is stopped: it counts as slower, and what it had reached is compared with
// what we had at that step. Quality is measured by one code for all, from poses alone.
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

    Own(const RigidScene& s, int threads, const std::string& precision = VelocitySettings{}.precision) {
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
        settings.precision = precision;
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
    double total = 0;                 // [s]
    double joint = 0, stretch = 0;    // [m] largest seen at the end of a turn
    std::vector<double> turn;         // [s] per step of each whole turn

    void run_turn(const RigidScene& s) {
        const double before = total;
        const int first = steps, at_once = turn.empty() || turn.back() > 0.01 ? 1 : kChunk; // clocks read after as many
        while (steps < first + kChunk && total < kMostSeconds) {
            const double start = seconds(threads);
            for (int k = 0; k < at_once; ++k) engine->step(kStep);
            total += seconds(threads) - start;
            steps += at_once;
        }
        if (steps == first + kChunk) turn.push_back((total - before) / kChunk);
        if (s.joints.empty()) return;
        const RigidQuality q = measure_quality(s, poses(s));
        joint = std::max(joint, q.joint), stretch = std::max(stretch, q.stretch);
    }
    bool is_stopped() const { return steps < kSteps && total >= kMostSeconds; }
    bool runs() const { return steps < kSteps && total < kMostSeconds; }
    std::vector<Pose> poses(const RigidScene& s) const {
        std::vector<Pose> out;
        for (std::size_t i = 0; i < s.bodies.size(); ++i) out.push_back(engine->pose(int(i)));
        return out;
    }
};

struct Turns {
    Spread ratio;             // a/b of each turn that both made
    double mean = 0;          // a/b of the sum of those turns
    std::vector<Pose> common; // of a at the end of b's last turn
};
Turns run_in_turns(const RigidScene& s, Side& a, Side& b) {
    Turns out;
    while (a.runs() || b.runs()) {
        const bool both = b.runs();
        if (a.runs()) a.run_turn(s);
        if (!both) continue;
        b.run_turn(s);
        out.common = a.poses(s);
    }
    std::vector<double> ratio;
    double sum_a = 0, sum_b = 0;
    for (std::size_t i = 0; i < std::min(a.turn.size(), b.turn.size()); ++i) {
        ratio.push_back(a.turn[i] / b.turn[i]);
        sum_a += a.turn[i], sum_b += b.turn[i];
    }
    if (ratio.empty()) return out; // one of them did not even make a whole turn
    out.ratio = spread_of(ratio);
    out.mean = sum_a / sum_b;
    return out;
}

RigidQuality add_side(Results& out, const RigidScene& s, const std::string& name, const Side& side) {
    const RigidQuality q = measure_quality(s, side.poses(s));
    const auto put = [&](const char* what, const char* unit, const Spread& x) {
        add(out, s.name, side.threads, name + " " + what, unit, x);
    };
    if (!side.turn.empty()) {
        Spread ms = spread_of(side.turn);
        ms.median *= 1e3, ms.low *= 1e3, ms.high *= 1e3;
        put("time per step", "ms", ms);
    }
    put("mean time per step", "ms", exactly(1e3 * side.total / side.steps));
    put("steps", "", exactly(side.steps));
    put("drift", "m", exactly(q.drift));
    if (s.collides) {
        put("deepest penetration", "m", exactly(q.deepest));
        put("mean penetration", "m", exactly(q.mean));
        put("top", "m", exactly(q.top));
        if (s.name == "massstack") put("displacement", "m", exactly(q.moved));
    }
    if (!s.joints.empty()) {
        put("joint error", "m", exactly(q.joint));
        put("joint error seen", "m", exactly(side.joint));
        put("stretch of all joints", "m", exactly(q.stretch));
        put("stretch of all joints seen", "m", exactly(side.stretch));
    }
    if (const std::string note = side.engine->note(); !note.empty()) fmt::print("{} {} threads: {}\n", s.name, side.threads, note);
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

// Box3D and Jolt, whichever is faster, relative to Bullet in one run of all three, as means of 600 steps: not to be had as
// packages, so a target and no claim.
struct Target {
    const char* scene;
    double ratio;
};
constexpr Target kTargets[] = {{"pyramid20", 0.44}, {"heap1000", 0.39}, {"heap8000", 0.37}, {"chain100", 0.63}};

// Claims: no slower, and no worse, than the other engine. A fall is no drift: where bodies are dropped only depth counts.
void compare(Results& out, const RigidScene& s, const char* name, const Turns& turns, const Side& side, const RigidQuality& other) {
    if (side.is_stopped())
        add_at_most(out, s.name, 1, fmt::format("{} is stopped at 60 s: counts as slower", name), exactly(turns.mean), 1, true);
    else add_at_most(out, s.name, 1, fmt::format("time against {}", name), turns.ratio, 1, !out.busy);
    for (const Target& t : kTargets)
        if (s.name == t.scene && std::string_view(name) == "bullet")
            out.rows.push_back({s.name, 1, "mean time against bullet, Box3D and Jolt", "", exactly(turns.mean), fmt::format("target {}", t.ratio), Verdict::none});
    const RigidQuality own = measure_quality(s, turns.common);
    const auto claim = [&](const char* what, double a, double b) {
        add_at_most(out, s.name, 1, fmt::format("{} against {}", what, name), exactly(a / std::max(b, 1e-12)), 1, true);
    };
    if (s.collides) claim("penetration", own.deepest, other.deepest);
    if (s.name.rfind("pyramid", 0) == 0 || s.name == "massstack") claim("drift", own.drift, other.drift);
    if (!s.joints.empty()) claim("joint error", own.joint, other.joint);
}

// Sums of the forces [N] on pairs of bodies that only one of the two solvers loads, and of all: the solvers say the contacts
// that carried a force, sorted by bodies.
struct Loads {
    double alone = 0, all = 0;
};
void add_loads(std::span<const ContactForce> a, std::span<const ContactForce> b, Loads& sum) {
    const auto bodies = [](const ContactForce& c) { return std::array{c.object_a, c.object_b}; };
    for (const auto& [own, other] : {std::pair{a, b}, std::pair{b, a}})
        for (const ContactForce& c : own) {
            const double force = vec(c.force).norm();
            sum.all += force;
            if (!std::ranges::binary_search(other, bodies(c), {}, bodies)) sum.alone += force;
        }
}

double root_mean_square(std::span<const double> x) {
    double sum = 0;
    for (double a : x) sum += a * a;
    return std::sqrt(sum / double(std::max<std::size_t>(x.size(), 1)));
}

// The packed single precision of the default against the scalar double oracle. Every turn of the oracle begins from the state
// of the packed one, so that both do the same work; contacts, loads and velocities are compared after the first step of each
// turn. Contacts open and close, so that rounding can decide between two different steps: what the oracle itself makes of
// velocities off by half a unit in the last place of single precision (2^-24) is the yardstick.
void compare_precision(Results& out, const RigidScene& s) {
    Own packed(s, 1, "single"), scalar(s, 1, "double"), moved(s, 1, "double");
    struct Difference { // from the oracle
        std::vector<double> velocity; // [m/s] per body and turn
        Loads loads;
    } of_packed, of_moved;
    std::vector<double> ratio;
    double fastest = 0;
    int others = 0; // turns that found another number of contacts
    const auto compare_step = [&](const Own& own, Difference& d) {
        for (std::size_t b = 0; b < s.bodies.size(); ++b)
            d.velocity.push_back((vec(own.now.frame.v[b]) - vec(scalar.now.frame.v[b])).norm());
        add_loads(own.solver->contacts(), scalar.solver->contacts(), d.loads);
    };
    for (int turn = 0; turn < kSteps / kChunk; ++turn) {
        scalar.now = moved.now = packed.now;
        for (std::size_t b = 0; b < s.bodies.size(); ++b) vec(moved.now.frame.v[b]) *= 1 + (b % 2 ? 1 : -1) * 0x1p-24;
        moved.step(kStep);
        std::array<double, 2> taken{};
        for (int k = 0; k < kChunk; ++k) {
            for (Own* side : {&packed, &scalar}) {
                const double start = seconds(1);
                side->step(kStep);
                taken[side == &scalar] += seconds(1) - start;
            }
            if (k > 0) continue;
            others += packed.report.contact_count != scalar.report.contact_count;
            compare_step(packed, of_packed), compare_step(moved, of_moved);
            for (const Real3& v : scalar.now.frame.v) fastest = std::max(fastest, vec(v).norm());
        }
        ratio.push_back(taken[1] / taken[0]);
    }
    add(out, s.name, 1, "scalar double / packed single time", "", spread_of(ratio));
    add_at_most(out, s.name, 1, "turns with another number of contacts by the oracle", exactly(others), 0, true);
    add(out, s.name, 1, "velocity from the oracle's, median", "m/s", spread_of(of_packed.velocity));
    // twice the yardstick, and where no contact changes the rounding of some ten operations on the fastest velocities
    const double least = 10 * 0x1p-24;
    const double rms = root_mean_square(of_packed.velocity), rms_moved = root_mean_square(of_moved.velocity);
    add(out, s.name, 1, "the oracle off by 2^-24: velocity, root mean square", "m/s", exactly(rms_moved));
    add_at_most(out, s.name, 1, "velocity from the oracle's, root mean square", exactly(rms), 2 * rms_moved + least * fastest, true);
    const auto part_alone = [](const Loads& l) { return l.all > 0 ? l.alone / l.all : 0; };
    const double alone = part_alone(of_packed.loads), alone_moved = part_alone(of_moved.loads);
    add(out, s.name, 1, "the oracle off by 2^-24: part of the load on one side only", "", exactly(alone_moved));
    add_at_most(out, s.name, 1, "part of the load on one side only", exactly(alone), 2 * alone_moved + least, true);
    add(out, s.name, 1, "fastest body in those steps", "m/s", exactly(fastest));
}

// one and two threads in turns, wall time; the ceiling of computing just before and after
void compare_threads(Results& out, const RigidScene& s, const RigidEngineEntry& e) {
    const double before = measure_compute_ceiling(9).median;
    Side one, two;
    one.engine = e.make(s, 1), two.engine = e.make(s, 2);
    one.threads = two.threads = 2; // wall clock for both
    Spread speed_up = run_in_turns(s, one, two).ratio;
    for (const Side* side : {&one, &two}) fmt::print("{} on {}: {}\n", s.name, side == &one ? "one thread" : "two threads", side->engine->note());
    const double ceiling = std::min(before, measure_compute_ceiling(9).median);
    add(out, s.name, 2, "speed-up", "", speed_up);
    for (double* x : {&speed_up.median, &speed_up.low, &speed_up.high}) *x /= ceiling;
    if (s.bodies.size() < 5000) return add(out, s.name, 2, "speed-up / ceiling", "", speed_up); // short steps: told, not claimed
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
                add_at_most(out, s.name, 1, fmt::format("{} cannot hold the scene: counts as slower", e.name), exactly(0), 1, true);
                continue;
            }
            own.engine = engines[0].make(s, 1);
            const Turns turns = run_in_turns(s, own, other);
            if (first) claim_alone(out, s, own, add_side(out, s, engines[0].name, own));
            compare(out, s, e.name, turns, other, add_side(out, s, e.name, other));
            first = false;
        }
        if (s.name == "pyramid20" || s.name == "heap1000") compare_precision(out, s);
        if (s.bodies.size() >= 1000) compare_threads(out, s, engines[0]);
    }
    add_ceilings(out, "after", measure_ceilings(o.pairs));
}

} // namespace sinew::bench
