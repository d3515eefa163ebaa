// Point maps of sheets, solids and rods: what factors per point do to masses and stiffnesses, from lists, expressions and attributes.
#include "compile_text.h"
#include "constraint/list.h"
#include "energy/rod_bend_twist.h"
#include "energy/rod_stretch.h"
#include "model/element.h"
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>

using namespace sinew;

namespace {

// [J] all of the elastic energy after some smooth deformation
double strained(const Compiled& c) {
    std::vector<Real3> x = c.state.point.x;
    for (Real3& p : x) p = {p.x + 0.1 * p.y * p.x, p.y + 0.2 * p.x * p.x, p.z - 0.1 * p.x * p.z};
    Evaluation ev;
    ev.x = ev.x_now = x.data();
    double sum = 0;
    for (const Table& t : c.model.elements->energies)
        if (t.row->share == Share::elastic && t.row->value) sum += t.row->value(t, ev, 0, t.count());
    return sum;
}
double power(const Compiled& c) { // [W] of viscous forces
    std::vector<Real3> x = c.state.point.x, v = x;
    for (Real3& a : v) a = {a.x * a.y, a.x * a.x, -a.z * a.x};
    Evaluation ev;
    ev.x = ev.x_now = x.data(), ev.v = v.data();
    double sum = 0;
    for (const Table& t : c.model.elements->energies) {
        if (t.row->name != "tet_viscous") continue;
        std::vector<Real> f(std::size_t(t.count()) * t.row->dofs);
        t.row->force(t, ev, 0, t.count(), f.data());
        for (int e = 0; e < t.count(); ++e)
            for (int k = 0; k < 4; ++k)
                for (int i = 0; i < 3; ++i) sum += f[12 * e + 3 * k + i] * (&v[t.stencil[4 * e + k]].x)[i];
    }
    return sum;
}
std::vector<Error> errors(const std::string& object) {
    const Result<Scene> scene = parse_scene(R"({ "sinew": 1, "objects": { "a": )" + object + " } }", "scene.json");
    return scene ? compile_scene(*scene.value).errors : scene.errors;
}
std::string solid(const std::string& maps, const std::string& model = R"("model": "stable_neohookean")") {
    return fmt::format(R"({{ "kind": "solid", "size": [2, 1, 1], "cells": [4, 2, 2], {} "material": {{ "solid_density": 500, "solid": {{ {} }} }} }})",
                       maps.empty() ? "" : "\"maps\": { " + maps + " },", model);
}
Compiled one(const std::string& object) { return compile(R"({ "sinew": 1, "objects": { "a": )" + object + " } }"); }

} // namespace

TEST(point_maps, a_uniform_stiffness_of_a_solid_is_that_of_its_moduli_for_every_model) {
    for (const char* model : {R"("model": "stable_neohookean", "young": 1e5)", R"("model": "stvk", "young": 1e5)", R"("model": "linear")",
                              R"("model": "corotated", "plasticity": { "yield": 1e9 })", R"("model": "arap")",
                              R"("model": "anisotropic", "young": [1e5, 2e5, 3e5])", R"("model": "ogden", "moduli": [3e4], "exponents": [2], "bulk": 1e5)",
                              R"("model": "corotated", "damping": { "stiffness": 0.01 })"}) {
        const Compiled plain = one(solid("", model)), thrice = one(solid(R"("stiffness": 3)", model));
        EXPECT_GT(strained(plain), 0) << model;
        EXPECT_NEAR(strained(thrice), 3 * strained(plain), 1e-12 * strained(thrice)) << model;
        EXPECT_NEAR(power(thrice), 3 * power(plain), 1e-12 * std::abs(power(thrice))) << model;
        EXPECT_EQ(total_point_mass(thrice.model), total_point_mass(plain.model));
    }
    // rows instead of energies: C^T C/2 alpha goes with the stiffness
    const auto rows = [](const Compiled& c) {
        const Table& t = c.model.elements->constraints.front();
        EXPECT_EQ(t.row->name, "tet_hooke");
        std::vector<Real3> x = c.state.point.x;
        for (Real3& p : x) p = {1.1 * p.x, p.y, p.z};
        Evaluation ev;
        ev.x = ev.x_now = x.data();
        std::vector<Real> value(t.row->rows);
        t.row->constraint(t, ev, 0, 1, value.data(), nullptr);
        Real sum = 0;
        for (Real v : value) sum += v * v;
        return sum / t.row->compliance(t, 0);
    };
    const Compiled plain = one(solid("", R"("model": "hooke")")), soft = one(solid(R"("stiffness": 0.25)", R"("model": "hooke")"));
    EXPECT_NEAR(rows(soft), 0.25 * rows(plain), 1e-12 * rows(plain));
}

