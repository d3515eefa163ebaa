// THE MAIN LOOP
//
//   measure_start                                              numbers of the first state
//   while not finished: simulate_step
//     run_events                                               scene/script.cpp: releases, switched fields
//     fill_input                                               where held bodies and points will be at the end
//     advance_step
//       check finite(now)                                      stop early, name the object
//       report = solver.step(model, input, now, spare, h)
//       failed or not finite: h = h/2, try again               spare is simply discarded
//       emit(now -> spare); swap(now, spare)
//     measure(report)                                          energy, momentum, penetration
//     check_expectations
//   the caller writes frames between the steps (app/run.cpp)
#include "simulate.h"
#include "collision/sunk.h"
#include "constraint/joint_object.h"
#include "model/copy_state.h"
#include "model/emit.h"
#include "model/snapshot_of.h"
#include "model/visit.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>

namespace sinew {

namespace {

// where targets are after the first `fraction` of what is left of the step
Input cut_input(const Model& m, const Input& input, const State& now, Real fraction) {
    Input cut = input;
    for (PointTarget& t : cut.points) {
        if (t.point < 0 || t.point >= point_count(m)) continue; // no solver takes it
        const Vec3 x = vec(now.point.x[t.point]);
        t.x = real3(x + fraction * (vec(t.x) - x));
    }
    for (ScalarTarget& t : cut.scalars) {
        if (t.scalar < 0 || t.scalar >= scalar_count(m)) continue;
        const Real s = now.scalar.s[t.scalar];
        t.s = s + fraction * (t.s - s);
    }
    if (cut.animated.size() == now.animated.x.size())
        for (std::size_t i = 0; i < cut.animated.size(); ++i) {
            const Vec3 x = vec(now.animated.x[i]);
            cut.animated[i] = real3(x + fraction * (vec(cut.animated[i]) - x));
        }
    for (Target& t : cut.targets) {
        const Object* o = object_of(m, t.object);
        if (!o || o->frames.count() == 0) continue;
        const Range frames = o->frames;
        const Vec3 p = vec(now.frame.p[frames.begin]);
        const Quat q = quat(now.frame.q[frames.begin]);
        const Vec3 turn = log_rotation(quat(t.pose.rotation) * q.conjugate());
        t.pose.position = real3(p + fraction * (vec(t.pose.position) - p));
        t.pose.rotation = real4(exp_rotation(fraction * turn) * q);
    }
    return cut;
}

void add_up(const Report& step, Report& total) {
    total.iterations += step.iterations;
    total.linear_iterations += step.linear_iterations;
    total.evaluations += step.evaluations;
    total.work_damping += step.work_damping;
    total.has_work_damping = step.has_work_damping;
    total.work_plastic += step.work_plastic;
    total.work_friction += step.work_friction;
    total.work_external += step.work_external;
    total.residual = step.residual;
    total.step_length = step.step_length;
    total.path = step.path;
    total.islands = step.islands, total.islands_direct = step.islands_direct, total.asleep = step.asleep;
    total.contact_count = step.contact_count, total.penetration = step.penetration, total.gap = step.gap;
    total.cone_violation = std::max(total.cone_violation, step.cone_violation);
    total.touches.insert(total.touches.end(), step.touches.begin(), step.touches.end());
    for (const StageTime& t : step.stages) add_time(total.stages, t.name, t.seconds);
    total.warnings.insert(total.warnings.end(), step.warnings.begin(), step.warnings.end());
}

// numbers of the state, and what the state does not hold: motions of emitters and sinks
NotFinite find_bad(const Model& m, const State& before, const State& after) {
    NotFinite bad = find_not_finite(m, after);
    return bad.array.empty() ? find_lost_region(m, before, after) : bad;
}

void blame(const NotFinite& where, const char* when, Report& r) {
    r.status = Status::failed;
    r.failed_object = where.object;
    r.failed_index = where.index;
    r.message = fmt::format("{} is not finite {} (object '{}', index {})", where.array, when, where.object, where.index);
}

} // namespace

bool has_sizes_of(const Model& m, const State& s) {
    return int(s.point.x.size()) == point_count(m) && int(s.frame.p.size()) == frame_count(m) &&
           int(s.scalar.s.size()) == scalar_count(m) && int(s.animated.x.size()) == animated_count(m);
}

// fields read them there, and the next step knows where its targets come from
static void hold_gauges(const Input& input, State& s) {
    if (input.gauges.empty()) return;
    std::copy(input.gauges.begin(), input.gauges.end(), memory_array(s, kGaugeMemory, input.gauges.size()).begin());
}

Status advance_step(Solver& solver, const Model& m, const Input& input, State& now, State& spare, double dt, Report& report,
                    int max_retries, std::string* why) {
    const auto clock = std::chrono::steady_clock::now();
    report = {};
    report.dt = dt;
    if (const std::string wrong = find_size_error(m, now); !wrong.empty()) {
        report.status = Status::failed;
        report.message = "the state is not one of this model: " + wrong;
        return report.status;
    }
    if (const NotFinite bad = find_bad(m, now, now); !bad.array.empty()) {
        blame(bad, "before the step", report);
        return report.status;
    }
    if (!has_sizes_of(m, spare)) fit_state(now, spare); // something was spawned
    command_motors(m, input, now);
    hold_gauges(input, now);
    hold_gauges(input, spare);
    const std::int64_t step = now.step;
    const double end = now.time + dt;
    double h = dt;
    while (now.time < end) {
        const double left = end - now.time;
        const bool last = h >= left * (1 - 1e-12);
        if (last) h = left;
        Report tried = last ? solver.step(m, input, now, spare, h)
                            : solver.step(m, cut_input(m, input, now, h / left), now, spare, h);
        if (tried.status != Status::failed)
            if (const NotFinite bad = find_bad(m, now, spare); !bad.array.empty()) blame(bad, "after the step", tried);
        if (tried.status == Status::failed) {
            report.message = tried.message;
            report.failed_object = tried.failed_object;
            report.failed_index = tried.failed_index;
            if (why) *why = tried.message;
            if (++report.retries > max_retries) {
                report.status = Status::failed;
                now.step = step; // the part that was covered is no step
                return report.status;
            }
            h *= 0.5;
            continue;
        }
        if (last) spare.time = end; // land exactly, whatever the sum of the parts
        emit(m, h, now, spare);
        raise_sunk(m, h, spare);
        std::swap(now, spare);
        add_up(tried, report);
    }
    now.step = step + 1; // a shortened step counts once
    report.status = Status::ok;
    report.message.clear();
    report.failed_object.clear();
    report.failed_index = -1;
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - clock).count();
    return report.status;
}

