#include "study/run.h"
#include "core/error.h"
#include "study/verdict.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fmt/format.h>

namespace sinew {

namespace {

double processor_seconds() { return double(std::clock()) / CLOCKS_PER_SEC; } // of all threads

// The solver of a run with a clock, and with a trace where one is wanted. What it does is not changed.
struct ObservedSolver final : Solver {
    std::unique_ptr<Solver> inner;
    Trace* trace = nullptr;
    double wall = 0, cpu = 0; // [s] so far
    Report step(const Model& m, const Input& input, const State& now, State& next, double dt, Trace* wanted) override {
        if (trace) trace->iterations.clear();
        const auto start = std::chrono::steady_clock::now();
        const double before = processor_seconds();
        Report r = inner->step(m, input, now, next, dt, wanted ? wanted : trace);
        cpu += processor_seconds() - before;
        wall += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        return r;
    }
    void drop_caches() override { inner->drop_caches(); }
    std::span<const ContactForce> contacts() const override { return inner->contacts(); }
};

// islands are solved one by one: what belongs to the same iteration
std::vector<TraceEntry> merge_iterations(const Trace& trace) {
    std::vector<TraceEntry> out;
    for (const TraceEntry& e : trace.iterations) {
        const auto same = std::find_if(out.begin(), out.end(), [&](const TraceEntry& o) { return o.iteration == e.iteration; });
        if (same == out.end()) {
            out.push_back(e);
            continue;
        }
        same->residual = std::max(same->residual, e.residual);
        same->residual_sum += e.residual_sum;
        same->residual_norm = std::hypot(same->residual_norm, e.residual_norm);
        same->rate_sum += e.rate_sum;
        same->objective += e.objective;
        same->momentum = std::max(same->momentum, e.momentum);
    }
    std::sort(out.begin(), out.end(), [](const TraceEntry& a, const TraceEntry& b) { return a.iteration < b.iteration; });
    return out;
}

struct Recorder {
    const Study& study;
    ColumnSet columns;
    ColumnScratch scratch;
    std::vector<double> numbers;

