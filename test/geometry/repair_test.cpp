#include "geometry/repair.h"
#include "data_path.h"
#include "geometry/generate.h"
#include "geometry/mass.h"
#include "geometry/read_mesh.h"
#include "geometry/topology.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace sinew;
using Edge = std::array<int, 2>;
using Ints = std::vector<int>;

// Everything a repair promises of its result; returns it for more questions.
static RepairedMesh expect_sound_repair(const PolygonMesh& m, const RepairOptions& o = {}) {
    const RepairedMesh r = repair_mesh(m, o);
    EXPECT_TRUE(validate_mesh(r.mesh).empty());
    const MeshCheck c = check_mesh(r.mesh);
    EXPECT_TRUE(c.manifold) << describe(c);
    EXPECT_TRUE(c.degenerate_polygons.empty());
    EXPECT_TRUE(!o.remove_unused || c.unused_vertices.empty());
    EXPECT_TRUE(c.oriented || !r.report.unorientable_edges.empty()) << describe(c);
    EXPECT_EQ(int(r.vertex_source.size()), vertex_count(r.mesh));
    EXPECT_EQ(int(r.polygon_source.size()), polygon_count(r.mesh));
    // the second repair changes nothing
    const RepairedMesh again = repair_mesh(r.mesh, o);
    EXPECT_FALSE(changed_anything(again.report)) << (describe(again.report).empty() ? "" : describe(again.report)[0]);
    EXPECT_EQ(again.mesh.positions, r.mesh.positions);
    EXPECT_EQ(again.mesh.polygon_vertex, r.mesh.polygon_vertex);
    EXPECT_EQ(again.mesh.polygon_uv, r.mesh.polygon_uv);
    return r;
}

static Real volume(const PolygonMesh& m) { return mass_properties(m, 1).value->volume; }

// every polygon with its own vertices, as an STL file gives them
static PolygonMesh soup(const PolygonMesh& m) {
    PolygonMesh s;
    for (int p = 0; p < polygon_count(m); ++p) {
        Ints corners;
        for (int c = m.polygon_begin[p]; c < m.polygon_begin[p + 1]; ++c) {
            corners.push_back(vertex_count(s));
            s.positions.push_back(m.positions[m.polygon_vertex[c]]);
        }
        add_polygon(s, corners);
    }
    return s;
}

TEST(repair, a_sound_mesh_stays_as_it_is) {
    PolygonMesh m = make_uv_sphere(1, 12, 6);
    m.polygon_groups.push_back({PolygonGroupKind::group, "top", {0, 1, 5}});
    const RepairedMesh r = expect_sound_repair(m);
    EXPECT_FALSE(changed_anything(r.report));
    EXPECT_TRUE(describe(r.report).empty());
    EXPECT_EQ(r.mesh.positions, m.positions);
    EXPECT_EQ(r.mesh.polygon_vertex, m.polygon_vertex);
    EXPECT_EQ(r.mesh.polygon_uv, m.polygon_uv);
    EXPECT_EQ(r.mesh.uv, m.uv);
    EXPECT_EQ(r.mesh.polygon_groups[0].polygons, (Ints{0, 1, 5}));
}

TEST(repair, a_soup_of_quads_is_welded_to_a_closed_box) {
    const RepairedMesh r = expect_sound_repair(soup(make_box({1, 2, 3})));
    EXPECT_EQ(vertex_count(r.mesh), 8);
    EXPECT_EQ(polygon_count(r.mesh), 6);
    EXPECT_EQ(r.report.welded.size(), 16u);
    EXPECT_NEAR(volume(r.mesh), 6, 1e-12); // sum of six products
    EXPECT_EQ(describe(r.report)[0], "16 vertices welded to earlier ones: 8, 9, 10, 11, 12, 13, 14, 15, ...");
}

TEST(repair, the_tolerance_decides_which_vertices_are_one) {
    PolygonMesh m = soup(make_box({1, 1, 1}));
    for (int v = 0; v < vertex_count(m); ++v) m.positions[v].x += (v % 3) * 1e-5;
    EXPECT_EQ(vertex_count(repair_mesh(m, {}).mesh), 24);
    EXPECT_EQ(vertex_count(expect_sound_repair(m, {.weld = 1e-4}).mesh), 8);
    EXPECT_EQ(vertex_count(repair_mesh(soup(make_box({1, 1, 1})), {.weld = -1}).mesh), 24);
}

