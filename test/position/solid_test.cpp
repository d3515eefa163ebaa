// Tetrahedra as rows of strain in the position solver (spec U V7), and the same scenes as `newton` where both are converged.
#include "constraint/tet_hooke.h"
#include "physics/simulation.h"
#include "position/swept.h"
#include <cmath>
#include <fmt/format.h>

using namespace sinew;

namespace {

// a cube of side 1 with a point in the middle, moved by `shift`
struct Cube {
    std::vector<Real3> x;
    std::vector<std::array<int, 4>> tets;
};
Cube make_cube(const Vec3& shift) { // twelve tetrahedra around the middle, two per face
    Cube c;
    for (int i = 0; i < 8; ++i) c.x.push_back({Real(i & 1), Real(i >> 1 & 1), Real(i >> 2 & 1)});
    c.x.push_back(real3(Vec3(0.5, 0.5, 0.5) + shift));
    const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (const auto& f : faces)
        for (const auto& t : {std::array<int, 4>{8, f[0], f[1], f[2]}, std::array<int, 4>{8, f[0], f[2], f[3]}}) c.tets.push_back(t);
    return c;
}
ModelBuilder make_solid(const Cube& c, Real young, Real poisson, std::string_view model = "tet_hooke", const char* volume = "rest") {
    ModelBuilder b;
    begin_object(b, "cube", "solid");
    std::vector<Real> mass;
    for (std::size_t i = 0; i < c.x.size(); ++i) mass.push_back(1 + 0.2 * std::sin(double(i)));
    add_points(b, c.x, mass);
    for (const auto& t : c.tets) {
        if (model == "tet_hooke") {
            TetHooke::Params p;
            p.young = young, p.poisson = poisson, p.volume = volume;
            add_constraint(b, *find_constraint("tet_hooke"), &p, t);
        } else {
            const ElementRow& row = *find_energy(model);
            const auto p = row.make_params();
            FieldList list;
            row.describe(p.get(), list);
            *static_cast<Real*>(find_field(list, "young")->member) = young;
            *static_cast<Real*>(find_field(list, "poisson")->member) = poisson;
            add_energy(b, row, p.get(), t);
        }
    }
    finish_model(b);
    return b;
}

} // namespace

TEST(position_solid, a_turned_body_stays_as_it_is) {
    for (const char* model : {"tet_hooke", "tet_stvk", "tet_corotated"}) {
        const ModelBuilder b = make_solid(make_cube({0.1, -0.05, 0.08}), 1e4, 0.3, model);
        PositionRun run(b, swept_settings());
        const Quat turn = exp_rotation(Vec3(1, -2, 0.5));
        for (Real3& x : run.now.point.x) x = real3(turn * vec(x) + Vec3(3, 1, 2));
        const State before = run.now;
        run.steps(10, 0.01);
        for (int i = 0; i < point_count(b.model); ++i)
            EXPECT_LT((run.x(i) - vec(before.point.x[i])).norm(), 1e-11) << model; // round-off of F times the steps
    }
}

TEST(position_solid, the_middle_of_a_patch_goes_where_the_affine_map_has_it) {
    Mat3 A;
    A << 1.05, 0.04, 0, -0.02, 0.97, 0.03, 0.01, 0, 1.02;
    for (const char* model : {"tet_hooke", "tet_stvk"})
        for (const auto& [method, tolerance] : {std::pair("gauss_seidel", 1e-4), std::pair("conjugate_residuals", 1e-6), std::pair("newton", 1e-8)}) {
            ModelBuilder b = make_solid(make_cube({0.12, -0.07, 0.05}), 1e3, 0.3, model);
            for (int i = 0; i < 8; ++i) b.model.point.flags[i] = kFixed;
            for (int i = 0; i < 8; ++i) b.state.point.x[i] = real3(A * vec(b.state.point.x[i]));
            PositionSettings s = swept_settings();
            s.method = method, s.iterations = std::string_view(method) == "newton" ? 4 : 30, s.damping_time = 0.03;
            PositionRun run(b, s);
            run.steps(600, 0.005);
            EXPECT_LT((run.x(8) - A * vec(b.model.point.rest[8])).norm(), tolerance)
                << model << ' ' << method; // damped for 3 s; what is left of 30 iterations, of which the force at rest is a part
        }
}

