// Sheets of triangles and hinges: momentum, viscosity that only takes energy, and plates and beams (spec T 8.2): cantilever and
// elastica under refinement.
#include "dense.h"
#include "energy/assemble_hessian.h"
#include "energy/hinge_theta.h"
#include "geometry/generate.h"
#include "physics/elastica.h"
#include "physics/simulation.h"
#include "scene/shell.h"
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

using namespace sinew;

namespace {

// A strip of n cells along x, `across` cells wide, whose first cell is clamped. Hinges sit on the lines between cells, each for half a
// cell on either side: the clamp is in the middle of the first cell, and the strip is 1 m long from there. D = 1 N m, q = density g.
// The membrane hardly stretches along (q/1e4) and is soft enough for the strip to curve across while it is bent by a radius.
Simulation strip(int n, int across, Real q, const char* law = "hinge_tan") {
    const Real h = 1 / (n - 0.5);
    return run_to_end(fmt::format(R"({{ "sinew": 1, "gravity": [0, -1, 0], "time": {{ "dt": 1, "substeps": 1, "frames": 4 }},
        "objects": {{ "s": {{ "kind": "cloth_grid", "size": [{}, {}], "edge": {}, "at": [{}, 0, 0], "model": "shell",
            "fixed": {{ "box": [[-1, -1, -99], [{}, 1, 99]] }},
            "material": {{ "density": {}, "membrane": {{ "model": "tri_stvk", "young": 1e4, "thickness": 1, "poisson": 0 }},
                           "bend": {{ "model": "{}", "stiffness": 1 }} }} }} }},
        "solver": "newton", "solvers": {{ "newton": {{ "scheme": "quasi_static", "force_tolerance": 1e-10, "max_iterations": 400 }} }} }})",
                                  n * h, across * h, h, 0.5 * n * h - 0.5 * h, 0.6 * h, q, law));
}
// the end of the middle line
Vec2 tip(const Simulation& s, int n, int across) {
    const Real3 x = s.now.point.x[(n + 1) * (across / 2) + n];
    return {x.x, x.y};
}

} // namespace

TEST(shell, alternating_grid_is_an_isotropic_plate_once_its_points_are_at_rest) {
    // energy of two by two cells inside of a grid with curvatures a, c and twist b, points of four edges raised by p
    const auto energy = [](const GridCell& cell, Real a, Real b, Real c, Real p) {
        const int n = 6;
        const PolygonMesh grid = make_grid(n, n, n * cell.dx, n * cell.dz);
        const auto triangles = alternate_triangles(grid, n).triangles;
        std::vector<int> valence(grid.positions.size(), 0);
        for (const auto& t : triangles)
            for (int v : t) ++valence[v];
        const Real small = 1e-5; // of the heights: angles are linear in them up to its square
        std::vector<Real3> x = grid.positions;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const Real u = x[i].x, v = x[i].z;
            x[i].y = small * (0.5 * a * u * u + b * u * v + 0.5 * c * v * v + (valence[i] == 4 ? p : 0));
        }
        Real sum = 0;
        for (const auto& h : find_hinges(triangles)) {
            const Vec3 from = vec(grid.positions[h[1]]), to = vec(grid.positions[h[2]]), middle = 0.5 * (from + to);
            if (middle[0] < -0.1 * cell.dx || middle[0] > 1.9 * cell.dx || middle[2] < -0.1 * cell.dz || middle[2] > 1.9 * cell.dz) continue;
            HingeParams params;
            params.stiffness = grid_hinge_factor(cell, to - from);
            std::array<Real3, 4> rest;
            Stencil<4> at;
            for (int k = 0; k < 4; ++k) rest[k] = grid.positions[h[k]], at.x[k] = vec(x[h[k]]);
            sum += HingeTheta::eval<0>(HingeTheta::prepare(params, {rest, {}, {}, {}}), {}, at).value;
        }
        return sum / (small * small * 4 * cell.dx * cell.dz);
    };
    for (const GridCell cell : {GridCell{1, 1}, {1.2, 1}, {0.7, 1}})
        for (const auto& [a, b, c] : {std::array<Real, 3>{1, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0.7, -0.3, 0.5}, {1, 0.4, -1}}) {
            // quadratic in p: its minimum from three values
            const Real e0 = energy(cell, a, b, c, 0), e1 = energy(cell, a, b, c, 1), e2 = energy(cell, a, b, c, -1);
            const Real curvature = e1 + e2 - 2 * e0, slope = 0.5 * (e1 - e2), least = e0 - 0.5 * slope * slope / curvature;
            const Real nu = -1.0 / 3, plate = 0.5 * (a * a + c * c + 2 * nu * a * c + 2 * (1 - nu) * b * b);
            EXPECT_NEAR(least, plate, 1e-6) << cell.dx << ": " << a << " " << b << " " << c;
        }
}

