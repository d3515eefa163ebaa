// The compiler on whole files: the two samples of the language, and the scenes that only it can refuse.
#include "scene/compile.h"
#include "scene/bad_scenes.h"
#include "paths.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace sinew;

static const std::string kScenes = source_dir() + "/test/scene/";

static Result<Compiled> compile_file(const std::string& file, bool check_only) {
    const Result<Scene> scene = load_scene(file);
    if (!scene) return {std::nullopt, scene.errors};
    return compile_scene(*scene.value, {}, check_only);
}

// what this version does not build; everything a sample is told to wait for must be one of these
static bool is_not_built(const Error& e) {
    static constexpr std::string_view words[] = {"joints are not built", "motors are not built", "this solver is not built",
                                                 "this measurement is not built", "breaking attachments are not built"};
    const auto says = [&](std::string_view w) { return e.message.find(w) != std::string::npos; };
    if (!std::any_of(std::begin(words), std::end(words), says)) return false;
    if (says("this solver")) return e.path == "solvers.position";
    if (says("this measurement")) return e.path.ends_with("intersections") || e.path.ends_with("joint_error");
    return true;
}

static void expect_checks(const std::string& name) {
    const Result<Compiled> checked = compile_file(kScenes + "sample/" + name, true);
    for (const Error& e : checked.errors) ADD_FAILURE() << to_string(e);
    ASSERT_TRUE(checked) << name;
    EXPECT_FALSE(checked.value->future.empty()) << name;
    for (const Error& e : checked.value->future) {
        EXPECT_TRUE(is_not_built(e)) << to_string(e);
        EXPECT_GT(e.line, 0) << to_string(e);
    }
    // a run must not silently leave them out; only settings of a solver that is not chosen are no obstacle
    const Result<Compiled> run = compile_file(kScenes + "sample/" + name, false);
    EXPECT_FALSE(run) << name;
    const auto stops = [](const Error& e) { return !e.path.starts_with("solvers."); };
    const auto& future = checked.value->future;
    EXPECT_EQ(run.errors.size(), std::size_t(std::count_if(future.begin(), future.end(), stops))) << name;
}

TEST(compile, the_drape_sample_checks_and_names_only_what_is_not_built) { expect_checks("drape.json"); }
TEST(compile, the_stairs_sample_waits_for_nothing) {
    const Result<Compiled> checked = compile_file(kScenes + "sample/stairs.json", true);
    for (const Error& e : checked.errors) ADD_FAILURE() << to_string(e);
    ASSERT_TRUE(checked);
    for (const Error& e : checked.value->future) ADD_FAILURE() << to_string(e);
    EXPECT_TRUE(compile_file(kScenes + "sample/stairs.json", false));
}

TEST(compile, each_bad_file_gives_its_message_with_place_and_path) {
    const std::vector<BadScene> scenes = list_bad_scenes(kScenes + "bad/compile");
    EXPECT_GE(scenes.size(), 25u);
    for (const BadScene& s : scenes) {
        const Result<Compiled> r = compile_file(s.file, false);
        EXPECT_FALSE(r.value.has_value()) << s.file;
        EXPECT_EQ(check_bad_scene(s, r.errors), "") << s.file;
        EXPECT_LE(r.errors.size(), 3u) << s.file << ": one mistake must not look like many";
    }
}

TEST(compile, a_body_takes_density_and_friction_of_its_material) {
    const char* text = R"({ "materials": { "cork": { "solid_density": 240, "friction": 0.7 } }, "objects": {
        "a": { "kind": "box", "size": [2, 1, 1], "material": "steel", "motion": "free" },
        "b": { "kind": "box", "size": [2, 1, 1], "material": "cork", "motion": "free" },
        "c": { "kind": "box", "size": [2, 1, 1], "material": "cork", "density": 500 },
        "d": { "kind": "box", "material": "cork" } } })";
    const Result<Scene> scene = parse_scene(text, "test");
    ASSERT_TRUE(scene);
    const Result<Compiled> r = compile_scene(*scene.value);
    for (const Error& e : r.errors) ADD_FAILURE() << to_string(e);
    ASSERT_TRUE(r);
    const Model& m = r.value->model;
    EXPECT_DOUBLE_EQ(m.frame.mass[0], 2 * 7850.0);
    EXPECT_DOUBLE_EQ(m.frame.mass[1], 2 * 240.0);
    EXPECT_DOUBLE_EQ(m.frame.mass[2], 2 * 500.0);
    // a material alone lets nothing go: the last box is held, and an obstacle with the friction of cork
    ASSERT_EQ(m.obstacles.size(), 1u);
    EXPECT_DOUBLE_EQ(m.obstacles[0].friction, 0.7);
}

TEST(compile, the_stable_step_is_that_of_the_stiffest_link) {
    const char* text = R"({ "objects": {
        "a": { "kind": "particles", "positions": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], "mass": 2, "gravity": false,
               "fixed": { "index": [0, 2] }, "links": [[0, 1], [2, 3]], "material": { "rod": { "model": "spring", "stiffness": 50 } } },
        "b": { "kind": "particles", "positions": [[0, 3, 0], [1, 3, 0]], "mass": 2, "gravity": false,
               "fixed": { "index": [0] }, "links": [[0, 1]], "material": { "rod": { "model": "spring", "stiffness": 800 } } } } })";
    const Result<Scene> scene = parse_scene(text, "test");
    ASSERT_TRUE(scene);
    const Result<Compiled> r = compile_scene(*scene.value, "explicit");
    for (const Error& e : r.errors) ADD_FAILURE() << to_string(e);
    ASSERT_TRUE(r);
    // symplectic Euler: h < 2 sqrt(m/k), exact for one free point along a coordinate axis; rounding only
    EXPECT_NEAR(stable_step(r.value->model, r.value->state), 2 * std::sqrt(2.0 / 800), 1e-12);
}
