// The kind `solid`: mass, surface, groups, selections.
#include "compile_text.h"
#include "energy/list.h"
#include "energy/tet.h"
#include "geometry/read_tets.h"
#include "geometry/tet_grid.h"
#include "scene/compile.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace sinew;

TEST(solid_kind, box_has_its_mass_its_tetrahedra_and_a_surface_of_boundary_points_only) {
    const Compiled c = compile(R"json({ "objects": { "b": { "kind": "solid", "size": [2, 1, 1], "cells": [4, 3, 3],
        "material": { "solid_density": 500 }, "fixed": { "group": "x_min" } } } })json");
    EXPECT_NEAR(total_point_mass(c.model), 1000, 1e-9);
    EXPECT_EQ(element_count(c.model, "tet_stable_neohookean"), 4 * 3 * 3 * 5);
    EXPECT_EQ(point_count(c.model), 5 * 4 * 4);
    EXPECT_EQ(c.model.surface.vertices.size(), 80u - 3 * 2 * 2);
    EXPECT_EQ(c.model.surface.triangles.size(), 2u * 2 * (12 + 12 + 9));
    for (const auto& t : c.model.surface.triangles)
        for (int v : t) EXPECT_LT(v, int(c.model.surface.vertices.size()));
    int fixed = 0;
    for (int i = 0; i < point_count(c.model); ++i)
        if (c.model.point.flags[i] & kFixed) {
            ++fixed;
            EXPECT_DOUBLE_EQ(c.state.point.x[i].x, -1);
        }
    EXPECT_EQ(fixed, 16);
}

TEST(solid_kind, mirrored_and_scaled_bodies_stay_positive) {
    const Compiled c = compile(R"json({ "objects": { "b": { "kind": "solid", "cells": [2, 2, 2], "scale": [-2, 1, 1] } } })json");
    EXPECT_NEAR(total_point_mass(c.model), 2000, 1e-9);
    const Table& t = c.model.elements->energies.back();
    Evaluation ev;
    ev.x = ev.x_now = c.state.point.x.data();
    for (const Table& table : c.model.elements->energies)
        if (table.row->inverted) { EXPECT_EQ(table.row->inverted(table, ev, 0, table.count()), 0); }
    EXPECT_GT(t.count(), 0);
}

TEST(solid_kind, damping_plasticity_and_pressure_add_their_elements) {
    const Compiled c = compile(R"json({ "objects": { "b": { "kind": "solid", "shape": "shell", "levels": 1, "pressure": "2 kPa",
        "material": { "solid": { "model": "corotated", "young": "1 MPa", "damping": { "mass": 1, "stiffness": "2 ms" },
                                 "plasticity": { "yield": "10 kPa" } } } } } })json");
    const int tets = 80 * 3;
    EXPECT_EQ(element_count(c.model, "tet_corotated_plastic"), tets);
    EXPECT_EQ(element_count(c.model, "tet_viscous"), tets);
    EXPECT_EQ(element_count(c.model, "drag"), 84);
    EXPECT_EQ(element_count(c.model, "pressure_volume"), 80); // the hollow, not the outside
}

