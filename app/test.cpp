// sinew test: runs scenes and checks what they expect. One line per scene, a count at the end.
#include "command.h"
#include "core/parallel.h"
#include "model/visit.h"
#include "progress.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace sinew {

namespace {

namespace fs = std::filesystem;

// scene files below the paths, sorted; prefab files (no objects of their own to run) and studies are skipped by name
std::vector<std::string> find_scenes(const std::vector<std::string>& paths, std::vector<Error>& errors) {
    std::vector<std::string> out;
    for (const std::string& p : paths) {
        std::error_code e;
        if (fs::is_regular_file(p, e)) out.push_back(p);
        else if (fs::is_directory(p, e)) {
            for (const auto& f : fs::recursive_directory_iterator(p, e))
                if (f.path().extension() == ".json" && f.path().stem().extension() != ".study" && f.path().parent_path().filename() != "prefabs")
                    out.push_back(f.path().string());
        } else errors.push_back(Error{.file = p, .message = "no such file or folder"});
    }
    std::sort(out.begin(), out.end());
    return out;
}

struct Outcome {
    bool ok = false, skipped = false, bad = false; // bad: does not load
    std::string text, time;
    std::uint64_t hash = 0;
};

// A warning nobody expects is a failure; a scene that is about them measures `warnings`.
bool expects_warnings(const Script& script) {
    for (const ScriptExpectation& e : script.expectations)
        if (e.expectation.measure == "warnings") return true;
    return false;
}

Outcome run_scene(const std::string& file, const TestOptions& o) {
    Outcome out;
    Result<Compiled> compiled = load_compiled(file, o.solver, {}, false);
    if (!compiled) {
        out.bad = true;
        for (const Error& e : compiled.errors) out.text += "\n    " + to_string(e);
        return out;
    }
    if (compiled.value->script.expectations.empty()) {
        out.skipped = true;
        return out;
    }
    auto made = make_simulation(make_context(o.threads, true), std::move(*compiled.value));
    if (!made) return out.text = to_string(made.errors[0]), out;
    Simulation& s = *made.value;
    s.drop_caches = o.drop_caches;
    measure_start(s);
    std::vector<std::string> warnings;
    while (!is_finished(s)) {
        if (simulate_step(s) == Status::failed) {
            out.text = fmt::format("\n    failed at t = {:.6g} s: {}", s.now.time, s.report.message);
            return out;
        }
        for (const std::string& w : s.report.warnings) warnings.push_back(fmt::format("warning: t = {:.6g} s: {}", s.now.time, w));
        if (s.failures.size() > 20) break;
    }
    std::vector<std::string> problems = s.failures;
    if (!expects_warnings(s.compiled.script)) problems.insert(problems.end(), warnings.begin(), warnings.end());
    for (std::string& u : unmet_expectations(s.compiled.script)) problems.push_back(std::move(u));
    for (std::size_t i = 0; i < std::min<std::size_t>(problems.size(), 5); ++i) out.text += "\n    " + problems[i];
    if (problems.size() > 5) out.text += fmt::format("\n    and {} more", problems.size() - 5);
    out.ok = problems.empty();
    out.hash = hash(s.now);
    return out;
}

void print_outcome(const std::string& scene, const Outcome& out, const TestOptions& o) {
    if (out.skipped || (o.quiet && out.ok)) return;
    const std::string mark = o.hash ? fmt::format("  {:016x}", out.hash) : "";
    fmt::print("{}  {}{}  ({}){}\n", out.ok ? "pass" : "FAIL", scene, mark, out.time, out.text);
    std::fflush(stdout);
}

} // namespace

int command_test(const TestOptions& o) {
    std::vector<Error> errors;
    const std::vector<std::string> scenes = find_scenes(o.paths, errors);
    if (!errors.empty()) return print_errors(errors), kBadInput;
    if (scenes.empty()) return print_errors({Error{.file = o.paths[0], .message = "no scene files here"}}), kBadInput;
    // several scenes at once, each on one thread, are done sooner than one after the other on all: most are small
    TestOptions each = o;
    const ParallelPtr workers = make_parallel(make_context(o.jobs, true));
    if (thread_count(*workers) > 1 && o.threads == 0) each.threads = 1;
    std::vector<Outcome> outcomes(scenes.size());
    Progress progress = make_progress("test", double(scenes.size()), o.quiet || thread_count(*workers) > 1);
    parallel_for_workers(*workers, int(scenes.size()), 1, [&](int, int i, int) {
        show_progress(progress, double(i), scenes[i]);
        const auto start = std::chrono::steady_clock::now();
        Outcome& out = outcomes[i] = run_scene(scenes[i], each);
        out.time = duration_text(seconds_since(start));
        if (thread_count(*workers) > 1) return;
        if (progress.active) finish_progress(progress), progress.active = true; // the line goes where the bar was
        print_outcome(scenes[i], out, o);
    });
    if (thread_count(*workers) > 1) // in the order of the scenes, so that two runs can be compared
        for (std::size_t i = 0; i < scenes.size(); ++i) print_outcome(scenes[i], outcomes[i], o);
    int passed = 0, failed = 0, skipped = 0, bad = 0;
    for (const Outcome& out : outcomes) {
        (out.skipped ? skipped : out.ok ? passed : failed)++;
        bad += out.bad;
    }
    finish_progress(progress);
    fmt::print("{} passed, {} failed, {} skipped\n", passed, failed, skipped);
    // a test that looks at nothing must not pass for one that found everything right
    if (passed + failed == 0) fmt::print("nothing was checked: no scene here says what it expects\n");
    return bad ? kBadInput : failed || passed == 0 ? kFailed : kOk;
}

} // namespace sinew