TEST(repair, inverted_polygons_and_inverted_solids_are_turned_outwards) {
    PolygonMesh m = make_icosphere(1, 2);
    for (int p : {3, 77, 200}) std::reverse(m.polygon_vertex.begin() + m.polygon_begin[p], m.polygon_vertex.begin() + m.polygon_begin[p + 1]);
    RepairedMesh r = expect_sound_repair(m);
    EXPECT_EQ(r.report.reversed, (Ints{3, 77, 200}));
    EXPECT_GT(volume(r.mesh), 3.9);
    for (int p = 0; p < polygon_count(m); ++p)
        std::reverse(m.polygon_vertex.begin() + m.polygon_begin[p], m.polygon_vertex.begin() + m.polygon_begin[p + 1]);
    r = expect_sound_repair(m);
    EXPECT_EQ(r.report.reversed.size(), 317u); // all but the three
    EXPECT_GT(volume(r.mesh), 3.9);
}

TEST(repair, a_cavity_keeps_its_orientation_against_the_hull) {
    PolygonMesh m = make_box({2, 2, 2});
    const PolygonMesh inner = make_box({1, 1, 1});
    for (const Real3& x : inner.positions) m.positions.push_back(x);
    for (int p = 0; p < 6; ++p) {
        Ints v;
        for (int c = inner.polygon_begin[p + 1]; c-- > inner.polygon_begin[p];) v.push_back(8 + inner.polygon_vertex[c]);
        add_polygon(m, v);
    }
    EXPECT_FALSE(changed_anything(expect_sound_repair(m).report));
    std::reverse(m.polygon_vertex.begin(), m.polygon_vertex.end()); // all inside out
    const RepairedMesh r = expect_sound_repair(m);
    EXPECT_EQ(r.report.reversed.size(), 12u);
    EXPECT_NEAR(volume(r.mesh), 7, 1e-12);
}

TEST(repair, collapsed_and_repeated_polygons_go) {
    PolygonMesh m = make_box({1, 1, 1});
    const Ints first(m.polygon_vertex.begin(), m.polygon_vertex.begin() + 4);
    add_polygon(m, {0, 1, 1});
    add_polygon(m, {first[2], first[3], first[0], first[1]}); // the first quad from another corner
    m.polygon_groups.push_back({PolygonGroupKind::material, "red", {0, 6, 7}});
    const RepairedMesh r = expect_sound_repair(m);
    EXPECT_EQ(r.report.degenerate, (Ints{6}));
    EXPECT_EQ(r.report.duplicate, (Ints{7}));
    EXPECT_EQ(r.mesh.polygon_groups[0].polygons, (Ints{0}));
    EXPECT_EQ(find_duplicate_polygons(m), (Ints{7}));
    EXPECT_TRUE(has_no_area(m, 6, 0));
}

// A polygon that crosses itself has two wings whose areas cancel; it is not without area.
TEST(repair, a_quad_that_crosses_itself_stays) {
    PolygonMesh m;
    m.positions = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 1}};
    add_polygon(m, {0, 1, 2, 3});
    EXPECT_FALSE(has_no_area(m, 0, 1e-9));
    EXPECT_EQ(polygon_count(repair_mesh(m, {}).mesh), 1);
}

TEST(repair, a_triangle_without_area_is_flipped_away_and_the_surface_stays_closed) {
    // a tetrahedron whose edge 0-1 has vertex 4 in its middle on one side only: face (0, 1, 4) closes the gap
    PolygonMesh m;
    m.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.5, 0, 0}};
    for (const Ints& t : std::vector<Ints>{{0, 2, 4}, {4, 2, 1}, {0, 4, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}) add_polygon(m, t);
    ASSERT_TRUE(bounds_volume(check_mesh(m)));
    ASSERT_TRUE(has_no_area(m, 2, 1e-9));
    const RepairedMesh r = expect_sound_repair(m);
    EXPECT_EQ(r.report.flipped, (Ints{2}));
    EXPECT_TRUE(bounds_volume(check_mesh(r.mesh)));
    EXPECT_EQ(vertex_count(r.mesh), 5);
    for (int p = 0; p < polygon_count(r.mesh); ++p) EXPECT_FALSE(has_no_area(r.mesh, p, 1e-9));
    EXPECT_NEAR(volume(r.mesh), 1.0 / 6, 1e-15);
}

TEST(repair, two_solids_that_touch_in_a_vertex_are_separated_there) {
    PolygonMesh m;
    m.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    for (const Ints& t : std::vector<Ints>{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}, {0, 4, 5}, {0, 6, 4}, {0, 5, 6}, {4, 6, 5}}) add_polygon(m, t);
    m.vertex_groups = {{"middle", {0}}};
    const RepairedMesh r = expect_sound_repair(m);
    EXPECT_EQ(r.report.split_vertices, (Ints{0}));
    EXPECT_EQ(vertex_count(r.mesh), 8);
    EXPECT_EQ(r.mesh.positions[7], m.positions[0]);
    EXPECT_EQ(r.vertex_source[7], 0);
    EXPECT_EQ(r.mesh.vertex_groups[0].second, (Ints{0, 7}));
}