TEST(solid_kind, presets_of_solids_have_their_moduli) {
    // as their sources say (sinew list materials), of shells and solids alike
    struct Row { const char* name; double young, poisson; };
    for (const Row& r : {Row{"flesh", 50e3, 0.45}, {"foam", 100e3, 0.1}, {"rubber", 1.2e6, 0.49}, {"steel", 200e9, 0.3}, {"wood", 11e9, 0.35}}) {
        const Compiled c = compile(std::string(R"({ "objects": { "b": { "kind": "solid", "cells": [1, 1, 1], "material": ")") + r.name + R"(" } } })");
        bool found = false;
        for (const Table& t : c.model.elements->energies) {
            if (t.row->name != "tet_stable_neohookean") continue;
            const auto& d = *reinterpret_cast<const TetData*>(t.data.data());
            const Lame l = make_lame(r.young, r.poisson);
            EXPECT_NEAR(d.mu, l.mu, 1e-9 * l.mu) << r.name;
            EXPECT_NEAR(d.lambda, l.lambda + l.mu, 1e-9 * l.lambda) << r.name; // of stable Neo-Hookean: tet_stable_neohookean.h
            found = true;
        }
        EXPECT_TRUE(found) << r.name;
    }
}

// Wind on the boundary of a solid: every triangle feels 1/2 rho C |n.w| w A, of a cube across the flow its two faces
TEST(solid_kind, wind_acts_on_the_boundary_by_its_normal) {
    const Compiled c = compile(R"json({ "fields": { "w": { "kind": "wind", "velocity": [3, 0, 0] } }, "objects": { "b": { "kind": "solid", "size": [1, 2, 0.5],
        "cells": [2, 2, 2], "air": { "pressure": 0.8, "density": 1.2 } } } })json");
    double sum = 0;
    for (const Table& t : c.model.elements->energies) {
        if (t.row->name != "tri_wind") continue;
        Evaluation ev;
        const std::vector<Real3> still(c.state.point.x.size());
        ev.x = ev.x_now = c.state.point.x.data();
        ev.v = still.data();
        ev.fields = c.model.fields.get();
        std::vector<Real> f(std::size_t(t.count()) * 9);
        t.row->force(t, ev, 0, t.count(), f.data());
        for (std::size_t i = 0; i < f.size(); i += 3) sum += f[i];
    }
    EXPECT_NEAR(sum, 0.5 * 1.2 * 0.8 * 9 * 2 * (2 * 0.5), 1e-12);
}

TEST(solid_kind, arrays_make_a_body) {
    const Compiled c = compile(R"json({ "objects": { "b": { "kind": "solid",
        "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "tets": [[0, 2, 1, 3]],
        "material": { "solid_density": 6, "solid": { "model": "strain" } } } } })json");
    EXPECT_NEAR(total_point_mass(c.model), 1, 1e-14);
    EXPECT_EQ(element_count(c.model, "tet_strain"), 1);
    EXPECT_EQ(c.model.surface.triangles.size(), 4u);
}

TEST(solid_kind, tetrahedral_files_and_filled_surfaces_have_their_volume) {
    const std::string folder = std::filesystem::temp_directory_path().string();
    const std::string tets = folder + "/sinew_solid_test.msh", surface = folder + "/sinew_solid_test.obj";
    ASSERT_TRUE(write_tets(tets, make_box_tets({2, 1, 1}, {4, 2, 2}, CellSplit::six)).empty());
    const Compiled from_file = compile(R"({ "objects": { "b": { "kind": "solid", "mesh": { "file": ")" + tets +
                                       R"(", "unit": "cm" }, "material": { "solid_density": 1e6 } } } })");
    EXPECT_NEAR(total_point_mass(from_file.model), 2, 1e-9); // 2 cm^3
    EXPECT_EQ(element_count(from_file.model, "tet_stable_neohookean"), 4 * 2 * 2 * 6);

    std::ofstream(surface) << "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                              "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
    const Compiled filled = compile(R"({ "objects": { "b": { "kind": "solid", "mesh": ")" + surface + R"(", "cell": 0.1 } } })");
    EXPECT_NEAR(total_point_mass(filled.model), 1000, 30); // edges are cut off by less than a cell
    EXPECT_GT(element_count(filled.model, "tet_stable_neohookean"), 1000);
    std::filesystem::remove(tets);
    std::filesystem::remove(surface);
}