TEST(point_maps, density_of_a_solid_goes_by_points) {
    // density 1 + x over x from -1 to 1: the mean is 1, and lumped masses are exact for linear factors on this lattice
    const Compiled c = one(solid(R"("density": "1.5 + x")"));
    EXPECT_NEAR(total_point_mass(c.model), 1.5 * 1000, 1e-9);
    double moment = 0;
    for (int i = 0; i < point_count(c.model); ++i) {
        EXPECT_GT(c.model.point.mass[i], 0);
        moment += c.model.point.mass[i] * c.state.point.x[i].x;
    }
    const Compiled even = one(solid(""));
    double expected = 0; // the same lumping of x x
    for (int i = 0; i < point_count(even.model); ++i) expected += even.model.point.mass[i] * (1.5 + even.state.point.x[i].x) * even.state.point.x[i].x;
    EXPECT_NEAR(moment, expected, 1e-9);
}

TEST(point_maps, attributes_of_a_filled_surface_reach_the_points_inside) {
    const std::filesystem::path file = std::filesystem::temp_directory_path() / "sinew_painted_cube.ply";
    std::ofstream out(file);
    out << "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\nproperty float hard\n"
           "element face 6\nproperty list uchar int vertex_indices\nend_header\n";
    for (int k = 0; k < 8; ++k) out << (k & 1) << ' ' << (k >> 1 & 1) << ' ' << (k >> 2 & 1) << ' ' << 1 + 2 * (k & 1) << '\n'; // 1 + 2 x
    out << "4 0 2 3 1\n4 4 5 7 6\n4 0 1 5 4\n4 2 6 7 3\n4 0 4 6 2\n4 1 3 7 5\n";
    out.close();
    const auto body = [&](const char* maps) {
        return one(fmt::format(R"({{ "kind": "solid", "mesh": "{}", "cell": 0.25, "maps": {} }})", file.string(), maps));
    };
    const Compiled painted = body(R"({ "density": "hard" })"), plain = body(R"({ "density": 1 })");
    ASSERT_EQ(point_count(painted.model), point_count(plain.model));
    int sides = 0;
    for (int i = 0; i < point_count(painted.model); ++i) {
        const Real3 x = plain.state.point.x[i];
        const double factor = painted.model.point.mass[i] / plain.model.point.mass[i];
        EXPECT_GE(factor, 1 - 1e-9);
        EXPECT_LE(factor, 3 + 1e-9);
        // on the surface, and next to its sides, the value of the place itself
        const double edge = std::min({x.y, 1 - x.y, x.z, 1 - x.z}), end = std::min(x.x, 1 - x.x);
        if (edge >= end || end < 0) continue;
        EXPECT_NEAR(factor, 1 + 2 * x.x, 1e-6);
        ++sides;
    }
    EXPECT_GT(sides, 20);
    std::filesystem::remove(file);
}

TEST(point_maps, rods_have_the_sections_and_moduli_of_their_maps) {
    const auto rod = [](const char* maps) {
        return one(fmt::format(R"({{ "kind": "rod", "from": [0, 0, 0], "to": [1, 0, 0], "count": 4, "radius": 0.01, "young": 1e6, "density": 800 {} }})", maps));
    };
    const Compiled c = rod(R"(, "maps": { "stiffness": "1 + x", "density": [1, 1, 2, 2, 3], "radius": "1 - x/2" })"), even = rod("");
    const auto data = [](const Compiled& made, auto* kind, int e) {
        using E = std::remove_pointer_t<decltype(kind)>;
        for (const Table& t : made.model.elements->energies)
            if (t.row->name == E::name) return ElementsOf<E>::data_of(t, e);
        ADD_FAILURE() << E::name;
        return typename E::Data{};
    };
    for (int e = 0; e < 4; ++e) {
        const Real x = (e + 0.5) / 4, r = 1 - x / 2; // linear maps: the mean is the value in the middle
        EXPECT_NEAR(data(c, (RodStretch*)nullptr, e).stiffness / data(even, (RodStretch*)nullptr, e).stiffness, (1 + x) * r * r, 1e-12);
    }
    for (int i = 1; i < 4; ++i) {
        const Real x = i / 4.0, r4 = std::pow(1 - x / 2, 4);
        const RodBendTwist::Data a = data(c, (RodBendTwist*)nullptr, i - 1), b = data(even, (RodBendTwist*)nullptr, i - 1);
        EXPECT_NEAR(a.stiffness[0] / b.stiffness[0], (1 + x) * r4, 1e-12);
        EXPECT_NEAR(a.stiffness[2] / b.stiffness[2], (1 + x) * r4, 1e-12);
    }
    // half an edge of 1/4 m each way, its section in the middle of the edge, the density of the point
    const auto half = [](int e) { return 0.125 * kPi * 1e-4 * std::pow(1 - (e + 0.5) / 8, 2) * 800; };
    EXPECT_NEAR(c.model.point.mass[0], half(0), 1e-12);
    EXPECT_NEAR(c.model.point.mass[2], 2 * (half(1) + half(2)), 1e-12);
    EXPECT_NEAR(c.model.point.mass[4], 3 * half(3), 1e-12);
    // what others touch
    EXPECT_NEAR(c.model.surface.thickness[4], 0.005, 1e-15);
    EXPECT_NEAR(c.model.surface.thickness[0], 0.01, 1e-15);
    // turning: density of the edge and I1 + I2
    EXPECT_NEAR(c.model.scalar.mass[3] / even.model.scalar.mass[3], 2.5 * std::pow(1 - 3.5 / 8, 4), 1e-12);
}