namespace {

// what a cube of side 1 comes to between two faces pulled apart by `force`
Vec3 pulled_cube(const ModelBuilder& b, Real force) {
    PositionSettings settings = swept_settings();
    settings.method = "newton", settings.iterations = 4, settings.damping_time = 0.05;
    PositionRun run(b, settings);
    // each face is two triangles, cut along a diagonal: a third of each triangle's force to each of its corners
    const int faces[2][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}};
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < 4; ++k) {
            const Real share = (k == 0 || k == 2 ? 1.0 : 0.5) / 3;
            run.input.point_forces.push_back({faces[side][k], {side ? share * force : -share * force, 0, 0}});
        }
    run.steps(1600, 0.005); // damped for 8 s
    return {(run.x(1) - run.x(0)).norm(), (run.x(2) - run.x(0)).norm(), (run.x(7) - run.x(0)).norm()};
}

} // namespace

TEST(position_solid, a_bar_under_uniaxial_stress_has_the_stretch_of_st_venant_and_kirchhoff) {
    // nominal stress s E (s^2 - 1)/2, lateral Green strain -nu (s^2 - 1)/2
    const Real young = 1e3, nu = 0.3, s = 1.2, force = s * young * (s * s - 1) / 2; // on a face of 1 m^2
    const Vec3 is = pulled_cube(make_solid(make_cube({0, 0, 0}), young, nu), force);
    EXPECT_NEAR(is[0], s, 2e-5);
    EXPECT_NEAR((is[1] * is[1] - 1) / 2, -nu * (s * s - 1) / 2, 2e-5);
    EXPECT_NEAR(is[2], std::sqrt(s * s + 2 * is[1] * is[1]), 2e-5);
}

TEST(position_solid, over_the_current_volume_a_bar_gets_thinner_without_poissons_ratio) {
    // the switch that reproduces the source: energy s t^2 psi, psi = E/2 (a^2 + 2 b^2), a = (s^2 - 1)/2, b = (t^2 - 1)/2 at nu = 0.
    // No lateral force: 6 b^2 + 2 b + a^2 = 0, where St. Venant and Kirchhoff have b = 0; and along the bar t^2 (psi + s dpsi/ds)
    const Real young = 1e3, s = 1.2, a = (s * s - 1) / 2, b = (std::sqrt(1 - 6 * a * a) - 1) / 6;
    const Real psi = young / 2 * (a * a + 2 * b * b), force = (1 + 2 * b) * (psi + s * young * a * s);
    const Vec3 is = pulled_cube(make_solid(make_cube({0, 0, 0}), young, 0, "tet_hooke", "current"), force);
    EXPECT_NEAR(is[0], s, 2e-5);
    EXPECT_NEAR((is[1] * is[1] - 1) / 2, b, 2e-5);
    EXPECT_LT(b, -0.02);
}

TEST(position_solid, momentum_is_kept_by_the_rows_of_strain) {
    const Real h = 0.01;
    for (const std::string& method : kDualMethods)
        for (const char* directions : {"current", "start"})
            for (int iterations : {1, 3}) {
                ModelBuilder b = make_solid(make_cube({0.1, 0, 0}), 1e3, 0.4);
                shake(b.model, b.state, 0.1);
                PositionSettings s = swept_settings();
                s.method = method, s.directions = directions, s.iterations = iterations;
                PositionRun run(b, s);
                const State start = run.now;
                State predicted = start; // where rows are first evaluated
                for (int i = 0; i < point_count(b.model); ++i) vec(predicted.point.x[i]) += h * vec(start.point.v[i]);
                const auto before = momenta(start, start, b.model);
                run.step(h);
                const auto after = momenta(run.now, run.now, b.model);
                EXPECT_LT((after.first - before.first).norm(), 1e-13) << method; // V8, round-off
                // V8: no torque about the place where the rows were taken. That of the start, x1 = x0 + h v1: the angular momentum itself
                // is kept, whatever the iterations; else that of the first iteration of all that take the rows at one place
                if (method == "newton") continue; // moves by its curvature too: kept where it has converged (soft_test.cpp)
                if (std::string_view(directions) == "start") {
                    EXPECT_LT((after.second - before.second).norm(), 1e-12) << method << ' ' << iterations;
                } else if (iterations == 1 && method != "gauss_seidel") {
                    EXPECT_LT((momenta(predicted, run.now, b.model).second - before.second).norm(), 1e-12) << method;
                    EXPECT_GT((after.second - before.second).norm(), 1e-9) << method; // not for want of motion
                }
            }
}