// Near a clamp the points cannot take the shape that the plate has inside: the first cells are stiffer, an error of first order in
// the cell that refinement halves and extrapolation removes.

TEST(shell, cantilever_strip_sags_as_a_beam_under_refinement) {
    // free sides: D (1 - nu^2) = 8/9 per width;  sag = 9/8 q L^4/(8 D)
    const Real q = 1e-3, sag = 9.0 / 8 * q / 8;
    Real error[3];
    for (int level = 0; level < 3; ++level) {
        const int n = 8 << level;
        error[level] = tip(strip(n, 2, q), n, 2).y() / -sag - 1;
    }
    EXPECT_LT(std::abs(error[2]), 0.05);
    EXPECT_NEAR(error[0] / error[1], 2, 0.2);
    EXPECT_NEAR(error[1] / error[2], 2, 0.1);
    EXPECT_LT(std::abs(2 * error[2] - error[1]), 6e-3); // what is left is of second order: (1/15.5)^2
}

TEST(shell, wide_cantilever_sags_by_its_plate_rigidity_in_the_middle) {
    // six times as wide as long: far from the sides it can only roll up, with D itself
    const Real q = 1e-3, sag = q / 8;
    Real error[2];
    for (int level = 0; level < 2; ++level) {
        const int n = 4 << level;
        error[level] = tip(strip(n, 6 * n, q), n, 6 * n).y() / -sag - 1;
    }
    EXPECT_LT(std::abs(error[1]), 0.6 * std::abs(error[0]));
    EXPECT_LT(std::abs(2 * error[1] - error[0]), 0.02) << error[0] << ' ' << error[1];
}

TEST(shell, heavy_strip_hangs_as_the_elastica) {
    const Real q = 4; // q L^3/EI = 4.5: the tip hangs by more than a third of the length
    const Vec2 exact = elastica_tip(9.0 / 8 * q);
    EXPECT_LT(exact.y(), -0.35);
    for (const char* law : {"hinge_tan", "hinge_theta", "hinge_willmore"}) {
        const Vec2 coarse = tip(strip(24, 2, q, law), 24, 2), fine = tip(strip(48, 2, q, law), 48, 2);
        EXPECT_LT((fine - exact).norm(), 0.6 * (coarse - exact).norm()) << law;
        EXPECT_LT((2 * fine - coarse - exact).norm(), 5e-3) << law; // of second order
    }
}

TEST(shell, free_sheet_keeps_its_momentum_and_viscosity_only_takes_energy) {
    std::optional<Simulation> s = start(R"json({ "sinew": 1, "gravity": 0, "time": { "dt": 0.002, "seconds": 0.2 },
        "objects": { "sheet": { "kind": "cloth_grid", "size": [0.3, 0.3], "edge": 0.05, "model": "shell", "angular_velocity": [3, 5, 1],
            "velocity": [1, 0.5, -0.2],
            "material": { "membrane": { "model": "tri_stvk", "young": 2e5, "thickness": 0.0005, "damping": 0.01 },
                          "bend": { "model": "hinge_tan", "stiffness": 1e-4, "damping": 0.01 } } } },
        "solver": "newton", "solvers": { "newton": { "tolerance": 1e-9, "force_tolerance": 1e-12 } } })json");
    ASSERT_TRUE(s);
    const double px = s->report.momentum.x, py = s->report.momentum.y;
    double energy = energy_total(s->report);
    while (!is_finished(*s)) {
        ASSERT_NE(simulate_step(*s), Status::failed) << s->report.message;
        EXPECT_NEAR(s->report.momentum.x, px, 1e-13);
        EXPECT_NEAR(s->report.momentum.y, py, 1e-13);
        EXPECT_LE(energy_total(s->report), energy * (1 + 1e-9));
        energy = energy_total(s->report);
    }
}

