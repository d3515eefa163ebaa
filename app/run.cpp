// sinew run: the frame loop with files, progress, checkpoints and failure.
#include "command.h"
#include "continue.h"
#include "model/visit.h"
#include "outputs.h"
#include "progress.h"
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

namespace sinew {

namespace {

volatile std::sig_atomic_t interrupted = 0;
// The first one ends the run after the step, the next one at once: files that are rewritten have their old or new content.
void on_interrupt(int) {
    interrupted = 1;
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
}

struct Run {
    const RunOptions& options;
    Scene scene;
    std::string scene_file; // where the scene was read from; of a capsule: then
    std::optional<Simulation> simulation;
    RunOutputs outputs;
    std::string folder;
    std::ofstream log;
    int warnings = 0;
    std::int64_t stop = 0; // step at which --frames ends the run
    std::string problem;   // what ended it early, if it was not the simulation
};

// a run that is killed leaves every line it said
void log_line(Run& r, const std::string& text) {
    if (r.log) r.log << text << std::endl;
}

void say(Run& r, const std::string& text) {
    if (!r.options.quiet && !r.options.json) fmt::print("{}\n", text);
    log_line(r, text);
}

void warn(Run& r, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
        fmt::print(stderr, "warning: {}\n", text);
        log_line(r, "warning: " + text);
        ++r.warnings;
    }
}

int bad_option(const char* option, const std::string& value, std::string message, std::string allowed = {}) {
    print_errors({Error{.path = option, .value = value, .message = std::move(message), .allowed = std::move(allowed)}});
    return kBadInput;
}

// "--frames 1001-1100" or "50": the last frame to simulate now; the scene stays as long as it is
int plan_stop(Run& r) {
    const Simulation& s = *r.simulation;
    const SceneTime& t = s.compiled.script.time;
    r.stop = total_steps(s);
    const std::string& text = r.options.frames;
    if (text.empty()) return kOk;
    const auto range = parse_frame_range(text);
    if (!range) return bad_option("--frames", text, "must be a number of frames or first-last", "50, 1001-1100");
    if (!range->single && range->last < range->first) return bad_option("--frames", text, "the last frame is before the first", "first-last");
    if (!range->single && range->first != t.first_frame)
        return bad_option("--frames", text, fmt::format("a run starts at frame {}; use --resume to continue one", t.first_frame));
    const std::int64_t count = range->single ? range->last : std::int64_t(range->last) - t.first_frame;
    if (count < 0) return bad_option("--frames", text, "ends before the first frame");
    if (count > std::int64_t(t.last_frame) - t.first_frame)
        return bad_option("--frames", text, fmt::format("the scene ends at frame {}: --frames can only stop earlier", t.last_frame),
                          "--set time.frames=... makes it longer");
    r.stop = std::min(r.stop, count * s.compiled.substeps);
    return kOk;
}

int prepare(Run& r, StateFile& capsule, bool& from_capsule) {
    const RunOptions& o = r.options;
    if (o.resume && o.overwrite) return bad_option("--resume", "--overwrite", "one continues a folder, the other empties it", "one of the two");
    from_capsule = is_state_file(o.scene);
    r.scene_file = o.scene;
    if (from_capsule) {
        if (o.resume) return bad_option("--resume", o.scene, "a state is run in a folder of its own", "--resume with the scene file");
        if (Errors e = read_state(o.scene, capsule); !e.empty()) return print_errors(e), kBadInput;
        if (capsule.scene.empty()) return print_errors({Error{.file = o.scene, .message = "this state has no scene with it"}}), kBadInput;
        r.scene_file = capsule.scene_file;
    }
    Result<Compiled> compiled = load_compiled(r.scene_file, o.solver.empty() ? capsule.solver : o.solver, o.set, false, &r.scene,
                                              from_capsule ? &capsule : nullptr);
    if (!compiled) return print_errors(compiled.errors), kBadInput;
    auto made = make_simulation(make_context(o.threads, o.quiet), std::move(*compiled.value));
    if (!made) return print_errors(made.errors), kBadInput;
    r.simulation.emplace(std::move(*made.value));
    r.simulation->drop_caches = o.drop_caches;
    r.folder = !o.out.empty() ? o.out : from_capsule ? "out/" + r.scene.name + "_again" : "out/" + r.scene.name;
    return plan_stop(r);
}

// the folder, and the state to begin with; kOk when everything is in place
int open_run(Run& r, const StateFile& capsule, bool from_capsule) {
    const RunOptions& o = r.options;
    Simulation& s = *r.simulation;
    std::error_code failed;
    if (std::filesystem::exists(r.folder, failed) && !o.overwrite && !o.resume && !std::filesystem::is_empty(r.folder, failed)) {
        print_errors({Error{.file = r.folder, .message = "exists already", .allowed = "--overwrite, --resume, or another --out"}});
        return kBadInput;
    }
    std::vector<std::string> changes;
    if (o.resume) {
        const std::string path = r.folder + "/checkpoint.state";
        if (!std::filesystem::exists(path, failed)) return print_errors({Error{.file = path, .message = "no checkpoint to resume from"}}), kBadInput;
        StateFile file;
        Errors e = read_state(path, file);
        if (e.empty()) e = resume_state(path, file, r.scene, s);
        if (!e.empty()) return print_errors(e), kBadInput;
        changes = find_changes(file, s.compiled);
    }
    if (from_capsule) {
        if (Errors e = start_from_capsule(o.scene, capsule, s); !e.empty()) return print_errors(e), kBadInput;
        changes = find_changes(capsule, s.compiled);
    }
    const SnapshotLayout& layout = *s.compiled.model.layout;
    if (o.overwrite) remove_earlier(r.scene, layout, r.folder);
    const int frame = int(s.compiled.script.time.first_frame + s.now.step / s.compiled.substeps);
    if (Errors e = open_outputs(r.scene, layout, r.folder, o.resume, frame, s.now.step, r.outputs); !e.empty())
        return print_errors(e), kBadInput;
    r.outputs.topology = s.compiled.model.topology_revision;
    r.log.open(r.folder + "/run.log", o.resume ? std::ios::app : std::ios::trunc);
    warn(r, changes);
    return kOk;
}

void introduce(Run& r, bool from_capsule) {
    const Simulation& s = *r.simulation;
    say(r, fmt::format("{}: solver {}, dt {:.4g} s ({} steps a frame), {} points, {} bodies, {} threads", r.scene.name, s.compiled.solver,
                       s.compiled.dt, s.compiled.substeps, point_count(s.compiled.model), frame_count(s.compiled.model),
                       thread_count(*s.parallel)));
    for (const std::string& n : s.compiled.notes) say(r, "  " + n);
    if (r.options.resume || from_capsule)
        say(r, fmt::format("{} at frame {:.2f}, t = {:.6g} s, from {}", from_capsule ? "begins" : "resumed", current_frame(s), s.now.time,
                           from_capsule ? r.options.scene : r.outputs.checkpoint));
    if (const double rest = double(s.now.step + 1) * s.compiled.dt - s.now.time; rest < s.compiled.dt * (1 - 1e-6) && s.now.step < r.stop)
        say(r, fmt::format("  the first step is {:.4g} s long, the rest of one", rest));
    if (s.now.step >= r.stop) say(r, "nothing is left to simulate");
}

// false and a message if something could not be written
bool write_all(Run& r, const Errors& e) {
    print_errors(e);
    for (const Error& x : e) log_line(r, "error: " + to_string(x));
    if (!e.empty() && r.problem.empty()) r.problem = to_string(e[0]);
    return e.empty();
}
bool write_checkpoint_file(Run& r) {
    return write_all(r, write_state_file(r.outputs.checkpoint, r.scene, r.scene_file, *r.simulation));
}

std::string step_line(const Simulation& s) {
    const Report& r = s.report;
    return fmt::format("frame {:.2f}  dt {:.2e}  it {}  res {:.1e}  E {:.4g} J  {:.2f} ms  {:.2f}x real time", current_frame(s), r.dt,
                       r.iterations, r.residual, energy_total(r), 1000 * r.seconds, r.seconds > 0 ? r.dt / r.seconds : 0);
}

void write_capsule(Run& r) {
    const Simulation& s = *r.simulation;
    const std::string capsule = r.folder + "/capsule.state";
    write_all(r, write_state_file(capsule, r.scene, r.scene_file, s));
    std::string text = fmt::format("failed at t = {:.6g} s, frame {:.2f}, after {} retries: {}\nlast good state, scene and version: {}\n"
                                   "  sinew run {} tries again from there",
                                   s.now.time, current_frame(s), s.report.retries, s.report.message, capsule, capsule);
    for (const std::string& f : s.compiled.files) text += "\n  it needs " + f.substr(f.find("  ") + 2);
    fmt::print(stderr, "{}\n", text);
    log_line(r, text);
}

bool write_step(Run& r) {
    Simulation& s = *r.simulation;
    for (const std::string& e : s.events) say(r, e);
    for (const std::string& w : s.report.warnings) log_line(r, fmt::format("warning: t = {} s: {}", s.now.time, w)), ++r.warnings;
    log_line(r, step_line(s));
    if (!write_all(r, write_report(r.outputs, s))) return false;
    if (!at_frame(s)) return true;
    if (!write_all(r, write_frame(r.outputs, s))) return false;
    const std::int64_t frame = s.now.step / s.compiled.substeps;
    return r.options.checkpoint_every <= 0 || frame % r.options.checkpoint_every != 0 || write_checkpoint_file(r);
}

int loop(Run& r, bool from_capsule) {
    Simulation& s = *r.simulation;
    if (!r.options.resume) {
        if (!from_capsule) measure_start(s);
        if (at_frame(s) && !write_all(r, write_frame(r.outputs, s))) return kFailed;
        if (!write_all(r, write_report(r.outputs, s))) return kFailed;
    }
    Progress progress = make_progress(r.scene.name, double(r.stop), r.options.quiet || r.options.json);
    while (s.now.step < r.stop && !interrupted) {
        if (simulate_step(s) == Status::failed) return finish_progress(progress), kFailed;
        if (!write_step(r)) return finish_progress(progress), kFailed;
        show_progress(progress, double(s.now.step), step_line(s));
    }
    finish_progress(progress);
    return interrupted ? kInterrupted : kOk;
}

struct Judgement {
    std::vector<std::string> problems; // expectations not met
    std::int64_t count = 0;            // of them; problems may hold fewer
    int later = 0;                     // expectations that are due only after --frames or an interruption ended the run
};
Judgement judge(const Run& r, int code) {
    const Simulation& s = *r.simulation;
    Judgement v{s.failures, s.failure_count, 0};
    const std::vector<std::string> unmet = unmet_expectations(s.compiled.script);
    if (!is_finished(s)) v.later = int(unmet.size());
    else if (code == kOk) {
        v.problems.insert(v.problems.end(), unmet.begin(), unmet.end());
        v.count += std::int64_t(unmet.size());
    }
    return v;
}

void print_json(const Run& r, const Judgement& verdict, double seconds, int code) {
    const Simulation& s = *r.simulation;
    const bool failed = s.report.status == Status::failed;
    Value v = make_object();
    set(v, "scene", make_text(r.options.scene));
    set(v, "solver", make_text(s.compiled.solver));
    set(v, "steps", make_number(double(s.now.step)));
    set(v, "time", make_number(s.now.time));
    set(v, "dt", make_number(s.compiled.dt));
    set(v, "seconds", make_number(seconds));
    set(v, "hash", make_text(fmt::format("{:016x}", hash(s.now))));
    set(v, "failures", make_number(double(verdict.count)));
    set(v, "expectations_later", make_number(verdict.later));
    set(v, "warnings", make_number(r.warnings));
    if (!s.alarms.empty()) set(v, "blown_up", make_text(s.alarms[0]));
    set(v, "exit", make_number(code));
    if (failed || !r.problem.empty()) set(v, "message", make_text(failed ? s.report.message : r.problem));
    if (failed) {
        set(v, "object", make_text(s.report.failed_object));
        set(v, "index", make_number(s.report.failed_index));
        set(v, "capsule", make_text(r.folder + "/capsule.state"));
    }
    Value report = make_object();
    visit_numbers(s.report, [&](const char* name, const char*, double value) {
        if (std::isfinite(value)) set(report, name, make_number(value));
    });
    set(v, "report", std::move(report));
    fmt::print("{}\n", write_value(v));
}

int summarise_run(Run& r, double seconds, int code) {
    Simulation& s = *r.simulation;
    const Judgement verdict = judge(r, code);
    for (const std::string& p : verdict.problems) fmt::print(stderr, "expectation: {}\n", p), log_line(r, "expectation: " + p);
    for (const std::string& a : s.alarms) fmt::print(stderr, "warning: {}\n", a); // run.log has it where it happened
    const bool ended = code != kFailed; // by itself, by --frames or by hand
    if (code == kOk && verdict.count) code = kFailed;
    if (r.options.json) return print_json(r, verdict, seconds, code), code;
    if (r.options.hash) fmt::print("hash {:016x}\n", hash(s.now));
    if (!ended) return code;
    const char* how = code == kInterrupted ? "interrupted" : code == kFailed ? "not as expected" : is_finished(s) ? "done" : "stopped";
    say(r, fmt::format("{}: {} steps, {:.4g} s of motion in {}, {} expectations, {} not met{}{}", how, s.now.step, s.now.time,
                       duration_text(seconds), s.compiled.script.expectations.size(), verdict.count,
                       verdict.later ? fmt::format(", {} come later and were not looked at", verdict.later) : "",
                       r.warnings ? fmt::format(", {} warnings (see run.log)", r.warnings) : ""));
    for (const std::string& p : r.outputs.paths)
        for (const std::string& line : describe_files(p)) say(r, "  " + line);
    say(r, "  " + r.folder + "/report.csv");
    if (!is_finished(s)) say(r, "continue with --resume");
    return code;
}

} // namespace

int command_run(const RunOptions& options) {
    Run r{options, {}, {}, {}, {}, {}, {}, 0, 0, {}};
    StateFile capsule;
    bool from_capsule = false;
    if (const int code = prepare(r, capsule, from_capsule)) return code;
    // from here on there is a folder to leave in order
    interrupted = 0;
    std::signal(SIGINT, on_interrupt);
    std::signal(SIGTERM, on_interrupt);
    if (const int code = open_run(r, capsule, from_capsule)) return code;
    introduce(r, from_capsule);
    const auto start = std::chrono::steady_clock::now();
    int code = loop(r, from_capsule);
    if (r.simulation->report.status == Status::failed) write_capsule(r);
    if (r.problem.empty() && !write_checkpoint_file(r)) code = kFailed;
    const Errors closed = close_outputs(r.outputs);
    if (r.problem.empty() && !write_all(r, closed)) code = kFailed;
    return summarise_run(r, seconds_since(start), code);
}

} // namespace sinew
