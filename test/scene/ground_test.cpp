// Height fields and compounds as a scene says them: shapes, obstacles, surfaces, masses.
#include "collision/detect_points.h"
#include "compile_text.h"
#include "core/math.h"
#include "paths.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace sinew;

static std::vector<Error> errors_of_objects(const std::string& objects) {
    const Result<Scene> scene = parse_scene("{ \"objects\": {" + objects + "} }", source_dir() + "/test/scene/sample/scene.json");
    if (!scene) return scene.errors;
    return compile_scene(*scene.value).errors;
}
static Compiled compile_here(const std::string& objects) { // files are those of the samples
    const Result<Scene> scene = parse_scene("{ \"objects\": {" + objects + "} }", source_dir() + "/test/scene/sample/scene.json");
    for (const Error& e : scene.errors) ADD_FAILURE() << to_string(e);
    if (!scene) return {};
    Result<Compiled> made = compile_scene(*scene.value);
    for (const Error& e : made.errors) ADD_FAILURE() << to_string(e);
    return made ? std::move(*made.value) : Compiled{};
}
static const HeightFieldShape& field_of(const Model& m, const char* name) {
    const int object = find(m, name).index;
    const auto o = std::find_if(m.obstacles.begin(), m.obstacles.end(), [&](const Obstacle& x) { return x.object == object; });
    return m.shapes->height_fields[o->data];
}

TEST(ground, a_height_field_comes_from_rows_an_expression_or_a_file) {
    const Compiled c = compile_here(R"(
        "rows": { "kind": "height_field", "size": [2, 3], "heights": [[0, "10 cm"], [0.2, 0.3], [0, 0]] },
        "formula": { "kind": "height_field", "size": [4, 2], "height": "0.1*x + z^2", "nodes": [5, 3], "scale": [1, 2, 1] },
        "even": { "kind": "height_field", "size": [4, 1], "height": "5 cm" },
        "text": { "kind": "height_field", "file": "hills.txt" },
        "picture": { "kind": "height_field", "file": "ramp.pgm", "low": -1, "high": 3 })");
    const Model& m = c.model;
    ASSERT_EQ(m.obstacles.size(), 5u);
    const HeightFieldShape& rows = field_of(m, "rows");
    EXPECT_EQ(rows.nx, 2);
    EXPECT_EQ(rows.nz, 3);
    EXPECT_EQ(rows.dx, 2);
    EXPECT_EQ(rows.dz, 1.5);
    EXPECT_EQ(rows.height, (std::vector<double>{0, 0.1, 0.2, 0.3, 0, 0}));
    const HeightFieldShape& formula = field_of(m, "formula");
    ASSERT_EQ(formula.nx, 5);
    ASSERT_EQ(formula.nz, 3);
    // node (4, 0): x = 2, z = -1, twice as high
    EXPECT_NEAR(formula.height[4], 2 * (0.2 + 1), 1e-15);
    const HeightFieldShape& even = field_of(m, "even");
    EXPECT_EQ(even.nx, 65);
    EXPECT_EQ(even.nz, 17);
    EXPECT_EQ(even.height[100], 0.05);
    EXPECT_EQ(field_of(m, "text").height[5], 0.2);
    EXPECT_EQ(field_of(m, "picture").height, (std::vector<double>{-1, 1, 3, -1, 1, 3}));
    EXPECT_EQ(c.files.size(), 2u); // kept with their hashes
    // triangles for pictures and safe steps, about the object's place
    const Object& o = m.objects[find(m, "rows").index];
    EXPECT_EQ(o.surface.count(), 6);
    EXPECT_EQ(o.triangles.count(), 4);
    EXPECT_EQ(m.surface.vertices[o.surface.begin].local, (Real3{-1, 0, -1.5}));
}

