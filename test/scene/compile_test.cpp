// The compiler on whole files: the two samples of the language, and the scenes that only it can refuse.
#include "scene/compile_text.h"
#include "scene/bad_scenes.h"
#include "paths.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace sinew;

static const std::string kScenes = source_dir() + "/test/scene/";

static Result<Compiled> compile_file(const std::string& file, bool check_only) {
    const Result<Scene> scene = load_scene(file);
    if (!scene) return {std::nullopt, scene.errors};
    return compile_scene(*scene.value, {}, check_only);
}

TEST(compile, the_samples_of_the_language_wait_for_nothing) {
    for (const char* name : {"drape.json", "stairs.json"}) {
        const Result<Compiled> checked = compile_file(kScenes + "sample/" + name, true);
        for (const Error& e : checked.errors) ADD_FAILURE() << to_string(e);
        ASSERT_TRUE(checked) << name;
        for (const Error& e : checked.value->future) ADD_FAILURE() << to_string(e);
        EXPECT_TRUE(compile_file(kScenes + "sample/" + name, false)) << name;
    }
}

TEST(compile, solvers_without_rolling_friction_say_so) {
    const auto notes_of = [](const char* solver, const char* more) {
        std::string all;
        for (const std::string& n : compile(fmt::format(R"({{ "solver": "{}", "objects": {{ "floor": {{ "kind": "plane" }}, "ball": {{ "kind": "sphere", "mass": 1 {} }} }} }})",
                                                        solver, more)).notes)
            all += n + "\n";
        return all;
    };
    const char* rolls = R"(, "rolling_friction": 0.01)";
    EXPECT_NE(notes_of("position", rolls).find("rolling and torsional friction have no effect under position (ball)"), std::string::npos);
    EXPECT_EQ(notes_of("velocity", rolls).find("rolling"), std::string::npos);
    EXPECT_EQ(notes_of("position", "").find("rolling"), std::string::npos);
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

// `velocity` takes elastic forces at the start of a step. A free point of mass m on a tetrahedral grid: what
// is refused is longer than 2 sqrt(m/K), K its own stiffness, which is at most the largest eigenvalue; what
// is chosen is stable by Gershgorin's bound.
TEST(compile, velocity_takes_elastic_forces_by_steps_they_are_stable_with_or_refuses) {
    const auto solid = [](const char* solver, const char* time, const char* settings = "{}") {
        return fmt::format(R"({{ "sinew": 1, "solver": "{}", "time": {{ "fps": 60, "seconds": 0.1{} }}, "solvers": {{ "velocity": {} }},
            "objects": {{ "floor": {{ "kind": "plane" }},
                          "cube": {{ "kind": "solid", "size": [0.2, 0.2, 0.2], "cells": [2, 2, 2], "at": [0, 0.3, 0], "material": {{ "solid": {{ "young": 1e6 }} }} }} }} }})",
                           solver, time, settings);
    };
    const auto compile = [&](const std::string& text) {
        const Result<Scene> scene = parse_scene(text, "test");
        EXPECT_TRUE(scene);
        return compile_scene(*scene.value);
    };
    for (const char* solver : {"velocity", "soft_step"}) {
        const Result<Compiled> chosen = compile(solid(solver, ""));
        ASSERT_TRUE(chosen);
        // pressure waves of sqrt(E/rho) = 32 m/s cross the 0.1 m of a cell in 3 ms; corners are lighter and
        // shorter
        EXPECT_GT(chosen.value->substeps, 5);
        EXPECT_LT(chosen.value->substeps, 100);
        for (const char* time : {R"(, "substeps": 1)", R"(, "substeps": 4)"}) {
            const Result<Compiled> refused = compile(solid(solver, time));
            ASSERT_FALSE(refused) << time;
            ASSERT_EQ(refused.errors.size(), 1u);
            EXPECT_NE(to_string(refused.errors[0]).find("elastic forces at the start of a step"), std::string::npos);
        }
    }
    EXPECT_TRUE(compile(solid("newton", R"(, "substeps": 1)")));
    EXPECT_TRUE(compile(solid("velocity", R"(, "substeps": 1)", R"({ "method": "block", "substeps": 60 })"))); // which cuts steps itself
}

