// OBJ files read back by the mesh reader of geometry/, and by counting statements.
#include "geometry/read_mesh.h"
#include "output/output.h"
#include "output/samples.h"
#include "output/world.h"
#include <map>
#include <sstream>

namespace sinew {
namespace {
std::map<std::string, int> count_statements(const std::string& text) {
    std::map<std::string, int> count;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) ++count[line.substr(0, line.find(' '))];
    return count;
}
PolygonMesh write_and_read_obj(const SnapshotLayout& layout, const ExporterSettings& settings,
                               std::string* text = nullptr) {
    TemporaryFolder folder;
    auto exporter = make_exporter("obj", settings);
    EXPECT_NO_ERRORS((*exporter.value)->open(folder.path("drape.obj"), layout));
    EXPECT_NO_ERRORS((*exporter.value)->write(make_sample_snapshot(layout, 1004)));
    EXPECT_NO_ERRORS((*exporter.value)->close());
    EXPECT_EQ(folder.files(), std::vector<std::string>{"drape.1004.obj"});
    if (text) *text = read_text_file(folder.path("drape.1004.obj"));
    auto mesh = read_mesh(folder.path("drape.1004.obj"));
    EXPECT_NO_ERRORS(mesh.errors);
    return mesh ? *mesh.value : PolygonMesh();
}
} // namespace

TEST(Obj, keeps_order_count_polygons_texture_coordinates_and_groups) {
    const SnapshotLayout layout = make_sample_layout();
    const Snapshot s = make_sample_snapshot(layout, 1004);
    ExporterSettings settings;
    settings.objects = {"sheet"};
    settings.precision = Precision::float64;
    const PolygonMesh mesh = write_and_read_obj(layout, settings);
    const SnapshotObject& sheet = layout.objects[0];
    EXPECT_EQ(mesh.positions, s.objects[0].position);
    EXPECT_EQ(mesh.polygon_begin, sheet.polygon_begin);
    EXPECT_EQ(mesh.polygon_vertex, sheet.polygon_vertex);
    EXPECT_EQ(mesh.uv, sheet.uv);
    EXPECT_EQ(mesh.polygon_uv, sheet.polygon_uv);
    for (const auto& [name, vertices] : sheet.vertex_groups) {
        const std::vector<int>* back = find_vertex_group(mesh, name);
        ASSERT_NE(back, nullptr) << name;
        EXPECT_EQ(*back, vertices) << name;
    }
    int found = 0;
    for (const PolygonGroup& g : mesh.polygon_groups)
        for (const PolygonGroup& given : sheet.polygon_groups)
            if (g.kind == given.kind && g.name == given.name) {
                EXPECT_EQ(g.polygons, given.polygons) << g.name;
                ++found;
            }
    EXPECT_EQ(found, 3);
}

TEST(Obj, all_kinds_of_objects_share_one_numbering) {
    const SnapshotLayout layout = make_sample_layout();
    const Snapshot s = make_sample_snapshot(layout, 1004);
    std::string text;
    const PolygonMesh mesh = write_and_read_obj(layout, {}, &text);
    // 12 + 8 + 5 vertices and the 4 living of 6 particles
    ASSERT_EQ(mesh.positions.size(), 29u);
    ASSERT_EQ(polygon_count(mesh), 12);
    EXPECT_EQ(mesh.segments, (std::vector<std::array<int, 2>>{{20, 21}, {21, 22}, {22, 23}, {23, 24}}));
    for (int k = 0; k < 24; ++k)
        EXPECT_EQ(mesh.polygon_vertex[std::size_t(23 + k)],
                  12 + layout.objects[1].polygon_vertex[std::size_t(k)]);
    const std::vector<Real3> box = make_world_positions(layout.objects[1], s.objects[1]);
    for (std::size_t i = 0; i < 8; ++i)
        for (int c = 0; c < 3; ++c) EXPECT_EQ(float(mesh.positions[12 + i][c]), float(box[i][c]));
    EXPECT_EQ(float(mesh.positions[26].x), float(s.objects[3].position[2].x)); // slot 1 is dead
    auto count = count_statements(text);
    EXPECT_EQ(count["o"], 4);
    EXPECT_EQ(count["f"], 12);
    EXPECT_EQ(count["l"], 4);
    EXPECT_NE(text.find("\np 26 27 28 29\n"), std::string::npos);
    EXPECT_EQ(text.rfind("# Sinew drape, frame 1004, t = 0.125 s\n", 0), 0u);
}

TEST(Obj, float32_writes_the_shortest_digits_that_read_back) {
    SnapshotLayout layout;
    layout.objects.resize(1);
    layout.objects[0].name = "p";
    layout.objects[0].point_count = 1;
    Snapshot s;
    s.objects.resize(1);
    s.objects[0].position = {{0.1, 1.0 / 3.0, -1e-9}};
    TemporaryFolder folder;
    auto exporter = make_exporter("obj", {});
    ASSERT_NO_ERRORS((*exporter.value)->open(folder.path("a.obj"), layout));
    ASSERT_NO_ERRORS((*exporter.value)->write(s));
    EXPECT_NE(read_text_file(folder.path("a.0000.obj")).find("v 0.1 0.33333334 -1e-09\n"), std::string::npos);
}

TEST(Obj, a_polygon_with_a_corner_without_texture_coordinate_has_none) {
    SnapshotLayout layout = make_sample_layout();
    layout.objects[0].polygon_uv[5] = -1; // second polygon
    const PolygonMesh mesh = write_and_read_obj(layout, {});
    EXPECT_EQ(mesh.polygon_uv[3], 4 + 1 - 4); // first polygon keeps its own: corner 3 is vertex 1
    for (int k = 4; k < 8; ++k) EXPECT_EQ(mesh.polygon_uv[std::size_t(k)], -1);
}

} // namespace sinew
