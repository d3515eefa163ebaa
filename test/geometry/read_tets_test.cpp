#include "geometry/read_tets.h"
#include "data_path.h"
#include "geometry/stuffing.h"
#include "geometry/tet_measure.h"
#include "geometry/topology.h"
#include <cmath>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <random>

using namespace sinew;

static const char* kGmsh22 = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$Comments
anything $ at all
$EndComments
$PhysicalNames
2
2 7 "left side"
3 9 "core"
$EndPhysicalNames
$Nodes
5
10 0 0 0
20 1 0 0
30 0 1 0
40 0 0 1
7 1e0 1 1.5
$EndNodes
$Elements
4
1 15 2 0 1 10
2 2 2 7 1 10 30 40
3 4 2 9 1 10 20 30 40
4 4 2 0 1 20 30 7 40
$EndElements
)";
static const char* kGmsh41 = R"($MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
2
2 7 "left side"
3 9 "core"
$EndPhysicalNames
$Entities
1 0 1 2
1 0 0 0 0
5 0 0 0 0 1 1 1 7 0
1 0 0 0 1 1 1 1 9 1 5
2 0 0 0 1 1 1 0 0
$EndEntities
$Nodes
2 5 7 40
2 5 1 3
10
30
40
0 0 0 0.5 0.5
0 1 0 0.5 0.5
0 0 1 0.5 0.5
3 1 0 2
20
7
1 0 0
1 1 1.5
$EndNodes
$Elements
4 4 1 4
0 1 15 1
1 10
2 5 2 1
2 10 30 40
3 1 4 1
3 10 20 30 40
3 2 4 1
4 20 30 7 40
$EndElements
)";
static const char* kNode = "# points\n5 3 1 1\n1 0 0 0 0.5 0\n2 1 0 0 0.5 3\n3 0 1 0 0 3 # a comment\n4 0 0 1 0 0\n5 1 1 1.5 0 0\n";
static const char* kEle = "2 4 1\n1 1 2 3 4 -5\n2 2 3 5 4 0\n";
static const char* kFace = "1 1\n1 1 3 4 2\n";

static void expect_two_tets(const TetMesh& m) {
    EXPECT_TRUE(validate_tets(m).empty());
    EXPECT_EQ(m.points.size(), 5u);
    ASSERT_EQ(m.tets.size(), 2u);
    EXPECT_NEAR(signed_volume(m, 0), 1.0 / 6, 1e-15);
    EXPECT_GT(signed_volume(m, 1), 0);
    EXPECT_TRUE(check_mesh(boundary_mesh(m).mesh).closed);
}

TEST(read_tets, gmsh_of_both_versions_gives_the_same_mesh_and_groups) {
    for (const char* text : {kGmsh22, kGmsh41}) {
        const Result<TetMesh> m = parse_gmsh(text, "x.msh");
        ASSERT_TRUE(m) << to_string(m.errors[0]);
        expect_two_tets(*m.value);
        ASSERT_EQ(m.value->tet_groups.size(), 1u);
        EXPECT_EQ(m.value->tet_groups[0].name, "core");
        EXPECT_EQ(m.value->tet_groups[0].members, std::vector<int>{0});
        ASSERT_EQ(m.value->point_groups.size(), 1u);
        EXPECT_EQ(m.value->point_groups[0].name, "left side");
        for (int p : m.value->point_groups[0].members) EXPECT_EQ(m.value->points[p].x, 0);
        EXPECT_EQ(m.value->point_groups[0].members.size(), 3u);
    }
}

TEST(read_tets, tetgen_files_with_markers_regions_and_faces) {
    const Result<TetMesh> m = parse_tetgen({kNode, kEle, kFace}, "x");
    ASSERT_TRUE(m) << to_string(m.errors[0]);
    expect_two_tets(*m.value);
    ASSERT_EQ(m.value->point_groups.size(), 2u);
    EXPECT_EQ(m.value->point_groups[0].name, "face_2");
    EXPECT_EQ(m.value->point_groups[0].members, (std::vector<int>{0, 2, 3}));
    EXPECT_EQ(m.value->point_groups[1].name, "marker_3");
    EXPECT_EQ(m.value->tet_groups.at(0).name, "region_-5");
    EXPECT_FALSE(m.value->notes.empty());
}

