// VTP files read back by a small parser of this test: XML by searching, arrays by zlib.
#include "output/output.h"
#include "output/samples.h"
#include <cmath>
#include <cstring>
#include <zlib.h>

namespace sinew {
namespace {

struct VtpArray {
    std::string type;
    int components = 1;
    std::vector<double> values;
};

std::string xml_attribute(const std::string& element, const std::string& name) {
    const std::size_t at = element.find(" " + name + "=\"");
    if (at == std::string::npos) return "";
    const std::size_t begin = at + name.size() + 3;
    return element.substr(begin, element.find('"', begin) - begin);
}

std::string inflate_array(const std::string& appended, std::size_t offset) {
    std::uint64_t head[3];
    std::memcpy(head, appended.data() + offset, sizeof head);
    std::string out;
    std::size_t at = offset + 24 + 8 * head[0];
    for (std::uint64_t b = 0; b < head[0]; ++b) {
        std::uint64_t stored = 0;
        std::memcpy(&stored, appended.data() + offset + 24 + 8 * b, 8);
        const bool partial = b + 1 == head[0] && head[2] > 0;
        uLongf size = uLongf(partial ? head[2] : head[1]);
        std::string block(size, '\0');
        EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(block.data()), &size,
                             reinterpret_cast<const Bytef*>(appended.data() + at), uLong(stored)),
                  Z_OK);
        EXPECT_EQ(size, block.size());
        out += block;
        at += stored;
    }
    return out;
}

template <class T> std::vector<double> numbers(const std::string& bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return {values.begin(), values.end()};
}

struct Vtp {
    std::string xml, appended;
    explicit Vtp(const std::string& path) {
        const std::string text = read_text_file(path), mark = "<AppendedData encoding=\"raw\">\n_";
        const std::size_t at = text.find(mark);
        EXPECT_NE(at, std::string::npos);
        xml = text.substr(0, at);
        appended = text.substr(at + mark.size());
        const std::string end = "\n</AppendedData>\n</VTKFile>\n";
        EXPECT_EQ(appended.substr(appended.size() - end.size()), end);
    }
    int count(const std::string& name) const {
        return std::atoi(xml_attribute(xml.substr(xml.find("<Piece")), name).c_str());
    }
    VtpArray array(const std::string& section, const std::string& name) const {
        const std::size_t begin = xml.find("<" + section), end = xml.find("</" + section + ">", begin);
        const std::size_t at = xml.find("Name=\"" + name + "\"", begin);
        if (begin == std::string::npos || at == std::string::npos || at > end) {
            ADD_FAILURE() << "no array " << name << " in " << section;
            return {};
        }
        const std::size_t element = xml.rfind('<', at);
        const std::string tag = xml.substr(element, xml.find('>', at) - element);
        VtpArray a;
        a.type = xml_attribute(tag, "type");
        if (!xml_attribute(tag, "NumberOfComponents").empty())
            a.components = std::stoi(xml_attribute(tag, "NumberOfComponents"));
        const std::string bytes = inflate_array(appended, std::stoul(xml_attribute(tag, "offset")));
        if (a.type == "Float64") a.values = numbers<double>(bytes);
        if (a.type == "Float32") a.values = numbers<float>(bytes);
        if (a.type == "Int32") a.values = numbers<std::int32_t>(bytes);
        if (a.type == "UInt32") a.values = numbers<std::uint32_t>(bytes);
        if (a.type == "UInt8") a.values = numbers<std::uint8_t>(bytes);
        return a;
    }
    bool has(const std::string& text) const { return xml.find(text) != std::string::npos; }
};

void write_frames(const std::string& path, const SnapshotLayout& layout, const ExporterSettings& settings) {
    auto exporter = make_exporter("vtk", settings);
    ASSERT_NO_ERRORS((*exporter.value)->open(path, layout));
    for (int f : {1001, 1004}) ASSERT_NO_ERRORS((*exporter.value)->write(make_sample_snapshot(layout, f)));
    ASSERT_NO_ERRORS((*exporter.value)->close());
}
} // namespace