TEST(compile, what_an_event_sets_has_units_and_vars) {
    const Compiled c = compile(R"({ "vars": { "r": 50 }, "fields": { "w": { "kind": "wind", "velocity": [1, 0, 0] } },
        "objects": { "jet": { "kind": "emitter", "rate": 1, "lifetime": 1 } }, "time": { "fps": 10, "seconds": 1 },
        "events": [ { "at": 0.1, "set": { "jet.rate": "r/2", "fields.w.velocity": ["36 km/h", "r", 0], "fields.w.scale": "1/4" } },
                    { "at": 0.2, "set": { "jet.rate": "2 1/s" } } ] })");
    ASSERT_EQ(c.script.events.size(), 2u);
    const std::vector<EventSet>& first = c.script.events[0].event.sets;
    ASSERT_EQ(first.size(), 3u);
    EXPECT_EQ(first[0].value.number, 25);
    EXPECT_NEAR(first[1].value.items[0].number, 10, 1e-12); // 36/3.6, rounded
    EXPECT_EQ(first[1].value.items[1].number, 50);
    EXPECT_EQ(first[2].value.number, 0.25);
    EXPECT_EQ(c.script.events[1].event.sets[0].value.number, 2);
}

TEST(compile, an_attachment_of_nothing_or_to_nothing_is_an_error) {
    const auto error_of = [](const char* attach) {
        const Scene scene = parsed_scene(std::string(R"({ "objects": { "sheet": { "kind": "cloth_grid", "size": [1, 1], "edge": 0.5 },
            "hem": { "kind": "chain", "count": 3, "at": [0, 0.1, 0] } }, "attach": [)") + attach + "] }");
        const Result<Compiled> r = compile_scene(scene);
        EXPECT_EQ(r.errors.size(), 1u) << attach;
        return r.errors.empty() ? "" : r.errors[0].path + ": " + to_string(r.errors[0]);
    };
    const std::string points = error_of(R"({ "points": { "of": "sheet", "box": [[8, 8, 8], [9, 9, 9]] }, "to": "world" })");
    EXPECT_NE(points.find("attach[0].points: "), std::string::npos) << points;
    EXPECT_NE(points.find("selects no point of 'sheet'"), std::string::npos) << points;
    EXPECT_NE(points.find("box"), std::string::npos) << points; // what was written
    const std::string to = error_of(R"({ "points": { "of": "hem" }, "to": { "of": "sheet", "sphere": { "center": [9, 9, 9], "radius": 1 } } })");
    EXPECT_NE(to.find("attach[0].to: "), std::string::npos) << to;
    EXPECT_NE(to.find("selects no point of 'sheet'"), std::string::npos) << to;
}

TEST(compile, random_places_go_by_the_seeds_of_the_scene_and_of_the_object) {
    const auto first = [](const char* seed, const char* own) {
        return compile(fmt::format(R"({{ {} "objects": {{ "a": {{ "kind": "particles", "count": 5 {} }} }} }})", seed, own)).state.point.x[0];
    };
    EXPECT_EQ(first("", ""), first(R"("seed": 0,)", ""));
    EXPECT_EQ(first(R"("seed": 4,)", ""), first(R"("seed": 4,)", ""));
    EXPECT_NE(first("", ""), first(R"("seed": 4,)", ""));
    EXPECT_NE(first(R"("seed": 4,)", ""), first(R"("seed": 4,)", R"(, "seed": 2)"));
}

TEST(compile, a_selection_of_nothing_is_said) {
    const auto notes_of = [](const char* box) {
        std::string all;
        for (const std::string& n : compile(std::string(R"({ "objects": { "sheet": { "kind": "cloth_grid", "edge": 0.5, "fixed": { "box": )") + box +
                                            " } } } }").notes)
            all += n + "\n";
        return all;
    };
    EXPECT_NE(notes_of("[[50, 50, 50], [51, 51, 51]]").find("selects no point of sheet"), std::string::npos);
    EXPECT_EQ(notes_of("[[-9, -9, -9], [9, 9, 9]]").find("selects no point"), std::string::npos);
}
