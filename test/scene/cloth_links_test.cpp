// Sheets of links from a mesh: quads are the cells of a grid, maps scale every link, hinges may bend them.
#include "compile_text.h"
#include "geometry/mesh.h"
#include "model/element.h"
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>

using namespace sinew;

namespace {

constexpr int kX = 5, kZ = 3;
constexpr double kDx = 0.2, kDz = 0.2;

// the sheet that cloth_grid makes of size [1, 0.6], as quads of a file
std::string quads() {
    const std::string path = (std::filesystem::temp_directory_path() / "sinew_cloth_links.obj").string();
    std::ofstream file(path);
    for (int j = 0; j <= kZ; ++j)
        for (int i = 0; i <= kX; ++i) file << fmt::format("v {} 0 {}\n", kDx * i - 0.5, kDz * j - 0.3);
    const auto at = [](int i, int j) { return 1 + i + (kX + 1) * j; };
    for (int j = 0; j < kZ; ++j)
        for (int i = 0; i < kX; ++i) file << fmt::format("f {} {} {} {}\n", at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j));
    return path;
}
Compiled sheet(bool grid, const std::string& material, const std::string& more = "") {
    const std::string kind = grid ? R"("kind": "cloth_grid", "size": [1, 0.6], "edge": 0.2)" : fmt::format(R"("kind": "cloth", "mesh": "{}")", quads());
    return compile(fmt::format(R"({{ "sinew": 1, "objects": {{ "a": {{ {}, {} "material": {{ {} }} }} }} }})", kind, more, material));
}
template <class F> double energy(const Compiled& c, F&& move) {
    std::vector<Real3> x = c.state.point.x;
    for (Real3& p : x) p = move(p);
    Evaluation ev;
    ev.x = ev.x_now = x.data();
    double sum = 0;
    for (const Table& t : c.model.elements->energies)
        if (t.row->share == Share::elastic && t.row->value) sum += t.row->value(t, ev, 0, t.count());
    return sum;
}
Real3 shear(const Real3& p) { return {p.x + 0.1 * p.z + 0.05 * p.x * p.x, 0.1 * p.x * p.z, p.z}; }
Real3 roll(const Real3& p) { return {std::sin(2 * p.x) / 2, (1 - std::cos(2 * p.x)) / 2, p.z}; }

} // namespace

TEST(cloth_links, quads_of_a_file_stretch_and_shear_as_the_cells_of_a_grid) {
    const std::string material = R"("membrane": { "stiffness": 700 }, "shear": { "stiffness": 200 }, "bend": { "stiffness": 0 })";
    const Compiled grid = sheet(true, material), mesh = sheet(false, material);
    ASSERT_EQ(mesh.state.point.x.size(), grid.state.point.x.size());
    EXPECT_EQ(element_count(mesh.model, "spring_strain"), kX * (kZ + 1) + kZ * (kX + 1) + 2 * kX * kZ);
    const double expected = energy(grid, shear);
    EXPECT_GT(expected, 0);
    EXPECT_NEAR(energy(mesh, shear), expected, 1e-12 * expected);
}

TEST(cloth_links, quads_of_a_file_bend_as_the_cells_of_a_grid) {
    const std::string material = R"("membrane": { "stiffness": 0 }, "shear": { "stiffness": 0 }, "bend": { "stiffness": 20 })";
    // rolled about z, links over two cells along x are shortened alike: kX - 1 of them in each of kZ + 1 rows, those at the border half as wide
    const double chord = std::sin(2 * kDx), e = chord / (2 * kDx) - 1;
    EXPECT_NEAR(energy(sheet(false, material), roll), 0.5 * 20 * 0.6 * (kX - 1) * 2 * kDx * e * e, 1e-12);
}

TEST(cloth_links, maps_scale_every_link) {
    const std::string material = R"("membrane": { "stiffness": 700 }, "shear": { "stiffness": 200 }, "bend": { "stiffness": 50 })";
    for (bool grid : {false, true}) {
        const double once = energy(sheet(grid, material), roll);
        EXPECT_NEAR(energy(sheet(grid, material, R"("maps": { "stiffness": 3 },)"), roll), 3 * once, 1e-12 * once);
    }
}

TEST(cloth_links, a_material_of_links_may_bend_by_hinges) {
    const std::string material = R"("membrane": { "stiffness": 700 }, "bend": { "model": "hinge_theta", "stiffness": 1e-3 })";
    const Compiled mesh = sheet(false, material);
    const int edges = kX * (kZ + 1) + kZ * (kX + 1), border = 2 * (kX + kZ);
    EXPECT_EQ(element_count(mesh.model, "hinge_theta"), edges - border + kX * kZ); // and the diagonal of every quad
    EXPECT_EQ(element_count(mesh.model, "spring_strain"), edges + 2 * kX * kZ);   // no links over two edges
    const Compiled grid = sheet(true, material);
    EXPECT_GT(element_count(grid.model, "hinge_theta"), 0);
    EXPECT_EQ(element_count(sheet(true, R"("membrane": { "stiffness": 700 })").model, "hinge_theta"), 0);
    // folded along a line of vertices the sheet costs what its hinges cost
    const std::string softer = R"("membrane": { "stiffness": 700 }, "bend": { "model": "hinge_theta", "stiffness": 5e-4 })";
    const auto fold = [](const Real3& p) { return p.x > 0.1 ? Real3{0.1 + 0.8 * (p.x - 0.1), 0.6 * (p.x - 0.1), p.z} : p; };
    const double bending = energy(mesh, fold) - energy(sheet(false, softer), fold);
    EXPECT_GT(bending, 0);
    const double none = energy(mesh, fold) - 2 * bending; // links keep their lengths
    EXPECT_NEAR(none, 0, 1e-9 * bending + 1e-12);
}
