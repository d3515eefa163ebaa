// The kind `solid`: mass, surface, groups, selections.
#include "compile_text.h"
#include "energy/list.h"
#include "geometry/read_tets.h"
#include "geometry/tet_grid.h"
#include "scene/compile.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace sinew;

namespace {

int count(const Model& m, std::string_view energy) {
    for (const Table& t : m.elements->energies)
        if (t.row->name == energy) return t.count();
    return 0;
}
double mass(const Model& m) {
    double sum = 0;
    for (double a : m.point.mass) sum += a;
    return sum;
}

} // namespace

TEST(solid_kind, box_has_its_mass_its_tetrahedra_and_a_surface_of_boundary_points_only) {
    const Compiled c = compile(R"json({ "objects": { "b": { "kind": "solid", "size": [2, 1, 1], "cells": [4, 3, 3],
        "material": { "solid_density": 500 }, "fixed": { "group": "x_min" } } } })json");
    EXPECT_NEAR(mass(c.model), 1000, 1e-9);
    EXPECT_EQ(count(c.model, "tet_stable_neohookean"), 4 * 3 * 3 * 5);
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
    EXPECT_NEAR(mass(c.model), 2000, 1e-9);
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
    EXPECT_EQ(count(c.model, "tet_corotated_plastic"), tets);
    EXPECT_EQ(count(c.model, "tet_viscous"), tets);
    EXPECT_EQ(count(c.model, "drag"), 84);
    EXPECT_EQ(count(c.model, "pressure_volume"), 80); // the hollow, not the outside
}

TEST(solid_kind, presets_of_solids_have_their_moduli) {
    for (const char* name : {"flesh", "rubber", "steel", "wood"})
        EXPECT_GT(count(compile(std::string(R"({ "objects": { "b": { "kind": "solid", "cells": [1, 1, 1], "material": ")") + name +
                                R"(" } } })").model, "tet_stable_neohookean"), 0);
}

TEST(solid_kind, arrays_make_a_body) {
    const Compiled c = compile(R"json({ "objects": { "b": { "kind": "solid",
        "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "tets": [[0, 2, 1, 3]],
        "material": { "solid_density": 6, "solid": { "model": "strain" } } } } })json");
    EXPECT_NEAR(mass(c.model), 1, 1e-14);
    EXPECT_EQ(count(c.model, "tet_strain"), 1);
    EXPECT_EQ(c.model.surface.triangles.size(), 4u);
}

TEST(solid_kind, tetrahedral_files_and_filled_surfaces_have_their_volume) {
    const std::string folder = std::filesystem::temp_directory_path().string();
    const std::string tets = folder + "/sinew_solid_test.msh", surface = folder + "/sinew_solid_test.obj";
    ASSERT_TRUE(write_tets(tets, make_box_tets({2, 1, 1}, {4, 2, 2}, CellSplit::six)).empty());
    const Compiled from_file = compile(R"({ "objects": { "b": { "kind": "solid", "mesh": { "file": ")" + tets +
                                       R"(", "unit": "cm" }, "material": { "solid_density": 1e6 } } } })");
    EXPECT_NEAR(mass(from_file.model), 2, 1e-9); // 2 cm^3
    EXPECT_EQ(count(from_file.model, "tet_stable_neohookean"), 4 * 2 * 2 * 6);

    std::ofstream(surface) << "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                              "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
    const Compiled filled = compile(R"({ "objects": { "b": { "kind": "solid", "mesh": ")" + surface + R"(", "cell": 0.1 } } })");
    EXPECT_NEAR(mass(filled.model), 1000, 30); // edges are cut off by less than a cell
    EXPECT_GT(count(filled.model, "tet_stable_neohookean"), 1000);
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
    EXPECT_GT(mass(grown.model), 0.02);
    EXPECT_LT(mass(grown.model), 1.25 * 1.25 * (0.02 + 2 * 0.56 * 0.2)); // wider by the offset on all sides as well
    const Result<Scene> bare = parse_scene(scene(""), "scene.json");
    ASSERT_TRUE(bare);
    const Result<Compiled> lost = compile_scene(*bare.value);
    // what the plate has without is by chance: none, or less than it should
    EXPECT_TRUE(!lost || mass(lost.value->model) < 0.5 * mass(grown.model));
    std::filesystem::remove(file);
}

TEST(rod_kind, positions_say_that_the_curve_is_points) {
    const Compiled c = compile(R"({ "objects": { "r": { "kind": "rod", "positions": [[0, 0, 0], [0.1, 0.3, 0], [0.3, 0.3, 0], [0.4, 0.1, 0.1]] } } })");
    ASSERT_EQ(point_count(c.model), 4);
    EXPECT_EQ(c.state.point.x[3].z, 0.1);
}
