#include "output/recording.h"
#include "output/samples.h"
#include <cmath>

namespace sinew {
namespace {
void write_recording(const std::string& path, int first, int last, const ExporterSettings& settings = {}) {
    const SnapshotLayout layout = make_sample_layout();
    RecordingWriter writer;
    ASSERT_NO_ERRORS(writer.open(path, layout, settings));
    for (int f = first; f <= last; ++f) ASSERT_NO_ERRORS(writer.write(make_sample_snapshot(layout, f)));
    ASSERT_NO_ERRORS(writer.close());
}
} // namespace

TEST(Recording, what_was_written_is_read_in_any_order) {
    for (Precision precision : {Precision::automatic, Precision::float32, Precision::float64})
        for (int level : {0, 3}) {
            TemporaryFolder folder;
            ExporterSettings settings;
            settings.precision = settings.field_precision = precision;
            settings.level = level;
            write_recording(folder.path("a.sinew"), 1001, 1020, settings);
            RecordingReader reader;
            ASSERT_NO_ERRORS(reader.open(folder.path("a.sinew")));
            EXPECT_TRUE(reader.complete);
            ASSERT_EQ(reader.frame_count(), 20);
            const SnapshotLayout layout = make_sample_layout();
            expect_equal(layout, reader.layout);
            Snapshot s;
            for (int index : {19, 0, 7, 7, 12}) {
                ASSERT_NO_ERRORS(reader.read(index, s));
                expect_equal(make_sample_snapshot(layout, 1001 + index), s, precision != Precision::float64);
            }
            EXPECT_EQ(reader.find_frame(1005), 4);
            EXPECT_EQ(reader.find_frame(1000), -1);
            EXPECT_EQ(reader.find_frame(1021), -1);
            EXPECT_EQ(reader.read(20, s).size(), 1u);
            EXPECT_EQ(reader.read(-1, s).size(), 1u);
        }
}

TEST(Recording, a_value_beyond_float32_makes_its_array_float64) {
    TemporaryFolder folder;
    const SnapshotLayout layout = make_sample_layout();
    Snapshot s = make_sample_snapshot(layout, 1001);
    s.objects[0].fields[1].values[3] = 1e200;
    s.objects[0].position[2].y = std::nan("");
    RecordingWriter writer;
    ASSERT_NO_ERRORS(writer.open(folder.path("a.sinew"), layout));
    ASSERT_NO_ERRORS(writer.write(s));
    ASSERT_NO_ERRORS(writer.close());
    RecordingReader reader;
    Snapshot back;
    ASSERT_NO_ERRORS(reader.open(folder.path("a.sinew")));
    ASSERT_NO_ERRORS(reader.read(0, back));
    EXPECT_EQ(back.objects[0].fields[1].values, s.objects[0].fields[1].values);
    EXPECT_TRUE(std::isnan(back.objects[0].position[2].y));
    EXPECT_EQ(back.objects[0].position[3].y, double(float(s.objects[0].position[3].y)));
}

TEST(Recording, an_empty_scene_and_a_run_without_frames_are_fine) {
    TemporaryFolder folder;
    RecordingWriter writer;
    ASSERT_NO_ERRORS(writer.open(folder.path("a.sinew"), SnapshotLayout{}));
    ASSERT_NO_ERRORS(writer.close());
    RecordingReader reader;
    ASSERT_NO_ERRORS(reader.open(folder.path("a.sinew")));
    EXPECT_EQ(reader.frame_count(), 0);
    ASSERT_NO_ERRORS(writer.open(folder.path("b.sinew"), SnapshotLayout{}));
    ASSERT_NO_ERRORS(writer.write(Snapshot{}));
    ASSERT_NO_ERRORS(writer.close());
    Snapshot s;
    ASSERT_NO_ERRORS(reader.open(folder.path("b.sinew")));
    ASSERT_NO_ERRORS(reader.read(0, s));
}

TEST(Recording, the_layout_may_change_during_the_run) {
    TemporaryFolder folder;
    const SnapshotLayout first = make_sample_layout();
    SnapshotLayout second = first;
    second.objects.resize(2);
    {
        RecordingWriter writer;
        ASSERT_NO_ERRORS(writer.open(folder.path("a.sinew"), first));
        ASSERT_NO_ERRORS(writer.write(make_sample_snapshot(first, 1001)));
        ASSERT_NO_ERRORS(writer.change_layout(second));
        ASSERT_NO_ERRORS(writer.write(make_sample_snapshot(second, 1002)));
        ASSERT_NO_ERRORS(writer.write(make_sample_snapshot(second, 1003)));
        EXPECT_FALSE(writer.write(make_sample_snapshot(first, 1004)).empty());
    } // closed by the destructor
    RecordingReader reader;
    ASSERT_NO_ERRORS(reader.open(folder.path("a.sinew")));
    ASSERT_TRUE(reader.complete);
    ASSERT_EQ(reader.frame_count(), 3);
    Snapshot s;
    ASSERT_NO_ERRORS(reader.read(2, s));
    expect_equal(second, reader.layout);
    expect_equal(make_sample_snapshot(second, 1003), s, true);
    ASSERT_NO_ERRORS(reader.read(0, s));
    expect_equal(first, reader.layout);
    expect_equal(make_sample_snapshot(first, 1001), s, true);
}

TEST(Recording, resuming_cuts_after_the_given_frame_and_gives_the_same_file_as_one_run) {
    TemporaryFolder folder;
    const SnapshotLayout layout = make_sample_layout();
    write_recording(folder.path("whole.sinew"), 1001, 1010);
    for (int keep : {1000, 1001, 1005, 1008, 2000}) {
        write_recording(folder.path("part.sinew"), 1001, 1008);
        RecordingWriter writer;
        ASSERT_NO_ERRORS(writer.append(folder.path("part.sinew"), layout, keep));
        for (int f = std::min(keep, 1008) + 1; f <= 1010; ++f)
            ASSERT_NO_ERRORS(writer.write(make_sample_snapshot(layout, f)));
        ASSERT_NO_ERRORS(writer.close());
        EXPECT_EQ(read_text_file(folder.path("part.sinew")), read_text_file(folder.path("whole.sinew")))
            << keep;
    }
}

TEST(Recording, resuming_an_interrupted_run_works_without_its_index) {
    TemporaryFolder folder;
    const SnapshotLayout layout = make_sample_layout();
    write_recording(folder.path("whole.sinew"), 1001, 1010);
    write_recording(folder.path("part.sinew"), 1001, 1006);
    RecordingReader reader;
    ASSERT_NO_ERRORS(reader.open(folder.path("part.sinew")));
    std::filesystem::resize_file(folder.path("part.sinew"),
                                 reader.frames[5].offset + 100); // torn in frame 1006
    RecordingWriter writer;
    ASSERT_NO_ERRORS(writer.append(folder.path("part.sinew"), layout, 1006));
    for (int f = 1006; f <= 1010; ++f) ASSERT_NO_ERRORS(writer.write(make_sample_snapshot(layout, f)));
    ASSERT_NO_ERRORS(writer.close());
    EXPECT_EQ(read_text_file(folder.path("part.sinew")), read_text_file(folder.path("whole.sinew")));
}

TEST(Recording, resuming_with_another_layout_adds_it) {
    TemporaryFolder folder;
    write_recording(folder.path("a.sinew"), 1001, 1004);
    SnapshotLayout other = make_sample_layout();
    other.objects.resize(1);
    RecordingWriter writer;
    ASSERT_NO_ERRORS(writer.append(folder.path("a.sinew"), other, 1002));
    ASSERT_NO_ERRORS(writer.write(make_sample_snapshot(other, 1003)));
    ASSERT_NO_ERRORS(writer.close());
    RecordingReader reader;
    Snapshot s;
    ASSERT_NO_ERRORS(reader.open(folder.path("a.sinew")));
    ASSERT_EQ(reader.frame_count(), 3);
    EXPECT_EQ(reader.frames[2].layout, 1);
    ASSERT_NO_ERRORS(reader.read(2, s));
    expect_equal(other, reader.layout);
}

TEST(Recording, resuming_what_is_no_recording_leaves_it_alone) {
    TemporaryFolder folder;
    write_text_file(folder.path("a.sinew"), "a letter to my aunt");
    RecordingWriter writer;
    const Errors errors = writer.append(folder.path("a.sinew"), make_sample_layout(), 5);
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].message, "this is no Sinew recording");
    EXPECT_FALSE(writer.write(make_sample_snapshot(make_sample_layout(), 1001)).empty());
    ASSERT_NO_ERRORS(writer.close());
    EXPECT_EQ(read_text_file(folder.path("a.sinew")), "a letter to my aunt");
}