TEST(repair, two_boxes_that_touch_along_an_edge_are_separated_each_with_its_own_material) {
    PolygonMesh m = make_box({1, 1, 1});
    const PolygonMesh other = make_box({1, 1, 1});
    for (const Real3& x : other.positions) m.positions.push_back({x.x + 1, x.y + 1, x.z});
    for (int p = 0; p < 6; ++p) {
        Ints v;
        for (int c = other.polygon_begin[p]; c < other.polygon_begin[p + 1]; ++c) v.push_back(8 + other.polygon_vertex[c]);
        add_polygon(m, v);
    }
    // already apart: welding may not glue them together
    EXPECT_FALSE(changed_anything(expect_sound_repair(m).report));
    // glued by hand: the boxes share the two vertices
    const auto find = [&](const Real3& x) { return int(std::find(m.positions.begin(), m.positions.end(), x) - m.positions.begin()); };
    const int a = find({0.5, 0.5, -0.5}), b = find({0.5, 0.5, 0.5});
    for (int& v : m.polygon_vertex)
        if (v >= 8 && m.positions[v] == m.positions[a]) v = a;
        else if (v >= 8 && m.positions[v] == m.positions[b]) v = b;
    const RepairedMesh r = expect_sound_repair(m);
    EXPECT_EQ(r.report.split_edges, (std::vector<Edge>{{std::min(a, b), std::max(a, b)}}));
    EXPECT_EQ(r.report.split_vertices.size(), 2u);
    EXPECT_NEAR(volume(r.mesh), 2, 1e-12);
    // each box is one closed part: no polygon of the first names a vertex of the second
    for (int p = 0; p < 6; ++p)
        for (int c = r.mesh.polygon_begin[p]; c < r.mesh.polygon_begin[p + 1]; ++c)
            EXPECT_LE(r.mesh.positions[r.mesh.polygon_vertex[c]].x, 0.5);
}

TEST(repair, a_fin_is_cut_off_along_its_edge) {
    PolygonMesh m = make_box({1, 1, 1});
    m.positions.push_back({0, 0, -2});
    add_polygon(m, {m.polygon_vertex[0], m.polygon_vertex[1], 8});
    const RepairedMesh r = expect_sound_repair(m);
    EXPECT_EQ(r.report.split_edges.size(), 1u);
    EXPECT_EQ(vertex_count(r.mesh), 11);
    EXPECT_EQ(polygon_count(r.mesh), 7);
}

TEST(repair, an_edge_whose_ends_cannot_be_cut_gets_a_vertex_of_its_own) {
    // a box pinched so that two of its opposite vertical edges are one: both ends stay one fan each
    PolygonMesh m;
    m.positions = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}, {-1, 0, 0}, {-1, 1, 0}, {0, 2, 0.5}, {0, -1, 0.5}};
    // two wings on either side, each closed around the edge 0-1, joined over the top and the bottom
    for (const Ints& t : std::vector<Ints>{{0, 1, 3}, {0, 3, 2}, {1, 0, 4}, {1, 4, 5}, {0, 1, 5}, {0, 5, 4}, {1, 0, 2}, {1, 2, 3}}) add_polygon(m, t);
    m.positions[2].z = m.positions[3].z = 0.3;
    m.positions.resize(6);
    EXPECT_TRUE(check_mesh(repair_mesh(m, {}).mesh).manifold);
    EXPECT_FALSE(changed_anything(repair_mesh(repair_mesh(m, {}).mesh, {}).report));
}

TEST(repair, a_moebius_strip_is_left_and_named) {
    PolygonMesh m;
    const int n = 12;
    for (int i = 0; i < n; ++i) {
        const Real a = 2 * 3.14159265358979 * i / n;
        for (Real s : {-0.2, 0.2})
            m.positions.push_back({std::cos(a) * (1 + s * std::cos(a / 2)), s * std::sin(a / 2), std::sin(a) * (1 + s * std::cos(a / 2))});
    }
    for (int i = 0; i < n; ++i) {
        const int j = (i + 1) % n, flip = i + 1 == n;
        add_polygon(m, {2 * i, 2 * i + 1, 2 * j + (flip ? 0 : 1), 2 * j + (flip ? 1 : 0)});
    }
    const RepairedMesh r = repair_mesh(m, {});
    EXPECT_EQ(r.report.unorientable_edges.size(), 1u);
    EXPECT_FALSE(changed_anything(repair_mesh(r.mesh, {}).report));
}