// A plate of a tenth of a cell holds no lattice point: without an offset there is nothing to fill, with 0.56 cells nothing is lost
// and the body is at least as thick as the plate and less than two offsets more.
TEST(solid_kind, an_offset_keeps_what_is_thinner_than_a_cell) {
    const std::filesystem::path file = std::filesystem::temp_directory_path() / "sinew_plate.obj";
    std::ofstream(file) << "v 0 0 0\nv 1 0 0\nv 1 0.02 0\nv 0 0.02 0\nv 0 0 1\nv 1 0 1\nv 1 0.02 1\nv 0 0.02 1\n"
                           "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 4 8 7 3\nf 1 5 8 4\nf 2 3 7 6\n";
    const auto scene = [&](const char* more) {
        return R"({ "objects": { "b": { "kind": "solid", "mesh": ")" + file.string() + R"(", "cell": 0.2, "material": { "solid_density": 1 })" + more + " } } }";
    };
    const Compiled grown = compile(scene(R"(, "offset": 0.56)"));
    EXPECT_GT(total_point_mass(grown.model), 0.02);
    EXPECT_LT(total_point_mass(grown.model), 1.25 * 1.25 * (0.02 + 2 * 0.56 * 0.2)); // wider by the offset on all sides as well
    const Result<Scene> bare = parse_scene(scene(""), "scene.json");
    ASSERT_TRUE(bare);
    const Result<Compiled> lost = compile_scene(*bare.value);
    // what the plate has without is by chance: none, or less than it should
    EXPECT_TRUE(!lost || total_point_mass(lost.value->model) < 0.5 * total_point_mass(grown.model));
    std::filesystem::remove(file);
}

TEST(rod_kind, positions_say_that_the_curve_is_points) {
    const Compiled c = compile(R"({ "objects": { "r": { "kind": "rod", "positions": [[0, 0, 0], [0.1, 0.3, 0], [0.3, 0.3, 0], [0.4, 0.1, 0.1]] } } })");
    ASSERT_EQ(point_count(c.model), 4);
    EXPECT_EQ(c.state.point.x[3].z, 0.1);
}

// Two tetrahedra of second order that share a face, one loose point, a named volume and a named point: corners are kept, in their order.
TEST(solid_kind, files_of_second_order_and_with_loose_points_make_bodies_and_regions_are_groups) {
    const std::string file = std::filesystem::temp_directory_path().string() + "/sinew_second_order.msh";
    std::ofstream(file) << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n0 1 \"tip\"\n3 2 \"bone\"\n$EndPhysicalNames\n"
                           "$Nodes\n16\n1 9 9 9\n2 0 0 0\n3 1 0 0\n4 0 1 0\n5 0 0 1\n6 .5 0 0\n7 .5 .5 0\n8 0 .5 0\n9 0 0 .5\n10 0 .5 .5\n11 .5 0 .5\n"
                           "12 1 1 1\n13 1 .5 .5\n14 .5 1 .5\n15 .5 .5 1\n16 0 0 0\n$EndNodes\n"
                           "$Elements\n3\n1 15 2 1 1 12\n2 11 2 2 1 2 3 4 5 6 7 8 9 10 11\n3 11 2 0 1 3 4 5 12 7 10 11 13 14 15\n$EndElements\n";
    const Compiled c = compile(R"({ "objects": { "b": { "kind": "solid", "mesh": ")" + file + R"(", "fixed": "bone", "material": { "solid_density": 6 } } } })");
    ASSERT_EQ(point_count(c.model), 5);
    EXPECT_NEAR(total_point_mass(c.model), 3, 1e-12); // 6 (1/6 + 1/3)
    for (int i = 0; i < 5; ++i) EXPECT_EQ((c.model.point.flags[i] & kFixed) != 0, i < 4) << i; // the last belongs to the other region
    EXPECT_EQ(c.state.point.x[4].x, 1);
    const Compiled held = compile(R"({ "objects": { "b": { "kind": "solid", "mesh": ")" + file + R"(", "fixed": "tip" } } })");
    for (int i = 0; i < 5; ++i) EXPECT_EQ((held.model.point.flags[i] & kFixed) != 0, i == 4) << i;
    bool said = false;
    for (const std::string& note : c.notes) said = said || note.find("11 points that no tetrahedron uses") != std::string::npos;
    EXPECT_TRUE(said);
}
