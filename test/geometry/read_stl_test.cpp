#include "geometry/read_mesh.h"
#include "geometry/topology.h"
#include "mesh_bytes.h"
#include <gtest/gtest.h>
#include <limits>

using namespace sinew;

static PolygonMesh stl_mesh(std::string_view bytes) {
    Result<PolygonMesh> r = parse_stl(bytes, "a.stl");
    EXPECT_TRUE(r) << (r.errors.empty() ? "" : to_string(r.errors[0]));
    return r ? std::move(*r.value) : PolygonMesh{};
}

static std::string stl_error(std::string_view bytes) {
    const Result<PolygonMesh> r = parse_stl(bytes, "a.stl");
    return r ? "accepted" : to_string(r.errors[0]);
}

TEST(read_stl, equal_corners_become_one_vertex_in_order_of_appearance) {
    for (const bool binary : {false, true}) {
        const PolygonMesh m = stl_mesh(tet_stl(binary));
        // first triangle is 0 2 1
        EXPECT_EQ(m.positions,
                  (std::vector<Real3>{kTetVertices[0], kTetVertices[2], kTetVertices[1], kTetVertices[3]}));
        EXPECT_EQ(m.polygon_vertex, (std::vector<int>{0, 1, 2, 0, 2, 3, 0, 3, 1, 2, 1, 3}));
        EXPECT_TRUE(bounds_volume(check_mesh(m)));
        ASSERT_EQ(m.polygon_groups.size(), binary ? 0u : 1u);
        if (!binary) {
            EXPECT_EQ(m.polygon_groups[0].name, "tet one");
        }
    }
}

TEST(read_stl, zero_and_minus_zero_are_the_same_corner) {
    std::string s = tet_stl(true);
    const float minus_zero = -0.0f;
    std::memcpy(s.data() + 84 + 12, &minus_zero, 4); // x of the first corner
    EXPECT_EQ(vertex_count(stl_mesh(s)), 4);
}

TEST(read_stl, corners_one_bit_apart_stay_apart) {
    std::string s = tet_stl(true);
    const float tiny = std::numeric_limits<float>::denorm_min();
    std::memcpy(s.data() + 84 + 12, &tiny, 4);
    EXPECT_EQ(vertex_count(stl_mesh(s)), 5);
    EXPECT_FALSE(check_mesh(stl_mesh(s)).closed);
}

TEST(read_stl, capitals_and_several_solids_are_read) {
    std::string s = tet_stl(false), upper = s;
    for (char& c : upper)
        if (c >= 'a' && c <= 'z') c = char(c - 32);
    const PolygonMesh m = stl_mesh(upper + "\n" + s);
    ASSERT_EQ(m.polygon_groups.size(), 2u);
    EXPECT_EQ(m.polygon_groups[0].name, "TET ONE");
    EXPECT_EQ(m.polygon_groups[1].polygons, (std::vector<int>{4, 5, 6, 7}));
}

TEST(read_stl, collapsed_triangles_are_kept) {
    const PolygonMesh m =
        stl_mesh("solid\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 0\nvertex 1 0 0\n"
                 "endloop\nendfacet\nendsolid\n");
    EXPECT_EQ(m.polygon_vertex, (std::vector<int>{0, 0, 1}));
}

TEST(read_stl, bytes_after_the_triangles_are_noted) {
    std::string s = tet_stl(true);
    s[0] = 'S', s[1] = '_'; // no longer "solid": an appended file that begins so is taken as text
    EXPECT_EQ(stl_mesh(s + "more").notes, (std::vector<std::string>{"bytes after the last triangle left out"}));
}

TEST(read_stl, errors_name_line_or_byte) {
    std::string s = tet_stl(true);
    s[0] = 'x';
    EXPECT_EQ(stl_error(s.substr(0, 200)), "a.stl: byte 80 = 4: the file is too short for the declared number of "
                                       "triangles (allowed: at most 2)");
    std::string huge = s;
    const std::uint32_t count = 0xffffffff;
    std::memcpy(huge.data() + 80, &count, 4);
    EXPECT_EQ(stl_error(huge), "a.stl: byte 80 = 4294967295: the file is too short for the declared number of "
                           "triangles (allowed: at most 4)");
    const float bad = std::numeric_limits<float>::infinity();
    std::memcpy(s.data() + 84 + 50 + 12 + 4, &bad, 4);
    EXPECT_EQ(stl_error(s), "a.stl: triangle 1, byte 150: not a finite number");
    EXPECT_EQ(stl_error("short"),
              "a.stl: this is no STL file: it is shorter than a header and does not begin with \"solid\"");
    EXPECT_EQ(stl_error("solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 q\n"), "a.stl:4: q: not a number");
    EXPECT_EQ(stl_error("solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 "
                        "0\nvertex 0 1 0\n"),
              "a.stl:7: vertex: unexpected word (allowed: endloop)");
    EXPECT_EQ(stl_error("solid x\n"), "a.stl:2: the file ends where \"facet\" or \"endsolid\" is expected");
    EXPECT_EQ(stl_error("solid x\nendsolid x\n"), "a.stl: the file has no triangles");
}
