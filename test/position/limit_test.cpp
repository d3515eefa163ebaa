// Strain limits, strain rows with a block compliance, relaxation by incidence, cloth of links (spec U054, U071, U102, U103, U113).
#include "constraint/strain_limit.h"
#include "constraint/tet_hooke.h"
#include "constraint/tri_strain_limit.h"
#include "dense.h"
#include "energy/spring_strain.h"
#include "model/stencil.h"
#include "paths.h"
#include "physics/simulation.h"
#include "position/position_fixture.h"
#include <cmath>
#include <fmt/format.h>
#include <fstream>

using namespace sinew;

namespace {

// largest principal stretch of the triangles of a table, and the smallest
std::pair<Real, Real> stretches(const ModelBuilder& b, const State& s) {
    std::pair<Real, Real> out{0, 1e300};
    for (const Table& t : b.model.elements->constraints) {
        if (t.row->name != "tri_strain_limit") continue;
        for (int e = 0; e < t.count(); ++e) {
            const auto& d = *reinterpret_cast<const TriStrainLimit::Data*>(t.data.data() + e * sizeof(TriStrainLimit::Data));
            MatN<3, 2> F = MatN<3, 2>::Zero();
            for (int i = 0; i < 3; ++i)
                for (int k = 0; k < 2; ++k) F.col(k) += d.gradient[2 * i + k] * vec(s.point.x[t.stencil[3 * e + i]]);
            const VecX stretch = singular_values(F);
            out.first = std::max(out.first, stretch[0]);
            out.second = std::min(out.second, stretch[1]);
        }
    }
    return out;
}

// a weak sheet with limits that hangs by two corners
ModelBuilder make_limited_sheet(Real stretch, Real compression) {
    ModelBuilder b = make_spring_cloth(5, 6);
    ModelBuilder out;
    out.model.gravity = {0, -9.81, 0};
    begin_object(out, "sheet", "cloth_grid");
    add_points(out, b.model.point.rest, b.model.point.mass);
    out.model.point.flags[0] = out.model.point.flags[5] = kFixed;
    const TriStrainLimit::Params p{stretch, compression, 0};
    for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 5; ++c) {
            const int i = 6 * r + c;
            add_constraint(out, *find_constraint("tri_strain_limit"), &p, std::array<int, 3>{i, i + 6, i + 1});
            add_constraint(out, *find_constraint("tri_strain_limit"), &p, std::array<int, 3>{i + 1, i + 6, i + 7});
            add_spring(out, i, i + 1, 2), add_spring(out, i, i + 6, 2);
        }
    add_gravity(out, 0, 30);
    finish_model(out);
    return out;
}

} // namespace

TEST(position_limit, a_hanging_line_stretches_to_its_limit_and_no_further) {
    for (const char* method : {"gauss_seidel", "accelerated_jacobi", "fast_projection"}) {
        ModelBuilder b = make_chain(Vec3::UnitX(), 8, 0.1, 0.1, -1 / 20.0, 9.8); // springs of 20 N/m: by themselves three times as long
        ModelBuilder c;
        c.model = b.model, c.state = b.state, c.tables = *b.model.elements;
        const StrainLimit::Params p{0.08, 1, 0};
        for (int i = 0; i < 8; ++i) add_constraint(c, *find_constraint("strain_limit"), &p, std::array<int, 2>{i, i + 1});
        finish_model(c);
        PositionSettings s = plain_settings();
        s.method = method, s.iterations = 400, s.tolerance = 1e-9;
        PositionRun run(c, s);
        Real longest = 0;
        for (int k = 0; k < 120; ++k) {
            run.step(1.0 / 60);
            for (int i = 0; i < 8; ++i) longest = std::max(longest, (run.x(i) - run.x(i + 1)).norm() / 0.1);
        }
        EXPECT_LT(longest, 1.08 + 1e-6) << method; // where the iterations ended, 1e-9 m of 0.1 m, but for those that ran out
        EXPECT_GT(longest, 1.0799) << method;
    }
}

