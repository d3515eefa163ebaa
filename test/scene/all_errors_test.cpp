// One reading tells all that is wrong: of the text, of what it includes, of its structure, of what it means; each once,
// and nothing that only follows from another error.
#include "sinew/sinew.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace sinew;

namespace {

// "path: message" of all errors
std::vector<std::string> all_errors_of(std::string_view text, const std::string& file = "scene.json") {
    std::vector<std::string> out;
    for (const Error& e : parse({}, text, file).errors) out.push_back(e.path + ": " + e.message);
    return out;
}

// exactly these, in any order; each entry: path, and a part of the message
void expect_errors(std::string_view text, std::vector<std::pair<std::string, std::string>> expected, const std::string& file = "scene.json") {
    std::vector<std::string> found = all_errors_of(text, file);
    for (const auto& entry : expected) {
        const std::string &path = entry.first, &part = entry.second;
        const auto is = [&](const std::string& e) { return e.starts_with(path + ": ") && e.find(part) != std::string::npos; };
        const auto it = std::find_if(found.begin(), found.end(), is);
        if (it == found.end()) ADD_FAILURE() << "not told: " << path << ": " << part;
        else found.erase(it);
    }
    for (const std::string& e : found) ADD_FAILURE() << "told without need: " << e;
}

} // namespace

TEST(all_errors, of_text_structure_kinds_solver_and_script_are_told_in_one_reading) {
    expect_errors(R"({
        "time": { "fps": 24, "fps": 30 },
        "colour": 1,
        "objects": {
            "ball": { "kind": "sphere", "radius": 01 },
            "rope": { "kind": "chain", "edge": -1, "material": "coton" },
            "sheet": { "kind": "cloth_grid", "material": { "membrane": { "stiffness": -5 } } },
            "box": { "kind": 3 },
            "net": { "kind": "clothgrid" } },
        "solver": "newtn",
        "camera": { "eye": [1, 1, 1], "look_at": "bal" },
        "events": [ { "at": 1, "set": { "rope.rate": 3, "ball.rate": 3 } } ],
        "expect": [ { "at": 99, "ball.center.y": 0 }, { "at": 1, "sheet.centre.y": 0 }, { "at": 1, "pot.center.y": 0 } ] })",
                  {{"", "the name \"fps\" is given twice"},
                   {"colour", "unknown name"},
                   {"", "not a number"},
                   {"objects.rope.edge", "unknown name"},
                   {"objects.rope.material", "no material"},
                   {"objects.sheet.material.membrane.stiffness", "out of range"},
                   {"objects.box.kind", "a text is expected"},
                   {"objects.net.kind", "no kind of this name"},
                   {"solver", "no solver of this name"},
                   {"camera.look_at", "there is no object"},
                   {"expect[0].at", "outside the run"},
                   {"expect[2].pot.center.y", ""}});
}

TEST(all_errors, wrong_vars_do_not_hide_the_rest_and_are_told_once) {
    expect_errors(R"({
        "vars": { "r": "2 +", "twice": "2*r", "n": "m + 1", "m": "n - 1", "fine": 2 },
        "objects": {
            "ball": { "kind": "sphere", "radius": "twice" },
            "step": { "kind": "box", "replicate": { "count": "n" } },
            "swing": { "kind": "particles", "positions": [[0, "r", 0]], "mass": "fine - 3" } },
        "events": [ { "when": "ball.center.y < r", "set": { "swing.rate": "r" } } ],
        "expect": [ { "at": "r", "ball.center.y": { "max": "twice" } }, { "at": "end", "swing.centre": 1 } ],
        "solvers": { "newton": { "iterations": 0.5, "tolerance": "r" } } })",
                  {{"vars.r", ""},
                   {"vars.n", "circle"},
                   {"objects.swing.mass", "out of range"},
                   {"solvers.newton.iterations", "unknown name"}});
}

TEST(all_errors, a_file_that_cannot_be_included_does_not_hide_the_rest) {
    // what the missing file may hold is not judged: prefabs, materials, vars, objects, fields
    expect_errors(R"json({
        "include": ["nowhere/prefabs.json"],
        "objects": {
            "hero": { "use": "ragdoll", "height": "tall" },
            "cape": { "kind": "cloth_grid", "material": "velvet", "size": ["w", "sin(pi*w)"], "edge": -1 },
            "floor": { "kind": "plane", "radius": 3 } },
        "joints": [ { "kind": "hinge", "between": ["hero/chest", "door"], "axis": [0, 0, 1] } ],
        "events": [ { "when": "hero/hips.y < low", "set": { "fields.gust.scale": 2 } } ],
        "expect": [ { "at": "end", "lamp.center.y": 0, "floor.center.y": { "about": 1 } } ] })json",
                  {{"include[0]", "there is no such file"},
                   {"objects.cape.edge", "out of range"},
                   {"objects.floor.radius", "unknown name"},
                   {"expect[0].floor.center.y", "about and within"}});
}

