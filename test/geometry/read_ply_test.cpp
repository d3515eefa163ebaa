#include "geometry/read_mesh.h"
#include "mesh_bytes.h"
#include <gtest/gtest.h>
#include <limits>

using namespace sinew;

static PolygonMesh ply_mesh(std::string_view bytes) {
    Result<PolygonMesh> r = parse_ply(bytes, "a.ply");
    EXPECT_TRUE(r) << (r.errors.empty() ? "" : to_string(r.errors[0]));
    return r ? std::move(*r.value) : PolygonMesh{};
}

static std::string ply_error(std::string_view bytes) {
    const Result<PolygonMesh> r = parse_ply(bytes, "a.ply");
    return r ? "accepted" : to_string(r.errors[0]);
}

static std::string replace(std::string s, std::string_view from, std::string_view to) {
    const std::size_t at = s.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return s.replace(at, from.size(), to);
}

TEST(read_ply, the_three_formats_give_the_same_mesh) {
    for (const auto& bytes : {tet_ply(false, false), tet_ply(true, false), tet_ply(true, true)}) {
        const PolygonMesh m = ply_mesh(bytes);
        EXPECT_EQ(m.positions, kTetVertices);
        EXPECT_EQ(m.polygon_vertex, (std::vector<int>{0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}));
        EXPECT_EQ(m.polygon_begin, (std::vector<int>{0, 3, 6, 9, 12}));
        EXPECT_EQ(m.segments, (std::vector<std::array<int, 2>>{{2, 3}}));
        ASSERT_EQ(m.attributes.size(), 2u);
        EXPECT_EQ(m.attributes[0].name, "color");
        EXPECT_EQ(m.attributes[0].components, 3);
        EXPECT_EQ(m.attributes[0].values[0], 1);
        EXPECT_EQ(m.attributes[0].values[2], 51 * (1 / 255.0));
        EXPECT_EQ(m.attributes[1].name, "weight");
        EXPECT_EQ(m.attributes[1].values, (std::vector<double>{0, -1, -2, -3}));
        EXPECT_EQ(m.notes, (std::vector<std::string>{"face property \"flags\" left out"}));
    }
}

TEST(read_ply, headers_with_carriage_returns_are_read) {
    std::string s = tet_ply(true, false), crlf;
    const std::size_t body = s.find("end_header\n") + 11;
    for (std::size_t i = 0; i < body; ++i) crlf += s[i] == '\n' ? std::string("\r\n") : std::string(1, s[i]);
    EXPECT_EQ(ply_mesh(crlf + s.substr(body)).positions, kTetVertices);
}

template <class Count, class Index>
static void expect_list_types(const char* count_name, const char* index_name) {
    for (const bool big : {false, true}) {
        std::string s =
            std::string("ply\nformat ") + (big ? "binary_big_endian" : "binary_little_endian") +
            " 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n"
            "property list " +
            count_name + " " + index_name + " vertex_index\nend_header\n";
        for (const Real3& x : kTetVertices)
            put(s, float(x.x), big), put(s, float(x.y), big), put(s, float(x.z), big);
        put(s, Count(4), big);
        for (int v : {3, 1, 2, 0}) put(s, Index(v), big);
        EXPECT_EQ(ply_mesh(s).polygon_vertex, (std::vector<int>{3, 1, 2, 0})) << count_name << " " << index_name;
    }
}

TEST(read_ply, lists_of_every_integer_type_are_read) {
    expect_list_types<std::int8_t, std::uint8_t>("char", "uint8");
    expect_list_types<std::uint8_t, std::int8_t>("uchar", "int8");
    expect_list_types<std::int16_t, std::uint16_t>("short", "uint16");
    expect_list_types<std::uint16_t, std::int16_t>("ushort", "short");
    expect_list_types<std::int32_t, std::uint32_t>("int", "uint32");
    expect_list_types<std::uint32_t, std::int32_t>("uint", "int32");
}

static std::string plane(std::string_view vertex_properties, std::string_view face_properties,
                         std::string_view body) {
    return "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n" +
           std::string(vertex_properties) + "element face 1\nproperty list uchar int vertex_indices\n" +
           std::string(face_properties) + "end_header\n" + std::string(body);
}

