// The NumPy reader gives what C++ wrote. The arrays to compare with go by .npy files, so that nothing of the
// recording format is shared by the two sides.
#include "output/recording.h"
#include "output/samples.h"
#include "output/world.h"
#include "paths.h"
#include <cstdlib>

namespace sinew {
namespace {
template <class T>
void write_npy(const std::string& path, const char* type, const T* data, std::size_t rows, int columns) {
    std::string shape = "(" + std::to_string(rows) + "," + (columns ? std::to_string(columns) : "") + ")";
    std::string head =
        std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
    head.resize((head.size() + 10 + 64) / 64 * 64 - 11, ' ');
    head += '\n';
    std::string file = "\x93NUMPY";
    file += {'\x01', '\x00', char(head.size() & 255), char(head.size() >> 8)};
    file += head;
    file.append(reinterpret_cast<const char*>(data), rows * std::size_t(columns ? columns : 1) * sizeof(T));
    write_text_file(path, file);
}

void write_layout(const TemporaryFolder& folder, const SnapshotLayout& layout) {
    for (std::size_t i = 0; i < layout.objects.size(); ++i) {
        const SnapshotObject& o = layout.objects[i];
        const std::string number = std::to_string(i) + ".npy";
        write_npy(folder.path("rest_" + number), "<f8", o.rest.empty() ? nullptr : &o.rest[0].x,
                  o.rest.size(), 3);
        write_npy(folder.path("polygon_begin_" + number), "<i4", o.polygon_begin.data(),
                  o.polygon_begin.size(), 0);
        write_npy(folder.path("polygon_vertex_" + number), "<i4", o.polygon_vertex.data(),
                  o.polygon_vertex.size(), 0);
        write_npy(folder.path("polygon_uv_" + number), "<i4", o.polygon_uv.data(), o.polygon_uv.size(), 0);
        write_npy(folder.path("uv_" + number), "<f8", o.uv.empty() ? nullptr : o.uv[0].data(), o.uv.size(),
                  2);
        write_npy(folder.path("segments_" + number), "<i4",
                  o.segments.empty() ? nullptr : o.segments[0].data(), o.segments.size(), 2);
    }
}

void check_by_python(Precision precision, int level, bool interrupted) {
    if (std::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0) GTEST_SKIP() << "no numpy";
    TemporaryFolder folder;
    const SnapshotLayout layout = make_sample_layout();
    ExporterSettings settings;
    settings.precision = settings.field_precision = precision;
    settings.level = level;
    RecordingWriter writer;
    ASSERT_NO_ERRORS(writer.open(folder.path("a.sinew"), layout, settings));
    std::vector<int> numbers;
    std::vector<double> times;
    write_layout(folder, layout);
    for (int k = 0; k < 6; ++k) {
        const Snapshot s = make_sample_snapshot(layout, 1001 + 2 * k);
        ASSERT_NO_ERRORS(writer.write(s));
        numbers.push_back(s.frame);
        times.push_back(s.time);
        const std::string prefix = std::to_string(k);
        for (std::size_t i = 0; i < layout.objects.size(); ++i) {
            const std::vector<Real3> x = make_world_positions(layout.objects[i], s.objects[i]);
            write_npy(folder.path("position_" + prefix + "_" + std::to_string(i) + ".npy"), "<f8", &x[0].x,
                      x.size(), 3);
        }
        const std::vector<double>& velocity = s.objects[0].fields[0].values;
        write_npy(folder.path("velocity_" + prefix + ".npy"), "<f8", velocity.data(), velocity.size() / 3, 3);
    }
    write_npy(folder.path("frame_numbers.npy"), "<i4", numbers.data(), numbers.size(), 0);
    write_npy(folder.path("times.npy"), "<f8", times.data(), times.size(), 0);
    const std::uint64_t end = writer.end;
    ASSERT_NO_ERRORS(writer.close());
    if (interrupted) std::filesystem::resize_file(folder.path("a.sinew"), end + 5);
    const std::string source = source_dir();
    const std::string command = "/usr/bin/python3 -B " + source + "/test/output/recording_check.py " +
                                source + "/tools " + folder.path("a.sinew") + " " + folder.folder.string();
    EXPECT_EQ(std::system(command.c_str()), 0);
    EXPECT_EQ(std::system(("/usr/bin/python3 -B " + source + "/tools/sinew_recording.py " +
                           folder.path("a.sinew") + " > " + folder.path("text"))
                              .c_str()),
              0);
    EXPECT_NE(read_text_file(folder.path("text")).find("sheet (cloth_grid): 12 points, 6 polygons"),
              std::string::npos);
}
} // namespace

TEST(RecordingPython, reads_compressed_float32) { check_by_python(Precision::automatic, 3, false); }
TEST(RecordingPython, reads_stored_float64) { check_by_python(Precision::float64, 0, false); }
TEST(RecordingPython, reads_an_interrupted_recording) { check_by_python(Precision::float64, 3, true); }

TEST(RecordingPython, refuses_other_files_with_a_message) {
    if (std::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0) GTEST_SKIP() << "no numpy";
    TemporaryFolder folder;
    write_text_file(folder.path("a"), "hello");
    const std::string tool = std::string(source_dir()) + "/tools/sinew_recording.py ";
    EXPECT_NE(std::system(
                  ("/usr/bin/python3 -B " + tool + folder.path("a") + " 2> " + folder.path("text")).c_str()),
              0);
    EXPECT_EQ(read_text_file(folder.path("text")), folder.path("a") + ": this is no Sinew recording\n");
}

} // namespace sinew