void measure_step(const Parallel& parallel, const Model& m, const State& now, MeasureScratch& scratch, Report& report) {
    const double power_before = scratch.power_damping;
    measure(parallel, m, now, scratch, report);
    if (!report.has_work_damping) report.work_damping = 0.5 * report.dt * (power_before + scratch.power_damping);
}

Result<Simulation> make_simulation(const Context& context, Compiled compiled) {
    Simulation s;
    s.context = context;
    s.compiled = std::move(compiled);
    const SolverEntry* entry = find_solver(s.compiled.solver);
    if (!entry) return {std::nullopt, {Error{.path = "solver", .value = s.compiled.solver, .message = "no solver of this name"}}};
    s.parallel = make_parallel(context);
    s.now = s.compiled.state;
    s.solver = entry->make(context, s.compiled.model, s.now, s.compiled.settings.get());
    s.spare = s.now;
    Result<Simulation> result;
    result.value.emplace(std::move(s));
    return result;
}

namespace {

// what `measure` does not find out from a state
template <class R, class F> void visit_step_numbers(R& r, F&& f) {
    f(r.dt), f(r.iterations), f(r.linear_iterations), f(r.evaluations), f(r.retries), f(r.residual), f(r.step_length);
    f(r.work_damping), f(r.work_plastic), f(r.work_friction), f(r.work_external), f(r.cone_violation), f(r.inverted), f(r.seconds);
}

void check_now(Simulation& s) {
    for (std::string& f : check_expectations(s.compiled.script, s.compiled.model, s.now, s.report, current_frame(s), at_frame(s),
                                             is_finished(s))) {
        ++s.failure_count;
        if (s.failures.size() < kMostFailures) s.failures.push_back(std::move(f));
    }
}

// steps of dt that fit the duration
double whole_steps(const Simulation& s) { return s.compiled.script.time.seconds / s.compiled.dt; }
bool is_whole(double steps) { return std::abs(steps - std::round(steps)) <= 1e-6; }
// the state is where a shorter step ended: the last one, or a step that failed after a part of it was covered
bool is_between_steps(const Simulation& s) { return !is_whole(s.now.time / s.compiled.dt - double(s.now.step)); }

// A run has blown up when its energy per mass is a million times that of its start, and that at least 1 J/kg: 1 MJ/kg is
// more than any elastic material holds before it breaks (spring steel: 1 kJ/kg, spider silk: 0.2 MJ/kg) and 1.4 km/s for all
// that moves. What falls, swings or is stretched at the start has its energy then already.
constexpr double kBlowUp = 1e6, kLeastScale = 1; // [-], [J/kg]

double energy_scale(const Simulation& s) {
    const Report& r = s.report;
    if (!(r.mass > 0)) return 0;
    const double sum = std::abs(r.energy_kinetic) + std::abs(r.energy_elastic) + std::abs(r.energy_gravity) +
                       std::abs(r.energy_contact) + std::abs(r.energy_field);
    return std::max(kLeastScale, sum / r.mass);
}

void alarm(Simulation& s, std::string text) {
    s.report.warnings.push_back(text);
    s.alarms.push_back(fmt::format("t = {:.6g} s: {}", s.now.time, text));
}

void watch_energy(Simulation& s) {
    if (!s.alarms.empty()) return; // the first sign is the one that helps
    std::vector<std::string> names;
    visit_numbers(s.report, [&](std::string_view name, const char*, double value) {
        const bool sum = name.starts_with("energy.") || name.starts_with("work.") || name.starts_with("momentum.") ||
                         name.starts_with("angular_momentum.");
        if (sum && !std::isfinite(value)) names.emplace_back(name);
    });
    if (!names.empty()) {
        alarm(s, fmt::format("the run has blown up: {} {} not finite", fmt::join(names, ", "), names.size() > 1 ? "are" : "is"));
        return;
    }
    if (s.energy_scale == 0) s.energy_scale = energy_scale(s); // nothing was alive before
    if (const double energy = std::abs(energy_total(s.report)); s.energy_scale > 0 && energy > kBlowUp * s.energy_scale * s.report.mass)
        alarm(s, fmt::format("the run has blown up: energy.total = {:.3g} J, {:.3g} J/kg, is more than a million times that of the start "
                             "({:.3g} J/kg); a shorter step or another solver may help",
                             energy_total(s.report), energy / s.report.mass, s.energy_scale));
}

} // namespace

