// sinew bench compare OLD NEW: what changed between two outputs of sinew bench, beyond their noise. Files, or folders whose
// files of the same names belong together. Rows belong together by scene, solver and threads.
//   times      a change counts when it is larger than the noise of both together, and than 3 %: clocks of processors
//              wander by as much; where a side has one repeat only, 10 % stand in for its noise
//   stages     likewise, where they take at least a twentieth of the step
//   accuracy   residual, drift, penetration, iterations, memory: more than 1 %; the hash: any
#include "bench.h"
#include "command.h"
#include "core/file.h"
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

namespace sinew {

namespace {

namespace fs = std::filesystem;

constexpr double kLeastChange = 0.03, kUnknownNoise = 0.1, kLeastShare = 0.05, kAccuracy = 0.01;

std::vector<std::string> split(std::string_view line, char at) {
    std::vector<std::string> parts(1);
    for (const char c : line)
        if (c == at) parts.emplace_back();
        else if (c != '\r') parts.back() += c;
    return parts;
}

std::optional<Error> read_rows(const std::string& file, std::vector<BenchRow>& rows) {
    Bytes bytes;
    if (const Errors e = read_file(file, 64u << 20, bytes); !e.empty()) return e[0];
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    std::vector<std::string> names;
    for (const std::string& line : split(text, '\n')) {
        if (line.empty()) {
            names.clear(); // the next scene has columns of its own
            continue;
        }
        std::vector<std::string> cells = split(line, ',');
        if (names.empty()) {
            names = std::move(cells);
            if (names[0] != "scene" || std::find(names.begin(), names.end(), "ms_median") == names.end())
                return Error{.file = file, .message = "is no output of sinew bench", .allowed = "columns scene, solver, threads, ms_median, ..."};
            continue;
        }
        BenchRow row;
        for (std::size_t i = 0; i < std::min(names.size(), cells.size()); ++i) row.emplace_back(names[i], cells[i]);
        rows.push_back(std::move(row));
    }
    if (rows.empty()) return Error{.file = file, .message = "has no rows of sinew bench"};
    return {};
}

std::optional<Error> read_all(const std::string& path, std::vector<BenchRow>& rows) {
    std::error_code failed;
    if (!fs::is_directory(path, failed)) return read_rows(path, rows);
    std::vector<std::string> files;
    for (const auto& f : fs::directory_iterator(path, failed))
        if (f.path().extension() == ".csv") files.push_back(f.path().string());
    std::sort(files.begin(), files.end());
    for (const std::string& f : files)
        if (auto e = read_rows(f, rows)) return e;
    if (files.empty()) return Error{.file = path, .message = "has no CSV files"};
    return {};
}

std::string key_of(const BenchRow& r) {
    return fmt::format("{} {} {}", find_cell(r, "scene"), find_cell(r, "solver"), find_cell(r, "threads"));
}

double number(const BenchRow& r, std::string_view name) { return parse_real(find_cell(r, name)).value_or(NAN); }

double noise_of(const BenchRow& r) {
    const double x = number(r, "noise");
    return std::isfinite(x) ? x : kUnknownNoise;
}

std::string change(std::string_view name, double a, double b, const std::string& hint = {}) {
    const std::string percent = a != 0 ? fmt::format(" ({:+.1f} %{}{})", 100 * (b / a - 1), hint.empty() ? "" : ", ", hint) : "";
    return fmt::format("    {} {:.4g} -> {:.4g}{}\n", name, a, b, percent);
}

std::string compare_rows(const BenchRow& a, const BenchRow& b) {
    std::string text;
    const double noise = noise_of(a) + noise_of(b), least = std::max(kLeastChange, noise);
    const std::string hint = fmt::format("noise {:.1f} %", 100 * noise);
    if (number(a, "steps") != number(b, "steps")) return change("steps", number(a, "steps"), number(b, "steps"), "nothing else can be compared");
    for (const auto& [name, cell] : a) {
        const double x = number(a, name), y = number(b, name);
        if (!name.starts_with("ms_") || !std::isfinite(x) || !std::isfinite(y)) continue;
        const bool whole = name == "ms_min" || name == "ms_median" || name == "ms_p95";
        if (!whole && std::max(x / number(a, "ms_median"), y / number(b, "ms_median")) < kLeastShare) continue;
        if (std::abs(y - x) > least * std::min(x, y)) text += change(name, x, y, hint);
    }
    for (const char* name : {"iterations", "linear_iterations", "memory_mb", "residual", "energy_drift", "penetration"}) {
        const double x = number(a, name), y = number(b, name);
        // memory comes in pages, and an allocator keeps some of them
        const double limit = std::string_view(name) == "memory_mb" ? 0.1 : kAccuracy;
        if (std::abs(y - x) > limit * std::max(std::abs(x), std::abs(y))) text += change(name, x, y);
    }
    if (find_cell(a, "hash") != find_cell(b, "hash")) text += "    the last state has another hash\n";
    return text;
}

} // namespace

int command_bench_compare(const std::string& before, const std::string& after) {
    std::vector<BenchRow> old_rows, new_rows;
    if (const auto e = read_all(before, old_rows)) return print_errors({*e}), kBadInput;
    if (const auto e = read_all(after, new_rows)) return print_errors({*e}), kBadInput;
    int changed = 0, same = 0;
    const auto find_row = [](const std::vector<BenchRow>& rows, const BenchRow& like) {
        return std::find_if(rows.begin(), rows.end(), [&](const BenchRow& r) { return key_of(r) == key_of(like); });
    };
    for (const BenchRow& a : old_rows) {
        const auto b = find_row(new_rows, a);
        const std::string text = b == new_rows.end() ? "    only in the old results\n" : compare_rows(a, *b);
        if (text.empty()) {
            ++same;
            continue;
        }
        ++changed;
        fmt::print("{} under {}, {} threads\n{}", find_cell(a, "scene"), find_cell(a, "solver"), find_cell(a, "threads"), text);
    }
    for (const BenchRow& b : new_rows)
        if (find_row(old_rows, b) == old_rows.end())
            fmt::print("{} under {}, {} threads\n    only in the new results\n", find_cell(b, "scene"), find_cell(b, "solver"), find_cell(b, "threads"));
    fmt::print("{} changed, {} the same within noise\n", changed, same);
    return kOk;
}

} // namespace sinew