TEST(shell, condition_of_the_step_matrix_grows_with_the_square_of_the_step) {
    std::optional<Simulation> s = start(R"json({ "sinew": 1, "gravity": 0, "time": { "dt": 0.01, "seconds": 1 },
        "objects": { "sheet": { "kind": "cloth_grid", "size": [0.4, 0.4], "edge": 0.1, "model": "shell",
            "material": { "density": 1, "membrane": { "model": "tri_stvk", "young": 1e5, "thickness": 0.001 },
                          "bend": { "model": "hinge_tan", "stiffness": 1e-3 } } } }, "solver": "newton" })json");
    ASSERT_TRUE(s);
    const Model& m = s->compiled.model;
    const Dofs dofs = dofs_of(m);
    const auto hessian = [&](const State& at) {
        ElementSet set;
        collect_elements(*m.elements, set);
        BlockPattern pattern;
        HessianPlan plan;
        build_hessian_pattern(set, {}, dofs, pattern);
        build_hessian_plan(set, dofs, pattern, plan);
        BlockSparse h = make_block_sparse(std::move(pattern));
        compute_hessian(*s->parallel, set, evaluation_of(m, at, 0), {Projection::none}, plan, h);
        const std::vector<Real> values = to_dense(h);
        return MatX(Eigen::Map<const MatX>(values.data(), dofs.size(), dofs.size()));
    };
    // K = M + tau^2 H at rest, scaled by the masses: the largest eigenvalue grows with tau^2, the smallest is 1, whatever the step
    VecX root(dofs.size());
    for (int i = 0; i < dofs.points; ++i) root.segment<3>(3 * i).setConstant(1 / std::sqrt(m.point.mass[i]));
    const MatX h = root.asDiagonal() * hessian(s->now) * root.asDiagonal();
    Real last = 0;
    for (Real tau : {0.1, 0.2, 0.4}) {
        const VecX e = eigenvalues_of(MatX::Identity(dofs.size(), dofs.size()) + tau * tau * h);
        const Real condition = e[e.size() - 1] / e[0];
        EXPECT_NEAR(e[0], 1, 1e-9 * condition);
        if (last > 0) {
            EXPECT_NEAR(condition / last, 4, 0.02); // (1 + 4 a)/(1 + a), a above 200
        }
        last = condition;
    }
    // deformed: three directions without stiffness are left, the translations; rotations turn the forces
    State bent = s->now;
    for (Real3& x : bent.point.x) x = {1.05 * x.x, 0.1 * std::sin(9 * x.x) * std::cos(5 * x.z), 0.98 * x.z + 0.1 * x.x * x.x};
    const VecX e = eigenvalues_of(hessian(bent));
    const Real scale = e.cwiseAbs().maxCoeff();
    int zeros = 0;
    for (Real x : e) zeros += std::abs(x) < 1e-14 * scale * Real(e.size());
    EXPECT_EQ(zeros, 3);
}

// Two triangles on a held edge swing down and meet. The barrier of hinge_tan is infinite at the closed fold only, and at 60 Hz steps
// jump over it; hinge_theta, without barrier, shows that they would.
TEST(hinge, wings_do_not_pass_through_each_other) {
    const std::filesystem::path file = std::filesystem::temp_directory_path() / "sinew_wings.obj";
    std::ofstream(file) << "v -0.1 0 0\nv 0.1 0 0\nv 0 0 0.1\nv 0 0 -0.1\nf 1 3 2\nf 1 2 4\n";
    for (const char* stiffness : {"1e-7", "1e-5"})
        for (const char* law : {"hinge_theta", "hinge_tan"}) {
            std::optional<Simulation> s = start(fmt::format(R"({{ "sinew": 1, "time": {{ "fps": 60, "substeps": 1, "seconds": 0.6 }}, "objects": {{
                "wings": {{ "kind": "cloth", "mesh": "{}", "model": "shell", "fixed": {{ "index": [0, 1] }},
                            "material": {{ "density": 0.2, "membrane": {{ "model": "tri_stvk", "young": 1e6 }},
                                           "bend": {{ "model": "{}", "stiffness": {} }} }} }} }}, "solver": "newton" }})",
                                                            file.string(), law, stiffness));
            ASSERT_TRUE(s);
            double deepest = -1; // [m] on the side of the other wing
            while (!is_finished(*s)) {
                ASSERT_NE(simulate_step(*s), Status::failed) << law << stiffness << ": " << s->report.message;
                deepest = std::max({deepest, -s->now.point.x[2].z, s->now.point.x[3].z});
            }
            if (std::string_view(law) == "hinge_tan") EXPECT_LT(deepest, 0) << stiffness;
            else EXPECT_GT(deepest, 0.01) << stiffness;
        }
    std::filesystem::remove(file);
}