TEST(position_limit, a_line_within_its_limits_does_not_know_of_them) {
    ModelBuilder b = make_chain(Vec3::UnitX(), 4, 0.1, 0.1, -1 / 2000.0, 9.8), c = make_chain(Vec3::UnitX(), 4, 0.1, 0.1, -1 / 2000.0, 9.8);
    ModelBuilder limited;
    limited.model = c.model, limited.state = c.state, limited.tables = *c.model.elements;
    const StrainLimit::Params p{0.5, 0.5, 0};
    for (int i = 0; i < 4; ++i) add_constraint(limited, *find_constraint("strain_limit"), &p, std::array<int, 2>{i, i + 1});
    finish_model(limited);
    PositionRun free(b, plain_settings()), held(limited, plain_settings());
    for (int k = 0; k < 60; ++k) {
        free.step(1.0 / 60), held.step(1.0 / 60);
        for (int i = 0; i <= 4; ++i) EXPECT_LT((free.x(i) - held.x(i)).norm(), 1e-12); // velocities made up at the end, or in the loop
    }
}

TEST(position_limit, principal_stretches_of_a_sheet_stay_within_their_limits) {
    const ModelBuilder b = make_limited_sheet(0.05, 0.2);
    PositionSettings s = plain_settings();
    s.iterations = 3000, s.tolerance = 1e-9;
    PositionRun run(b, s);
    Real most = 0, least = 1e300, sag = 0;
    for (int k = 0; k < 40; ++k) {
        run.step(1.0 / 60);
        const auto [largest, smallest] = stretches(b, run.now);
        most = std::max(most, largest), least = std::min(least, smallest);
    }
    for (int i = 0; i < 30; ++i) sag = std::max(sag, -run.x(i).y());
    // rows are sqrt(A) (1 + s - sigma): 1e-9 m over sqrt(A) = 0.07 m where the iterations ended by themselves
    EXPECT_LT(most, 1.05 + 1e-5);
    EXPECT_GT(most, 1.049); // it is the limit that holds the sheet: springs of 2 N/m would let it down
    EXPECT_GT(least, 0.8 - 1e-5);
    EXPECT_GT(sag, 0.2);
}

TEST(position_limit, rows_of_strain_solve_the_system_of_the_block_compliance) {
    // (h^2 J W J^T + S) dl = -c with c = sqrt(V) e and the 6 x 6 compliance S of Hooke's law; the rows are L^T c, S^-1 = L L^T (U054)
    Rng rng{31, 1, 0};
    const std::array<Real3, 4> rest{Real3{0, 0, 0}, Real3{1, 0, 0.1}, Real3{0.3, 0, 1.2}, Real3{0.2, -0.9, 0.3}};
    for (const Real nu : {-0.2, 0.3, 0.49}) {
        TetHooke::Params p;
        p.young = 50, p.poisson = nu;
        ModelBuilder b;
        begin_object(b, "tet", "solid");
        const std::vector<Real> mass{0.4, 0.7, 0.5, 0.9};
        add_points(b, rest, mass);
        add_constraint(b, *find_constraint("tet_hooke"), &p, std::array<int, 4>{0, 1, 2, 3});
        finish_model(b);
        for (Real3& x : b.state.point.x) x = real3(vec(x) + draw_vec(rng, -0.1, 0.1));
        const Real h = 0.05;
        PositionSettings s = plain_settings();
        s.iterations = 1;
        PositionRun run(b, s);
        run.step(h);
        // the same by hand
        const auto d = TetHooke::prepare(p, {rest, {}, {}, {}});
        Stencil<4> at;
        for (int i = 0; i < 4; ++i) at.x[i] = vec(b.state.point.x[i]);
        const auto local = TetHooke::eval<1>(d, {}, at);
        MatN<6> block = MatN<6>::Zero();
        block.topLeftCorner<3, 3>().setConstant(-nu / p.young);
        for (int k = 0; k < 3; ++k) block(k, k) = 1 / p.young, block(k + 3, k + 3) = 2 * (1 + nu) / p.young;
        const MatN<6> back = invert_dense(cholesky_factor(invert_dense(block)).transpose()); // c = L^-T C
        const VecN<6> c = back * local.c;
        const MatN<6, 12> j = back * local.jacobian;
        VecN<12> w;
        for (int i = 0; i < 12; ++i) w[i] = 1 / mass[i / 3];
        const VecN<6> lambda = solve_dense(h * h * j * w.asDiagonal() * j.transpose() + block, -c);
        const VecN<12> moved = h * h * w.cwiseProduct(j.transpose() * lambda);
        EXPECT_GT(moved.norm(), 1e-4);
        for (int i = 0; i < 4; ++i) EXPECT_LT((run.x(i) - at.x[i] - moved.segment<3>(3 * i)).norm(), 1e-12) << nu; // round-off, condition 100
    }
}

