// Writes the seed inputs of recording_fuzz and checkpoint_fuzz: make_corpus FOLDER fills
// FOLDER/recording_corpus and FOLDER/checkpoint_corpus. Run it again when the format changes; the files are
// kept next to this one.
#include "core/atomic_file.h"
#include "output/checkpoint.h"
#include "output/recording.h"
#include <cstdio>
#include <filesystem>

using namespace sinew;

static SnapshotLayout make_layout(int objects) {
    SnapshotLayout layout;
    layout.scene_name = "s";
    SnapshotObject cloth;
    cloth.name = "c";
    cloth.kind = "cloth_grid";
    cloth.point_count = 4;
    cloth.rest = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    cloth.polygon_begin = {0, 4};
    cloth.polygon_vertex = {0, 1, 2, 3};
    cloth.uv = {{0, 0}, {1, 1}};
    cloth.polygon_uv = {0, 1, -1, 1};
    cloth.segments = {{0, 2}};
    cloth.vertex_groups = {{"g", {0, 3}}};
    SnapshotObject body = cloth;
    body.name = "b";
    body.rigid = true;
    if (objects > 0) layout.objects.push_back(cloth);
    if (objects > 1) layout.objects.push_back(body);
    return layout;
}

static Snapshot make_snapshot(const SnapshotLayout& layout, int frame) {
    Snapshot s;
    s.frame = frame;
    s.time = frame / 24.0;
    s.objects.resize(layout.objects.size());
    if (!s.objects.empty()) {
        s.objects[0].position = layout.objects[0].rest;
        s.objects[0].alive = {1, 0, 1, 1};
        s.objects[0].id = {0, 1, 2, 7};
        s.objects[0].fields = {{"v", 3, std::vector<double>(12, 0.1)}, {"w", 1, {1, 2, 3, 4}}};
    }
    s.numbers = {{"e", 0.5}, {"p", 2}};
    return s;
}

static int fail(const Errors& errors) {
    for (const Error& e : errors) std::fprintf(stderr, "%s: %s\n", e.file.c_str(), e.message.c_str());
    return errors.empty() ? 0 : 1;
}

static int write_recording(const std::string& path, int level, Precision precision, int objects,
                           bool change) {
    ExporterSettings settings;
    settings.level = level;
    settings.precision = settings.field_precision = precision;
    const SnapshotLayout layout = make_layout(objects), second = make_layout(1);
    RecordingWriter writer;
    int bad = fail(writer.open(path, layout, settings));
    for (int frame = 1; frame <= 2; ++frame) bad += fail(writer.write(make_snapshot(layout, frame)));
    if (change) {
        bad += fail(writer.change_layout(second));
        bad += fail(writer.write(make_snapshot(second, 3)));
    }
    return bad + fail(writer.close());
}

int main(int count, char** arguments) {
    if (count != 2) return std::fprintf(stderr, "usage: make_corpus FOLDER\n"), 2;
    const std::filesystem::path folder = arguments[1];
    const std::filesystem::path recordings = folder / "recording_corpus",
                                checkpoints = folder / "checkpoint_corpus";
    std::filesystem::create_directories(recordings);
    std::filesystem::create_directories(checkpoints);
    int bad = 0;
    bad += write_recording((recordings / "stored").string(), 0, Precision::float32, 2, false);
    bad += write_recording((recordings / "stored_change").string(), 0, Precision::float64, 2, true);
    bad += write_recording((recordings / "zstd").string(), 3, Precision::float32, 2, true);
    bad += write_recording((recordings / "empty").string(), 0, Precision::float32, 0, false);
    bad += write_recording((recordings / "interrupted").string(), 0, Precision::float32, 2, true);
    std::filesystem::resize_file(recordings / "interrupted",
                                 std::filesystem::file_size(recordings / "interrupted") - 200);
    Checkpoint checkpoint;
    checkpoint.program_version = "0.1.0";
    bad += fail(write_checkpoint((checkpoints / "empty").string(), checkpoint));
    add_array<double>(checkpoint, "x", std::vector<double>{1, 2, 3, 4, 5, 6}, 3);
    add_array<std::int32_t>(checkpoint, "i", std::vector<std::int32_t>{1, 2, 3, 4, 5});
    add_text(checkpoint, "t", "text");
    bad += fail(write_checkpoint((checkpoints / "small").string(), checkpoint));
    bad += fail(write_atomically((checkpoints / "stored").string(), make_checkpoint(checkpoint, 0)));
    add_array<double>(checkpoint, "zeros", std::vector<double>(500, 0.0));
    bad += fail(write_checkpoint((checkpoints / "zstd").string(), checkpoint));
    return bad != 0;
}