static void expect_same(const TetMesh& a, const TetMesh& b) {
    EXPECT_EQ(a.tets, b.tets);
    ASSERT_EQ(a.points.size(), b.points.size());
    for (std::size_t i = 0; i < a.points.size(); ++i) ASSERT_EQ(std::memcmp(&a.points[i], &b.points[i], sizeof(Real3)), 0);
    ASSERT_EQ(a.tet_groups.size(), b.tet_groups.size());
    for (std::size_t g = 0; g < a.tet_groups.size(); ++g) {
        EXPECT_EQ(a.tet_groups[g].name, b.tet_groups[g].name);
        EXPECT_EQ(a.tet_groups[g].members, b.tet_groups[g].members);
    }
    ASSERT_EQ(a.point_groups.size(), b.point_groups.size());
    for (std::size_t g = 0; g < a.point_groups.size(); ++g) {
        EXPECT_EQ(a.point_groups[g].name, b.point_groups[g].name);
        EXPECT_EQ(a.point_groups[g].members, b.point_groups[g].members);
    }
}

TEST(read_tets, what_is_written_reads_back_with_the_same_bits) {
    const ParallelPtr parallel = make_parallel(Context{});
    StuffingSettings s;
    s.cell = 0.4;
    TetMesh m = *stuff_distance(*parallel, {Vec3::Constant(-1), Vec3::Constant(1)}, [](const Vec3& p) { return p.norm() - 1; }, s).value;
    m.tet_groups = {{"region_1", {0, 3, 4}}, {"region_7", {1, 2}}};
    m.point_groups = {{"marker_2", {1, 5}}, {"marker_3", {2}}};
    for (bool binary : {false, true}) {
        const Result<TetMesh> back = parse_gmsh(format_gmsh(m, binary), "x.msh");
        ASSERT_TRUE(back) << to_string(back.errors[0]);
        expect_same(m, *back.value);
        EXPECT_TRUE(back.value->notes.empty());
    }
    const TetgenFiles f = format_tetgen(m);
    const Result<TetMesh> back = parse_tetgen({f.node, f.ele, {}}, "x");
    ASSERT_TRUE(back) << to_string(back.errors[0]);
    expect_same(m, *back.value);
    const std::string folder = ::testing::TempDir();
    for (const char* name : {"tets_round.msh", "tets_round.node", "tets_round.ele"}) {
        ASSERT_TRUE(write_tets(folder + name, m).empty());
        const Result<TetMesh> file = read_tets(folder + name);
        ASSERT_TRUE(file) << to_string(file.errors[0]);
        expect_same(m, *file.value);
    }
    for (const char* name : {"tets_round.msh", "tets_round.node", "tets_round.ele"}) std::filesystem::remove(folder + name);
    EXPECT_FALSE(write_tets(folder + "x.obj", m).empty());
    EXPECT_FALSE(read_tets(folder + "x.obj"));
    EXPECT_FALSE(read_tets(folder + "not_there.msh"));
    EXPECT_FALSE(read_tets(folder + "not_there.ele"));
}

// ints of 4 bytes, sizes and reals of 8, as Gmsh writes version 4.1
static std::string binary_41() {
    std::string b = "$MeshFormat\n4.1 1 8\n";
    const auto put = [&](auto... values) { ((b.append(reinterpret_cast<const char*>(&values), sizeof values)), ...); };
    using Size = std::uint64_t;
    put(1);
    b += "\n$EndMeshFormat\n$Entities\n";
    put(Size(0), Size(0), Size(0), Size(1), 1, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, Size(1), 9, Size(0));
    b += "\n$EndEntities\n$Nodes\n";
    put(Size(1), Size(5), Size(1), Size(5), 3, 1, 0, Size(5), Size(1), Size(2), Size(3), Size(4), Size(5));
    put(0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.5);
    b += "\n$EndNodes\n$Elements\n";
    put(Size(1), Size(2), Size(1), Size(2), 3, 1, 4, Size(2), Size(1), Size(1), Size(2), Size(3), Size(4), Size(2), Size(2), Size(3), Size(5), Size(4));
    return b + "\n$EndElements\n";
}

TEST(read_tets, binary_gmsh_4_is_read) {
    const Result<TetMesh> m = parse_gmsh(binary_41(), "x.msh");
    ASSERT_TRUE(m) << to_string(m.errors[0]);
    expect_two_tets(*m.value);
    EXPECT_EQ(m.value->tet_groups.at(0).name, "group_9");
    EXPECT_EQ(m.value->tet_groups[0].members, (std::vector<int>{0, 1}));
}

