// sinew-bench rigid: pyramids, heaps and a stack of unequal masses by our one default and by the engines that are installed,
// 600 steps of 1/60 s each. Time is process time per step of the step call alone on one thread, wall time on more; an engine
// that needs over 60 s is stopped and its time so far counts. Quality is measured by one code for all, from poses alone.
#include "bench.h"
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
        finish_model(b);
        now = b.state;
        VelocitySettings settings;
        settings.sleep = false;
        Context context;
        context.threads = threads;
        solver = make_velocity(context, b.model, now, &settings);
        next = now;
    }
    void step(double dt) override {
        report = solver->step(b.model, {}, now, next, dt);
        for (const StageTime& t : report.stages) add_time(stages, t.name, t.seconds);
        std::swap(now, next);
    }
    Pose pose(int i) const override { return {now.frame.p[i], now.frame.q[i]}; }
    std::string note() const override {
        std::string out = report.path;
        for (const StageTime& t : stages) out += fmt::format(", {} {:.3g}", t.name, 1e3 * t.seconds / double(now.step));
        return out;
    }
};

struct Run {
    double ms = 0; // per step
    int steps = 0;
    RigidQuality quality;
    std::string note;
};
// no steps if the engine cannot hold the scene
Run run_engine(const RigidEngineEntry& e, const RigidScene& s, int threads, int steps) {
    const auto engine = e.make(s, threads);
    Run r;
    if (!engine) return r;
    double total = 0;
    for (; r.steps < steps && total < kMostSeconds; ++r.steps) {
        const double before = seconds(threads);
        engine->step(kStep);
        total += seconds(threads) - before;
    }
    r.ms = 1e3 * total / r.steps;
    std::vector<Pose> poses;
    for (std::size_t i = 0; i < s.bodies.size(); ++i) poses.push_back(engine->pose(int(i)));
    r.quality = measure_quality(s, poses);
    r.note = engine->note();
    return r;
}

void add_run(Results& out, const RigidScene& s, const RigidEngineEntry& e, int threads, const Run& r) {
    const auto put = [&](const char* what, const char* unit, double x) {
        add(out, s.name, threads, fmt::format("{} {}", e.name, what), unit, {x, x, x});
    };
    put("time per step", "ms", r.ms);
    put("steps", "", r.steps);
    put("drift", "m", r.quality.drift);
    put("deepest penetration", "m", r.quality.deepest);
    put("mean penetration", "m", r.quality.mean);
    put("top", "m", r.quality.top);
    if (!r.note.empty()) fmt::print("{} {} threads: {}\n", s.name, threads, r.note);
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

// --size N: pyramids and heaps of at most N bodies
void run_rigid(const Options& o, Results& out) {
    const int most = o.size > 0 ? o.size : 10000;
    const char* only = std::getenv("SINEW_BENCH_SCENE");
    std::vector<RigidScene> scenes{make_mass_stack(), make_pyramid(20), make_heap(10), make_heap(20), make_pyramid(100)};
    for (const RigidScene& s : scenes) {
        if (int(s.bodies.size()) > most || (only && s.name != only)) continue;
        double own = 0;
        for (const RigidEngineEntry& e : rigid_engines()) {
            const Run r = run_engine(e, s, 1, 600);
            if (r.steps == 0) {
                fmt::print("{}: {} cannot hold the scene, not compared\n", s.name, e.name);
                continue;
            }
            add_run(out, s, e, 1, r);
            if (&e == &rigid_engines().front()) own = r.ms;
            else add_at_most(out, s.name, 1, fmt::format("time against {}", e.name), {own / r.ms, own / r.ms, own / r.ms}, 1, !out.busy);
            if (e.threads) add_run(out, s, e, 2, run_engine(e, s, 2, 600));
        }
    }
}

} // namespace sinew::bench
