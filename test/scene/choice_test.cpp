// What a scene says about solvers and motion where the words could be misread: settings of solvers that are
// not chosen or not built, names from the command line, bodies with a mass and a motion.
#include "model/dofs.h"
#include "scene/compile.h"
#include <gtest/gtest.h>

using namespace sinew;

static Result<Compiled> compile_for_solver(const std::string& text, std::string_view solver = {},
                                           bool check_only = false) {
    const Result<Scene> scene = parse_scene(text, "scene.json");
    if (!scene) return {std::nullopt, scene.errors};
    return compile_scene(*scene.value, solver, check_only);
}
static std::string with_solvers(const std::string& solvers) {
    return R"({ "solvers": )" + solvers + R"(, "objects": { "dust": { "kind": "particles", "count": 3 } } })";
}
static bool has_note(const Compiled& c, std::string_view words) {
    for (const std::string& n : c.notes)
        if (n.find(words) != std::string::npos) return true;
    return false;
}
static std::string first_error(const Result<Compiled>& r) {
    return r.errors.empty() ? "" : to_string(r.errors[0]);
}
static bool contains(const std::string& text, std::string_view words) {
    return text.find(words) != std::string::npos;
}

TEST(choice, settings_of_a_solver_not_built_yet_wait_while_another_is_chosen) {
    const std::string text =
        with_solvers(R"({ "projective": { "iterations": 20 }, "newton": { "max_iterations": 9 } })");
    for (const char* solver : {"", "explicit", "newton"}) {
        const Result<Compiled> r = compile_for_solver(text, solver);
        ASSERT_TRUE(r) << first_error(r);
        EXPECT_TRUE(has_note(*r.value, "solvers.projective is not used: this solver is not built yet"));
        EXPECT_TRUE(r.value->future.empty());
    }
    // `check` names it with its place
    const Result<Compiled> checked = compile_for_solver(text, {}, true);
    ASSERT_TRUE(checked);
    ASSERT_EQ(checked.value->future.size(), 1u);
    EXPECT_EQ(checked.value->future[0].path, "solvers.projective");
    EXPECT_GT(checked.value->future[0].line, 0);
}

TEST(choice, a_misspelt_solver_or_setting_is_an_error_also_where_it_is_not_chosen) {
    Result<Compiled> r = compile_for_solver(with_solvers(R"({ "positon": {} })"), "explicit");
    EXPECT_TRUE(contains(first_error(r), "solvers.positon")) << first_error(r);
    EXPECT_TRUE(contains(first_error(r), "did you mean \"position\"")) << first_error(r);
    r = compile_for_solver(with_solvers(R"({ "newtn": {} })"), "explicit");
    EXPECT_TRUE(contains(first_error(r), "did you mean \"newton\"")) << first_error(r);
    r = compile_for_solver(with_solvers(R"({ "newton": { "tolerence": 1 } })"), "explicit");
    EXPECT_TRUE(contains(first_error(r), "did you mean \"tolerance\"")) << first_error(r);
}

TEST(choice, a_wrong_solver_of_the_command_line_is_named_as_such) {
    const std::string start = "command line (--solver ";
    EXPECT_TRUE(first_error(compile_for_solver(with_solvers("{}"), "newtn")).starts_with(start + "newtn): "));
    EXPECT_TRUE(contains(first_error(compile_for_solver(with_solvers("{}"), "newtn")), "did you mean \"newton\""));
    EXPECT_TRUE(first_error(compile_for_solver(with_solvers("{}"), "mpm")).starts_with(start + "mpm): "));
    // a solver that cannot take the scene
    const std::string ball =
        R"({ "solver": "explicit", "objects": { "ball": { "kind": "sphere", "mass": 1 } } })";
    EXPECT_TRUE(first_error(compile_for_solver(ball, "newton")).starts_with(start + "newton): "))
        << first_error(compile_for_solver(ball, "newton"));
    // in the scene: file and line
    const std::string wrong =
        "{ \"objects\": { \"dust\": { \"kind\": \"particles\", \"count\": 1 } },\n  \"solver\": \"newtn\" }";
    EXPECT_TRUE(first_error(compile_for_solver(wrong)).starts_with("scene.json:2:"))
        << first_error(compile_for_solver(wrong));
}

