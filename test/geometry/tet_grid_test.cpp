#include "geometry/tet_grid.h"
#include "geometry/generate.h"
#include "geometry/tet_measure.h"
#include "geometry/triangulate.h"
#include <gtest/gtest.h>
#include <set>

using namespace sinew;

// every tetrahedron positive, the volumes fill the body, the boundary is closed: each directed edge once and its reverse once
static double check_mesh(const TetMesh& m) {
    double volume = 0;
    for (int t = 0; t < int(m.tets.size()); ++t) {
        EXPECT_GT(signed_volume(m, t), 0);
        volume += signed_volume(m, t);
    }
    std::set<std::pair<int, int>> edges;
    for (const BoundaryFace& f : boundary_faces(m))
        for (int k = 0; k < 3; ++k) EXPECT_TRUE(edges.insert({f.corners[k], f.corners[(k + 1) % 3]}).second);
    for (const auto& [a, b] : edges) EXPECT_TRUE(edges.count({b, a}));
    return volume;
}

TEST(tet_grid, boxes_of_both_splits_fill_their_volume_and_are_conforming) {
    for (const CellSplit split : {CellSplit::five, CellSplit::six}) {
        const TetMesh m = make_box_tets({2, 1, 0.5}, {4, 3, 2}, split);
        EXPECT_EQ(m.points.size(), 60u);
        EXPECT_EQ(m.tets.size(), 24u * (split == CellSplit::five ? 5 : 6));
        EXPECT_NEAR(check_mesh(m), 1, 1e-14);
        // a mesh whose cells do not agree on a diagonal would have inner boundary faces
        EXPECT_EQ(boundary_faces(m).size(), 2u * 2 * (12 + 8 + 6));
    }
}

TEST(tet_grid, shells_have_two_closed_boundaries) {
    const PolygonMesh ball = make_icosphere(1, 2);
    const auto triangles = triangulate(ball).triangles;
    const TetMesh m = make_shell_tets(ball.positions, triangles, 0.2, 2);
    EXPECT_EQ(m.points.size(), 3 * ball.positions.size());
    EXPECT_EQ(m.tets.size(), 2 * 3 * triangles.size());
    EXPECT_EQ(boundary_faces(m).size(), 2 * triangles.size());
    // between two balls of radius 1 and 0.8, less what 320 flat triangles cut off (under 4 %)
    EXPECT_NEAR(check_mesh(m), 4.18879 * (1 - 0.512), 0.04 * 4.18879 * (1 - 0.512));
}