TEST(position_limit, relaxation_by_incidence_converges_where_plain_relaxation_does_not) {
    // eight links pull one point the same way: corrections add up, an error e becomes (1 - 8 omega) e; with its mass in eight parts 0
    ModelBuilder b;
    begin_object(b, "hub", "particles");
    add_points(b, std::vector<Real3>{{0, 0, 0}, {-1, 0, 0}, {-1, 0, 0}, {-1, 0, 0}, {-1, 0, 0}, {-1, 0, 0}, {-1, 0, 0}, {-1, 0, 0}, {-1, 0, 0}},
               std::vector<Real>(9, 0.5));
    for (int i = 1; i < 9; ++i) {
        b.model.point.flags[i] = kFixed;
        add_link(b, 0, i, 0);
    }
    finish_model(b);
    b.state.point.x[0].x = 1e-3;
    const auto error = [&](bool incidence) {
        PositionSettings s = plain_settings();
        s.method = "jacobi", s.incidence = incidence, s.iterations = 5;
        PositionRun run(b, s);
        run.step(0.01);
        return std::abs(run.x(0).x());
    };
    EXPECT_NEAR(error(false), 1e-3 * 243, 1e-9); // omega = 0.5 by default: -3 per iteration, as long as the point is on its side
    EXPECT_LT(error(true), 1e-15);
}

TEST(position_limit, jacobi_with_incidence_brings_every_error_of_a_net_down) {
    ModelBuilder b;
    b.model.gravity = {0, -9.81, 0};
    begin_object(b, "grid", "cloth_grid");
    constexpr int n = 12;
    std::vector<Real3> x;
    for (int i = 0; i < n * n; ++i) x.push_back({0.1 * (i % n), 0, 0.1 * (i / n)});
    add_points(b, x, std::vector<Real>(n * n, 1.0));
    b.model.point.flags[0] = b.model.point.flags[n - 1] = kFixed;
    for (int i = 0; i < n * n; ++i) {
        if (i % n + 1 < n) add_link(b, i, i + 1, 0);
        if (i / n + 1 < n) add_link(b, i, i + n, 0);
    }
    finish_model(b);
    Rng rng{17, 1, 0};
    for (int i = 0; i < n * n; ++i)
        if (!(b.model.point.flags[i] & kFixed)) vec(b.state.point.x[i]) += draw_vec(rng, -1e-3, 1e-3);
    const auto error = [&](int iterations) { // sum over links of what they are too long or too short
        PositionSettings s = plain_settings();
        s.method = "jacobi", s.incidence = true, s.iterations = iterations;
        PositionRun run(b, s);
        run.step(0.01);
        Real sum = 0;
        for (int i = 0; i < n * n; ++i) {
            if (i % n + 1 < n) sum += std::abs((run.x(i + 1) - run.x(i)).norm() - 0.1);
            if (i / n + 1 < n) sum += std::abs((run.x(i + n) - run.x(i)).norm() - 0.1);
        }
        return sum;
    };
    const Real few = error(1), some = error(10), many = error(100);
    EXPECT_LT(some, few);
    EXPECT_LT(many, 0.5 * some);
}

TEST(position_limit, momentum_is_kept_by_incidence_relaxation) {
    ModelBuilder b = make_spring_cloth(4, 5, 0, false, kFree);
    for (const char* method : {"jacobi", "improved_jacobi", "accelerated_jacobi"}) {
        PositionSettings s = plain_settings();
        s.method = method, s.incidence = true;
        PositionRun run(b, s);
        const auto momentum = [&] {
            Vec3 p = Vec3::Zero();
            for (int i = 0; i < point_count(b.model); ++i) p += b.model.point.mass[i] * run.v(i);
            return p;
        };
        const Vec3 before = momentum();
        run.step(0.01);
        EXPECT_LT((momentum() - before).norm(), 1e-14) << method; // round-off
    }
}

