// A recording that is played: every frame can be gone to.
#include "output/recording.h"
#include "view_source.h"
#include <algorithm>
#include <cstring>
#include <fstream>

namespace sinew {

namespace {

struct RecordingSource : ViewSource {
    std::string file;
    RecordingReader reader;
    int index = 0;
    Snapshot now, before;
    bool has_before = false;

    Value describe() const override {
        Value v = make_object();
        set(v, "live", make_boolean(false));
        set(v, "scene", make_text(reader.layout.scene_name));
        set(v, "complete", make_boolean(reader.complete)); // otherwise its run was interrupted
        return v;
    }
    const SnapshotLayout& layout() const override { return reader.layout; }
    int revision() const override { return reader.layout_number; }
    ViewPlace place() const override {
        return {double(now.frame), reader.frames.front().frame, reader.frames.back().frame, now.time, index};
    }
    bool at_frame() const override { return true; }
    bool at_end() const override { return index + 1 >= reader.frame_count(); }
    const Snapshot& look() override { return now; }
    const Snapshot* look_before() override { return has_before ? &before : nullptr; }

    Errors go_to(int i) {
        // speeds of bodies need the frame before; where it has another layout they are unknown
        const bool known = i > 0 && reader.frames[i - 1].layout == reader.frames[i].layout, next = i == index + 1;
        Snapshot earlier, here;
        if (known && !next)
            if (Errors e = reader.read(i - 1, earlier); !e.empty()) return e;
        if (Errors e = reader.read(i, here); !e.empty()) return e;
        if (known) before = next ? std::move(now) : std::move(earlier);
        now = std::move(here);
        has_before = known;
        index = i;
        return {};
    }
    Errors advance() override { return at_end() ? Errors{} : go_to(index + 1); }
    Errors restart() override { return go_to(0); }
    Errors seek(int frame) override {
        // the nearest that is recorded, not after it
        const auto after = std::upper_bound(reader.frames.begin(), reader.frames.end(), frame,
                                            [](int number, const RecordingFrame& f) { return number < f.frame; });
        return go_to(std::max(0, int(after - reader.frames.begin()) - 1));
    }
};

} // namespace

bool is_recording_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    char head[sizeof kRecordingMagic] = {};
    return in.read(head, sizeof head) && std::memcmp(head, kRecordingMagic, sizeof head) == 0;
}

Result<std::unique_ptr<ViewSource>> make_recording_source(const std::string& file) {
    auto source = std::make_unique<RecordingSource>();
    source->file = file;
    if (Errors e = source->reader.open(file); !e.empty()) return {std::nullopt, e};
    if (source->reader.frame_count() == 0) return {std::nullopt, {Error{.file = file, .message = "the recording has no frames"}}};
    source->index = -2; // no frame was read yet
    if (Errors e = source->go_to(0); !e.empty()) return {std::nullopt, e};
    return {std::unique_ptr<ViewSource>(std::move(source)), {}};
}

} // namespace sinew
