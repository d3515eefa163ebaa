// sinew convert: a recording to other formats.
#include "command.h"
#include "output/convert.h"
#include "output/output.h"
#include "outputs.h"
#include "progress.h"
#include <filesystem>
#include <fmt/format.h>

namespace sinew {

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
        for (const std::string& line : describe_files(path.string())) fmt::print("{}\n", line);
    return kOk;
}

} // namespace sinew
