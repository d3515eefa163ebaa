#include "outputs.h"
#include "core/error.h"
#include "core/fields.h"
#include "core/nearest.h"
#include "model/snapshot_of.h"
#include "output/params.h"
#include "output/select.h"
#include "output/state_file.h"
#include "scene/document.h"
#include "scene/names.h"
#include "scene/scope.h"
#include "sinew/sinew.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <limits>

namespace sinew {

namespace {

namespace fs = std::filesystem;

struct Planned {
    const ExporterEntry* entry = nullptr;
    OutputParams params;
    std::string file; // without folder: "drape.sinew"
    const SceneEntry* source = nullptr;
};

Value value_of(const SceneEntry& e, const char* key) {
    const Value* v = find(e.params, key);
    return v ? *v : text_at(e.kind, e.params.place);
}

// files a run writes under names of its own
constexpr std::string_view kOwnFiles[] = {"report.csv", "checkpoint.state", "capsule.state", "run.log"};

bool check_unique(const std::vector<Planned>& earlier, const Planned& p, Errors& errors) {
    std::string other;
    for (std::string_view own : kOwnFiles)
        if (p.file == own) other = "the run itself";
    for (const Planned& e : earlier)
        if (e.file == p.file) other = e.source->path;
    if (other.empty()) return true;
    errors.push_back(make_error(value_of(*p.source, "file"), join_path(p.source->path, "file"),
                                fmt::format("{} is also written by {}", p.file, other), "another \"file\""));
    return false;
}

void plan_output(const Scene& scene, const Scope& scope, const SceneEntry& e, std::vector<Planned>& out, Errors& errors) {
    FieldList list;
    if (e.kind == "report" || e.kind == "checkpoint") { // always written, nothing to choose
        read_fields(list, e.params, scope, e.path, errors);
        return;
    }
    Planned p;
    p.source = &e;
    p.entry = find_exporter(e.kind);
    if (!p.entry) {
        std::vector<std::string> known{"report", "checkpoint"};
        for (const ExporterEntry& x : exporters()) known.emplace_back(x.name);
        errors.push_back(make_error(text_at(e.kind, e.params.place), join_path(e.path, "kind"), "no output of this kind",
                                    fmt::format("{}", fmt::join(known, ", ")), find_nearest(e.kind, known)));
        return;
    }
    list = collect_fields([&](auto v) { OutputParams::visit(p.params, v); });
    if (!read_fields(list, e.params, scope, e.path, errors)) return;
    if (find_field(list, "file")->given &&
        !check_file_name(value_of(e, "file"), join_path(e.path, "file"), p.params.file, errors))
        return;
    p.file = fmt::format("{}.{}", p.params.file.empty() ? scene.name : p.params.file, p.entry->extension);
    if (p.params.precision == "float64" && !p.entry->float64) {
        errors.push_back(make_error(value_of(e, "precision"), join_path(e.path, "precision"),
                                    fmt::format("{} stores float32 only", e.kind), "float32"));
        return;
    }
    if (check_unique(out, p, errors)) out.push_back(std::move(p));
}

// scene outputs, or the recording if the scene names none
Errors plan_outputs(const Scene& scene, std::vector<Planned>& out) {
    Errors errors;
    const Scope scope = make_scene_scope(scene);
    for (const SceneEntry& e : scene.outputs) plan_output(scene, scope, e, out, errors);
    if (scene.outputs.empty()) {
        Planned p;
        p.entry = find_exporter("recording");
        p.file = fmt::format("{}.{}", scene.name, p.entry->extension);
        out.push_back(std::move(p));
    }
    return errors;
}

// names that "fields" may hold: of vertices, for csv columns of the report
std::vector<std::string> field_names(const Planned& p, const Snapshot& s) {
    std::vector<std::string> names;
    const auto add = [&](const std::string& name) {
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    };
    if (p.entry->name == "csv") visit_numbers(Report{}, [&](const char* name, const char*, double) { add(name); });
    else
        for (const SnapshotObjectFrame& o : s.objects)
            for (const SnapshotField& f : o.fields) add(f.name);
    return names;
}

void check_fields(const Planned& p, const Snapshot& s, Errors& errors) {
    if (!p.source) return;
    const std::vector<std::string> names = field_names(p, s);
    for (const std::string& pattern : p.params.fields) {
        if (pattern == "*" || std::any_of(names.begin(), names.end(), [&](const auto& n) { return matches(pattern, n); })) continue;
        errors.push_back(make_error(text_at(pattern, place_of(p.source->params, "fields")), join_path(p.source->path, "fields"),
                                    "no object has a field of this name", list_words(names), find_nearest(pattern, names)));
    }
}

ExporterSettings settings_of(const OutputParams& p) {
    ExporterSettings s;
    s.objects = p.objects;
    s.fields = p.fields;
    s.every = p.every;
    s.precision = p.precision == "float32" ? Precision::float32 : p.precision == "float64" ? Precision::float64 : Precision::automatic;
    return s;
}

void append(Errors& to, Errors from) { to.insert(to.end(), from.begin(), from.end()); }

// "drape.0012.obj" of "drape.obj": what stands between; empty if it is no file of that sequence
std::string_view middle_of(std::string_view name, std::string_view file, std::string_view extension) {
    const std::string_view stem = file.substr(0, file.rfind('.') + 1);
    if (!name.starts_with(stem) || !name.ends_with(extension) || name.size() <= stem.size() + extension.size()) return {};
    return name.substr(stem.size(), name.size() - stem.size() - extension.size());
}

bool is_number(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_earlier(std::string_view name, const std::vector<Planned>& planned, const SnapshotLayout& layout) {
    for (std::string_view own : kOwnFiles)
        if (name == own) return true;
    for (const Planned& p : planned) {
        if (name == p.file) return true;
        const std::string extension = p.entry->name == "vtk" ? ".vtp" : fmt::format(".{}", p.entry->extension);
        const std::string_view middle = middle_of(name, p.file, extension);
        if (is_number(middle)) return true;
        for (const SnapshotObject& o : layout.objects)
            if (!middle.empty() && object_path(p.file, o.name) == name) return true;
    }
    return false;
}

} // namespace

Errors check_outputs(const Scene& scene, const Compiled* compiled) {
    std::vector<Planned> planned;
    Errors errors = plan_outputs(scene, planned);
    if (!compiled) return errors;
    const Snapshot snapshot = snapshot_of(compiled->model, compiled->state);
    for (const Planned& p : planned) check_fields(p, snapshot, errors);
    return errors;
}

void remove_earlier(const Scene& scene, const SnapshotLayout& layout, const std::string& folder) {
    std::vector<Planned> planned;
    plan_outputs(scene, planned);
    std::error_code failed;
    std::vector<fs::path> old;
    for (const auto& f : fs::directory_iterator(folder, failed))
        if (f.is_regular_file(failed) && is_earlier(f.path().filename().string(), planned, layout)) old.push_back(f.path());
    for (const fs::path& p : old) fs::remove(p, failed);
}

Errors open_outputs(const Scene& scene, const SnapshotLayout& layout, const std::string& folder, bool resume, int resume_frame,
                    std::int64_t resume_step, RunOutputs& out) {
    std::vector<Planned> planned;
    Errors errors = plan_outputs(scene, planned);
    if (!errors.empty()) return errors;
    out.folder = folder;
    out.name = scene.name;
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (failed) return {Error{.file = folder, .message = "cannot make this folder: " + failed.message()}};
    const auto check_there = [&](const std::string& path) {
        if (resume && !fs::exists(path, failed))
            errors.push_back(Error{.file = path, .message = "is missing: --resume continues the files of the earlier run",
                                   .allowed = "--overwrite begins anew"});
    };
    const std::string report = folder + "/report.csv";
    check_there(report);
    for (const Planned& p : planned)
        if (p.entry->name == "recording" || p.entry->name == "csv") check_there(folder + "/" + p.file);
    if (!errors.empty()) return errors;
    for (const Planned& p : planned) {
        auto made = make_exporter(p.entry->name, settings_of(p.params));
        if (!made) return made.errors;
        const std::string path = folder + "/" + p.file;
        append(errors, resume ? (*made.value)->resume(path, layout, resume_frame) : (*made.value)->open(path, layout));
        out.frames.push_back(std::move(*made.value));
        out.paths.push_back(path);
    }
    out.report.key = "step";
    append(errors, resume ? out.report.resume(report, int(resume_step), std::numeric_limits<double>::infinity()) : out.report.open(report));
    out.checkpoint = folder + "/checkpoint.state";
    return errors;
}

Errors write_frame(RunOutputs& out, const Simulation& s) {
    Errors errors;
    const Snapshot snapshot = make_snapshot(s);
    const Model& m = s.compiled.model;
    if (out.topology != m.topology_revision && m.objects.back().spawned) // there is something else to see
        for (auto& e : out.frames) append(errors, e->change_layout(*m.layout));
    out.topology = m.topology_revision;
    for (auto& e : out.frames) append(errors, e->write(snapshot));
    return errors;
}

Errors write_report(RunOutputs& out, const Simulation& s) {
    Numbers numbers{{"frame", current_frame(s)}};
    visit_numbers(s.report, [&](const char* name, const char* unit, double value) {
        if (std::string_view(name) != "time") numbers.push_back({*unit ? fmt::format("{} [{}]", name, unit) : name, value});
    });
    for (const StageTime& t : s.report.stages) numbers.push_back({fmt::format("ms.{} [ms]", t.name), 1000 * t.seconds});
    return out.report.row(int(s.now.step), s.now.time, numbers);
}

Errors write_state_file(const std::string& path, const Scene& scene, const std::string& scene_file, const Simulation& s) {
    StateFile file = save_run(s);
    file.scene = write_value(scene.document);
    file.origins = text_origins(scene.document);
    file.scene_file = fs::absolute(scene_file).lexically_normal().string();
    return write_state(path, file);
}

Errors close_outputs(RunOutputs& out) {
    Errors errors;
    for (auto& e : out.frames) append(errors, e->close());
    append(errors, out.report.close());
    return errors;
}

std::vector<std::string> describe_files(const std::string& path) {
    std::error_code failed;
    if (fs::exists(path, failed)) return {path};
    const fs::path p(path);
    const fs::path folder = p.has_parent_path() ? p.parent_path() : fs::path(".");
    std::vector<std::string> found;
    for (const auto& f : fs::directory_iterator(folder, failed))
        if (const std::string name = f.path().filename().string(); !middle_of(name, p.filename().string(), p.extension().string()).empty())
            found.push_back(p.has_parent_path() ? (folder / name).string() : name);
    return describe_files(std::move(found));
}

std::vector<std::string> describe_files(std::vector<std::string> found) {
    std::sort(found.begin(), found.end());
    if (found.size() <= 3) return found;
    return {fmt::format("{} ... {} ({} files)", found.front(), found.back(), found.size())};
}

} // namespace sinew