TEST(ground, what_is_wrong_with_a_height_field_is_named) {
    const auto told = [](const std::string& object, const std::string& path, const std::string& fragment) {
        const std::vector<Error> all = errors_of_objects("\"g\": { \"kind\": \"height_field\", " + object + " }");
        const bool found = std::any_of(all.begin(), all.end(), [&](const Error& e) {
            return e.path == path && (e.message + e.allowed).find(fragment) != std::string::npos;
        });
        EXPECT_TRUE(found) << object << ": " << (all.empty() ? "accepted" : to_string(all[0]));
    };
    told("\"size\": [1, 1]", "objects.g", "has no heights");
    told("\"height\": 1, \"file\": \"hills.txt\"", "objects.g", "more than one source");
    told("\"heights\": [[0, 1], [2]]", "objects.g.heights[1]", "has 1 heights");
    told("\"heights\": [[0, 1]]", "objects.g.heights", "too few");
    told("\"heights\": 3", "objects.g.heights", "rows of heights");
    told("\"heights\": [[0, 1], [2, \"3 kg\"]]", "objects.g.heights[1][1]", "this is a mass");
    told("\"height\": \"x + y\"", "objects.g.height", "");
    told("\"height\": \"x + t\"", "objects.g.height", "cannot change with time");
    told("\"height\": \"log(x)\"", "objects.g.height", "not finite");
    told("\"height\": \"x\", \"nodes\": [8000, 8000]", "objects.g.nodes", "too many");
    told("\"heights\": [[0, 1], [2, 3]], \"nodes\": [2, 2]", "objects.g.nodes", "given one by one");
    told("\"file\": \"nowhere.pgm\"", "objects.g.file", "cannot use this file");
    told("\"file\": \"shapes.json\"", "objects.g.file", "finite number");
    told("\"height\": 0, \"motion\": \"free\"", "objects.g.motion", "cannot be free");
    told("\"height\": 0, \"velocity\": [1, 0, 0]", "objects.g.velocity", "cannot be free");
    told("\"height\": 0, \"scale\": [1, -1, 1]", "objects.g.scale", "above 0");
    told("\"height\": 1e300, \"scale\": 1e300", "objects.g.size", "too large");
    told("\"height\": 0, \"mass\": 3", "objects.g.mass", "");
}

// Two boxes of different density side by side: mass 1 + 3, centre of mass at 0.25 from the middle.
TEST(ground, a_compound_is_one_body_with_the_sum_of_its_parts) {
    const Compiled c = compile_here(R"("hammer": { "kind": "compound", "at": [1, 2, 3], "rotate": { "axis": [0, 0, 1], "angle": "90 deg" }, "thickness": 0.01,
        "parts": [ { "kind": "box", "at": [-0.5, 0, 0], "density": 1 }, { "kind": "box", "at": [0.5, 0, 0], "mass": 3 } ] },
        "scaled": { "kind": "compound", "scale": 2, "mass": 5, "parts": [ { "kind": "sphere", "at": [1, 0, 0] }, { "kind": "mesh", "mesh": "l_shape.obj", "shape": "decomposition" } ] })");
    const Model& m = c.model;
    ASSERT_EQ(frame_count(m), 2);
    EXPECT_NEAR(m.frame.mass[0], 4, 1e-14);
    // turned by a quarter: x of the body is y of the world
    EXPECT_NEAR((vec(c.state.frame.p[0]) - Vec3(1, 2.25, 3)).norm(), 0, 1e-14);
    // about y: each m/6 of its own, and 1 (3/4)^2 + 3 (1/4)^2
    EXPECT_NEAR(m.frame.inertia[0](1, 1), 4 / 6.0 + 0.75, 1e-14);
    EXPECT_NEAR(m.frame.inertia[0](0, 0), 4 / 6.0, 1e-14);
    ASSERT_EQ(m.colliders.size(), 2u);
    const Shape shape = m.colliders[0].shape;
    ASSERT_EQ(shape.kind, Shape::compound);
    EXPECT_EQ(shape.rounding, 0.01);
    EXPECT_NEAR(m.shapes->compounds[shape.data].poses[1].position.x, 0.25, 1e-15);
    EXPECT_EQ(m.objects[0].surface.count(), 16);
    EXPECT_NEAR(m.frame.mass[1], 5, 1e-14);
    const CompoundShape& scaled = m.shapes->compounds[m.colliders[1].shape.data];
    EXPECT_EQ(scaled.parts[0].size.x, 1);
    EXPECT_EQ(scaled.parts[1].kind, Shape::compound); // hulls of the mesh
    EXPECT_TRUE(m.obstacles.empty());
}

