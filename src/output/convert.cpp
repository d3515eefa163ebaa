#include "output/convert.h"
#include "output/recording.h"
#include "output/select.h"
#include <filesystem>

namespace sinew {
namespace {
// writing over what is being read would destroy it
bool same_file(const std::string& a, const std::string& b) {
    std::error_code failed;
    return std::filesystem::equivalent(a, b, failed) && !failed;
}
} // namespace

Errors convert(const std::string& recording, std::string_view name, const std::string& path,
               const ExporterSettings& settings, const ConvertProgress& progress) {
    auto exporter = make_exporter(name, settings);
    if (!exporter) return exporter.errors;
    RecordingReader reader;
    if (Errors e = reader.open(recording); !e.empty()) return e;
    if (same_file(recording, path)) {
        Error error = file_error(path, "a recording cannot be converted into itself");
        error.path = "out";
        return {error};
    }
    std::vector<int> wanted;
    for (int i = 0; i < reader.frame_count(); ++i)
        if (wants_frame(settings, reader.layout.first_frame, reader.frames[std::size_t(i)].frame))
            wanted.push_back(i);
    if (wanted.empty()) return {file_error(recording, "the recording has none of the frames asked for")};

    Exporter& out = **exporter.value;
    Snapshot snapshot;
    int layout = -1;
    for (std::size_t k = 0; k < wanted.size(); ++k) {
        if (Errors e = reader.read(wanted[k], snapshot); !e.empty()) return e;
        if (reader.layout_number != layout) {
            const Errors e = layout < 0 ? out.open(path, reader.layout) : out.change_layout(reader.layout);
            if (!e.empty()) return e;
            layout = reader.layout_number;
        }
        if (Errors e = out.write(snapshot); !e.empty()) return e;
        if (progress && !progress(int(k) + 1, int(wanted.size()))) {
            Errors errors = out.close();
            errors.push_back(file_error(path, "stopped after frame " + std::to_string(snapshot.frame)));
            return errors;
        }
    }
    return out.close();
}

} // namespace sinew
