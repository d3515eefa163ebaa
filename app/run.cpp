// sinew run: the frame loop with files, progress, checkpoints and failure.
#include "command.h"
#include "core/hash.h"
#include "model/visit.h"
#include "output/state_file.h"
#include "outputs.h"
#include "progress.h"
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

namespace sinew {

namespace {

volatile std::sig_atomic_t interrupted = 0;
void on_interrupt(int) { interrupted = 1; }

struct Run {
    const RunOptions& options;
    Scene scene;
    std::optional<Simulation> simulation;
    RunOutputs outputs;
    std::string folder;
    std::ofstream log;
    int warnings = 0;
};

void say(Run& r, const std::string& text) {
    if (!r.options.quiet && !r.options.json) fmt::print("{}\n", text);
    if (r.log) r.log << text << "\n";
}

// "--frames 1001-1100" or "50": the last frame to simulate
bool parse_frames(const std::string& text, SceneTime& t, std::string& problem) {
    if (text.empty()) return true;
    try {
        const std::size_t dash = text.find('-', 1);
        const int last = std::stoi(dash == std::string::npos ? text : text.substr(dash + 1));
        const int end = dash == std::string::npos ? t.first_frame + last : last;
        if (dash != std::string::npos && std::stoi(text.substr(0, dash)) != t.first_frame)
            problem = fmt::format("a run starts at frame {}; use --resume to continue one", t.first_frame);
        else if (end < t.first_frame) problem = "ends before the first frame";
        else t.last_frame = end, t.seconds = (end - t.first_frame) / t.fps;
    } catch (const std::exception&) {
        problem = "must be a number of frames or first-last";
    }
    return problem.empty();
}

int prepare(Run& r) {
    Result<Scene> scene = load_scene(r.options.scene, r.options.set);
    if (!scene) return print_errors(scene.errors), kBadInput;
    r.scene = std::move(*scene.value);
    std::string problem;
    if (!parse_frames(r.options.frames, r.scene.time, problem))
        return print_errors({Error{.path = "--frames", .value = r.options.frames, .message = problem}}), kBadInput;
    Result<Compiled> compiled = compile_scene(r.scene, r.options.solver);
    Errors errors = compiled.errors;
    for (const Error& e : check_outputs(r.scene)) errors.push_back(e);
    for (Error& e : errors)
        if (e.file.empty()) e.file = r.options.scene;
    if (!errors.empty()) return print_errors(errors), kBadInput;
    auto made = make_simulation(make_context(r.options.threads, r.options.quiet), std::move(*compiled.value));
    if (!made) return print_errors(made.errors), kBadInput;
    r.simulation.emplace(std::move(*made.value));
    r.simulation->drop_caches = r.options.drop_caches;
    if (r.scene.name.empty()) r.scene.name = std::filesystem::path(r.options.scene).stem().string();
    r.folder = r.options.out.empty() ? "out/" + r.scene.name : r.options.out;
    return kOk;
}

// state and outputs of an interrupted run; kOk when everything is in place
int resume(Run& r, int& frame, std::int64_t& step) {
    StateFile file;
    const std::string path = r.folder + "/checkpoint.state";
    if (Errors e = read_state(path, file); !e.empty()) return print_errors(e), kBadInput;
    if (file.scene_hash != hash_text(write_value(r.scene.document)))
        return print_errors({Error{.file = path, .message = "belongs to another scene, or the scene was changed since"}}), kBadInput;
    if (file.state.point.x.size() != r.simulation->now.point.x.size() || file.state.frame.p.size() != r.simulation->now.frame.p.size() ||
        file.substeps != r.simulation->compiled.substeps || file.state.memory.size() != r.simulation->now.memory.size())
        return print_errors({Error{.file = path, .message = "does not fit this scene with this solver"}}), kBadInput;
    continue_from(*r.simulation, std::move(file.state));
    step = r.simulation->now.step;
    frame = int(r.simulation->compiled.script.time.first_frame + step / r.simulation->compiled.substeps);
    return kOk;
}

bool write_all(const Errors& e) {
    print_errors(e);
    return e.empty();
}

std::string step_line(const Simulation& s) {
    const Report& r = s.report;
    return fmt::format("frame {:.2f}  dt {:.2e}  it {}  res {:.1e}  E {:.4g} J  {:.2f} ms  {:.2f}x real time", current_frame(s), r.dt,
                       r.iterations, r.residual, energy_total(r), 1000 * r.seconds, r.seconds > 0 ? r.dt / r.seconds : 0);
}

int fail(Run& r) {
    const Report& report = r.simulation->report;
    const std::string capsule = r.folder + "/capsule.state";
    write_all(write_state_file(capsule, r.scene, *r.simulation));
    write_all(write_state_file(r.outputs.checkpoint, r.scene, *r.simulation));
    write_all(close_outputs(r.outputs));
    const std::string text = fmt::format("failed at t = {:.6g} s, frame {:.2f}, after {} retries: {}\nlast good state, scene and version: {}",
                                         r.simulation->now.time, current_frame(*r.simulation), report.retries, report.message, capsule);
    fmt::print(stderr, "{}\n", text);
    if (r.log) r.log << text << "\n";
    return kFailed;
}

int loop(Run& r, bool resumed) {
    Simulation& s = *r.simulation;
    measure_start(s);
    if (!resumed && !(write_all(write_frame(r.outputs, s)) && write_all(write_report(r.outputs, s)))) return kFailed;
    Progress progress = make_progress(r.scene.name, double(total_steps(s)), r.options.quiet || r.options.json);
    while (!is_finished(s)) {
        if (simulate_step(s) == Status::failed) return finish_progress(progress), fail(r);
        for (const std::string& e : s.events) say(r, e);
        for (const std::string& w : s.report.warnings)
            if (r.log) r.log << "warning: t = " << s.now.time << " s: " << w << "\n", ++r.warnings;
        if (!write_all(write_report(r.outputs, s))) return kFailed;
        show_progress(progress, double(s.now.step), step_line(s));
        if (r.log) r.log << step_line(s) << "\n";
        if (at_frame(s)) {
            if (!write_all(write_frame(r.outputs, s))) return kFailed;
            const std::int64_t frame = s.now.step / s.compiled.substeps;
            if (r.options.checkpoint_every > 0 && frame % r.options.checkpoint_every == 0 &&
                !write_all(write_state_file(r.outputs.checkpoint, r.scene, s)))
                return kFailed;
        }
        if (interrupted) break;
    }
    finish_progress(progress);
    return interrupted ? kInterrupted : kOk;
}

int summarise_run(Run& r, double seconds, int code) {
    Simulation& s = *r.simulation;
    std::vector<std::string> problems = s.failures;
    if (code == kOk && r.options.frames.empty())
        for (std::string& u : unmet_expectations(s.compiled.script)) problems.push_back(std::move(u));
    for (const std::string& p : problems) fmt::print(stderr, "expectation: {}\n", p);
    if (code == kOk && !problems.empty()) code = kFailed;
    const std::string state_hash = fmt::format("{:016x}", hash(s.now));
    if (r.options.json) {
        Value v = make_object();
        set(v, "scene", make_text(r.options.scene));
        set(v, "solver", make_text(s.compiled.solver));
        set(v, "steps", make_number(double(s.now.step)));
        set(v, "time", make_number(s.now.time));
        set(v, "dt", make_number(s.compiled.dt));
        set(v, "seconds", make_number(seconds));
        set(v, "hash", make_text(state_hash));
        set(v, "failures", make_number(double(problems.size())));
        set(v, "exit", make_number(code));
        Value report = make_object();
        visit_numbers(s.report, [&](const char* name, const char*, double value) { set(report, name, make_number(value)); });
        set(v, "report", std::move(report));
        fmt::print("{}\n", write_value(v));
        return code;
    }
    if (r.options.hash) fmt::print("hash {}\n", state_hash);
    const char* how = code == kInterrupted ? "interrupted" : code == kOk ? "done" : "not as expected";
    say(r, fmt::format("{}: {} steps, {:.4g} s of motion in {}, {} expectations, {} not met{}", how, s.now.step, s.now.time,
                       duration_text(seconds), s.compiled.script.expectations.size(), problems.size(),
                       r.warnings ? fmt::format(", {} warnings (see run.log)", r.warnings) : ""));
    for (const std::string& p : r.outputs.paths) say(r, "  " + p);
    say(r, "  " + r.folder + "/report.csv");
    if (code == kInterrupted) say(r, "continue with --resume");
    return code;
}

} // namespace

int command_run(const RunOptions& options) {
    Run r{options, {}, {}, {}, {}, {}, 0};
    if (const int code = prepare(r)) return code;
    const bool exists = std::filesystem::exists(r.folder);
    if (exists && !options.overwrite && !options.resume && !std::filesystem::is_empty(r.folder)) {
        print_errors({Error{.file = r.folder, .message = "exists already", .allowed = "--overwrite, --resume, or another --out"}});
        return kBadInput;
    }
    int frame = -1;
    std::int64_t step = 0;
    const bool resuming = options.resume && std::filesystem::exists(r.folder + "/checkpoint.state");
    if (options.resume && !resuming)
        return print_errors({Error{.file = r.folder + "/checkpoint.state", .message = "no checkpoint to resume from"}}), kBadInput;
    if (resuming)
        if (const int code = resume(r, frame, step)) return code;
    if (Errors e = open_outputs(r.scene, *r.simulation->compiled.model.layout, r.folder, resuming, frame, step, r.outputs); !e.empty())
        return print_errors(e), kBadInput;
    r.log.open(r.folder + "/run.log", resuming ? std::ios::app : std::ios::trunc);
    say(r, fmt::format("{}: solver {}, dt {:.4g} s ({} steps a frame), {} points, {} bodies, {} threads", r.scene.name,
                       r.simulation->compiled.solver, r.simulation->compiled.dt, r.simulation->compiled.substeps,
                       point_count(r.simulation->compiled.model), frame_count(r.simulation->compiled.model),
                       thread_count(*r.simulation->parallel)));
    for (const std::string& n : r.simulation->compiled.notes) say(r, "  " + n);
    interrupted = 0;
    std::signal(SIGINT, on_interrupt);
    std::signal(SIGTERM, on_interrupt);
    const auto start = std::chrono::steady_clock::now();
    int code = loop(r, resuming);
    if (code == kFailed && r.simulation->report.status == Status::failed) return code;
    if (!write_all(write_state_file(r.outputs.checkpoint, r.scene, *r.simulation)) || !write_all(close_outputs(r.outputs))) return kFailed;
    return summarise_run(r, seconds_since(start), code);
}

} // namespace sinew