std::unique_ptr<Solver> make_again(const Context& context, const LiveScene& live, const Model& m, State& now) {
    // objects that were spawned are where they are: a program that spawns has no other start for them
    const State& first = live.made->state;
    State registered = first.point.x.size() == now.point.x.size() && first.frame.p.size() == now.frame.p.size() ? first : now;
    auto made = find_solver(live.made->solver)->make(context, m, registered, live.made->settings.get());
    for (NamedValues& fresh : registered.memory) {
        const auto known = std::find_if(now.memory.begin(), now.memory.end(), [&](const NamedValues& a) { return a.name == fresh.name; });
        if (known == now.memory.end()) now.memory.push_back(std::move(fresh)); // others grow and shrink as the run goes
    }
    return made;
}

// settings that an event has changed: what a solver keeps besides them is in the state, or a cache
static void renew_solver(Simulation& s) {
    LiveScene& live = s.compiled.script.live;
    if (!live.new_settings) return;
    live.new_settings = false;
    s.compiled.settings = live.made->settings;
    s.solver = make_again(s.context, live, s.compiled.model, s.now);
    s.spare = s.now;
}

StateFile save_run(const Simulation& s) {
    StateFile out;
    out.state = s.now;
    out.program_version = SINEW_VERSION;
    out.substeps = s.compiled.substeps;
    out.solver = s.compiled.solver;
    out.needs = s.compiled.files;
    visit_step_numbers(s.report, [&](const auto& x) { out.report.push_back(double(x)); });
    for (const ScriptExpectation& e : s.compiled.script.expectations) out.looked.push_back(e.looked);
    out.failures = s.failures;
    out.alarms = s.alarms;
    out.failure_count = double(s.failure_count);
    out.report.push_back(s.energy_scale); // after the numbers of the step: older files end there
    return out;
}

