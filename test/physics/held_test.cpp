// Held bodies of any shape keep everything out, under every solver that has contact.
#include "paths.h"
#include "physics/simulation.h"
#include <cmath>
#include <fmt/format.h>

using namespace sinew;

namespace {

struct HeldCase {
    const char *solver, *name, *thing;
};
std::string case_name(const testing::TestParamInfo<HeldCase>& info) { return fmt::format("{}_{}", info.param.solver, info.param.name); }

} // namespace

class OnHeld : public testing::TestWithParam<HeldCase> {};

// A sheet with 6 cm cells falls 5 cm onto the middle of a held body whose top is at y = 0, and hangs over it. Without contact it is 25 cm
// below after 0.25 s.
TEST_P(OnHeld, a_sheet_lands_on_a_held_body_of_any_shape) {
    std::optional<Simulation> s = start(fmt::format(R"({{ "sinew": 1, "time": {{ "fps": 100, "seconds": 0.25 }},
        "objects": {{ "body": {{ {}, "friction": 0.8, "stiffness": 1e4, "damping": 5 }},
            "sheet": {{ "kind": "cloth_grid", "size": [0.48, 0.48], "edge": 0.06, "at": [0, 0.05, 0], "thickness": "5 mm",
                "material": {{ "density": 0.3, "friction": 0.8, "membrane": {{ "stiffness": 500, "damping": 1 }}, "bend": {{ "stiffness": 0.1, "damping": 0.01 }} }} }} }},
        "solver": "{}" }})", GetParam().thing, GetParam().solver));
    ASSERT_TRUE(s);
    while (!is_finished(*s)) ASSERT_EQ(simulate_step(*s), Status::ok) << s->report.message;
    // the middle rests on the top, 5 mm above it or the depth of the penalty less: the weight of 0.1 kg on a few vertices
    EXPECT_GT(measure(*s, "sheet.max.y"), 0.001);
    EXPECT_LT(measure(*s, "sheet.max.y"), 0.05);
    EXPECT_LT(s->report.penetration, 4e-3);
}

namespace {
constexpr const char* kCylinder = R"("kind": "cylinder", "radius": 0.15, "height": 0.2, "at": [0, -0.1, 0])";
constexpr const char* kCone = R"("kind": "cone", "radius": 0.3, "height": 0.2, "at": [0, -0.1, 0])";
constexpr const char* kMesh = R"("kind": "mesh", "mesh": { "shape": "ball", "radius": 0.15, "levels": 3 }, "at": [0, -0.15, 0])";
constexpr const char* kMixed = R"("kind": "compound", "parts": [ { "kind": "cylinder", "radius": 0.1, "height": 0.2, "at": [-0.12, -0.1, 0] },
    { "kind": "box", "size": [0.2, 0.2, 0.2], "at": [0.12, -0.1, 0] } ])";
} // namespace

INSTANTIATE_TEST_SUITE_P(held, OnHeld,
    testing::Values(HeldCase{"newton", "cylinder", kCylinder}, HeldCase{"newton", "cone", kCone}, HeldCase{"newton", "mesh", kMesh},
                    HeldCase{"newton", "mixed", kMixed},
                    HeldCase{"nonlinear_cg", "mesh", kMesh}, HeldCase{"linearly_implicit", "mesh", kMesh},
                    HeldCase{"position", "cylinder", kCylinder}, HeldCase{"position", "mesh", kMesh}, HeldCase{"velocity", "cylinder", kCylinder}),
    case_name);

// Free bodies under `explicit` meet held ones of any shape, by their shapes: before, a held cylinder let them pass.
TEST(held, a_body_rests_on_a_held_cylinder_under_explicit_at_the_depth_of_its_weight) {
    std::optional<Simulation> s = start(R"({ "sinew": 1, "time": { "fps": 100, "seconds": 0.5 },
        "objects": { "pillar": { "kind": "cylinder", "radius": 0.5, "height": 1, "at": [0, -0.5, 0], "stiffness": 1e4, "damping": 300 },
                     "ball": { "kind": "sphere", "radius": 0.1, "mass": 2, "at": [0.05, 0.12, 0] } },
        "solver": "explicit" })");
    ASSERT_TRUE(s);
    while (!is_finished(*s)) ASSERT_EQ(simulate_step(*s), Status::ok) << s->report.message;
    EXPECT_NEAR(measure(*s, "ball.y"), 0.1 - 2 * 9.81 / 1e4, 1e-5); // one point: k depth = m g
}