// An explicit step has no search that could turn back: it is tried shorter, and fails by name where that does not help.
TEST(hinge, explicit_steps_fail_by_name_where_a_fold_would_pass_through_itself) {
    const std::filesystem::path file = std::filesystem::temp_directory_path() / "sinew_explicit_wings.obj";
    // wings that have nearly met and close fast: 4 mm apart at the tips, 40 m/s towards each other
    std::ofstream(file) << "v -0.1 0 0\nv 0.1 0 0\nv 0 -0.1 0.002\nv 0 -0.1 -0.002\nf 1 3 2\nf 1 2 4\n";
    for (const char* scheme : {"symplectic_euler", "rk4", "leapfrog"})
        for (const char* law : {"hinge_theta", "hinge_tan"}) {
            std::optional<Simulation> s = start(fmt::format(R"({{ "sinew": 1, "gravity": 0, "time": {{ "dt": 0.001, "substeps": 1, "frames": 3 }}, "objects": {{
                "wings": {{ "kind": "cloth", "mesh": "{}", "model": "shell", "fixed": {{ "index": [0, 1] }},
                            "material": {{ "density": 0.2, "membrane": {{ "model": "tri_stvk", "young": 1e4 }},
                                           "bend": {{ "model": "{}", "stiffness": 1e-9, "rest": 0 }} }} }} }},
                "solver": "explicit", "solvers": {{ "explicit": {{ "scheme": "{}" }} }} }})", file.string(), law, scheme));
            ASSERT_TRUE(s);
            s->now.point.v[2].z = -20, s->now.point.v[3].z = 20;
            s->max_retries = 2;
            Status status = Status::ok;
            while (!is_finished(*s) && status != Status::failed) status = simulate_step(*s);
            if (std::string_view(law) == "hinge_theta") { // without barrier nothing is said, and they have passed
                EXPECT_NE(status, Status::failed) << scheme << s->report.message;
                EXPECT_LT(s->now.point.x[2].z, 0);
                continue;
            }
            EXPECT_EQ(status, Status::failed) << scheme;
            EXPECT_EQ(s->report.failed_object, "wings") << scheme;
            EXPECT_NE(s->report.message.find("fold has closed"), std::string::npos) << scheme << ": " << s->report.message;
            EXPECT_NE(s->report.message.find("points 1 and 0"), std::string::npos) << s->report.message;
            EXPECT_GT(s->now.point.x[2].z, 0) << scheme; // the last good state
        }
    std::filesystem::remove(file);
}

// A free sheet whose rest state is blended with a mesh that folds by 90 degrees: with the weight w it folds by w times that, and its
// lengths, which the mesh keeps at both ends of its motion, stay. The apexes are 2 h cos(w pi/4) apart, h = 1 cm.
TEST(shell, follows_lengths_and_angles_of_a_moving_mesh_by_its_weight) {
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / "sinew_folding";
    std::filesystem::create_directories(folder);
    const char* head = "v 0 0 0\nv 0.005 0 0.01\nv -0.005 0 0.01\n";
    std::ofstream(folder / "flat.obj") << head << "v 0 0 0.02\nf 1 2 3\nf 4 3 2\n";
    std::ofstream(folder / "fold.0001.obj") << head << "v 0 0 0.02\nf 1 2 3\nf 4 3 2\n";
    std::ofstream(folder / "fold.0025.obj") << head << "v 0 0.01 0.01\nf 1 2 3\nf 4 3 2\n";
    const auto run = [&](const std::string& weight) {
        std::optional<Simulation> s = start(fmt::format(R"({{ "sinew": 1, "gravity": 0, "time": {{ "fps": 24, "frames": [1, 61], "substeps": 2 }},
            "objects": {{ "lead": {{ "kind": "animated", "animation": {{ "file": "{}/fold.*.obj" }}, "contact": false }},
                "sheet": {{ "kind": "cloth", "mesh": "{}/flat.obj", "model": "shell", "rest": {{ "object": "lead", "weight": {} }},
                    "material": {{ "density": 0.1, "membrane": {{ "model": "tri_stvk", "young": 1e6, "poisson": 0, "thickness": 0.001, "damping": 0.01 }},
                                   "bend": {{ "model": "hinge_theta", "damping": 0.02 }} }} }} }},
            "solver": "newton", "solvers": {{ "newton": {{ "tolerance": 1e-8 }} }} }})", folder.string(), folder.string(), weight));
        EXPECT_TRUE(s);
        while (!is_finished(*s))
            if (simulate_step(*s) == Status::failed) {
                ADD_FAILURE() << s->report.message;
                break;
            }
        return (vec(s->now.point.x[0]) - vec(s->now.point.x[3])).norm();
    };
    for (Real w : {0.0, 0.5, 1.0}) EXPECT_NEAR(run(std::to_string(w)), 0.02 * std::cos(w * kPi / 4), 1e-7) << w;
    // a map: the ends of the shared edge decide about its angle, the apexes have no part in it
    EXPECT_NEAR(run("[0, 0.25, 0.75, 1]"), 0.02 * std::cos(0.5 * kPi / 4), 1e-7);
    std::filesystem::remove_all(folder);
}