TEST(Recording, a_full_disk_is_an_error_and_the_frames_before_stay_readable) {
    TemporaryFolder folder;
    const SnapshotLayout layout = make_sample_layout();
    RecordingWriter writer;
    Errors errors;
    int written = 0;
    {
        SmallDisk disk(6000);
        ASSERT_NO_ERRORS(writer.open(folder.path("a.sinew"), layout));
        for (int f = 1001; errors.empty() && f < 1100; ++f) {
            errors = writer.write(make_sample_snapshot(layout, f));
            written += errors.empty();
        }
        writer.close();
    }
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].file, folder.path("a.sinew"));
    EXPECT_EQ(errors[0].message, "cannot write: File too large");
    RecordingReader reader;
    ASSERT_NO_ERRORS(reader.open(folder.path("a.sinew")));
    EXPECT_GT(written, 2);
    EXPECT_EQ(reader.frame_count(), written);
}

TEST(Recording, the_full_device_is_an_error) {
    RecordingWriter writer;
    const Errors errors = writer.open("/dev/full", make_sample_layout());
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].message, "cannot write: No space left on device");
}

TEST(Recording, smooth_motion_takes_the_space_the_header_claims) {
    if (!have_zstd()) GTEST_SKIP() << "built without zstd";
    // a waving sheet of 100 x 100 points; recording.h claims 2.07 bytes per float32 and 5.73 per float64 of
    // cloth
    SnapshotLayout layout;
    layout.objects.resize(1);
    layout.objects[0].name = "sheet";
    layout.objects[0].point_count = 10000;
    Snapshot s;
    s.objects.resize(1);
    for (int i = 0; i < 100; ++i)
        for (int j = 0; j < 100; ++j) {
            const double x = 0.0123 * i, z = 0.0123 * j;
            s.objects[0].position.push_back(
                {x + 0.01 * std::sin(9 * z), 0.1 * std::sin(5 * x) * std::cos(7 * z + x), z});
        }
    ExporterSettings settings;
    for (Precision p : {Precision::float32, Precision::float64}) {
        settings.precision = p;
        ChunkHeader header;
        const double per_value =
            double(make_chunk(header, encode_frame(layout, s, settings), 3).size()) / 30000;
        EXPECT_LT(per_value, p == Precision::float32 ? 2.4 : 6.4);
    }
}

} // namespace sinew
