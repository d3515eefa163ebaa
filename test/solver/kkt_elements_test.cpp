// Rows of triangles, hinges and tetrahedra with multipliers in the implicit step (spec C16 to C20): equal to their energies where they are
// soft, whatever the scheme and with or without geometric stiffness, and exact where they are hard.
#include "constraint/dihedral.h"
#include "constraint/distance.h"
#include "constraint/list.h"
#include "constraint/tet_hooke.h"
#include "constraint/tri_strain.h"
#include "energy/hinge_theta.h"
#include "energy/list.h"
#include "energy/tri_stvk.h"
#include "geometry/generate.h"
#include "newton_fixture.h"
#include "scene/shell.h"

using namespace sinew;

namespace {

// A sheet of 2 x 2 cells, 0.2 m wide, held by a side of three points, moving: rows of strain and angles, or the energies they stand for
enum class Sheet { rows, energies, hard_edges };
ModelBuilder make_sheet(Sheet kind) {
    ModelBuilder b;
    begin_object(b, "sheet", "cloth");
    const int n = 2;
    PolygonMesh grid = make_grid(n, n, 0.2, 0.2);
    // in a plane the edges of triangles are more than the directions that change them: a hard sheet must not be flat
    if (kind == Sheet::hard_edges)
        for (Real3& x : grid.positions) x.y = 0.03 * std::sin(23.0 * x.x + 17 * x.z);
    add_points(b, grid.positions, std::vector<Real>(grid.positions.size(), 0.002));
    const auto triangles = alternate_triangles(grid, n).triangles;
    const Real young = 2e4, poisson = 0.3, thickness = 1e-3, rigidity = 1e-4;
    const auto hinges = find_hinges(triangles);
    if (kind == Sheet::rows) {
        TriStrain::Params strain;
        strain.young = young, strain.poisson = poisson, strain.thickness = thickness;
        for (const auto& t : triangles) add_constraint(b, *find_constraint("tri_strain"), &strain, std::array<int, 3>{t[0], t[1], t[2]});
        Dihedral::Params angle;
        angle.stiffness = rigidity;
        for (const auto& h : hinges) add_constraint(b, *find_constraint("dihedral"), &angle, h);
    } else if (kind == Sheet::energies) {
        MembraneParams membrane;
        membrane.young = young, membrane.poisson = poisson, membrane.thickness = thickness;
        for (const auto& t : triangles) add_energy(b, *find_energy("tri_stvk"), &membrane, std::array<int, 3>{t[0], t[1], t[2]});
        HingeParams angle;
        angle.stiffness = rigidity;
        for (const auto& h : hinges) add_energy(b, *find_energy("hinge_theta"), &angle, h);
    } else {
        Distance::Params edge;
        edge.compliance = 1e-6;
        std::vector<std::array<int, 2>> done;
        for (const auto& t : triangles)
            for (int k = 0; k < 3; ++k) {
                const std::array<int, 2> e{std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])};
                if (e[1] <= n || std::find(done.begin(), done.end(), e) != done.end()) continue; // both ends held, or known
                done.push_back(e);
                add_constraint(b, *find_constraint("distance"), &edge, e);
            }
    }
    for (int i = 0; i <= n; ++i) b.model.point.flags[i] = kFixed;
    add_gravity(b, n + 1, int(grid.positions.size()));
    finish_model(b);
    // bent and stretched at the start where the edges may change
    if (kind != Sheet::hard_edges)
        for (std::size_t i = n + 1; i < b.state.point.x.size(); ++i) {
            Real3& x = b.state.point.x[i];
            x.y += 0.02 * std::sin(11.0 * x.x + 5 * x.z), x.z *= 1.03;
        }
    b.state.point.v.back() = {0.1, 0.4, 0.2};
    return b;
}

