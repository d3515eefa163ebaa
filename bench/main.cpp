// sinew-bench NAME|all [--size N] [--pairs N] [--out FOLDER] [--machine NAME];  sinew-bench list
// Prints a table; with --out also writes FOLDER/<machine>/NAME.csv. Exit code: 0 all claims hold, 1 one does
// not, 2 bad usage, 3 void because the machine was busy.
#include "bench.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <span>

namespace sinew::bench {

static const Entry kEntries[] = {
    {"ccd", "continuous collision queries against a plain cubic root finder", run_ccd},
    {"collision", "tree of boxes against FCL and Bullet; candidates of two sheets", run_collision},
    {"hinge", "bending Hessian per triangle against automatic differentiation and computer algebra", run_hinge},
    {"implicit", "evaluation and assembly of an implicit step against CHOLMOD's factorisation", run_implicit},
    {"narrow", "distances and contact manifolds of convex pairs against Bullet and FCL", run_narrow, true},
    {"picture", "a frame of 1280 x 720 pixels of 11000 triangles", run_picture},
    {"position", "cloth and bars by position projection against Bullet's soft body; a sweep against memory", run_position},
    {"rigid", "pyramids, heaps and unequal masses against Bullet, ODE and MuJoCo", run_rigid},
    {"spawn", "one body more in a running scene of 8000 against a step of it", run_spawn},
    {"springs", "explicit step of a mass-spring cloth against a plain copy of the same bytes", run_springs},
};

void add(Results& r, std::string test, int threads, std::string quantity, std::string unit,
         const Spread& value) {
    r.rows.push_back(
        {std::move(test), threads, std::move(quantity), std::move(unit), value, {}, Verdict::none});
}
static void add_claim(Results& r, std::string test, int threads, std::string quantity, const Spread& value,
                      std::string limit, bool holds, bool counts) {
    const Verdict verdict = !counts ? Verdict::not_counted : holds ? Verdict::pass : Verdict::fail;
    r.rows.push_back({std::move(test), threads, std::move(quantity), "", value, std::move(limit), verdict});
}
void add_at_least(Results& r, std::string test, int threads, std::string quantity, const Spread& value,
                  double limit, bool counts) {
    add_claim(r, std::move(test), threads, std::move(quantity), value, fmt::format(">= {}", limit),
              value.median >= limit, counts);
}
void add_at_most(Results& r, std::string test, int threads, std::string quantity, const Spread& value,
                 double limit, bool counts) {
    add_claim(r, std::move(test), threads, std::move(quantity), value, fmt::format("<= {}", limit),
              value.median <= limit, counts);
}

void add_ceilings(Results& r, const char* when, const Ceilings& c) {
    r.busy = r.busy || c.compute.median < kQuiet;
    add(r, "machine", 2, fmt::format("ceiling of computing {}", when), "", c.compute);
    add(r, "machine", 2, fmt::format("ceiling of copying {}", when), "", c.copy);
    add(r, "machine", 1, fmt::format("copy rate {}", when), "GB/s",
        {c.copy_rate.median / 1e9, c.copy_rate.low / 1e9, c.copy_rate.high / 1e9});
}

static const char* word(Verdict v) {
    switch (v) {
    case Verdict::pass:
        return "pass";
    case Verdict::fail:
        return "FAIL";
    case Verdict::not_counted:
        return "void";
    default:
        return "";
    }
}

static void print(const Results& r) {
    for (const Row& row : r.rows)
        fmt::print("{:<24} {} thread{}  {:<28} {:>10.4g} [{:.4g} .. {:.4g}] {:<6} {:<8} {}\n", row.test,
                   row.threads, row.threads == 1 ? " " : "s", row.quantity, row.value.median, row.value.low,
                   row.value.high, row.unit, row.limit, word(row.verdict));
    if (!r.hash.empty()) fmt::print("path '{}', state hash {}\n", r.path, r.hash);
}

// a field of a CSV file: in quotes where it holds a comma or a quote (RFC 4180)
static std::string csv_field(std::string_view text) {
    if (text.find_first_of(",\"") == std::string_view::npos) return std::string(text);
    std::string quoted = "\"";
    for (char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}

static bool write_csv(const Results& r, const std::filesystem::path& path) {
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    std::FILE* f = std::fopen(path.c_str(), "w");
    if (!f) return false;
    fmt::print(f, "test,threads,quantity,unit,median,low,high,limit,verdict,path,hash\n");
    for (const Row& row : r.rows)
        fmt::print(f, "{},{},{},{},{:.6g},{:.6g},{:.6g},{},{},{},{}\n", csv_field(row.test), row.threads,
                   csv_field(row.quantity), csv_field(row.unit), row.value.median, row.value.low, row.value.high, row.limit, word(row.verdict),
                   r.path, r.hash);
    return std::fclose(f) == 0;
}

static int exit_code(const Results& r) {
    for (const Row& row : r.rows)
        if (row.verdict == Verdict::fail) return 1;
    return r.busy ? 3 : 0;
}

static int usage() {
    fmt::print(stderr, "sinew-bench NAME|all [--size N] [--pairs N] [--out FOLDER] [--machine NAME]\n"
                       "sinew-bench list\n");
    return 2;
}

struct Command {
    Options options;
    std::string out, machine = machine_name();
};

static bool parse(std::span<char*> arguments, Command& c) {
    if (arguments.size() % 2) return false;
    for (std::size_t i = 0; i < arguments.size(); i += 2) {
        const std::string_view key = arguments[i];
        if (key == "--size")
            c.options.size = std::atoi(arguments[i + 1]);
        else if (key == "--pairs")
            c.options.pairs = std::atoi(arguments[i + 1]);
        else if (key == "--out")
            c.out = arguments[i + 1];
        else if (key == "--machine")
            c.machine = arguments[i + 1];
        else
            return false;
    }
    return c.options.size >= 0 && c.options.size <= 4000 && (c.options.pairs == 0 || c.options.pairs >= 9);
}

static int run_entry(const Entry& entry, const Command& c) {
    fmt::print("{} on {}: medians of {} interleaved pairs [first .. third quartile]\n", entry.name, c.machine,
               c.options.pairs);
    std::fflush(stdout);
    Results results;
    entry.run(c.options, results);
    print(results);
    const int code = exit_code(results);
    if (code == 3)
        fmt::print("void: two threads computed less than {} times as fast as one, the machine was busy\n",
                   kQuiet);
    const auto path = std::filesystem::path(c.out) / c.machine / (std::string(entry.name) + ".csv");
    if (!c.out.empty() && !write_csv(results, path)) {
        fmt::print(stderr, "cannot write {}\n", path.string());
        return 2;
    }
    return code;
}

static int run(std::span<char*> arguments) {
    if (arguments.empty()) return usage();
    const std::string_view name = arguments[0];
    if (name == "list") {
        for (const Entry& e : kEntries) fmt::print("{:<10} {}\n", e.name, e.doc);
        return 0;
    }
    Command command;
    if (!parse(arguments.subspan(1), command)) return usage();
    int worst = 0, found = 0;
    for (const Entry& e : kEntries)
        if (name == "all" || name == e.name) {
            if (command.options.pairs == 0 && !e.answers) return usage();
            const int code = run_entry(e, command);
            worst = worst == 1 || code == 0 ? worst : code; // a failed claim counts more than a void one
            ++found;
        }
    return found ? worst : usage();
}

} // namespace sinew::bench

int main(int argc, char** argv) { return sinew::bench::run({argv + 1, std::size_t(argc - 1)}); }
