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

// What a conversion may write: one file, the collection of a sequence and its frames, or one file per object.
static std::vector<std::string> possible_files(const RecordingReader& reader, const ExporterSettings& settings, std::string_view kind,
                                               std::filesystem::path path) {
    const bool vtk = kind == "vtk", sequence = vtk || kind == "obj" || kind == "ply";
    // the collection that names the frames
    if (vtk && (path.extension() == ".vtk" || path.extension() == ".vtp")) path.replace_extension("pvd");
    else if (vtk && path.extension() != ".pvd") path += ".pvd";
    std::vector<std::string> files;
    if (!sequence || vtk) files.push_back(path.string());
    if (sequence)
        for (const RecordingFrame& f : reader.frames) {
            const std::string frame = vtk ? std::filesystem::path(path).replace_extension("vtp").string() : path.string();
            if (wants_frame(settings, reader.layout.first_frame, f.frame)) files.push_back(numbered_path(frame, f.frame));
        }
    else
        for (const SnapshotObject& object : reader.layout.objects)
            if (matches_any(settings.objects, object.name)) files.push_back(object_path(path.string(), object.name));
    return files;
}

// what this conversion wrote, not what an earlier one left beside it
static std::vector<std::string> written_files(std::vector<std::string> possible, std::string_view kind) {
    std::error_code failed;
    if (kind != "obj" && kind != "ply" && std::filesystem::exists(possible[0], failed)) return {possible[0]};
    std::erase_if(possible, [&](const std::string& f) { return !std::filesystem::exists(f, failed); });
    return possible;
}

int command_convert(const ConvertOptions& o) {
    const ExporterEntry* entry = find_exporter(o.to);
    if (!entry) {
        std::string allowed;
        for (const ExporterEntry& e : exporters()) allowed += (allowed.empty() ? "" : ", ") + std::string(e.name);
        return print_errors({Error{.path = "--to", .value = o.to, .message = "no output of this kind", .allowed = allowed}}), kBadInput;
    }
    std::filesystem::path path = o.out.empty() ? std::filesystem::path(o.recording).replace_extension(entry->extension) : std::filesystem::path(o.out);
    ExporterSettings settings;
    if (!o.objects.empty()) settings.objects = o.objects;
    settings.every = o.every;
    RecordingReader reader;
    if (const Errors e = reader.open(o.recording); !e.empty()) return print_errors(e), kBadInput;
    const std::vector<std::string> files = possible_files(reader, settings, entry->name, path);
    if (!check_free(files, o.overwrite)) return kBadInput;
    std::error_code ignored;
    if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), ignored);
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
        for (const std::string& line : describe_files(written_files(files, entry->name))) fmt::print("{}\n", line);
    return kOk;
}

} // namespace sinew
