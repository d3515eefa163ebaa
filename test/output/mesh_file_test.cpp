#include "output/mesh_file.h"
#include "geometry/generate.h"
#include "geometry/read_mesh.h"
#include <gtest/gtest.h>

using namespace sinew;

static PolygonMesh rich_mesh() {
    PolygonMesh m = make_uv_sphere(0.1, 7, 4);
    m.positions[3].x = 1.0 / 3; // needs all its digits
    m.polygon_groups = {{PolygonGroupKind::group, "top", {0, 1, 2}},
                        {PolygonGroupKind::object, "the ball", {0, 1, 2, 3, 4, 5}},
                        {PolygonGroupKind::group, "rim", {2, 3}},
                        {PolygonGroupKind::material, "red paint", {1, 4}}};
    m.positions.push_back({0, 1, 0});
    m.positions.push_back({0, 2, 0});
    m.segments = {{0, int(m.positions.size()) - 1}};
    m.vertex_groups = {{"free", {int(m.positions.size()) - 2}}};
    VertexAttribute color{"color", 3, {}};
    for (std::size_t i = 0; i < 3 * m.positions.size(); ++i) color.values.push_back(double(i % 8) / 8);
    m.attributes = {color};
    return m;
}

TEST(mesh_file, an_obj_file_reads_back_as_the_same_mesh) {
    const PolygonMesh m = rich_mesh();
    const Result<PolygonMesh> r = parse_obj(obj_text(m), "text");
    ASSERT_TRUE(r) << to_string(r.errors[0]);
    EXPECT_EQ(r.value->positions, m.positions);
    EXPECT_EQ(r.value->polygon_begin, m.polygon_begin);
    EXPECT_EQ(r.value->polygon_vertex, m.polygon_vertex);
    EXPECT_EQ(r.value->polygon_uv, m.polygon_uv);
    EXPECT_EQ(r.value->uv, m.uv);
    EXPECT_EQ(r.value->segments, m.segments);
    ASSERT_EQ(r.value->attributes.size(), 1u);
    EXPECT_EQ(r.value->attributes[0].values, m.attributes[0].values);
    for (const PolygonGroup& g : m.polygon_groups) {
        bool found = false;
        for (const PolygonGroup& h : r.value->polygon_groups) found = found || (h.kind == g.kind && h.name == g.name && h.polygons == g.polygons);
        EXPECT_TRUE(found) << g.name;
    }
    const std::vector<int>* free = find_vertex_group(*r.value, "free");
    ASSERT_TRUE(free);
    EXPECT_EQ(*free, m.vertex_groups[0].second);
}

TEST(mesh_file, ply_and_stl_keep_what_they_can_and_say_what_they_cannot) {
    const PolygonMesh m = rich_mesh();
    const std::string folder = testing::TempDir();
    std::vector<std::string> notes;
    ASSERT_TRUE(write_mesh(folder + "/rich.ply", m, notes).empty());
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_EQ(notes[0], "ply cannot hold and leaves out: groups, segments");
    const Result<PolygonMesh> ply = read_mesh(folder + "/rich.ply");
    ASSERT_TRUE(ply) << to_string(ply.errors[0]);
    EXPECT_EQ(ply.value->positions, m.positions);
    EXPECT_EQ(ply.value->polygon_vertex, m.polygon_vertex);
    notes.clear();
    ASSERT_TRUE(write_mesh(folder + "/rich.stl", m, notes).empty());
    EXPECT_EQ(notes[0], "stl cannot hold and leaves out: groups, segments, texture coordinates, color");
    const Result<PolygonMesh> stl = read_mesh(folder + "/rich.stl");
    ASSERT_TRUE(stl) << to_string(stl.errors[0]);
    EXPECT_EQ(polygon_count(*stl.value), 2 * 7 + 2 * 2 * 7); // two caps of triangles, two rings of quads
}

TEST(mesh_file, an_unknown_format_writes_nothing) {
    std::vector<std::string> notes;
    EXPECT_FALSE(write_mesh(testing::TempDir() + "/mesh.xyz", rich_mesh(), notes).empty());
    EXPECT_FALSE(write_mesh("/nowhere/mesh.obj", rich_mesh(), notes).empty());
}
