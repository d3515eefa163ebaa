#include "geometry/tet_measure.h"
#include "core/random.h"
#include "geometry/generate.h"
#include "geometry/stuffing.h"
#include "geometry/tet_embed.h"
#include "geometry/tet_manifold.h"
#include "geometry/topology.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace sinew;

static TetMesh regular_tet() { return {{{1, 1, 1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, 1}}, {{0, 1, 2, 3}}, {}, {}, {}}; }
// cube [0, 1]^3 in six tetrahedra around its diagonal
static TetMesh cube_of_six_tets() {
    TetMesh m;
    for (int i = 0; i < 8; ++i) m.points.push_back({Real(i & 1), Real(i >> 1 & 1), Real(i >> 2 & 1)});
    m.tets = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
    return m;
}

TEST(tet_measure, the_regular_tetrahedron_has_its_known_volume_and_angles) {
    TetMesh m = regular_tet();
    const std::vector<int> turned = orient_tets(m);
    EXPECT_TRUE(orient_tets(m).empty());
    EXPECT_LE(turned.size(), 1u);
    EXPECT_NEAR(total_volume(m), 8.0 / 3, 1e-14); // a^3 / (6 sqrt 2), a = 2 sqrt 2
    const AngleRange r = dihedral_range(m);
    EXPECT_NEAR(r.min, std::acos(1.0 / 3), 1e-14);
    EXPECT_NEAR(r.max, std::acos(1.0 / 3), 1e-14);
}

TEST(tet_measure, angles_follow_the_opening_of_a_wedge) {
    for (Real angle : {1e-6, 0.3, kPi / 2, 2.5, kPi - 1e-6}) {
        const std::array<Real, 6> a = dihedral_angles({0, 0, 0}, {0, 0, 1}, {1, 0, 0.5}, {std::cos(angle), std::sin(angle), 0.5});
        EXPECT_NEAR(a[0], angle, 1e-15 + 1e-10 * angle);
    }
}

TEST(tet_measure, the_boundary_of_a_cube_is_closed_oriented_and_encloses_its_volume) {
    TetMesh m = cube_of_six_tets();
    orient_tets(m);
    EXPECT_NEAR(total_volume(m), 1, 1e-15);
    const BoundaryMesh b = boundary_mesh(m);
    EXPECT_EQ(polygon_count(b.mesh), 12);
    const MeshCheck c = check_mesh(b.mesh);
    EXPECT_TRUE(c.closed && c.oriented && c.manifold);
    Real volume = 0; // divergence theorem: outward
    for (const BoundaryFace& f : boundary_faces(m)) volume += vec(m.points[f.corners[0]]).dot(vec(m.points[f.corners[1]]).cross(vec(m.points[f.corners[2]]))) / 6;
    EXPECT_NEAR(volume, 1, 1e-15);
    std::vector<int> component;
    EXPECT_EQ(face_components(m, component), 1);
    std::swap(m.tets[2][0], m.tets[2][1]); // an inverted one keeps its outward faces
    EXPECT_TRUE(check_mesh(boundary_mesh(m).mesh).oriented);
}

TEST(tet_measure, broken_meshes_are_named) {
    TetMesh m = cube_of_six_tets();
    EXPECT_TRUE(validate_tets(m).empty());
    m.tets[3][2] = 8;
    m.tets[4][0] = m.tets[4][1];
    m.points[1].y = std::nan("");
    m.tet_groups = {{"core", {1, 1}}};
    EXPECT_EQ(validate_tets(m).size(), 4u);
}

TEST(tet_manifold, two_tetrahedra_at_a_point_or_an_edge_are_parted) {
    TetMesh m{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}, {{0, 1, 2, 3}, {0, 4, 6, 5}}, {}, {{"middle", {0}}}, {}};
    orient_tets(m);
    SeparateReport r = separate_parts(m);
    EXPECT_EQ(r.split, 1);
    EXPECT_EQ(r.removed, 0);
    EXPECT_EQ(m.points.size(), 8u);
    EXPECT_EQ(m.point_groups[0].members, (std::vector<int>{0, 7}));
    EXPECT_TRUE(check_mesh(boundary_mesh(m).mesh).manifold);
    TetMesh edge{{{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}}, {{0, 1, 2, 3}, {0, 1, 4, 5}}, {}, {}, {}};
    orient_tets(edge);
    r = separate_parts(edge);
    EXPECT_EQ(r.split, 2);
    EXPECT_EQ(r.removed, 0);
    EXPECT_TRUE(check_mesh(boundary_mesh(edge).mesh).manifold);
    TetMesh sound = cube_of_six_tets();
    orient_tets(sound);
    const auto tets = sound.tets;
    r = separate_parts(sound);
    EXPECT_EQ(r.split + r.removed, 0);
    EXPECT_EQ(sound.tets, tets);
}

TEST(tet_embed, points_are_reproduced_inside_and_outside_and_follow_affine_motion) {
    Context c;
    c.threads = 2;
    const ParallelPtr parallel = make_parallel(c);
    StuffingSettings s;
    s.cell = 0.25;
    const Result<TetMesh> built = stuff_distance(*parallel, {Vec3::Constant(-1), Vec3::Constant(1)}, [](const Vec3& p) { return p.norm() - 1; }, s);
    ASSERT_TRUE(built);
    TetMesh m = *built.value;
    std::vector<Real3> points;
    Rng rng{5};
    for (int i = 0; i < 2000; ++i) points.push_back(real3(Vec3(draw_uniform(rng, -1.2, 1.2), draw_uniform(rng, -1.2, 1.2), draw_uniform(rng, -1.2, 1.2))));
    const std::vector<TetPlace> places = embed_points(*parallel, m, points);
    Mat3 a;
    a << 1.2, 0.3, 0, -0.1, 0.8, 0.2, 0.05, 0, 1.1;
    std::vector<Real3> moved;
    for (const Real3& x : m.points) moved.push_back(real3(a * vec(x) + Vec3(1, 2, 3)));
    int inside = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const TetPlace& p = places[i];
        ASSERT_GE(p.tet, 0);
        Vec3 x = Vec3::Zero(), y = Vec3::Zero();
        for (int k = 0; k < 4; ++k) {
            x += p.weight[k] * vec(m.points[m.tets[p.tet][k]]);
            y += p.weight[k] * vec(moved[m.tets[p.tet][k]]);
        }
        // weights are at most distance over height of a tetrahedron: about 20
        EXPECT_LT((x - vec(points[i])).norm(), 1e-12);
        EXPECT_LT((y - (a * vec(points[i]) + Vec3(1, 2, 3))).norm(), 1e-12);
        const Real r = vec(points[i]).norm();
        if (r < 0.97) { // sag of the boundary: cell^2 / 8
            EXPECT_TRUE(p.inside) << r;
        }
        if (r > 1) {
            EXPECT_FALSE(p.inside);
            EXPECT_NEAR(p.distance, r - 1, 0.03);
        }
        if (p.inside) {
            ++inside;
            EXPECT_GE(*std::min_element(p.weight.begin(), p.weight.end()), -1e-12);
        }
    }
    EXPECT_GT(inside, 400);
}