TEST(point_maps, sheets_have_masses_thicknesses_and_stiffnesses_of_their_maps) {
    const auto sheet = [](const char* maps) {
        return one(fmt::format(R"({{ "kind": "cloth_grid", "size": [1, 1], "edge": 0.25, "model": "shell", {} "material": {{ "density": 0.2,
            "membrane": {{ "model": "tri_stvk", "young": 1e6, "thickness": 0.001 }}, "bend": {{ "stiffness": 1e-5 }} }} }})", maps));
    };
    const Compiled plain = sheet(""), c = sheet(R"("maps": { "stiffness": 2, "density": "2 + x", "thickness": 1.5 },)");
    EXPECT_NEAR(total_point_mass(c.model), 2 * total_point_mass(plain.model), 1e-12);
    EXPECT_NEAR(c.model.surface.thickness[3], 1.5 * plain.model.surface.thickness[3], 1e-15);
    const auto energy = [](const Compiled& made, std::string_view name) {
        std::vector<Real3> x = made.state.point.x;
        for (Real3& p : x) p = {1.1 * p.x, 0.3 * p.x * p.x, p.z};
        Evaluation ev;
        ev.x = ev.x_now = x.data();
        for (const Table& t : made.model.elements->energies)
            if (t.row->name == name) return t.row->value(t, ev, 0, t.count());
        ADD_FAILURE() << name;
        return 0.0;
    };
    EXPECT_NEAR(energy(c, "tri_stvk") / energy(plain, "tri_stvk"), 2 * 1.5, 1e-11);
    EXPECT_NEAR(energy(c, "hinge_tan") / energy(plain, "hinge_tan"), 2 * 1.5 * 1.5 * 1.5, 1e-11);
}

TEST(point_maps, what_a_kind_has_not_and_numbers_that_are_none_are_refused) {
    const auto refused = [](const std::string& object, const char* path, const char* words) {
        const std::vector<Error> found = errors(object);
        ASSERT_FALSE(found.empty()) << object;
        EXPECT_EQ(found[0].path, path) << to_string(found[0]);
        EXPECT_NE(to_string(found[0]).find(words), std::string::npos) << to_string(found[0]);
    };
    refused(solid(R"("thickness": 2)"), "objects.a.maps.thickness", "stiffness, density");
    refused(solid(R"("stiffness": "x")"), "objects.a.maps.stiffness", "above 0");
    refused(solid(R"("density": [1, 2, 3])"), "objects.a.maps.density", "per point");
    refused(solid(R"("stiffness": 2)", R"("model": "shape_match")"), "objects.a.maps.stiffness", "shape matching");
    refused(R"({ "kind": "rod", "maps": { "thickness": 2 } })", "objects.a.maps.thickness", "radius");
    refused(R"({ "kind": "rod", "maps": { "radius": -1 } })", "objects.a.maps.radius", "above 0");
    refused(R"({ "kind": "rope", "maps": { "stiffness": 2 } })", "objects.a.maps", "maps");
    refused(R"({ "kind": "cloth_grid", "edge": 0.5, "model": "shell", "rest": { "scale": 1, "weight": 2 } })", "objects.a.rest.weight", "from 0 to 1");
    refused(R"({ "kind": "cloth_grid", "edge": 0.5, "model": "shell", "rest": { "angle": 1 }, "material": { "bend": { "model": "dihedral" } } })",
            "objects.a.rest", "hinge_");
}