static std::string changed(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

TEST(read_tets, errors_name_file_line_and_what_is_allowed) {
    const auto gmsh = [](const char* from, const char* to) { return parse_gmsh(changed(kGmsh22, from, to), "x.msh").errors.at(0); };
    Error e = gmsh("2.2 0 8", "3.0 0 8");
    EXPECT_EQ(e.line, 2);
    EXPECT_EQ(e.allowed, "2.2, 4.1");
    e = gmsh("3 4 2 9 1 10 20 30 40", "3 4 2 9 1 10 20 30 41");
    EXPECT_EQ(e.file, "x.msh");
    EXPECT_EQ(e.line, 24);
    EXPECT_EQ(e.value, "41");
    EXPECT_NE(gmsh("3 4 2 9 1 10 20 30 40", "3 4 2 9 1 10 20 30 30").message.find("twice"), std::string::npos);
    EXPECT_NE(gmsh("40 0 0 1", "40 0 nan 1").message.find("finite"), std::string::npos);
    EXPECT_NE(gmsh("40 0 0 1", "30 0 0 1").message.find("same tag"), std::string::npos);
    EXPECT_EQ(gmsh("$EndNodes", "$EndNode").allowed, "$EndNodes");
    EXPECT_NE(gmsh("$Nodes\n5", "$Nodes\n500000000").message.find("too short"), std::string::npos);
    EXPECT_NE(gmsh("2 2 2 7 1 10 30 40", "2 99 2 7 1 10 30 40").message.find("type of element"), std::string::npos);
    const auto tetgen = [](const char* from, const char* to) { return parse_tetgen({changed(kNode, from, to), kEle, kFace}, "x").errors.at(0); };
    e = tetgen("5 3 1 1", "5 2 1 1");
    EXPECT_EQ(e.file, "x.node");
    EXPECT_EQ(e.line, 2);
    EXPECT_EQ(e.allowed, "3");
    EXPECT_NE(tetgen("3 0 1 0", "4 0 1 0").message.find("follow"), std::string::npos);
    EXPECT_NE(tetgen("5 1 1 1.5 0 0", "5 1 1").message.find("line ends"), std::string::npos);
    e = parse_tetgen({kNode, changed(kEle, "2 2 3 5 4 0", "2 2 3 6 4 0"), {}}, "x").errors.at(0);
    EXPECT_EQ(e.file, "x.ele");
    EXPECT_EQ(e.line, 3);
    EXPECT_EQ(e.allowed, "1 to 5");
    EXPECT_FALSE(parse_tetgen({kNode, "0 4 0\n", {}}, "x"));
    EXPECT_FALSE(parse_tetgen({{}, {}, {}}, "x"));
    EXPECT_FALSE(parse_gmsh({}, "x"));
}

// Whatever happens to the bytes: an error with a message, or a mesh that keeps its promises.
static std::string broken_promise(const Result<TetMesh>& r) {
    if (!r) return r.errors.empty() || r.errors[0].message.empty() ? "refused without a reason" : "";
    const std::vector<Error> e = validate_tets(*r.value);
    if (!e.empty()) return to_string(e[0]);
    return r.value->tets.empty() ? "empty" : "";
}

TEST(read_tets, damaged_files_are_refused_or_valid) {
    const ParallelPtr parallel = make_parallel(Context{});
    TetMesh m = *parse_gmsh(kGmsh22, "x").value;
    const std::string seeds[] = {kGmsh22, kGmsh41, format_gmsh(m, true), binary_41(), kNode, kEle, kFace};
    std::mt19937 random(3);
    const std::string_view words[] = {"-1", "99999999999999999999", "nan", "$End", "$Nodes\n", "4294967295", "\n", " 0 ", "\"", "1e999"};
    const auto parse = [&](int seed, const std::string& text) {
        if (seed < 4) return parse_gmsh(text, "x");
        return parse_tetgen({seed == 4 ? text : seeds[4], seed == 5 ? text : seeds[5], seed == 6 ? text : seeds[6]}, "x");
    };
    for (int seed = 0; seed < 7; ++seed) {
        for (std::size_t n = 0; n < seeds[seed].size(); ++n) ASSERT_EQ(broken_promise(parse(seed, seeds[seed].substr(0, n))), "") << seed << " cut at " << n;
        for (int round = 0; round < 3000; ++round) {
            std::string text = seeds[seed];
            for (int edits = 1 + int(random() % 3); edits > 0; --edits) {
                const std::size_t at = random() % text.size();
                switch (random() % 3) {
                case 0: text[at] = char(random()); break;
                case 1: text.erase(at, 1 + random() % 6); break;
                default: text.insert(at, words[random() % std::size(words)]); break;
                }
                if (text.empty()) text = "x";
            }
            ASSERT_EQ(broken_promise(parse(seed, text)), "") << seed << " round " << round;
        }
    }
}

TEST(read_tets, armadillo_of_tetgen) {
    const std::string file = find_data("meshes/armadillo_4k.ele");
    if (file.empty()) GTEST_SKIP();
    const Result<TetMesh> m = read_tets(file);
    ASSERT_TRUE(m) << to_string(m.errors[0]);
    EXPECT_EQ(m.value->points.size(), 1180u);
    EXPECT_EQ(m.value->tets.size(), 3717u);
    EXPECT_TRUE(check_mesh(boundary_mesh(*m.value).mesh).closed);
    EXPECT_GT(total_volume(*m.value), 0);
}