TEST(all_errors, of_an_included_file_are_told_with_those_of_the_scene) {
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / "sinew_all_errors";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "parts.json") << R"({ "vars": { "a": 1e999 }, "prefabs": { "p": { "objects": { "x": { "kind": "sphere" "radius": "a" },
                                                "y": { "kind": "sfere" } } } } })";
    expect_errors(R"({ "include": ["parts.json"], "objects": { "one": { "use": "p" }, "two": { "use": "p" }, "three": { "use": "q" } },
                       "camera": { "eye": [1, 0, 0], "look_at": "one/x", "fov": 9 },
                       "expect": [ { "at": "end", "one/x.center.y": 0, "one/z.center.y": 0 } ] })",
                  {{"", "out of the range of double"},
                   {"", "unexpected character"},
                   {"objects.one/y.kind", "no kind"},
                   {"objects.three.use", "there is no prefab"},
                   {"camera.fov", "out of range"},
                   {"expect[0].one/z.center.y", ""}},
                  (folder / "scene.json").string());
}

TEST(all_errors, what_stands_without_quotes_or_comma_does_not_end_the_reading) {
    expect_errors(R"({ objects: { "ball": { "kind": sphere, "at": [0 1, 0] }, "box": { 'kind': 'box' } }, "gravty": 'x' })", {{"", "a name in double quotes"}, {"", "unknown word"}, {"", "unexpected character in an array"}, {"", "a name in double quotes"}});
    expect_errors(R"({ objects: { "ball": { "kind": sphere, "at": [0 1, 0] }, "box": { kind: 'box' } }, "gravty": 'x' })",
                  {{"", "a name in double quotes"},
                   {"", "unknown word"},
                   {"", "unexpected character in an array"},
                   {"", "a name in double quotes"},
                   {"", "a text needs double quotes"},
                   {"", "a text needs double quotes"},
                   {"gravty", "unknown name"}});
}

TEST(all_errors, joints_attachments_and_fields_with_errors_of_their_own_are_not_blamed_again) {
    expect_errors(R"({
        "objects": { "door": { "kind": "box", "mass": 2 }, "wall": { "kind": "box", "size": [0, 1, 1] },
                     "sheet": { "kind": "cloth_grid", "edges": 3 } },
        "fields": { "gust": { "velocity": [1, 0, 0] }, "breeze": { "kind": "wind", "velocity": [1, 0] } },
        "joints": { "axle": { "kind": "hing", "between": ["door", "world"] }, "bolt": { "kind": "weld", "between": ["door", "wall"] },
                    "knob": { "kind": "ball", "between": ["door", "wall", "sheet"] } },
        "attach": [ { "points": { "of": "sheet", "group": "rim" }, "to": "door" } ],
        "contact": [ { "between": ["door", "wal"] }, { "between": ["door", "wall"], "friction": -1 } ],
        "events": [ { "at": 1, "set": { "axle.motor": "off", "knob.motor": "on", "fields.gust.scale": 1, "fields.breeze.scale": 2 } } ],
        "expect": [ { "at": "end", "axle.angle": 0, "knob.angle": 0, "sheet.stretch": 0 } ],
        "outputs": [ { "kind": "pc2", "objects": ["wall", "well"] } ] })",
                  {{"objects.wall.size[0]", "out of range"},
                   {"objects.sheet.edges", "unknown name"},
                   {"fields.gust.kind", "missing"},
                   {"fields.breeze.velocity", "3 numbers"},
                   {"joints.axle.kind", "no joint of this kind"},
                   {"joints.knob.between", "2 names"},
                   {"contact[0]", "there is no object"},
                   {"contact[1].friction", "out of range"},
                   {"outputs[0].objects[1]", "there is no object"}});
}

TEST(all_errors, a_group_can_be_looked_at) {
    const Result<Scene> scene = parse({}, R"({ "objects": { "step": { "kind": "box", "replicate": { "count": 3, "at": ["i", 0, 0] } } },
                                               "camera": { "eye": [1, 3, 9], "look_at": "step" } })");
    ASSERT_TRUE(scene) << to_string(scene.errors[0]);
    EXPECT_TRUE(build({}, *scene.value));
}
