// The recording as an exporter.
#include "output/recording.h"
#include "output/select.h"

namespace sinew {
namespace {
struct RecordingExporter final : Exporter {
    ExporterSettings settings;
    RecordingWriter writer;

    Errors open(const std::string& path, const SnapshotLayout& layout) override {
        return writer.open(path, layout, settings);
    }
    Errors resume(const std::string& path, const SnapshotLayout& layout, int last_frame) override {
        if (Errors e = writer.append(path, layout, last_frame, settings); !e.empty()) return e;
        std::optional<int> kept;
        if (!writer.frames.empty()) kept = writer.frames.back().frame;
        return check_kept(path, settings, layout.first_frame, last_frame, kept);
    }
    Errors change_layout(const SnapshotLayout& layout) override { return writer.change_layout(layout); }
    Errors write(const Snapshot& snapshot) override { return writer.write(snapshot); }
    Errors close() override { return writer.close(); }
};
} // namespace

std::unique_ptr<Exporter> make_recording_exporter(const ExporterSettings& settings) {
    auto exporter = std::make_unique<RecordingExporter>();
    exporter->settings = settings;
    return exporter;
}

} // namespace sinew
