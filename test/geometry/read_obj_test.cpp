#include "geometry/read_mesh.h"
#include "mesh_bytes.h"
#include <gtest/gtest.h>

using namespace sinew;

static PolygonMesh obj_mesh(std::string_view text) {
    Result<PolygonMesh> r = parse_obj(text, "a.obj");
    EXPECT_TRUE(r) << (r.errors.empty() ? "" : to_string(r.errors[0]));
    return r ? std::move(*r.value) : PolygonMesh{};
}

static std::string obj_error(std::string_view text) {
    const Result<PolygonMesh> r = parse_obj(text, "a.obj");
    return r ? "accepted" : to_string(r.errors[0]);
}

TEST(read_obj, order_polygons_texture_coordinates_and_groups_are_kept) {
    const PolygonMesh m = obj_mesh(tet_obj());
    EXPECT_EQ(m.positions, kTetVertices);
    EXPECT_EQ(m.polygon_vertex, (std::vector<int>{0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}));
    EXPECT_EQ(m.polygon_uv, (std::vector<int>{0, 1, 2, -1, -1, -1, -1, -1, -1, 0, 1, 2}));
    EXPECT_EQ(m.segments, (std::vector<std::array<int, 2>>{{0, 1}, {1, 2}}));
    ASSERT_EQ(m.polygon_groups.size(), 5u);
    EXPECT_EQ(m.polygon_groups[0].name, "body");
    EXPECT_EQ(m.polygon_groups[0].kind, PolygonGroupKind::object);
    EXPECT_EQ(m.polygon_groups[0].polygons, (std::vector<int>{0, 1, 2, 3}));
    EXPECT_EQ(m.polygon_groups[1].name, "base");
    EXPECT_EQ(m.polygon_groups[1].polygons, (std::vector<int>{0}));
    EXPECT_EQ(m.polygon_groups[2].name, "red");
    EXPECT_EQ(m.polygon_groups[2].kind, PolygonGroupKind::material);
    EXPECT_EQ(m.polygon_groups[4].name, "top");
    EXPECT_EQ(m.polygon_groups[4].polygons, (std::vector<int>{1, 2, 3}));
    EXPECT_EQ(*find_vertex_group(m, "base"), (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(*find_vertex_group(m, "top"), (std::vector<int>{0, 1, 2, 3}));
    EXPECT_EQ(find_vertex_group(m, "red"), nullptr);
    EXPECT_EQ(m.notes, (std::vector<std::string>{"1 normals left out"}));
}

TEST(read_obj, points_make_a_vertex_group_without_polygons) {
    const PolygonMesh m = obj_mesh("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\ng collar\np 3 1\n");
    EXPECT_EQ(*find_vertex_group(m, "collar"), (std::vector<int>{0, 2}));
    EXPECT_TRUE(m.polygon_groups.empty());
}

TEST(read_obj, large_polygons_continuations_and_all_line_ends_are_read) {
    for (const std::string end : {"\n", "\r\n", "\r"}) {
        std::string s = "\xEF\xBB\xBF# byte order mark" + end + "  v\t0 0 0 # comment" + end + end;
        for (int i = 1; i < 300; ++i) s += "v " + std::to_string(i) + " +.5 -1e-3" + end;
        s += "f";
        for (int i = 1; i <= 300; ++i) s += " " + std::to_string(i) + (i % 7 ? "" : " \\" + end);
        s += end + "f 1 2\\" + end + " 3 4"; // no line end after the last line
        const PolygonMesh m = obj_mesh(s);
        EXPECT_EQ(vertex_count(m), 300);
        ASSERT_EQ(polygon_count(m), 2);
        EXPECT_EQ(polygon_size(m, 0), 300);
        EXPECT_EQ(polygon_size(m, 1), 4);
        EXPECT_EQ(m.positions[299], (Real3{299, 0.5, -1e-3}));
    }
}

TEST(read_obj, negative_indices_count_back_from_the_statement) {
    const PolygonMesh m = obj_mesh("v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 5 5 5\nf -4 -3 -1\n");
    EXPECT_EQ(m.polygon_vertex, (std::vector<int>{0, 1, 2, 0, 1, 3}));
}

TEST(read_obj, a_face_may_come_before_its_vertices) {
    const PolygonMesh m = obj_mesh("f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n");
    EXPECT_EQ(m.polygon_vertex, (std::vector<int>{0, 1, 2}));
}

TEST(read_obj, names_of_objects_and_materials_may_hold_blanks) {
    const PolygonMesh m = obj_mesh("v 0 0 0\nv 1 0 0\nv 0 1 0\no  left arm \nusemtl dark red\nf 1 2 3\n");
    EXPECT_EQ(m.polygon_groups[0].name, "left arm");
    EXPECT_EQ(m.polygon_groups[1].name, "dark red");
}

TEST(read_obj, vertex_colours_become_an_attribute) {
    const PolygonMesh m = obj_mesh("v 0 0 0 1 0 0\nv 1 0 0 0 1 0\nv 0 1 0 0 0 1\nf 1 2 3\n");
    ASSERT_EQ(m.attributes.size(), 1u);
    EXPECT_EQ(m.attributes[0].name, "color");
    EXPECT_EQ(m.attributes[0].values, (std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
}

TEST(read_obj, unused_texture_coordinates_leave_no_trace) {
    const PolygonMesh m = obj_mesh("v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1 2 3\n");
    EXPECT_TRUE(m.uv.empty() && m.polygon_uv.empty());
}

TEST(read_obj, foreign_statements_are_noted_and_harmless_ones_passed_over) {
    const PolygonMesh m =
        obj_mesh("mtllib a.mtl\ns off\nvc 1 2 3\nvc \\\n 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    EXPECT_EQ(m.notes, (std::vector<std::string>{"2 \"vc\" statements left out"}));
}

TEST(read_obj, errors_name_file_line_and_value) {
    const std::string v = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    EXPECT_EQ(obj_error(v + "f 1 2 9\n"), "a.obj:4: 9: vertex index out of range (allowed: 3 are defined)");
    EXPECT_EQ(obj_error(v + "f 1 2 -4\n"),
              "a.obj:4: -4: vertex index out of range (allowed: 3 are defined so far)");
    EXPECT_EQ(obj_error(v + "f 0 1 2\n"), "a.obj:4: 0: vertex indices start at 1");
    EXPECT_EQ(obj_error(v + "\n\nf 1/1 2/1 3/1\n"),
              "a.obj:6: 1: texture coordinate index out of range (allowed: 0 are defined)");
    EXPECT_EQ(obj_error(v + "f 1//1 2//1 3//1\n"),
              "a.obj:4: 1: normal index out of range (allowed: 0 are defined)");
    EXPECT_EQ(obj_error(v + "f 1 2\n"), "a.obj:4: a face with 2 corners (allowed: at least 3)");
    EXPECT_EQ(obj_error(v + "f 1 2 x\n"), "a.obj:4: x: not a vertex index");
    EXPECT_EQ(obj_error(v + "f 1 2 3/1/1/1\n"),
              "a.obj:4: 3/1/1/1: a corner has at most three indices (allowed: v, v/vt, v//vn, v/vt/vn)");
    EXPECT_EQ(obj_error(v + "f 1 2 99999999999999999999\n"), "a.obj:4: 99999999999999999999: not a vertex index");
    EXPECT_EQ(obj_error(v + "l 1\n"), "a.obj:4: a line needs two vertices");
    EXPECT_EQ(obj_error("v 0 nan 0\n"), "a.obj:1: nan: not a finite number");
    EXPECT_EQ(obj_error("v 0 1e999 0\n"), "a.obj:1: 1e999: not a finite number");
    EXPECT_EQ(obj_error("v 0 0,5 0\n"), "a.obj:1: 0,5: not a number");
    EXPECT_EQ(obj_error("v 0 0\n"), "a.obj:1: too few numbers (allowed: at least 3)");
    EXPECT_EQ(obj_error(v + "surf 0 1 0 1 1 2 3\n"), "a.obj:4: surf: curves, surfaces and included files are not "
                                                 "supported (allowed: polygons, lines and points)");
    EXPECT_EQ(obj_error("\x89PNG\n"),
              "a.obj:1: ?PNG: this is no OBJ statement (allowed: v, vt, vn, f, l, p, g, o, usemtl ...)");
    EXPECT_EQ(obj_error(""), "a.obj: the file has no vertices");
}

TEST(read_obj, numbers_too_small_for_a_double_are_zero) {
    EXPECT_EQ(obj_mesh("v 1e-400 -1e-330 0\n").positions[0], (Real3{0, 0, 0}));
}

TEST(read_obj, many_groups_at_once_cannot_ask_for_huge_memory) {
    std::string s = "v 0 0 0\nv 1 0 0\nv 0 1 0\ng";
    for (int i = 0; i < 250; ++i) s += " g" + std::to_string(i);
    s += "\n";
    for (int i = 0; i < 20000; ++i) s += "f 1 2 3\n";
    EXPECT_NE(obj_error(s).find("in too many groups"), std::string::npos);
    std::string names = "g";
    for (int i = 0; i < 300; ++i) names += " g" + std::to_string(i);
    EXPECT_NE(obj_error("v 0 0 0\n" + names).find("more than 256 names"), std::string::npos);
}