// A particle of mass m rests on a held mesh as on a plane, k depth = m g, and in a crease of two faces at 45 degrees 2 k depth cos 45 = m g
// with a kept distance of 1 cm: there two faces hold it, and neither takes turns with the other.
TEST(held, particles_rest_on_a_held_mesh_at_the_depth_of_their_weight) {
    std::string text = R"({ "sinew": 1, "time": { "dt": 0.01, "seconds": 3 },
        "objects": { "block": { "kind": "mesh", "mesh": "CUBE", "at": [0, -0.5, 0], "stiffness": 1e4, "damping": 200 },
                     "left": { "kind": "mesh", "mesh": "CUBE", "at": [4.70710678, 0, 0], "rotate": { "axis": [0, 0, 1], "angle": "45 deg" }, "stiffness": 1e4, "damping": 200, "friction": 0 },
                     "right": { "kind": "mesh", "mesh": "CUBE", "at": [6.12132034, 0, 0], "rotate": { "axis": [0, 0, 1], "angle": "45 deg" }, "stiffness": 1e4, "damping": 200, "friction": 0 },
                     "p": { "kind": "particles", "positions": [[0.1, 0.012, 0.2], [5.41421356, 0.015, 0]], "masses": [2, 2], "thickness": 0.01 } },
        "solver": "newton", "solvers": { "newton": { "tolerance": 1e-10, "force_tolerance": 1e-12 } } })";
    for (std::size_t at = 0; (at = text.find("CUBE")) != std::string::npos;) text.replace(at, 4, source_dir() + "/scenes/rigid/meshes/cube.obj");
    std::optional<Simulation> s = start(text);
    ASSERT_TRUE(s);
    while (!is_finished(*s)) ASSERT_EQ(simulate_step(*s), Status::ok) << s->report.message;
    EXPECT_NEAR(s->now.point.x[0].y, 0.01 - 2 * 9.81 / 1e4, 1e-7);
    const double c = std::sqrt(0.5), depth = 2 * 9.81 / (2 * 1e4 * c);
    EXPECT_NEAR(s->now.point.x[1].y, (0.01 - depth) / c, 1e-6);
    EXPECT_NEAR(s->now.point.x[1].x, 5.41421356, 1e-6);
}

// What a mesh moved by a file meets: a plate that rises by 10 cm takes a particle along. Under forces it passed before.
TEST(held, a_rigid_mesh_that_moves_takes_things_along_and_its_work_is_in_the_balance) {
    for (const char* solver : {"newton", "explicit"}) {
        std::optional<Simulation> s = start(fmt::format(R"({{ "sinew": 1, "time": {{ "dt": 0.005, "substeps": 4, "seconds": 1 }},
            "objects": {{ "plate": {{ "kind": "cylinder", "radius": 0.5, "height": 0.1, "at": [0, -0.05, 0], "motion": {{ "keys": [ {{ "t": 0, "at": [0, -0.05, 0] }}, {{ "t": 1, "at": [0, 0.05, 0] }} ] }},
                                         "stiffness": 1e4, "damping": 100 }},
                         "p": {{ "kind": "particles", "positions": [[0.1, 0.0, 0.2]], "masses": [1], "thickness": 0 }} }},
            "solver": "{}" }})", solver));
        ASSERT_TRUE(s);
        double external = 0;
        const double before = energy_total(s->report);
        while (!is_finished(*s)) {
            ASSERT_EQ(simulate_step(*s), Status::ok) << s->report.message;
            external += s->report.work_external;
        }
        EXPECT_NEAR(s->now.point.x[0].y, 0.1 - 9.81 / 1e4, 2e-4) << solver;
        // m g h = 0.98 J, and what the start takes; `explicit` counts the work of damping apart
        if (std::string_view(solver) == "newton") {
            EXPECT_NEAR(external, energy_total(s->report) - before, 0.1 * external);
        }
    }
}

// A plate whose vertices are moved by a sequence of files takes a particle along under forces, which let it pass before: it rises by what
// scenes/verify/p_animated_lift.json says of it.
TEST(held, a_mesh_moved_by_files_takes_things_along_under_forces) {
    for (const char* solver : {"newton", "explicit"}) {
        std::optional<Simulation> s = start(fmt::format(R"({{ "sinew": 1, "time": {{ "dt": 0.005, "substeps": 4, "seconds": 0.9 }},
            "objects": {{ "lift": {{ "kind": "animated", "animation": {{ "file": "{}/scenes/verify/meshes/lift.*.obj", "fps": 24 }}, "thickness": 0.05, "stiffness": 1e4, "damping": 100 }},
                         "p": {{ "kind": "particles", "positions": [[0, 0.05, 0.1]], "masses": [1], "thickness": 0 }} }},
            "solver": "{}" }})", source_dir(), solver));
        ASSERT_TRUE(s);
        while (!is_finished(*s)) ASSERT_EQ(simulate_step(*s), Status::ok) << s->report.message;
        // 0.45 m up at 0.5 m/s, at the depth of its weight; places of a step are ahead by at most half of it
        EXPECT_NEAR(s->now.point.x[0].y, 0.45 + 0.05 - 9.81 / 1e4, 2e-3) << solver;
    }
}