    void add_row(const Simulation& s, double cpu, const TraceEntry* trace, StudyRun& run) {
        read_columns(columns, s, cpu, trace, scratch, numbers);
        run.frame.push_back(current_frame(s));
        run.time.push_back(s.now.time);
        if (trace) run.iteration.push_back(trace->iteration);
        for (std::size_t k = 0; k < numbers.size(); ++k) run.columns[k].push_back(numbers[k]);
    }
};

// which of the frames of a record of iterations the step ends; -1 of the list: the last one
bool is_traced(const Study& study, const Simulation& s, std::int64_t step) {
    if (study.record.every != "iteration") return false;
    const std::int64_t substeps = s.compiled.substeps;
    if (study.record.frames.empty()) return step == total_steps(s);
    if (step % substeps != 0) return false;
    const double frame = double(step / substeps) + s.compiled.script.time.first_frame;
    return std::find(study.record.frames.begin(), study.record.frames.end(), int(frame)) != study.record.frames.end();
}

} // namespace

std::vector<std::string> sets_of(const Study& s, const StudyVariant& v, double value) {
    std::vector<std::string> out = v.sets;
    if (!s.sweep.values.empty()) out.push_back(s.sweep.path + "=" + write_number(value));
    return out;
}

std::optional<Compiled> compile_variant(const Study& s, const std::vector<std::string>& sets, const Value& from, Errors& errors) {
    Errors found;
    Value document = s.scene;
    for (const std::string& set : sets) apply_set(document, set, found);
    std::optional<Compiled> compiled;
    if (found.empty()) {
        Result<Scene> scene = make_scene(document);
        found = std::move(scene.errors);
        if (scene) {
            scene.value->expect.clear(); // a study records; what it sweeps may leave no step at a moment of `expect`
            Result<Compiled> c = compile_scene(*scene.value);
            add_errors(found, c.errors);
            if (c) compiled = std::move(c.value);
        }
    }
    for (Error& e : found) { // what was set stands in the study
        if (e.file.empty()) e.file = s.scene_file;
        if (!e.file.starts_with("command line") || !from.place.file) continue;
        e.file = *from.place.file;
        e.line = from.place.line, e.column = from.place.column;
    }
    add_errors(errors, found);
    return found.empty() ? std::move(compiled) : std::nullopt;
}

bool run_variant(const Study& study, const RunOrder& order, const Value& from, StudyRun* out, RunTimes* times, Errors& errors) {
    std::optional<Compiled> compiled = compile_variant(study, order.sets, from, errors);
    if (!compiled) return false;
    Context context;
    context.threads = order.threads;
    Result<Simulation> made = make_simulation(context, std::move(*compiled));
    if (!made) return add_errors(errors, made.errors), false;
    Simulation& s = *made.value;
    Recorder recorder{study, {}, {}, {}};
    if (out) {
        for (const StudyColumn& c : study.record.columns)
            if (!add_column(s.compiled.model, c.text, join_path("record.columns", c.name), study.record.every == "iteration",
                            recorder.columns, errors))
                return false;
        out->columns.assign(study.record.columns.size(), {});
    }
    Trace trace;
    auto observed = std::make_unique<ObservedSolver>();
    ObservedSolver& solver = *observed;
    solver.inner = std::move(s.solver);
    s.solver = std::move(observed);
    measure_start(s);
    const bool by_frame = study.record.every == "frame";
    double cpu_frame = 0, wall_first = 0, cpu_first = 0;
    while (!is_finished(s)) {
        solver.trace = out && is_traced(study, s, s.now.step + 1) ? &trace : nullptr;
        const double cpu_before = solver.cpu;
        if (simulate_step(s) == Status::failed) {
            if (out) out->failure = fmt::format("failed at t = {:.4g} s: {}", s.now.time, s.report.message);
            break;
        }
        if (s.now.step == 1) wall_first = solver.wall, cpu_first = solver.cpu;
        cpu_frame += solver.cpu - cpu_before;
        if (out && solver.trace)
            for (const TraceEntry& e : merge_iterations(trace)) recorder.add_row(s, 0, &e, *out);
        if (!at_frame(s) && !is_finished(s)) continue;
        if (out && by_frame) recorder.add_row(s, cpu_frame, nullptr, *out);
        cpu_frame = 0;
    }
    if (out) out->cpu = solver.cpu;
    if (times) *times = {solver.wall - wall_first, solver.cpu - cpu_first, int(s.now.step) - 1};
    return true;
}

Result<StudyResult> run_study(const Study& study, const std::function<void(const std::string&)>& tell) {
    Result<StudyResult> result;
    StudyResult r;
    const std::vector<double> values = study.sweep.values.empty() ? std::vector<double>{0} : study.sweep.values;
    for (std::size_t v = 0; v < study.variants.size(); ++v)
        for (double value : values) {
            StudyRun run;
            run.variant = int(v), run.value = value;
            const StudyVariant& variant = study.variants[v];
            if (!run_variant(study, {sets_of(study, variant, value), threads_of(variant, study.threads)}, variant.value, &run, nullptr, result.errors)) return result;
            if (tell)
                tell(fmt::format("{}: {}{}: {} rows, {:.3g} s of processor time{}", study.name, variant.title,
                                 study.sweep.values.empty() ? "" : fmt::format(", {} = {}", study.sweep.title, value), run.time.size(), run.cpu,
                                 run.failure.empty() ? "" : "; " + run.failure));
            r.runs.push_back(std::move(run));
        }
    if (study.race.wanted) r.race = run_race(study, r, tell, result.errors);
    if (!result.errors.empty()) return result;
    judge_claims(study, r);
    result.value = std::move(r);
    return result;
}

} // namespace sinew
