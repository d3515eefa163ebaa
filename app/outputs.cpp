#include "outputs.h"
#include "core/error.h"
#include "core/fields.h"
#include "core/nearest.h"
#include "output/state_file.h"
#include "scene/scope.h"
#include "sinew/sinew.h"
#include <filesystem>
#include <fmt/format.h>

namespace sinew {

namespace {

struct OutputParams {
    std::vector<std::string> objects{"*"}, fields{"*"};
    std::string file, precision = "auto";
    int every = 1;
    template <class V> static void visit(OutputParams& p, V&& v) {
        v("objects", p.objects, Field{.doc = "names or patterns; default: all"});
        v("fields", p.fields, Field{.doc = "fields of vertices; default: all"});
        v("file", p.file, Field{.doc = "name without folder; default: the scene's name"});
        v("precision", p.precision, Field{.allowed = {"auto", "float32", "float64"}, .doc = "of positions"});
        v("every", p.every, Field{.min = 1, .doc = "every n-th frame"});
    }
};

struct Planned {
    const ExporterEntry* entry = nullptr;
    OutputParams params;
};

// scene outputs, or the recording if the scene names none
Errors plan_outputs(const Scene& scene, std::vector<Planned>& out) {
    Errors errors;
    const Scope scope = make_scene_scope(scene);
    std::vector<std::string> known{"report", "checkpoint"};
    for (const ExporterEntry& e : exporters()) known.emplace_back(e.name);
    for (const SceneEntry& e : scene.outputs) {
        if (e.kind == "report" || e.kind == "checkpoint" || e.kind == "csv") continue; // always written
        Planned p;
        p.entry = find_exporter(e.kind);
        if (!p.entry) {
            errors.push_back(make_error(text_at(e.kind, e.params.place), join_path(e.path, "kind"), "no output of this kind",
                                        fmt::format("{}", fmt::join(known, ", ")), find_nearest(e.kind, known)));
            continue;
        }
        FieldList list = collect_fields([&](auto v) { OutputParams::visit(p.params, v); });
        if (read_fields(list, e.params, scope, e.path, errors)) out.push_back(std::move(p));
    }
    if (scene.outputs.empty()) out.push_back({find_exporter("recording"), {}});
    return errors;
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

// report rows count steps; they have no geometry
SnapshotLayout report_layout(const SnapshotLayout& layout) {
    SnapshotLayout out;
    out.scene_name = layout.scene_name;
    out.fps = layout.fps;
    return out;
}

} // namespace

Errors check_outputs(const Scene& scene) {
    std::vector<Planned> planned;
    return plan_outputs(scene, planned);
}

Errors open_outputs(const Scene& scene, const SnapshotLayout& layout, const std::string& folder, bool resume, int resume_frame,
                    std::int64_t resume_step, RunOutputs& out) {
    std::vector<Planned> planned;
    Errors errors = plan_outputs(scene, planned);
    if (!errors.empty()) return errors;
    out.folder = folder;
    out.name = scene.name.empty() ? "scene" : scene.name;
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed) return {Error{.file = folder, .message = "cannot make this folder: " + failed.message()}};
    for (const Planned& p : planned) {
        auto made = make_exporter(p.entry->name, settings_of(p.params));
        if (!made) return made.errors;
        const std::string file = p.params.file.empty() ? out.name : p.params.file;
        const std::string path = fmt::format("{}/{}.{}", folder, file, p.entry->extension);
        append(errors, resume ? (*made.value)->resume(path, layout, resume_frame) : (*made.value)->open(path, layout));
        out.frames.push_back(std::move(*made.value));
        out.paths.push_back(path);
    }
    auto report = make_exporter("csv", {});
    if (!report) return report.errors;
    out.report = std::move(*report.value);
    const std::string path = folder + "/report.csv";
    append(errors, resume ? out.report->resume(path, report_layout(layout), int(resume_step)) : out.report->open(path, report_layout(layout)));
    out.checkpoint = folder + "/checkpoint.state";
    return errors;
}

Errors write_frame(RunOutputs& out, const Simulation& s) {
    Errors errors;
    const Snapshot snapshot = make_snapshot(s);
    for (auto& e : out.frames) append(errors, e->write(snapshot));
    return errors;
}

Errors write_report(RunOutputs& out, const Simulation& s) {
    Snapshot row;
    row.frame = int(s.now.step);
    row.time = s.now.time;
    visit_numbers(s.report, [&](const char* name, const char* unit, double value) {
        if (std::string_view(name) != "time") row.numbers.push_back({*unit ? fmt::format("{} [{}]", name, unit) : name, value});
    });
    return out.report->write(row);
}

Errors write_state_file(const std::string& path, const Scene& scene, const Simulation& s) {
    StateFile file;
    file.state = s.now;
    file.scene = write_value(scene.document);
    file.program_version = version();
    file.substeps = s.compiled.substeps;
    return write_state(path, file);
}

Errors close_outputs(RunOutputs& out) {
    Errors errors;
    for (auto& e : out.frames) append(errors, e->close());
    if (out.report) append(errors, out.report->close());
    return errors;
}

} // namespace sinew
