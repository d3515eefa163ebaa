// PLY files read back by the mesh reader of geometry/.
#include "geometry/read_mesh.h"
#include "output/output.h"
#include "output/samples.h"

namespace sinew {
namespace {
PolygonMesh write_and_read_ply(const SnapshotLayout& layout, const Snapshot& s,
                               const ExporterSettings& settings, std::string* text = nullptr) {
    TemporaryFolder folder;
    auto exporter = make_exporter("ply", settings);
    EXPECT_NO_ERRORS((*exporter.value)->open(folder.path("drape.ply"), layout));
    EXPECT_NO_ERRORS((*exporter.value)->write(s));
    EXPECT_NO_ERRORS((*exporter.value)->close());
    if (text) *text = read_text_file(numbered_path(folder.path("drape.ply"), s.frame));
    const auto mesh = read_mesh(numbered_path(folder.path("drape.ply"), s.frame));
    EXPECT_NO_ERRORS(mesh.errors);
    return mesh ? *mesh.value : PolygonMesh();
}
const std::vector<double>& mesh_attribute(const PolygonMesh& mesh, const std::string& name) {
    static const std::vector<double> none;
    for (const VertexAttribute& a : mesh.attributes)
        if (a.name == name) return a.values;
    ADD_FAILURE() << "no attribute " << name;
    return none;
}
} // namespace

TEST(Ply, keeps_mesh_fields_groups_and_texture_coordinates) {
    const SnapshotLayout layout = make_sample_layout();
    const Snapshot s = make_sample_snapshot(layout, 1004);
    ExporterSettings settings;
    settings.precision = settings.field_precision = Precision::float64;
    const PolygonMesh mesh = write_and_read_ply(layout, s, settings);
    ASSERT_EQ(mesh.positions.size(), 29u);
    for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(mesh.positions[i], s.objects[0].position[i]);
    ASSERT_EQ(polygon_count(mesh), 12);
    for (std::size_t k = 0; k < 23; ++k)
        EXPECT_EQ(mesh.polygon_vertex[k], layout.objects[0].polygon_vertex[k]);
    EXPECT_EQ(mesh.segments.size(), 4u);
    EXPECT_EQ(mesh.segments[3], (std::array<int, 2>{23, 24}));

    const std::vector<double>&speed = mesh_attribute(mesh, "speed"), &y = mesh_attribute(mesh, "velocity_y");
    const std::vector<double>&age = mesh_attribute(mesh, "age"), &object = mesh_attribute(mesh, "object");
    const std::vector<double>&id = mesh_attribute(mesh, "id"), &top = mesh_attribute(mesh, "group_top");
    for (std::size_t i = 0; i < 12; ++i) {
        EXPECT_EQ(speed[i], s.objects[0].fields[1].values[i]);
        EXPECT_EQ(y[i], s.objects[0].fields[0].values[3 * i + 1]);
        EXPECT_EQ(top[i], i < 8 ? 1 : 0);
        EXPECT_EQ(object[i], 0);
        EXPECT_EQ(age[i], 0);
    }
    EXPECT_EQ(object[28], 3);
    EXPECT_EQ(id[28], 1004);
    EXPECT_EQ(age[27], 0.3); // the third living particle is slot 3

    // texture coordinates of corners, float32
    ASSERT_EQ(mesh.polygon_uv.size(), mesh.polygon_vertex.size());
    for (std::size_t k = 0; k < 23; ++k) {
        const auto& want = layout.objects[0].uv[std::size_t(layout.objects[0].polygon_uv[k])];
        const auto& have = mesh.uv[std::size_t(mesh.polygon_uv[k])];
        EXPECT_EQ(have[0], double(float(want[0])));
        EXPECT_EQ(have[1], double(float(want[1])));
    }
}

TEST(Ply, faces_have_the_groups_and_materials_of_the_input_file) {
    SnapshotLayout layout = make_sample_layout();
    layout.objects.resize(1);
    Snapshot s = make_sample_snapshot(layout, 1004);
    std::string text;
    write_and_read_ply(layout, s, {}, &text);
    const std::size_t face = text.find("element face 6\n"), end = text.find("end_header\n");
    ASSERT_NE(face, text.npos);
    for (const char* line : {"property uchar group_even\n", "property uchar material_red\n", "property uchar material_blue\n"})
        EXPECT_LT(text.find(line, face), end) << line;
    // the last polygon, a triangle in no group, before it the fifth: 4 corners, in "even" and "blue"
    const std::size_t triangle = 1 + 3 * 4 + 1 + 6 * 4 + 4 + 3, flags = text.size() - triangle - 3;
    EXPECT_EQ(text.substr(flags, 3), std::string("\1\0\1", 3));
    EXPECT_EQ(text.substr(text.size() - 3), std::string("\0\0\0", 3));
}

TEST(Ply, polygons_with_hundreds_of_corners_are_kept) {
    SnapshotLayout layout;
    layout.objects.resize(1);
    SnapshotObject& o = layout.objects[0];
    o.name = "disc";
    o.point_count = 300;
    o.polygon_begin = {0, 300};
    Snapshot s;
    s.objects.resize(1);
    for (int i = 0; i < 300; ++i) {
        o.polygon_vertex.push_back(i);
        s.objects[0].position.push_back({double(i), double(i * i), 0});
    }
    const PolygonMesh mesh = write_and_read_ply(layout, s, {});
    ASSERT_EQ(polygon_count(mesh), 1);
    EXPECT_EQ(mesh.polygon_vertex, o.polygon_vertex);
    EXPECT_EQ(mesh.positions[299].y, 299.0 * 299.0);
}

} // namespace sinew