TEST(read_ply, texture_coordinates_of_vertices_and_of_corners_are_read) {
    const PolygonMesh a =
        ply_mesh(plane("property float s\nproperty float t\n", "", "0 0 0 0 0\n1 0 0 1 0\n0 1 0 0 1\n3 0 1 2\n"));
    EXPECT_EQ(a.uv, (std::vector<std::array<double, 2>>{{0, 0}, {1, 0}, {0, 1}}));
    EXPECT_EQ(a.polygon_uv, (std::vector<int>{0, 1, 2}));
    const PolygonMesh b = ply_mesh(plane("", "property list uchar float texcoord\n",
                                         "0 0 0\n1 0 0\n0 1 0\n3 2 1 0 6 .1 .2 .3 .4 .5 .6\n"));
    EXPECT_EQ(b.uv, (std::vector<std::array<double, 2>>{{.1, .2}, {.3, .4}, {.5, .6}}));
    EXPECT_EQ(b.polygon_uv, (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(ply_mesh(plane("", "property list uchar float texcoord\n", "0 0 0\n1 0 0\n0 1 0\n3 2 1 0 0\n"))
                  .polygon_uv.size(),
              0u);
}

TEST(read_ply, normals_become_one_attribute_and_non_finite_attributes_are_left_out) {
    const std::string properties =
        "property float nx\nproperty float ny\nproperty float nz\nproperty float q\n";
    const PolygonMesh m =
        ply_mesh(plane(properties, "", "0 0 0 0 0 1 1\n1 0 0 0 0 1 nan\n0 1 0 0 0 1 2\n3 0 1 2\n"));
    ASSERT_EQ(m.attributes.size(), 1u);
    EXPECT_EQ(m.attributes[0].name, "normal");
    EXPECT_EQ(m.attributes[0].values, (std::vector<double>{0, 0, 1, 0, 0, 1, 0, 0, 1}));
    EXPECT_EQ(m.notes, (std::vector<std::string>{"vertex attribute \"q\" left out: it is not finite"}));
}

TEST(read_ply, triangle_strips_keep_their_orientation) {
    const std::string s =
        "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n"
        "element tristrips 1\nproperty list int int vertex_indices\nend_header\n"
        "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 2 0\n9 0 1 2 3 4 -1 2 1 0\n";
    EXPECT_EQ(ply_mesh(s).polygon_vertex, (std::vector<int>{0, 1, 2, 1, 3, 2, 2, 3, 4, 2, 1, 0}));
}

TEST(read_ply, points_without_faces_are_a_mesh) {
    const PolygonMesh m = ply_mesh("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
                                   "property float z\nproperty list uchar int near\nend_header\n1 2 3 2 7 8\n");
    EXPECT_EQ(m.positions, (std::vector<Real3>{{1, 2, 3}}));
    EXPECT_EQ(m.notes, (std::vector<std::string>{"vertex property \"near\" left out: it is a list"}));
}

TEST(read_ply, declared_counts_beyond_the_file_are_refused_before_any_allocation) {
    for (const auto& bytes : {tet_ply(false, false), tet_ply(true, false)}) {
        for (const char* count : {"1000000", "2147483647", "9223372036854775807"}) {
            const std::string n = count;
            const std::string vertices = ply_error(replace(bytes, "vertex 4", "vertex " + n));
            const std::string faces = ply_error(replace(bytes, "face 4", "face " + n));
            EXPECT_TRUE(vertices.find("too short") != std::string::npos ||
                        vertices.find("more than") != std::string::npos);
            EXPECT_TRUE(faces.find("too short") != std::string::npos ||
                        faces.find("more than") != std::string::npos);
        }
    }
    EXPECT_EQ(ply_error(plane("", "", "0 0 0\n1 0 0\n0 1 0\n255 0 1 2\n")),
              "a.ply:13: face 0 = 255: the file is too short for a list of this length");
}

TEST(read_ply, an_element_without_properties_costs_no_time) {
    const std::string s =
        replace(tet_ply(false, false), "element edge", "element nothing 2147483647\nelement edge");
    EXPECT_EQ(ply_mesh(s).positions.size(), 4u);
}

TEST(read_ply, errors_name_line_or_byte_and_element) {
    EXPECT_EQ(ply_error("plyx\n"), "a.ply:1: plyx: this is no PLY file: it does not begin with \"ply\"");
    EXPECT_EQ(ply_error("ply\nformat ascii 1.0\n"), "a.ply:3: the file ends inside its header");
    EXPECT_EQ(ply_error("ply\nformat text 1.0\n"),
              "a.ply:2: text: unknown PLY format (allowed: ascii, binary_little_endian, binary_big_endian)");
    EXPECT_EQ(ply_error("ply\nelement vertex 0\nend_header\n"), "a.ply:3: the header has no format line");
    EXPECT_EQ(ply_error(plane("", "", "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n")),
              "a.ply:13: face 0 = 3: vertex index out of range (allowed: 0 to 2)");
    EXPECT_EQ(ply_error(plane("", "", "0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n")),
              "a.ply:13: face 0 = -1: vertex index out of range (allowed: 0 to 2)");
    EXPECT_EQ(ply_error(plane("", "", "0 0 0\n1 0 0\n0 1 0\n2 0 1  \n")),
              "a.ply:13: face 0: a face with 2 corners (allowed: at least 3)");
    EXPECT_EQ(ply_error(plane("", "", "0 0 0\n1 inf 0\n0 1 0\n3 0 1 2\n")),
              "a.ply:11: vertex 1: \"y\" is not a finite number");
    EXPECT_EQ(ply_error(plane("", "", "0 0 0\n1 abc 0\n0 1 0\n3 0 1 2\n")),
              "a.ply:11: vertex 1 = abc: not a number");
    EXPECT_EQ(ply_error(replace(plane("", "", "0 0\n1 0\n0 1\n3 0 1 2\n"), "property float z\n", "")),
              "a.ply:9: vertex 0: the vertices have no property \"z\"");
    EXPECT_EQ(ply_error(replace(plane("", "", ""), "float x", "half x")).substr(0, 40),
              "a.ply:4: half: unknown type of a propert");
    EXPECT_EQ(ply_error(replace(plane("", "", ""), "list uchar", "list float")),
              "a.ply:8: the length of a list must be a whole number");
    std::string nan = tet_ply(true, false);
    const float bad = std::numeric_limits<float>::quiet_NaN();
    const std::size_t z =
        nan.find("end_header\n") + 11 + 21 + 12; // of the second vertex: 21 bytes each, z after x and y
    std::memcpy(nan.data() + z, &bad, 4);
    EXPECT_EQ(ply_error(nan), "a.ply: vertex 1, byte " + std::to_string(z) + ": \"z\" is not a finite number");
}
