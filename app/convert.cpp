// sinew convert: a recording to other formats.
#include "command.h"
#include "output/convert.h"
#include "output/output.h"
#include "output/recording.h"
#include "output/select.h"
#include "outputs.h"
#include "progress.h"
#include <filesystem>
#include <fmt/format.h>

namespace sinew {

// what this conversion wrote, not what an earlier one left beside it
static std::vector<std::string> written_files(const std::string& recording, const ExporterSettings& settings, std::string_view kind,
                                              std::filesystem::path path) {
    std::error_code failed;
    // the collection that names the frames
    if (kind == "vtk" && (path.extension() == ".vtk" || path.extension() == ".vtp")) path.replace_extension("pvd");
    else if (kind == "vtk" && path.extension() != ".pvd") path += ".pvd";
    if (kind != "obj" && kind != "ply" && std::filesystem::exists(path, failed)) return {path.string()};
    RecordingReader reader;
    if (!reader.open(recording).empty()) return {};
    std::vector<std::string> files;
    const auto add = [&](std::string file) {
        if (std::filesystem::exists(file, failed)) files.push_back(std::move(file));
    };
    if (kind == "obj" || kind == "ply")
        for (const RecordingFrame& f : reader.frames) {
            if (wants_frame(settings, reader.layout.first_frame, f.frame)) add(numbered_path(path.string(), f.frame));
        }
    else
        for (const SnapshotObject& object : reader.layout.objects)
            if (matches_any(settings.objects, object.name)) add(object_path(path.string(), object.name));
    return files;
}

int command_convert(const ConvertOptions& o) {
    const ExporterEntry* entry = find_exporter(o.to);
    if (!entry) {
        std::string allowed;
        for (const ExporterEntry& e : exporters()) allowed += (allowed.empty() ? "" : ", ") + std::string(e.name);
        return print_errors({Error{.path = "--to", .value = o.to, .message = "no output of this kind", .allowed = allowed}}), kBadInput;
    }
    std::filesystem::path path = o.out.empty() ? std::filesystem::path(o.recording).replace_extension(entry->extension) : std::filesystem::path(o.out);
    std::error_code ignored;
    if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), ignored);
    ExporterSettings settings;
    if (!o.objects.empty()) settings.objects = o.objects;
    settings.every = o.every;
    Progress progress = make_progress("convert", 1, o.quiet);
    const Errors errors = convert(o.recording, entry->name, path.string(), settings, [&](int done, int total) {
        progress.total = total;
        show_progress(progress, done, "");
        return true;
    });
    finish_progress(progress);
    if (!errors.empty()) {
        // what cannot be written is a failure; what cannot be read or was asked for wrongly is bad input
        bool asked = false;
        for (const Error& e : errors) asked = asked || !e.path.empty() || e.file == o.recording || e.file.empty();
        return print_errors(errors), asked ? kBadInput : kFailed;
    }
    if (!o.quiet)
        for (const std::string& line : describe_files(written_files(o.recording, settings, entry->name, path))) fmt::print("{}\n", line);
    return kOk;
}

} // namespace sinew