void continue_from(Simulation& s, StateFile memory) {
    s.now = std::move(memory.state);
    s.spare = s.now;
    apply_past_events(s.compiled.script, s.compiled.model, s.now);
    renew_solver(s);
    s.report = {};
    s.report.dt = s.compiled.dt;
    std::size_t k = 0;
    visit_step_numbers(s.report, [&](auto& x) {
        if (k < memory.report.size()) x = std::remove_reference_t<decltype(x)>(memory.report[k]);
        ++k;
    });
    measure(*s.parallel, s.compiled.model, s.now, s.measure, s.report);
    s.energy_scale = k < memory.report.size() ? memory.report[k] : energy_scale(s);
    s.alarms = std::move(memory.alarms);
    std::vector<ScriptExpectation>& expectations = s.compiled.script.expectations;
    for (k = 0; k < expectations.size() && k < memory.looked.size(); ++k) expectations[k].looked = int(memory.looked[k]);
    s.failures = std::move(memory.failures);
    s.failure_count = std::int64_t(memory.failure_count);
}

double current_frame(const Simulation& s) {
    const SceneTime& t = s.compiled.script.time;
    return t.first_frame + (is_between_steps(s) ? s.now.time * t.fps : double(s.now.step) / s.compiled.substeps);
}

std::int64_t total_steps(const Simulation& s) {
    const double steps = whole_steps(s);
    return std::int64_t(is_whole(steps) ? std::round(steps) : std::ceil(steps));
}

bool is_finished(const Simulation& s) { return s.now.step >= total_steps(s); }
bool at_frame(const Simulation& s) { return s.now.step % s.compiled.substeps == 0 && !is_between_steps(s); }

void measure_start(Simulation& s) {
    s.report = {};
    s.report.dt = s.compiled.dt;
    measure(*s.parallel, s.compiled.model, s.now, s.measure, s.report);
    s.failures.clear();
    s.failure_count = 0;
    s.energy_scale = energy_scale(s);
    s.alarms.clear();
    check_now(s);
}

Status simulate_step(Simulation& s) {
    Compiled& c = s.compiled;
    if (s.drop_caches) s.solver->drop_caches();
    const std::int64_t step = s.now.step;
    // times are multiples of dt, not sums, so that the last one is exact
    const bool cut = step + 1 == total_steps(s) && !is_whole(whole_steps(s));
    const double end = cut ? c.script.time.seconds : double(step + 1) * c.dt;
    s.events = run_events(c.script, c.model, s.now, s.report, current_frame(s));
    renew_solver(s);
    if (const Errors e = fill_input(c.script, c.model, s.now, end - s.now.time, s.input); !e.empty()) {
        s.report = {};
        s.report.status = Status::failed;
        s.report.message = to_string(e[0]);
        return Status::failed;
    }
    if (advance_step(*s.solver, c.model, s.input, s.now, s.spare, end - s.now.time, s.report, s.max_retries) == Status::failed)
        return Status::failed;
    s.now.time = end;
    measure_step(*s.parallel, c.model, s.now, s.measure, s.report);
    watch_energy(s);
    check_now(s);
    return Status::ok;
}

Snapshot make_snapshot(const Simulation& s) {
    Snapshot out = snapshot_of(s.compiled.model, s.now);
    out.frame = int(std::lround(current_frame(s)));
    visit_numbers(s.report, [&](const char* name, const char* unit, double value) {
        out.numbers.push_back({*unit ? fmt::format("{} [{}]", name, unit) : name, value});
    });
    return out;
}

} // namespace sinew
