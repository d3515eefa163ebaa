// sinew bench: how long the steps of scenes take, and how good they are, as CSV: a row per scene and number of threads.
//
// Each repeat runs the same steps from the start. Disturbances only add time, so a step counts with the least of its
// repeats; ms_min, ms_median and ms_p95 are over the steps, without the first ones, which build caches. `noise` is the
// spread of the repeats' medians over the least of them: what `sinew bench compare` takes for no change.
//   memory_mb     peak of the process above what it held before the scene was read
//   energy_drift  |E_end - E_start - work of damping, plastic flow, friction and of what acts from outside| / largest |E|
//   residual, penetration   largest of all steps;  iterations, linear_iterations   mean of a step
//   hash          of the last state: equal for every number of threads
#include "bench.h"
#include "command.h"
#include "core/atomic_file.h"
#include "core/file.h"
#include "model/visit.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <malloc.h>
#include <unistd.h>

namespace sinew {

namespace {

namespace fs = std::filesystem;

constexpr int kWarmUp = 2; // steps that build caches and make room

// [bytes] a line of /proc/self/status, "VmRSS:   1234 kB"; 0 where there is none
double process_memory(std::string_view name) {
    std::ifstream in("/proc/self/status");
    for (std::string line; std::getline(in, line);)
        if (line.starts_with(name)) return 1024 * std::strtod(line.c_str() + name.size(), nullptr);
    return 0;
}

// what earlier runs have left goes back to the system, and the peak counts anew
double begin_memory() {
    malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << "5";
    return process_memory("VmRSS:");
}

struct Repeat {
    std::vector<double> seconds; // of each counted step
    std::vector<std::pair<std::string, double>> stages; // [s] sums over them
};

struct Measured { // of all repeats
    std::vector<Repeat> repeats;
    double iterations = 0, linear_iterations = 0, residual = 0, penetration = 0, drift = 0, memory = 0;
    int steps = 0, points = 0, bodies = 0;
    std::string solver;
    std::uint64_t hash = 0;
};

void add_stages(const StageTimes& from, Repeat& to) {
    for (const StageTime& t : from) {
        const auto known = std::find_if(to.stages.begin(), to.stages.end(), [&](const auto& s) { return s.first == t.name; });
        if (known != to.stages.end()) known->second += t.seconds;
        else to.stages.emplace_back(t.name, t.seconds);
    }
}

// one run; the numbers of the physics are the same in each
int run_once(const BenchOptions& o, const std::string& scene, int threads, Measured& out) {
    Result<Compiled> compiled = load_compiled(scene, o.solver, o.set, false);
    if (!compiled) return print_errors(compiled.errors), kBadInput;
    auto made = make_simulation(make_context(threads, true), std::move(*compiled.value));
    if (!made) return print_errors(made.errors), kBadInput;
    Simulation& s = *made.value;
    measure_start(s);
    const double first = energy_total(s.report);
    double work = 0, largest = std::abs(first);
    Repeat repeat;
    out.iterations = out.linear_iterations = out.residual = out.penetration = 0;
    out.steps = 0;
    for (; out.steps < o.steps && !is_finished(s); ++out.steps) {
        if (simulate_step(s) == Status::failed) return fmt::print(stderr, "error: {}: {}\n", scene, s.report.message), kFailed;
        const Report& r = s.report;
        work += r.work_damping + r.work_plastic + r.work_friction + r.work_external;
        largest = std::max(largest, std::abs(energy_total(r)));
        out.residual = std::max(out.residual, r.residual);
        out.penetration = std::max(out.penetration, r.penetration);
        out.iterations += r.iterations, out.linear_iterations += r.linear_iterations;
        if (out.steps < std::min(kWarmUp, o.steps - 1)) continue;
        repeat.seconds.push_back(r.seconds);
        add_stages(r.stages, repeat);
    }
    if (repeat.seconds.empty()) return fmt::print(stderr, "error: {}: the scene ends after {} steps, all of them warm-up\n", scene, out.steps), kBadInput;
    out.iterations /= out.steps, out.linear_iterations /= out.steps;
    out.drift = largest > 0 ? std::abs(energy_total(s.report) - first - work) / largest : 0;
    out.hash = hash(s.now);
    out.points = point_count(s.compiled.model), out.bodies = frame_count(s.compiled.model);
    out.solver = s.compiled.solver;
    out.repeats.push_back(std::move(repeat));
    return kOk;
}

// nearest rank
double percentile(std::vector<double> x, double share) {
    std::sort(x.begin(), x.end());
    return x[std::size_t(std::max(0.0, std::ceil(share * double(x.size())) - 1))];
}

BenchRow make_row(const std::string& scene, int threads, const Measured& m) {
    std::vector<double> least = m.repeats[0].seconds, medians;
    std::size_t quickest = 0;
    for (std::size_t k = 0; k < m.repeats.size(); ++k) {
        medians.push_back(percentile(m.repeats[k].seconds, 0.5));
        if (medians[k] < medians[quickest]) quickest = k;
        for (std::size_t i = 0; i < least.size(); ++i) least[i] = std::min(least[i], m.repeats[k].seconds[i]);
    }
    const auto [low, high] = std::minmax_element(medians.begin(), medians.end());
    BenchRow row{{"scene", scene}, {"solver", m.solver}, {"threads", std::to_string(threads)}};
    const auto number = [&](std::string name, double x, int digits = 4) { row.emplace_back(std::move(name), fmt::format("{:.{}g}", x, digits)); };
    number("points", m.points, 9), number("bodies", m.bodies, 9);
    number("steps", m.steps, 9), number("repeats", double(m.repeats.size()), 9);
    number("ms_min", 1000 * percentile(least, 0)), number("ms_median", 1000 * percentile(least, 0.5));
    number("ms_p95", 1000 * percentile(least, 0.95));
    number("noise", m.repeats.size() > 1 ? *high / *low - 1 : NAN, 3);
    number("iterations", m.iterations), number("linear_iterations", m.linear_iterations);
    number("memory_mb", m.memory / 1e6);
    number("residual", m.residual, 3), number("energy_drift", m.drift, 3), number("penetration", m.penetration, 3);
    row.emplace_back("hash", fmt::format("{:016x}", m.hash));
    for (const auto& [name, seconds] : m.repeats[quickest].stages)
        number(fmt::format("ms_{}", name), 1000 * seconds / double(least.size()));
    return row;
}

// all rows with the columns of all, in the order in which they first come
std::string write_rows(const std::vector<BenchRow>& rows) {
    std::vector<std::string> names;
    for (const BenchRow& r : rows)
        for (const auto& [name, value] : r)
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    std::string text = fmt::format("{}\n", fmt::join(names, ","));
    for (const BenchRow& r : rows) {
        std::vector<std::string> cells;
        for (const std::string& name : names) cells.push_back(find_cell(r, name));
        text += fmt::format("{}\n", fmt::join(cells, ","));
    }
    return text;
}

int bench_scene(const BenchOptions& o, const std::string& scene, std::vector<BenchRow>& rows) {
    for (int threads : o.threads) {
        Measured m;
        for (int k = 0; k < o.repeats; ++k) {
            const double before = begin_memory();
            if (const int code = run_once(o, scene, threads, m)) return code;
            m.memory = std::max(m.memory, process_memory("VmHWM:") - before);
        }
        rows.push_back(make_row(fs::path(scene).stem().string(), threads, m));
    }
    return kOk;
}

// scene files, and all of folders in order of their names
std::vector<std::string> list_scenes(const std::vector<std::string>& paths) {
    std::vector<std::string> files;
    std::error_code failed;
    for (const std::string& path : paths) {
        if (!fs::is_directory(path, failed)) {
            files.push_back(path);
            continue;
        }
        const std::size_t begin = files.size();
        for (const auto& f : fs::directory_iterator(path, failed))
            if (f.path().extension() == ".json" && !f.path().stem().string().ends_with(".study")) files.push_back(f.path().string());
        std::sort(files.begin() + std::ptrdiff_t(begin), files.end());
    }
    return files;
}

} // namespace

std::string find_cell(const BenchRow& row, std::string_view name) {
    for (const auto& [key, value] : row)
        if (key == name) return value;
    return {};
}

int command_bench(const BenchOptions& o) {
    const std::vector<std::string> scenes = list_scenes(o.scenes);
    std::error_code failed;
    if (scenes.empty())
        return print_errors({Error{.path = "scenes", .message = "there is nothing to measure", .allowed = "scene files, folders of them"}}), kBadInput;
    std::vector<std::string> files;
    for (const std::string& scene : scenes) {
        if (const Result<Compiled> compiled = load_compiled(scene, o.solver, o.set, false); !compiled)
            return print_errors(compiled.errors), kBadInput;
        files.push_back(o.out + "/" + fs::path(scene).stem().string() + ".csv");
    }
    if (!o.out.empty() && !check_free(files, o.overwrite)) return kBadInput;
    if (!o.out.empty()) fs::create_directories(o.out, failed);
    for (std::size_t i = 0; i < scenes.size(); ++i) {
        std::vector<BenchRow> rows;
        if (const int code = bench_scene(o, scenes[i], rows)) return code;
        const std::string text = write_rows(rows);
        if (o.out.empty()) {
            fmt::print("{}{}", i ? "\n" : "", text);
            continue;
        }
        if (const Errors e = write_atomically(files[i], as_bytes(text)); !e.empty()) return print_errors(e), kFailed;
        fmt::print("{}\n", files[i]);
    }
    return kOk;
}

} // namespace sinew