TEST(position_solid, cloth_solid_and_rod_move_as_newton_moves_them) {
    const std::pair<const char*, const char*> bodies[] = {
        {"cloth", R"("kind": "cloth_grid", "size": [0.4, 0.4], "edge": 0.1, "fixed": { "index": [0, 4] },
            "material": { "density": 0.2, "membrane": { "model": "tri_stvk", "young": 2e4, "poisson": 0.3, "thickness": "1 mm" } })"},
        {"solid", R"("kind": "solid", "size": [0.4, 0.1, 0.1], "cells": [4, 1, 1], "fixed": { "group": "x_min" },
            "material": { "solid_density": 500, "solid": { "model": "stvk", "young": 3e4, "poisson": 0.3 } })"},
        {"Cauchy's strain", R"("kind": "solid", "size": [0.4, 0.1, 0.1], "cells": [4, 1, 1], "fixed": { "group": "x_min" },
            "material": { "solid_density": 500, "solid": { "model": "hooke", "young": 3e4, "poisson": 0.3, "linear": true } })"},
        {"Green's strain", R"("kind": "solid", "size": [0.4, 0.1, 0.1], "cells": [4, 1, 1], "fixed": { "group": "x_min" },
            "material": { "solid_density": 500, "solid": { "model": "hooke", "young": 3e4, "poisson": 0.3 } })"},
        {"Green's strain over the current volume", R"("kind": "solid", "size": [0.4, 0.1, 0.1], "cells": [4, 1, 1], "fixed": { "group": "x_min" },
            "material": { "solid_density": 500, "solid": { "model": "hooke", "young": 3e4, "poisson": 0.3, "volume": "current" } })"},
        {"rod", R"("kind": "rod", "curve": "line", "size": 0.5, "count": 8, "radius": "1 cm", "young": "1 MPa", "density": 500, "fixed": { "index": [0, 1] })"},
        {"helix", R"("kind": "rod", "curve": "helix", "radius": "1 cm", "young": "1 MPa", "density": 500, "count": 16, "fixed": { "index": [0, 1] })"},
        {"helix that wants to be straight", R"("kind": "rod", "curve": "helix", "natural": "straight", "radius": "1 cm", "young": "5 kPa", "density": 500, "count": 16,
            "fixed": { "index": [0, 1] })"},
        {"line that wants to curl", R"("kind": "rod", "curve": "line", "size": 0.5, "count": 10, "radius": "1 cm", "young": "0.2 MPa", "density": 500, "natural": "curved",
            "curvature1": 3, "curvature2": 1, "natural_twist": 4, "fixed": { "index": [0, 1] })"}};
    for (const auto& entry : bodies) {
        const char *name = entry.first, *body = entry.second;
        const auto run = [&](const char* solver, const char* settings) {
            auto s = start(fmt::format(R"({{ "sinew": 1, "time": {{ "fps": 100, "substeps": 1, "seconds": 0.1 }},
                "objects": {{ "body": {{ {} }} }}, "solver": "{}", "solvers": {{ "{}": {{ {} }} }} }})", body, solver, solver, settings));
            if (!s) return State{};
            while (!is_finished(*s))
                if (simulate_step(*s) != Status::ok) return State{};
            return s->now;
        };
        const State exact = run("newton", R"("tolerance": 1e-9)"),
                    direct = run("position", R"("method": "newton", "iterations": 30, "substeps": 1)"),
                    swept = run("position", R"("iterations": 1500, "substeps": 1)");
        ASSERT_FALSE(exact.point.x.empty());
        ASSERT_EQ(exact.point.x.size(), direct.point.x.size());
        ASSERT_EQ(exact.point.x.size(), swept.point.x.size());
        Real way = 0, of_direct = 0, of_swept = 0;
        const auto compiled = compile_text(fmt::format(R"({{ "sinew": 1, "objects": {{ "body": {{ {} }} }}, "solver": "newton" }})", body));
        ASSERT_TRUE(compiled);
        for (std::size_t i = 0; i < exact.point.x.size(); ++i) {
            way = std::max(way, (vec(exact.point.x[i]) - vec(compiled->state.point.x[i])).norm());
            of_direct = std::max(of_direct, (vec(exact.point.x[i]) - vec(direct.point.x[i])).norm());
            of_swept = std::max(of_swept, (vec(exact.point.x[i]) - vec(swept.point.x[i])).norm());
        }
        EXPECT_GT(way, 0.01) << name;
        EXPECT_LT(of_direct, 1e-5 * way) << name;  // the same equations, to the tolerance of both
        // what earlier directions of a step pushed stays: 1.8 % where a line curls by itself, its directions turn most
        EXPECT_LT(of_swept, (std::string_view(name) == "line that wants to curl" ? 0.02 : 0.01) * way) << name;
    }
}