TEST(repair, unused_vertices_go_only_if_asked) {
    PolygonMesh m = make_box({1, 1, 1});
    m.positions.insert(m.positions.begin(), {9, 9, 9});
    for (int& v : m.polygon_vertex) ++v;
    m.attributes.push_back({"heat", 1, {7, 0, 1, 2, 3, 4, 5, 6, 7}});
    const RepairedMesh r = expect_sound_repair(m);
    EXPECT_EQ(r.report.unused, (Ints{0}));
    EXPECT_EQ(r.mesh.attributes[0].values, (std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(vertex_count(expect_sound_repair(m, {.remove_unused = false}).mesh), 9);
}

TEST(repair, segments_follow_their_vertices) {
    PolygonMesh m = soup(make_box({1, 1, 1}));
    m.positions.push_back({0, 5, 0});
    m.positions.push_back({0, 5, 0});
    m.positions.push_back({0, 6, 0});
    m.segments = {{20, 24}, {25, 26}};
    const RepairedMesh r = expect_sound_repair(m);
    ASSERT_EQ(r.mesh.segments.size(), 2u);
    EXPECT_EQ(r.mesh.positions[r.mesh.segments[0][0]], m.positions[20]);
    EXPECT_EQ(r.mesh.segments[0][1], r.mesh.segments[1][0]);
}

TEST(repair, random_damage_is_repaired_in_one_run) {
    // spheres with polygons removed, doubled, reversed, collapsed and vertices torn apart, by a fixed random sequence
    std::uint64_t x = 12345;
    const auto random = [&](int n) { return x = x * 6364136223846793005ull + 1442695040888963407ull, int((x >> 33) % std::uint64_t(n)); };
    for (int trial = 0; trial < 60; ++trial) {
        PolygonMesh m = make_uv_sphere(1, 5 + random(8), 3 + random(5));
        for (int k = random(12); k-- > 0;) {
            const int p = random(polygon_count(m)), begin = m.polygon_begin[p], end = m.polygon_begin[p + 1];
            const Ints corners(m.polygon_vertex.begin() + begin, m.polygon_vertex.begin() + end);
            switch (random(5)) {
            case 0: std::reverse(m.polygon_vertex.begin() + begin, m.polygon_vertex.begin() + end); break;
            case 1: m.polygon_vertex[begin] = random(vertex_count(m)); break; // a wild corner: fins, slivers, collapses
            case 2: m.polygon_vertex[begin] = m.polygon_vertex[begin + 1]; break;
            case 3:
                m.positions.push_back(m.positions[m.polygon_vertex[begin]]);
                m.polygon_vertex[begin] = vertex_count(m) - 1;
                break;
            case 4:
                add_polygon(m, corners);
                if (!m.polygon_uv.empty()) m.polygon_uv.resize(m.polygon_vertex.size(), -1);
                break;
            }
        }
        SCOPED_TRACE(trial);
        expect_sound_repair(m);
        expect_sound_repair(m, {.weld = 0.01, .thin = 1e-3});
    }
}

TEST(repair, tetrahedra_of_negative_or_no_volume_are_found) {
    const std::vector<Real3> x{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}};
    EXPECT_EQ(find_inverted_tetrahedra(x, {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 1, 2, 4}, {3, 3, 3, 3}}), (Ints{1, 2, 3}));
}

TEST(repair, scanned_meshes_are_repaired) {
    for (const char* name : {"meshes/bunny.obj", "meshes/spot.obj", "meshes/dragon_50k.obj"}) {
        const std::string path = find_data(name);
        if (path.empty()) GTEST_SKIP() << "no data";
        const Result<PolygonMesh> m = read_mesh(path);
        ASSERT_TRUE(m);
        SCOPED_TRACE(name);
        expect_sound_repair(*m.value);
    }
}

// Volumes of 1e924 m^3 and 1e-900 m^3 are no numbers; outwards is outwards all the same, and every coordinate stays as it is.
TEST(repair, meshes_of_any_size_are_turned_outwards_and_stay_where_they_are) {
    for (const Real size : {1e308, 1e200, 1e60, 1.0, 1e-60, 1e-200, 1e-305}) {
        PolygonMesh box = make_box({1, 1, 1});
        for (Real3& x : box.positions) x = {1.7 * size * x.x, 1.7 * size * x.y, 1.7 * size * x.z};
        const RepairedMesh same = repair_mesh(box, {});
        EXPECT_FALSE(changed_anything(same.report)) << size << (describe(same.report).empty() ? "" : describe(same.report)[0]);
        EXPECT_EQ(same.mesh.polygon_vertex, box.polygon_vertex) << size;
        for (int p = 0; p < polygon_count(box); ++p) EXPECT_FALSE(has_no_area(box, p, 1e-9)) << size;
        PolygonMesh inside_out = box;
        for (int p = 0; p < polygon_count(box); ++p)
            std::reverse(inside_out.polygon_vertex.begin() + box.polygon_begin[p], inside_out.polygon_vertex.begin() + box.polygon_begin[p + 1]);
        const RepairedMesh turned = repair_mesh(inside_out, {});
        EXPECT_EQ(turned.report.reversed.size(), 6u) << size;
        EXPECT_EQ(turned.mesh.positions, box.positions) << size;
    }
}