TEST(ground, a_held_compound_of_simple_shapes_is_an_obstacle_part_by_part) {
    const Compiled c = compile_here(R"("rack": { "kind": "compound", "at": [0, 1, 0], "parts": [
            { "kind": "box", "size": [1, 0.2, 1] }, { "kind": "capsule", "radius": 0.1, "height": 1, "at": [2, 0, 0], "rotate": { "axis": [1, 0, 0], "angle": "90 deg" } } ] },
        "mixed": { "kind": "compound", "parts": [ { "kind": "sphere" }, { "kind": "cone", "at": [0, 9, 0] } ] },
        "p": { "kind": "particles", "positions": [[0.3, 1.105, 0.2], [2, 1.105, 0.45], [3, 1, 0]], "thickness": 0.01 })");
    ASSERT_EQ(c.model.obstacles.size(), 3u);
    // the other one has a part without a closed form: an obstacle without a frame, met by distance or by triangles under every solver
    EXPECT_EQ(c.model.obstacles[2].frame, -1);
    const auto said = [](const std::string& n) { return n.find("pass through mixed") != std::string::npos; };
    EXPECT_TRUE(std::none_of(c.notes.begin(), c.notes.end(), said));
    const auto parallel = make_parallel(Context{1, {}, {}});
    PointsScratch scratch;
    Contacts found;
    ASSERT_TRUE(detect_points(*parallel, c.model, surface_state(c.state), 0, scratch, found));
    ASSERT_EQ(found.point_point.size(), 2u);
    for (const PointContact& p : found.point_point) {
        EXPECT_NEAR(p.gap, -0.005, 1e-12);
        EXPECT_NEAR(p.normal.y, 1, 1e-9);
    }
}

TEST(ground, what_is_wrong_with_a_compound_is_named_by_part) {
    const auto told = [](const std::string& object, const std::string& path, const std::string& fragment) {
        const std::vector<Error> all = errors_of_objects("\"c\": { \"kind\": \"compound\", " + object + " }");
        const bool found = std::any_of(all.begin(), all.end(), [&](const Error& e) {
            return e.path == path && (e.message + e.allowed).find(fragment) != std::string::npos;
        });
        EXPECT_TRUE(found) << object << ": " << (all.empty() ? "accepted" : to_string(all[0]));
    };
    told("\"mass\": 1", "objects.c.parts", "");
    told("\"parts\": []", "objects.c.parts", "at least one part");
    told("\"parts\": 3", "objects.c.parts", "");
    told("\"parts\": [3]", "objects.c.parts[0]", "needs a kind");
    told("\"parts\": [{ \"kind\": \"plane\" }]", "objects.c.parts[0].kind", "box, capsule, cone, cylinder, mesh, sphere");
    told("\"parts\": [{ \"kind\": \"box\" }, { \"kind\": \"box\", \"radius\": 1 }]", "objects.c.parts[1].radius", "");
    told("\"parts\": [{ \"kind\": \"sphere\", \"radius\": -1 }]", "objects.c.parts[0].radius", "");
    told("\"parts\": [{ \"kind\": \"sphere\", \"at\": [0, 1] }]", "objects.c.parts[0].at", "");
    told("\"parts\": [{ \"kind\": \"mesh\", \"mesh\": \"nowhere.obj\" }]", "objects.c.parts[0].mesh", "");
    told("\"scale\": [1, 2, 1], \"parts\": [{ \"kind\": \"box\" }]", "objects.c.scale", "same in all directions");
}
