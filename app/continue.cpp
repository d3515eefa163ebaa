#include "continue.h"
#include "model/visit.h"
#include "sinew/sinew.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>

namespace sinew {

namespace {

// what of the state does not fit the model; empty = it fits
std::string find_misfit(const State& given, const Simulation& s) {
    const State& here = s.now;
    const auto differ = [](const char* what, std::size_t a, std::size_t b) {
        return a == b ? std::string() : fmt::format("it has {} {}, the scene has {}", a, what, b);
    };
    if (const std::vector<double>* edits = find_memory(given, kScriptEdits); edits && !edits->empty() && has_edits(s.compiled.script)) {
        // objects came and went: the model as they have left it; what solvers remember has its size
        Model m = s.compiled.model;
        replay_edits(s.compiled.script, m, given);
        for (const std::string& text : {differ("points", given.point.x.size(), std::size_t(point_count(m))),
                                        differ("bodies", given.frame.p.size(), std::size_t(frame_count(m))),
                                        differ("scalars", given.scalar.s.size(), std::size_t(scalar_count(m)))})
            if (!text.empty()) return text;
        return {};
    }
    for (const std::string& text : {differ("points", given.point.x.size(), here.point.x.size()),
                                    differ("bodies", given.frame.p.size(), here.frame.p.size()),
                                    differ("scalars", given.scalar.s.size(), here.scalar.s.size()),
                                    differ("births flags", given.point.alive.size(), here.point.alive.size()),
                                    differ("attributes", given.attributes.size(), here.attributes.size()),
                                    differ("arrays of memory", given.memory.size(), here.memory.size())})
        if (!text.empty()) return text;
    for (std::size_t i = 0; i < here.memory.size(); ++i) {
        const NamedValues &a = given.memory[i], &b = here.memory[i];
        if (a.name != b.name) return fmt::format("it remembers '{}' where this run needs '{}'", a.name, b.name);
        const bool is_list = b.values.empty(); // contacts: as many as there were
        if (!is_list && a.values.size() != b.values.size())
            return fmt::format("'{}' has {} numbers, this run needs {}", a.name, a.values.size(), b.values.size());
    }
    return {};
}

} // namespace

bool is_state_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    char head[8] = {};
    return in.read(head, sizeof head) && std::string_view(head, sizeof head) == std::string_view("\x89SINCHK\n", 8);
}

std::vector<std::string> find_changes(const StateFile& file, const Compiled& compiled) {
    std::vector<std::string> changes;
    if (file.program_version != version())
        changes.push_back(fmt::format("the state was made by Sinew {}, this is {}; bits may differ",
                                      file.program_version.empty() ? "of unknown version" : file.program_version, version()));
    // a file that is no longer read is not one that has changed: something else was set
    const auto path_of = [](const std::string& need) { return need.substr(std::min(need.find("  ") + 2, need.size())); };
    for (const std::string& need : file.needs) {
        const auto is_read = [&](const std::string& f) { return path_of(f) == path_of(need); };
        if (std::find(compiled.files.begin(), compiled.files.end(), need) == compiled.files.end() &&
            std::any_of(compiled.files.begin(), compiled.files.end(), is_read))
            changes.push_back(fmt::format("{} has changed since the state was made", path_of(need)));
    }
    return changes;
}

Errors resume_state(const std::string& path, const StateFile& file, const Scene& scene, Simulation& s) {
    StateFile mine;
    mine.scene = write_value(scene.document);
    mine.needs = s.compiled.files;
    if (file.scene == mine.scene && file.scene_hash != scene_hash(mine))
        return {Error{.file = path, .message = "a mesh of the scene was changed since"}};
    if (file.scene_hash != scene_hash(mine))
        return {Error{.file = path, .message = "belongs to another scene, or the scene was changed since"}};
    if (file.solver != s.compiled.solver)
        return {Error{.file = path, .message = fmt::format("was made with the solver {}, not with {}", file.solver, s.compiled.solver)}};
    std::string misfit = find_misfit(file.state, s);
    if (misfit.empty() && file.substeps != s.compiled.substeps)
        misfit = fmt::format("it counts {} steps a frame, this run {}", file.substeps, s.compiled.substeps);
    if (!misfit.empty()) return {Error{.file = path, .message = "does not fit this scene with this solver: " + misfit}};
    continue_from(s, file);
    return {};
}

Errors start_from_capsule(const std::string& path, const StateFile& file, Simulation& s) {
    if (const std::string misfit = find_misfit(file.state, s); !misfit.empty())
        return {Error{.file = path, .message = "does not fit the scene as it is run now: " + misfit}};
    StateFile start = file;
    // where a step failed after a part of it was covered, or the step is another one now: the first step is the rest of one,
    // so that frames land on their times
    const double step = file.state.time / s.compiled.dt;
    start.state.step = std::int64_t(std::abs(step - std::round(step)) <= 1e-6 ? std::round(step) : std::floor(step));
    continue_from(s, std::move(start));
    return {};
}

} // namespace sinew
