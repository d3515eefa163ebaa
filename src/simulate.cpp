// THE MAIN LOOP
//
//   for each frame                                             app/run.cpp
//     for each step
//       input = script(now.time + dt)                          scene/script.cpp: obstacles, pins, events
//       advance_step                                           here
//         check_finite(now)                                    stop early, name the object
//         report = solver.step(model, input, now, next, h)
//         if failed or not finite: h = h/2, try again          next is simply discarded
//         emit(next); swap(now, next)
//       measure(report)                                        energy, momentum, penetration
//     write(exporters); append(report)
#include "simulate.h"
#include "model/emit.h"
#include "model/visit.h"
#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace sinew {

namespace {

// where targets are after the first `fraction` of what is left of the step
Input cut_input(const Model& m, const Input& input, const State& now, Real fraction) {
    Input cut = input;
    for (PointTarget& t : cut.points) {
        const Vec3 x = vec(now.point.x[t.point]);
        t.x = real3(x + fraction * (vec(t.x) - x));
    }
    for (Target& t : cut.targets) {
        const Range frames = m.objects[t.object.index].frames;
        if (frames.count() == 0) continue;
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
    total.work_friction += step.work_friction;
    total.work_external += step.work_external;
    total.residual = step.residual;
    total.step_length = step.step_length;
    total.path = step.path;
    for (const StageTime& t : step.stages) add_time(total.stages, t.name, t.seconds);
    total.warnings.insert(total.warnings.end(), step.warnings.begin(), step.warnings.end());
}

void blame(const NotFinite& where, const char* when, Report& r) {
    r.status = Status::failed;
    r.failed_object = where.object;
    r.failed_index = where.index;
    r.message = fmt::format("{} is not finite {} (object '{}', index {})", where.array, when, where.object, where.index);
}

} // namespace

Status advance_step(Solver& solver, const Model& m, const Input& input, State& now, State& spare, double dt, Report& report,
                    int max_retries) {
    const auto clock = std::chrono::steady_clock::now();
    report = {};
    report.dt = dt;
    if (const NotFinite bad = find_not_finite(m, now); !bad.array.empty()) {
        blame(bad, "before the step", report);
        return report.status;
    }
    const double end = now.time + dt;
    double h = dt;
    while (now.time < end) {
        const double left = end - now.time;
        const bool last = h >= left * (1 - 1e-12);
        if (last) h = left;
        Report tried = last ? solver.step(m, input, now, spare, h)
                            : solver.step(m, cut_input(m, input, now, h / left), now, spare, h);
        if (tried.status != Status::failed)
            if (const NotFinite bad = find_not_finite(m, spare); !bad.array.empty()) blame(bad, "after the step", tried);
        if (tried.status == Status::failed) {
            report.message = tried.message;
            report.failed_object = tried.failed_object;
            report.failed_index = tried.failed_index;
            if (++report.retries > max_retries) {
                report.status = Status::failed;
                return report.status;
            }
            h *= 0.5;
            continue;
        }
        if (last) spare.time = end; // land exactly, whatever the sum of the parts
        emit(m, h, spare);
        std::swap(now, spare);
        add_up(tried, report);
    }
    report.status = Status::ok;
    report.message.clear();
    report.failed_object.clear();
    report.failed_index = -1;
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - clock).count();
    return report.status;
}

} // namespace sinew
