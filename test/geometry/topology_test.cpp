#include "geometry/topology.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace sinew;
using Edge = std::array<int, 2>;

// unit cube, quads outward
static PolygonMesh cube_of_quads() {
    PolygonMesh m;
    for (int i = 0; i < 8; ++i) m.positions.push_back({Real(i & 1), Real(i >> 1 & 1), Real(i >> 2)});
    for (const auto& q : std::vector<std::vector<int>>{
             {0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}})
        add_polygon(m, q);
    return m;
}

static std::vector<int> row(const IndexRows& r, int i) {
    return {r.index.begin() + r.begin[i], r.index.begin() + r.begin[i + 1]};
}

TEST(topology, a_cube_has_twelve_edges_with_two_polygons_each) {
    const PolygonMesh m = cube_of_quads();
    const EdgeTable t = build_edges(m);
    ASSERT_EQ(t.edges.size(), 12u);
    EXPECT_EQ(t.edges, unique_edges(m));
    for (int e = 0; e < 12; ++e) {
        EXPECT_LT(t.edges[e][0], t.edges[e][1]);
        EXPECT_TRUE(e == 0 || t.edges[e - 1] < t.edges[e]);
        EXPECT_EQ(row(edge_polygons(t), e).size(), 2u);
        for (int c : row(t.corners, e)) EXPECT_EQ(t.corner_edge[c], e);
    }
    EXPECT_EQ(row(edge_polygons(t), 0), (std::vector<int>{2, 4})); // edge 0-1: bottom and back
}

TEST(topology, neighbours_and_polygons_of_a_vertex_are_ascending) {
    const PolygonMesh m = cube_of_quads();
    const EdgeTable t = build_edges(m);
    EXPECT_EQ(row(vertex_neighbors(t, 8), 3), (std::vector<int>{1, 2, 7}));
    EXPECT_EQ(row(vertex_polygons(m), 3), (std::vector<int>{1, 3, 4}));
}

TEST(topology, a_cube_is_closed_oriented_and_manifold) {
    const MeshCheck c = check_mesh(cube_of_quads());
    EXPECT_TRUE(c.closed && c.oriented && c.manifold && bounds_volume(c));
    EXPECT_EQ(describe(c), "");
    EXPECT_TRUE(boundary_vertices(cube_of_quads(), build_edges(cube_of_quads())).empty());
}

TEST(topology, a_missing_polygon_leaves_its_four_edges_open) {
    PolygonMesh m = cube_of_quads();
    m.polygon_begin.pop_back();
    m.polygon_vertex.resize(20);
    const MeshCheck c = check_mesh(m);
    EXPECT_FALSE(c.closed);
    EXPECT_TRUE(c.oriented && c.manifold);
    EXPECT_EQ(c.open_edges, (std::vector<Edge>{{4, 5}, {4, 6}, {5, 7}, {6, 7}}));
    EXPECT_EQ(boundary_vertices(m, build_edges(m)), (std::vector<int>{4, 5, 6, 7}));
    EXPECT_EQ(boundary_edges(build_edges(m)).size(), 4u);
    EXPECT_EQ(describe(c), "4 open edges (4-5, 4-6, 5-7, 6-7)");
}

TEST(topology, a_flipped_polygon_is_found_by_its_edges) {
    PolygonMesh m = cube_of_quads();
    std::reverse(m.polygon_vertex.begin(), m.polygon_vertex.begin() + 4);
    const MeshCheck c = check_mesh(m);
    EXPECT_TRUE(c.closed);
    EXPECT_FALSE(c.oriented);
    EXPECT_EQ(c.misoriented_edges, (std::vector<Edge>{{0, 2}, {0, 4}, {2, 6}, {4, 6}}));
}

TEST(topology, a_fin_makes_an_edge_nonmanifold_and_open) {
    PolygonMesh m = cube_of_quads();
    m.positions.push_back({0, 0, -1});
    add_polygon(m, {0, 1, 8});
    const MeshCheck c = check_mesh(m);
    EXPECT_FALSE(c.closed);
    EXPECT_EQ(c.nonmanifold_edges, (std::vector<Edge>{{0, 1}}));
    EXPECT_EQ(c.open_edges, (std::vector<Edge>{{0, 1}, {0, 8}, {1, 8}}));
}

TEST(topology, two_tetrahedra_at_a_vertex_bound_a_volume_but_are_not_manifold) {
    PolygonMesh m;
    m.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    for (const auto& t : std::vector<std::vector<int>>{
             {0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}, {0, 4, 5}, {0, 6, 4}, {0, 5, 6}, {4, 6, 5}})
        add_polygon(m, t);
    const MeshCheck c = check_mesh(m);
    EXPECT_TRUE(bounds_volume(c));
    EXPECT_FALSE(c.manifold);
    EXPECT_EQ(c.nonmanifold_vertices, (std::vector<int>{0}));
}

TEST(topology, a_collapsed_polygon_is_listed_and_does_not_open_the_surface) {
    PolygonMesh m = cube_of_quads();
    add_polygon(m, {0, 1, 1});
    add_polygon(m, {7, 7, 7});
    const MeshCheck c = check_mesh(m);
    EXPECT_TRUE(c.closed && c.oriented && c.manifold);
    EXPECT_EQ(c.degenerate_polygons, (std::vector<int>{6, 7}));
    EXPECT_EQ(describe(c), "2 polygons with a repeated vertex (6, 7)");
}

TEST(topology, a_repeated_corner_keeps_its_polygon_in_the_surface) {
    PolygonMesh m = cube_of_quads();
    // the first quad {0, 4, 6, 2} written with vertex 4 twice
    m.polygon_vertex.insert(m.polygon_vertex.begin() + 1, 4);
    for (std::size_t i = 1; i < m.polygon_begin.size(); ++i) ++m.polygon_begin[i];
    const MeshCheck c = check_mesh(m);
    EXPECT_TRUE(c.closed && c.oriented && c.manifold);
    EXPECT_EQ(c.degenerate_polygons, (std::vector<int>{0}));
    EXPECT_EQ(build_edges(m).corner_edge[1], -1);
}

TEST(topology, unused_vertices_are_listed) {
    PolygonMesh m = cube_of_quads();
    m.positions.push_back({5, 5, 5});
    m.positions.push_back({6, 5, 5});
    m.segments = {{9, 0}};
    EXPECT_EQ(check_mesh(m).unused_vertices, (std::vector<int>{8}));
}

TEST(topology, an_empty_mesh_bounds_nothing) { EXPECT_FALSE(bounds_volume(check_mesh(PolygonMesh{}))); }

TEST(topology, a_chain_has_segments_as_edges_and_its_ends_as_boundary) {
    PolygonMesh m;
    m.positions.resize(4);
    m.segments = {{1, 0}, {1, 2}, {2, 3}, {3, 2}}; // one link twice
    const EdgeTable t = build_edges(m);
    EXPECT_EQ(t.edges, (std::vector<Edge>{{0, 1}, {1, 2}, {2, 3}}));
    EXPECT_EQ(boundary_vertices(m, t), (std::vector<int>{0, 3}));
    EXPECT_TRUE(boundary_edges(t).empty());
}