// five tetrahedra of a cube's corners, one corner face held
ModelBuilder make_cube(bool linear) {
    ModelBuilder b;
    begin_object(b, "cube", "solid");
    std::vector<Real3> x;
    for (int i = 0; i < 8; ++i) x.push_back({0.1 * (i & 1), 0.1 * (i >> 1 & 1), 0.1 * (i >> 2 & 1)});
    add_points(b, x, std::vector<Real>(8, 0.1));
    TetHooke::Params p;
    p.young = 1e4, p.poisson = 0.3, p.linear = linear;
    for (const std::array<int, 4>& t : {std::array<int, 4>{0, 1, 2, 4}, {3, 2, 1, 7}, {5, 4, 7, 1}, {6, 7, 4, 2}, {1, 2, 4, 7}})
        add_constraint(b, *find_constraint("tet_hooke"), &p, t);
    for (int i : {0, 2, 4, 6}) b.model.point.flags[i] = kFixed;
    add_gravity(b, 0, 8);
    finish_model(b);
    for (int i : {1, 3, 5, 7}) b.state.point.x[i].x *= 1.1, b.state.point.v[i] = {0, 0.2, 0.1 * i};
    return b;
}

State run_with_constraints(const ModelBuilder& b, const char* constraints, const char* scheme, bool geometric = true, int steps = 10) {
    NewtonSettings s = exact_settings(scheme);
    s.constraints = constraints, s.geometric_stiffness = geometric, s.max_iterations = 400;
    NewtonRun r(b, s);
    r.steps(steps, 0.005);
    return r.now;
}

} // namespace

// Every step is solved to 1e-12 m/s, which ten steps carry on; without geometric stiffness the iteration is one of fixed points.
TEST(kkt_elements, compliant_rows_of_strain_and_angles_move_as_their_penalties_and_as_the_energies_they_stand_for) {
    const ModelBuilder rows = make_sheet(Sheet::rows), energies = make_sheet(Sheet::energies);
    for (const char* scheme : {"implicit_euler", "implicit_midpoint", "bdf2", "newmark"}) {
        const State penalty = run_with_constraints(rows, "penalty", scheme);
        EXPECT_GT(distance_between(penalty, rows.state), 0.01); // it moves
        EXPECT_LT(distance_between(run_with_constraints(energies, "penalty", scheme), penalty), 1e-9) << scheme;
        for (bool geometric : {true, false})
            EXPECT_LT(distance_between(run_with_constraints(rows, "compliant", scheme, geometric), penalty), 1e-9) << scheme << geometric;
    }
}

TEST(kkt_elements, compliant_rows_of_tetrahedra_move_as_their_penalties) {
    for (bool linear : {false, true}) {
        const ModelBuilder b = make_cube(linear);
        for (const char* scheme : {"implicit_euler", "implicit_midpoint", "bdf2", "newmark"}) {
            const State penalty = run_with_constraints(b, "penalty", scheme);
            EXPECT_GT(distance_between(penalty, b.state), 0.005);
            for (bool geometric : {true, false})
                EXPECT_LT(distance_between(run_with_constraints(b, "compliant", scheme, geometric), penalty), 1e-9) << scheme << linear << geometric;
        }
    }
}

// A triangulated sheet has fewer edges than unknowns, so that all of them can be hard: they keep their lengths to the tolerance of the
// step, 1e-12 m/s times 5 ms, and the sheet falls.
TEST(kkt_elements, hard_edges_of_a_triangulated_sheet_keep_their_lengths) {
    const ModelBuilder b = make_sheet(Sheet::hard_edges);
    const State end = run_with_constraints(b, "hard", "implicit_euler", true, 20);
    EXPECT_GT(distance_between(end, b.state), 0.02);
    int count = 0;
    for (const Table& t : b.model.elements->constraints)
        for (int e = 0; e < t.count(); ++e) {
            const int i = t.stencil[2 * e], j = t.stencil[2 * e + 1];
            const Real before = (vec(b.model.point.rest[j]) - vec(b.model.point.rest[i])).norm();
            EXPECT_NEAR((vec(end.point.x[j]) - vec(end.point.x[i])).norm(), before, 1e-11) << i << ' ' << j;
            ++count;
        }
    EXPECT_EQ(count, 14); // 16 edges, two of them between held points
}