TEST(position_limit, a_sheet_of_links_hangs_as_its_material_says_at_every_resolution) {
    // stretch links alone: the lower edge goes down by rho g L^2/(2 k), exactly, since a node carries what is half-way to its neighbours
    for (const int cells : {4, 8}) {
        auto s = start(fmt::format(R"({{ "sinew": 1, "time": {{ "fps": 60, "substeps": 1, "seconds": 4 }},
            "objects": {{ "sheet": {{ "kind": "cloth_grid", "size": [0.4, 0.8], "edge": {}, "rotate": {{ "axis": [1, 0, 0], "angle": "90 deg" }},
                "fixed": {{ "group": "z_min" }}, "model": "links",
                "material": {{ "density": 0.5, "membrane": {{ "stiffness": 100, "damping": "10 ms" }}, "shear": {{ "stiffness": 0 }}, "bend": {{ "stiffness": 0 }} }} }} }},
            "solver": "position", "solvers": {{ "position": {{ "iterations": 150, "substeps": 1, "damping_time": 0.05 }} }} }})", 0.8 / cells));
        ASSERT_TRUE(s);
        while (!is_finished(*s)) ASSERT_EQ(simulate_step(*s), Status::ok) << s->report.message;
        const Real down = 0.5 * 9.81 * 0.64 / (2 * 100);
        EXPECT_NEAR(-measure(*s, "sheet.min.y") - 0.4, down, 0.01 * down) << cells; // damped for 4 s
    }
}

TEST(position_limit, a_mesh_of_soft_edges_has_the_modulus_of_its_sheet_in_every_direction) {
    // links of stiffness k 0.87 l over l in an equilateral mesh: Young's modulus 2/sqrt(3) 0.87 k = k per width, Poisson's ratio 1/3
    constexpr Real k = 70, length = 0.1;
    const std::string file = binary_dir() + "/equilateral.obj";
    std::ofstream(file) << fmt::format("v 0 0 0\nv {0} 0 0\nv {1} 0 {2}\nf 1 3 2\n", length, length / 2, length * std::sqrt(3.0) / 2);
    auto compiled = compile_text(fmt::format(R"({{ "sinew": 1, "objects": {{ "sheet": {{ "kind": "cloth", "mesh": "{}", "model": "links",
        "material": {{ "membrane": {{ "stiffness": {}, "damping": 0 }}, "bend": {{ "stiffness": 0 }} }} }} }}, "solver": "position" }})", file, k));
    ASSERT_TRUE(compiled);
    for (const Real angle : {0.0, 0.3, 1.2}) {
        const Real e = 1e-5;
        const Vec3 along(std::cos(angle), 0, std::sin(angle)), across(-std::sin(angle), 0, std::cos(angle));
        Real energy = 0;
        int cells = 0;
        for (const Table& t : compiled->model.elements->energies) {
            if (t.row->name != "spring_strain") continue;
            for (int i = 0; i < t.count(); ++i) {
                const Vec3 a = vec(compiled->model.point.rest[t.stencil[2 * i]]), b = vec(compiled->model.point.rest[t.stencil[2 * i + 1]]);
                const auto& d = *reinterpret_cast<const SpringStrain::Data*>(t.data.data() + i * sizeof(SpringStrain::Data));
                if (d.stiffness == 0) continue;
                const Vec3 edge = b - a;
                const Real stretch = e * edge.dot(along) * edge.dot(along) / edge.norm() - e / 3 * edge.dot(across) * edge.dot(across) / edge.norm();
                energy += 0.5 * d.stiffness * stretch * stretch;
                ++cells;
            }
        }
        ASSERT_EQ(cells, 3);
        // in a sheet of such triangles each point has one edge of each direction and the area sqrt(3)/2 l^2; 0.87 stands for sqrt(3)/2
        const Real area = std::sqrt(3.0) / 2 * length * length;
        EXPECT_NEAR(energy, 0.5 * k * e * e * area, 0.01 * 0.5 * k * e * e * area) << angle;
    }
}
