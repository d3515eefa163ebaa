#include "output/state_file.h"
#include "core/hash.h"
#include <cstring>
#include <fmt/format.h>

namespace sinew {

namespace {

struct Saver {
    Checkpoint& file;
    void operator()(const char* name, double value) { add_array<double>(file, name, std::span<const double>(&value, 1)); }
    void operator()(const char* name, std::int64_t value) { add_array<std::int64_t>(file, name, std::span<const std::int64_t>(&value, 1)); }
    void operator()(const char* name, const std::vector<Real3>& a) { add_array<double>(file, name, {a.empty() ? nullptr : &a[0].x, 3 * a.size()}, 3); }
    void operator()(const char* name, const std::vector<Real4>& a) { add_array<double>(file, name, {a.empty() ? nullptr : &a[0].w, 4 * a.size()}, 4); }
    void operator()(const char* name, const std::vector<NamedValues>& arrays) {
        std::string names;
        for (const NamedValues& a : arrays) {
            names += fmt::format("{} {}\n", a.components, a.name);
            add_array<double>(file, fmt::format("{}.{}", name, a.name), a.values);
        }
        add_text(file, fmt::format("{}.names", name), names);
    }
    template <class T> void operator()(const char* name, const std::vector<T>& a) { add_array<T>(file, name, a); }
};

struct Loader {
    const Checkpoint& file;
    Errors errors;

    void keep(Errors e) { errors.insert(errors.end(), e.begin(), e.end()); }
    void operator()(const char* name, double& value) { keep(read_array<double>(file, name, std::span<double>(&value, 1))); }
    void operator()(const char* name, std::int64_t& value) { keep(read_array<std::int64_t>(file, name, std::span<std::int64_t>(&value, 1))); }
    template <class T> void tuples(const char* name, std::vector<T>& a) {
        std::vector<double> flat;
        keep(read_array<double>(file, name, flat));
        constexpr std::size_t n = sizeof(T) / sizeof(double);
        if (flat.size() % n) errors.push_back({.path = name, .message = "has an incomplete entry"});
        a.resize(flat.size() / n);
        if (!a.empty()) std::memcpy(static_cast<void*>(a.data()), flat.data(), a.size() * sizeof(T));
    }
    void operator()(const char* name, std::vector<Real3>& a) {
        // files from before there were animated obstacles do not have these
        if (std::string_view(name).starts_with("animated.") && !find_array(file, name)) a.clear();
        else tuples(name, a);
    }
    void operator()(const char* name, std::vector<Real4>& a) { tuples(name, a); }
    void operator()(const char* name, std::vector<NamedValues>& arrays) {
        std::string names;
        keep(read_text(file, fmt::format("{}.names", name), names));
        arrays.clear();
        for (std::size_t at = 0; at < names.size();) {
            const std::size_t end = std::min(names.find('\n', at), names.size()), space = names.find(' ', at);
            if (space == std::string::npos || space > end) break;
            NamedValues a{names.substr(space + 1, end - space - 1), std::atoi(names.c_str() + at), {}};
            keep(read_array<double>(file, fmt::format("{}.{}", name, a.name), a.values));
            arrays.push_back(std::move(a));
            at = end + 1;
        }
    }
    template <class T> void operator()(const char* name, std::vector<T>& a) { keep(read_array<T>(file, name, a)); }
};

std::string join_lines(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& l : lines) text += l + '\n';
    return text;
}
std::vector<std::string> split_lines(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

} // namespace

// files count by what is in them, not by where they are
std::uint64_t scene_hash(const StateFile& s) {
    std::string text = s.scene;
    for (const std::string& n : s.needs) text += '\n' + n.substr(0, n.find(' '));
    return hash_text(text);
}

Checkpoint state_checkpoint(const StateFile& s) {
    Checkpoint file;
    file.program_version = s.program_version;
    file.scene_hash = scene_hash(s);
    add_text(file, "scene", s.scene);
    add_text(file, "scene_file", s.scene_file);
    add_text(file, "origins", join_lines(s.origins));
    add_text(file, "needs", join_lines(s.needs));
    add_text(file, "solver", s.solver);
    add_text(file, "failures", join_lines(s.failures));
    add_text(file, "alarms", join_lines(s.alarms));
    add_array<double>(file, "failure_count", std::span<const double>(&s.failure_count, 1));
    add_array<double>(file, "report", s.report);
    add_array<double>(file, "looked", s.looked);
    const std::int64_t substeps = s.substeps;
    add_array<std::int64_t>(file, "substeps", std::span<const std::int64_t>(&substeps, 1));
    Saver save{file};
    visit(s.state, save);
    return file;
}

Errors read_state(const Checkpoint& file, StateFile& s) {
    s.program_version = file.program_version;
    s.scene_hash = file.scene_hash;
    Loader load{file, {}};
    std::string needs, failures, origins, alarms;
    load.keep(read_text(file, "scene", s.scene));
    load.keep(read_text(file, "scene_file", s.scene_file));
    load.keep(read_text(file, "needs", needs));
    load.keep(read_text(file, "solver", s.solver));
    load.keep(read_text(file, "failures", failures));
    // older files have neither: names of files are relative to the scene's, and what has blown up is told once more
    if (find_array(file, "origins")) load.keep(read_text(file, "origins", origins));
    if (find_array(file, "alarms")) load.keep(read_text(file, "alarms", alarms));
    s.origins = split_lines(origins);
    s.alarms = split_lines(alarms);
    s.needs = split_lines(needs);
    s.failures = split_lines(failures);
    load("failure_count", s.failure_count);
    load("report", s.report);
    load("looked", s.looked);
    std::int64_t substeps = 1;
    load("substeps", substeps);
    s.substeps = int(substeps);
    visit(s.state, load);
    return load.errors;
}

Errors write_state(const std::string& path, const StateFile& s) { return write_checkpoint(path, state_checkpoint(s)); }

Errors read_state(const std::string& path, StateFile& s) {
    Checkpoint file;
    Errors errors = read_checkpoint(path, file);
    if (errors.empty()) errors = read_state(file, s);
    for (Error& e : errors)
        if (e.file.empty()) e.file = path;
    return errors;
}

} // namespace sinew