TEST(choice, a_motion_holds_a_body_whatever_its_mass_and_a_note_says_so) {
    const Result<Compiled> r = compile_for_solver(R"({ "objects": {
        "spun":  { "kind": "sphere", "mass": 2, "velocity": [1, 0, 0], "motion": { "spin": { "axis": [0, 1, 0], "rate": 1 } } },
        "still": { "kind": "box", "density": 100, "motion": "static" },
        "loose": { "kind": "box", "mass": 3, "motion": "free" },
        "plain": { "kind": "box", "motion": "static" } } })");
    ASSERT_TRUE(r) << first_error(r);
    const Model& m = r.value->model;
    ASSERT_EQ(frame_count(m), 4);
    EXPECT_TRUE(m.frame.flags[0] & kFixed);
    EXPECT_TRUE(m.frame.flags[1] & kFixed);
    EXPECT_FALSE(m.frame.flags[2] & kFixed);
    EXPECT_DOUBLE_EQ(m.frame.mass[2], 3);
    EXPECT_EQ(m.obstacles.size(), 3u);
    EXPECT_TRUE(has_note(*r.value, "spun is held by its motion, its mass, velocity have no effect"));
    EXPECT_TRUE(has_note(*r.value, "still is held by its motion, its density has no effect"));
    EXPECT_FALSE(has_note(*r.value, "loose is held"));
    EXPECT_FALSE(has_note(*r.value, "plain is held"));
}

TEST(choice, elements_of_any_kind_are_called_stiff_elements) {
    const Result<Compiled> r = compile_for_solver(
        R"({ "objects": { "sheet": { "kind": "cloth_grid", "size": [1, 1], "edge": 0.25, "material": { "membrane": { "model": "tri_stvk" } } } } })");
    ASSERT_TRUE(r) << first_error(r);
    EXPECT_TRUE(has_note(*r.value, "solver = newton: the scene has stiff elements, and implicit steps"));
}

// n links hung by the first point have n masses that pull; the first has a part of that size too, on top of `mass`
TEST(choice, mass_of_a_chain_is_that_of_all_points_but_the_first) {
    const Result<Compiled> r = compile_for_solver(R"({ "objects": { "line": { "kind": "chain", "count": 4, "mass": 1, "end_mass": 2 } } })");
    ASSERT_TRUE(r) << first_error(r);
    EXPECT_EQ(r.value->model.point.mass, (std::vector<Real>{0.25, 0.25, 0.25, 0.25, 2.25}));
}

TEST(choice, links_beside_free_bodies_go_to_position_where_it_takes_them) {
    const std::string scene = R"({ "objects": { "sheet": { "kind": "cloth_grid", "size": [1, 1], "edge": 0.25 },
                                                "stone": { "kind": "sphere", "radius": 0.1, "mass": 1, "at": [0, 1, 0] } } })";
    Result<Compiled> r = compile_for_solver(scene);
    ASSERT_TRUE(r) << first_error(r);
    // springs alone are rows of velocity
    EXPECT_EQ(r.value->solver, "velocity");
    std::string shell = scene;
    shell.replace(shell.find("\"edge\""), 0, "\"model\": \"shell\", ");
    r = compile_for_solver(shell);
    ASSERT_TRUE(r) << first_error(r);
    EXPECT_EQ(r.value->solver, "position");
    EXPECT_TRUE(has_note(*r.value, "solver = position: the scene has stiff elements and free bodies"));
    EXPECT_FALSE(has_note(*r.value, "only the explicit"));
}