TEST(Vtk, keeps_mesh_fields_and_groups) {
    TemporaryFolder folder;
    const SnapshotLayout layout = make_sample_layout();
    const Snapshot s = make_sample_snapshot(layout, 1004);
    ExporterSettings settings;
    settings.precision = Precision::float64;
    write_frames(folder.path("drape.pvd"), layout, settings);
    const Vtp vtp(folder.path("drape.1004.vtp"));
    EXPECT_EQ(vtp.count("NumberOfPoints"), 29);
    EXPECT_EQ(vtp.count("NumberOfVerts"), 4);
    EXPECT_EQ(vtp.count("NumberOfLines"), 4);
    EXPECT_EQ(vtp.count("NumberOfPolys"), 12);
    const VtpArray x = vtp.array("Points", "Points");
    EXPECT_EQ(x.type, "Float64");
    EXPECT_EQ(x.components, 3);
    ASSERT_EQ(x.values.size(), 87u);
    for (std::size_t i = 0; i < 12; ++i)
        for (int c = 0; c < 3; ++c) EXPECT_EQ(x.values[3 * i + std::size_t(c)], s.objects[0].position[i][c]);
    const VtpArray velocity = vtp.array("PointData", "velocity");
    EXPECT_EQ(velocity.type, "Float32");
    EXPECT_EQ(velocity.components, 3);
    for (std::size_t i = 0; i < 36; ++i)
        EXPECT_EQ(velocity.values[i], double(float(s.objects[0].fields[0].values[i])));
    EXPECT_TRUE(std::isnan(velocity.values[36]));
    EXPECT_EQ(vtp.array("PointData", "id").values[28], 1004);
    EXPECT_EQ(vtp.array("PointData", "group_corner").values[11], 1);
    // cells: 4 points, 4 lines, then polygons; those of the first object begin
    const auto &even = vtp.array("CellData", "group_even").values, &red = vtp.array("CellData", "material_red").values;
    ASSERT_EQ(even.size(), 4u + 4 + 12);
    for (int p = 0; p < 12; ++p) {
        EXPECT_EQ(even[std::size_t(8 + p)], p == 0 || p == 2 || p == 4) << p;
        EXPECT_EQ(red[std::size_t(8 + p)], p == 1 || p == 2) << p;
    }
    EXPECT_EQ(vtp.array("PointData", "object").values[28], 3);

    const std::vector<double> corners = vtp.array("Polys", "connectivity").values;
    const std::vector<double> offsets = vtp.array("Polys", "offsets").values;
    ASSERT_EQ(corners.size(), 47u);
    ASSERT_EQ(offsets.size(), 12u);
    for (std::size_t k = 0; k < 23; ++k) EXPECT_EQ(corners[k], layout.objects[0].polygon_vertex[k]);
    for (std::size_t p = 0; p < 6; ++p) EXPECT_EQ(offsets[p], layout.objects[0].polygon_begin[p + 1]);
    EXPECT_EQ(vtp.array("Lines", "connectivity").values,
              (std::vector<double>{20, 21, 21, 22, 22, 23, 23, 24}));
    EXPECT_EQ(vtp.array("Lines", "offsets").values, (std::vector<double>{2, 4, 6, 8}));
    EXPECT_EQ(vtp.array("Verts", "connectivity").values, (std::vector<double>{25, 26, 27, 28}));
    const std::vector<double> cell_object = vtp.array("CellData", "object").values;
    ASSERT_EQ(cell_object.size(), 20u);
    EXPECT_EQ(cell_object[0], 3); // verts first, then lines, then polygons
    EXPECT_EQ(cell_object[4], 2);
    EXPECT_EQ(cell_object[8], 0);
    EXPECT_EQ(cell_object[19], 1);
    EXPECT_TRUE(vtp.has("Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">0.125<"));
}

TEST(Vtk, texture_coordinates_go_to_the_vertices_or_where_there_is_a_seam_to_the_corners) {
    TemporaryFolder folder;
    SnapshotLayout layout = make_sample_layout();
    write_frames(folder.path("seam.pvd"), layout, {});
    const Vtp seam(folder.path("seam.1001.vtp"));
    EXPECT_FALSE(seam.has("TCoords"));
    const VtpArray corners = seam.array("FieldData", "corner_uv");
    ASSERT_EQ(corners.values.size(), 94u);
    EXPECT_EQ(corners.values[2], 0.75);
    EXPECT_TRUE(std::isnan(corners.values[93])); // the box has none

    layout.objects[0].polygon_uv[1] = 4;
    write_frames(folder.path("smooth.pvd"), layout, {});
    const Vtp smooth(folder.path("smooth.1001.vtp"));
    EXPECT_TRUE(smooth.has("<PointData TCoords=\"uv\">"));
    const VtpArray uv = smooth.array("PointData", "uv");
    ASSERT_EQ(uv.values.size(), 58u);
    EXPECT_EQ(uv.values[2 * 5 + 1], 0.5);
}

TEST(Vtk, arrays_longer_than_one_block_are_kept) {
    TemporaryFolder folder;
    SnapshotLayout layout;
    layout.objects.resize(1);
    layout.objects[0].name = "cloud";
    layout.objects[0].point_count = 200000; // 2.4 MB of float32: two full blocks and a part
    Snapshot s;
    s.objects.resize(1);
    for (int i = 0; i < 200000; ++i) s.objects[0].position.push_back({i * 0.5, std::sin(i), 1});
    auto exporter = make_exporter("vtk", {});
    ASSERT_NO_ERRORS((*exporter.value)->open(folder.path("a.pvd"), layout));
    ASSERT_NO_ERRORS((*exporter.value)->write(s));
    const VtpArray x = Vtp(folder.path("a.0000.vtp")).array("Points", "Points");
    ASSERT_EQ(x.values.size(), 600000u);
    for (std::size_t i = 0; i < 200000; ++i)
        ASSERT_EQ(x.values[3 * i + 1], double(float(std::sin(double(i)))));
}

TEST(Vtk, the_collection_lists_files_and_times_after_every_frame) {
    TemporaryFolder folder;
    const SnapshotLayout layout = make_sample_layout();
    auto exporter = make_exporter("vtk", {});
    ASSERT_NO_ERRORS((*exporter.value)->open(folder.path("a<&>.pvd"), layout));
    ASSERT_NO_ERRORS((*exporter.value)->write(make_sample_snapshot(layout, 1001)));
    ASSERT_NO_ERRORS((*exporter.value)->write(make_sample_snapshot(layout, 1004)));
    const std::string pvd = read_text_file(folder.path("a<&>.pvd"));
    EXPECT_NE(pvd.find("<DataSet timestep=\"0\" part=\"0\" file=\"a&lt;&amp;&gt;.1001.vtp\"/>"),
              std::string::npos);
    EXPECT_NE(pvd.find("<DataSet timestep=\"0.125\" part=\"0\" file=\"a&lt;&amp;&gt;.1004.vtp\"/>"),
              std::string::npos);
}

TEST(Vtk, a_killed_run_is_resumed_without_holes_in_its_collection) {
    TemporaryFolder whole, cut;
    SnapshotLayout layout;
    layout.objects.resize(1);
    layout.objects[0].name = "point";
    layout.objects[0].point_count = 1;
    const auto write = [&](Exporter& e, int first, int last) {
        for (int f = first; f <= last; ++f) {
            Snapshot s;
            s.frame = f;
            s.time = f / 24.0;
            s.objects.resize(1);
            s.objects[0].position = {{0.5 * f, 0, 0}};
            ASSERT_NO_ERRORS(e.write(s));
        }
    };
    auto all = make_exporter("vtk", {});
    ASSERT_NO_ERRORS((*all.value)->open(whole.path("a.pvd"), layout));
    write(**all.value, 0, 110);
    ASSERT_NO_ERRORS((*all.value)->close());
    { // never closed: the collection ends at frame 63
        auto killed = make_exporter("vtk", {});
        ASSERT_NO_ERRORS((*killed.value)->open(cut.path("a.pvd"), layout));
        write(**killed.value, 0, 105);
    }
    write_text_file(cut.path("a.b.0007.vtp"), "of another output");
    auto rest = make_exporter("vtk", {});
    ASSERT_NO_ERRORS((*rest.value)->resume(cut.path("a.pvd"), layout, 100));
    write(**rest.value, 101, 110);
    ASSERT_NO_ERRORS((*rest.value)->close());
    EXPECT_EQ(read_text_file(cut.path("a.pvd")), read_text_file(whole.path("a.pvd")));
}

} // namespace sinew
