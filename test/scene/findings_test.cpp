#include "scene/findings.h"
#include "geometry/generate.h"
#include "scene/compile.h"
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

using namespace sinew;

TEST(findings, a_sound_mesh_has_none) {
    std::vector<Finding> found;
    find_mesh_defects("ball", make_icosphere(1, 2), found);
    find_mesh_defects("sheet", make_grid(3, 3, 1, 1), found);
    find_tetrahedron_defects("jelly", {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}}, found);
    EXPECT_TRUE(found.empty());
}

TEST(findings, every_kind_of_defect_is_named_with_its_indices_and_place) {
    PolygonMesh m = make_grid(2, 1, 2, 1); // vertices 0 1 2 / 3 4 5
    const std::vector<int> first(m.polygon_vertex.begin(), m.polygon_vertex.begin() + 4);
    add_polygon(m, {0, 1, 1});
    add_polygon(m, first);
    m.positions.push_back({0, 1, 0});
    add_polygon(m, {1, 4, 6});
    std::vector<Finding> found;
    find_mesh_defects("rag", m, found);
    find_tetrahedron_defects("rag", m.positions, {{0, 1, 2, 6}, {0, 3, 1, 6}, {0, 1, 3, 6}}, found);
    ASSERT_EQ(found.size(), 5u);
    EXPECT_EQ(found[0].message, "1 polygon without area (2)");
    EXPECT_EQ(found[1].message, "1 repeated polygon (3)");
    EXPECT_EQ(found[1].polygons, (std::vector<std::vector<int>>{first}));
    EXPECT_EQ(found[2].kind, "edges");
    EXPECT_NE(found[2].message.find("1-4"), std::string::npos);
    EXPECT_EQ(found[3].kind, "orientation");
    EXPECT_EQ(found[4].message.substr(0, 30), "2 inverted or flat tetrahedra ");
}

TEST(findings, a_scene_is_checked_object_by_object) {
    const Result<Scene> scene = parse_scene(R"({ "objects": { "sheet": { "kind": "cloth_grid", "edge": 0.5 },
        "ball": { "kind": "sphere", "at": [0, -3, 0] } } })", "text");
    ASSERT_TRUE(scene);
    const Result<Compiled> c = compile_scene(*scene.value, {}, true);
    ASSERT_TRUE(c) << to_string(c.errors[0]);
    Context one;
    one.threads = 1;
    const ParallelPtr parallel = make_parallel(one);
    for (const Finding& f : find_defects(*parallel, c.value->model, c.value->state)) ADD_FAILURE() << f.object << ": " << f.message;
}

TEST(findings, intersections_are_found_and_touching_is_none) {
    Context one;
    one.threads = 1;
    const ParallelPtr parallel = make_parallel(one);
    const auto moved = [](PolygonMesh m, Real3 d) {
        for (Real3& x : m.positions) x = {x.x + d.x, x.y + d.y, x.z + d.z};
        return m;
    };
    const PolygonMesh box = make_box({1, 1, 1}), on_top = moved(box, {0.2, 1, 0.1}), into = moved(box, {0.2, 0.9, 0.1});
    std::vector<Finding> found;
    find_intersection_defects(*parallel, "a", box, "b", &on_top, found);
    find_intersection_defects(*parallel, "a", box, "", nullptr, found);
    EXPECT_TRUE(found.empty());
    find_intersection_defects(*parallel, "a", box, "b", &into, found);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].message.substr(0, 14), "intersects b: ");
    PolygonMesh folded = make_grid(4, 1, 4, 1); // its last column bent down through the first
    for (Real3& x : folded.positions)
        if (x.x > 1.5) x = {-1.5, -1, x.z};
        else if (x.x > 0.5) x = {-1.6, 1, x.z};
    found.clear();
    find_intersection_defects(*parallel, "rag", folded, "", nullptr, found);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].message.substr(0, 19), "intersects itself: ");
}

TEST(findings, what_starts_inside_a_floor_is_named_unless_it_does_not_touch_it) {
    const auto scene = [](const char* rule) {
        return parse_scene(std::string(R"({ "objects": {
            "floor": { "kind": "plane" },
            "dust": { "kind": "particles", "positions": [[0, 1, 0], [0, -0.5, 0], [1, -0.1, 0]], "mass": 1 } })") + rule + " }", "t");
    };
    Context one;
    one.threads = 1;
    const ParallelPtr parallel = make_parallel(one);
    const auto findings = [&](const char* rule) {
        const auto parsed = scene(rule);
        EXPECT_TRUE(parsed) << to_string(parsed.errors[0]);
        const auto c = compile_scene(*parsed.value);
        EXPECT_TRUE(c) << to_string(c.errors[0]);
        return find_defects(*parallel, c.value->model, c.value->state);
    };
    const std::vector<Finding> found = findings("");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].object, "dust");
    EXPECT_EQ(found[0].message, "inside floor: 2 vertices (1, 2)");
    EXPECT_TRUE(findings(R"(, "contact": [ { "between": ["dust", "floor"], "off": true } ])").empty());
}

namespace {
std::vector<Finding> findings_of(const std::string& objects, const std::string& rest = "") {
    const auto parsed = parse_scene("{ \"objects\": {" + objects + "}" + rest + " }", "t");
    EXPECT_TRUE(parsed) << to_string(parsed.errors[0]);
    if (!parsed) return {};
    const auto c = compile_scene(*parsed.value);
    EXPECT_TRUE(c) << to_string(c.errors[0]);
    if (!c) return {};
    return find_defects(*make_parallel(Context{1, {}, {}}), c.value->model, c.value->state);
}
} // namespace

TEST(findings, bodies_that_overlap_at_the_start_are_serious_and_bodies_that_touch_are_not) {
    const auto boxes = [](const char* y) {
        return findings_of(std::string(R"("a": { "kind": "box", "size": [1, 1, 1], "density": 1000 },
            "b": { "kind": "box", "size": [1, 1, 1], "density": 1000, "at": [0.2, )") + y + ", 0.1] }");
    };
    std::vector<Finding> found = boxes("0.9");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].object, "a");
    EXPECT_EQ(found[0].other, "b");
    EXPECT_TRUE(found[0].serious);
    EXPECT_FALSE(found[0].polygons.empty());
    found = boxes("1");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_FALSE(found[0].serious);
    EXPECT_EQ(found[0].message, "touches b at 4 places");
    EXPECT_TRUE(boxes("1.01").empty());
}

TEST(findings, a_body_wholly_inside_another_is_serious) {
    for (const char* kind : {"box", "sphere", "cylinder"}) {
        const std::vector<Finding> found = findings_of(std::string(R"("outer": { "kind": "box", "size": [2, 2, 2], "density": 1000 },
            "inner": { "kind": ")") + kind + R"(", "density": 1000, "scale": 0.3, "at": [0.1, 0.2, 0] })");
        ASSERT_EQ(found.size(), 1u) << kind;
        EXPECT_TRUE(found[0].serious);
        EXPECT_EQ(found[0].object, "outer");
        EXPECT_EQ(found[0].message.substr(0, 18), "overlaps inner by ");
    }
}

TEST(findings, a_body_in_the_floor_is_named_with_its_vertices) {
    const std::vector<Finding> found = findings_of(R"("floor": { "kind": "plane" }, "box": { "kind": "box", "size": [1, 1, 1], "density": 1, "at": [0, 0.4, 0] })");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_TRUE(found[0].serious);
    EXPECT_EQ(found[0].message.substr(0, 26), "inside floor: 4 vertices (");
}

TEST(findings, held_bodies_in_each_other_are_not_serious) {
    const std::vector<Finding> found = findings_of(R"("a": { "kind": "box" }, "b": { "kind": "box", "at": [0.3, 0.2, 0.1] })");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_FALSE(found[0].serious);
}

TEST(findings, particles_inside_a_closed_body_and_in_a_triangle_are_named) {
    std::vector<Finding> found = findings_of(R"("can": { "kind": "cylinder", "radius": 0.5, "height": 1 },
        "dust": { "kind": "particles", "positions": [[2, 0, 0], [0.1, 0.2, 0.1]], "mass": 1 })");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].object, "dust");
    EXPECT_EQ(found[0].message, "inside can: 1 vertex (1)");
    EXPECT_TRUE(found[0].serious);
    found = findings_of(R"("sheet": { "kind": "cloth_grid", "edge": 0.5, "at": [0, 0, 0] },
        "dust": { "kind": "particles", "positions": [[2, 0, 0], [0.07, 0, 0.03]], "mass": 1 })");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].object, "dust");
    EXPECT_EQ(found[0].message, "touches sheet: 1 vertex (1)");
    EXPECT_FALSE(found[0].serious);
}

TEST(findings, a_rope_through_a_sheet_is_named_by_its_edge) {
    const std::vector<Finding> found = findings_of(R"("sheet": { "kind": "cloth_grid", "edge": 0.5, "at": [0, 0, 0] },
        "rope": { "kind": "rope", "from": [0.07, 0.35, 0.03], "to": [0.07, -0.65, 0.03], "count": 5 })");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].object, "rope");
    EXPECT_EQ(found[0].message, "passes through sheet: 1 edge (1)");
    EXPECT_TRUE(found[0].serious);
}

TEST(findings, coplanar_sheets_touch_and_crossing_ones_are_serious) {
    const auto sheets = [](const char* second) {
        return findings_of(std::string(R"("a": { "kind": "cloth_grid", "edge": 0.5, "at": [0, 0, 0] },
            "b": { "kind": "cloth_grid", "edge": 0.5, )") + second + "}");
    };
    std::vector<Finding> found = sheets(R"("at": [0.21, 0, 0.13])");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_FALSE(found[0].serious);
    EXPECT_EQ(found[0].message.substr(0, 11), "touches b: ");
    found = sheets(R"("at": [0.21, 0, 0.13], "rotate": { "axis": [1, 0, 0], "angle": "80 deg" })");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_TRUE(found[0].serious);
}

// Surfaces that cross exactly at edges and vertices, and bodies that share their sides, cross; what one small motion frees touches.
TEST(findings, what_crosses_at_edges_and_vertices_is_serious_and_what_rests_there_is_not) {
    const auto is_serious = [](const std::string& a, const std::string& b) {
        const std::vector<Finding> found = findings_of("\"a\": { " + a + " }, \"b\": { " + b + " }");
        EXPECT_FALSE(found.empty()) << a << " | " << b;
        return std::any_of(found.begin(), found.end(), [](const Finding& f) { return f.serious; });
    };
    const std::string sheet = R"("kind": "cloth_grid", "size": [1, 1], "edge": 0.25)", upright = sheet + R"(, "rotate": { "axis": [1, 0, 0], "angle": "90 deg" })";
    for (const char* at : {"[0, 0, 0]", "[0.03, 0, 0]", "[0, 0.03, 0]", "[0, 0, 0.03]"}) EXPECT_TRUE(is_serious(sheet, upright + ", \"at\": " + at)) << at;
    EXPECT_FALSE(is_serious(sheet, upright + R"(, "at": [0, 0.5, 0])"));   // stands on it
    EXPECT_FALSE(is_serious(sheet, upright + R"(, "at": [0, 0.5, 0.5])")); // at its border
    EXPECT_FALSE(is_serious(sheet, sheet));                               // lies on it
    const std::string solid = R"("kind": "solid", "size": [1, 1, 1], "cells": [2, 2, 2])",
                      body = R"("kind": "mesh", "mesh": { "shape": "ball", "radius": 0.3, "levels": 2 }, "mass": 1, "shape": "solid")";
    for (const char* at : {"[0, 0, 0]", "[0.5, 0, 0]", "[0.999, 0, 0]", "[0.25, 0.5, 0]"}) EXPECT_TRUE(is_serious(solid, solid + ", \"at\": " + at)) << at;
    EXPECT_FALSE(is_serious(solid, solid + R"(, "at": [1, 0, 0])"));
    EXPECT_FALSE(is_serious(solid, solid + R"(, "at": [1, 1, 0.5])"));
    EXPECT_TRUE(is_serious(body, body));
}

// Tolerances go with the size of the scene: a cloth of a millimetre is judged as one of a metre, in as little memory.
TEST(findings, small_scenes_are_judged_as_large_ones) {
    for (const Real size : {1.0, 1e-3, 1e-6}) {
        const auto sheets = [&](Real up, Real angle) {
            return findings_of(fmt::format(R"("a": {{ "kind": "cloth_grid", "size": [{0}, {0}], "edge": {1} }},
                "b": {{ "kind": "cloth_grid", "size": [{0}, {0}], "edge": {1}, "at": [{2}, {3}, {2}],
                "rotate": {{ "axis": [1, 0, 0], "angle": "{4} deg" }} }})", size, size / 20, 0.013 * size, up * size, angle));
        };
        EXPECT_TRUE(sheets(0.1, 0).empty()) << size;
        ASSERT_EQ(sheets(0.1, 80).size(), 1u) << size;
        EXPECT_TRUE(sheets(0.1, 80)[0].serious);
    }
}

TEST(findings, inverted_tetrahedra_of_a_solid_are_named) {
    const auto parsed = parse_scene(R"({ "objects": { "jelly": { "kind": "solid", "cells": [2, 2, 2] } } })", "t");
    ASSERT_TRUE(parsed) << to_string(parsed.errors[0]);
    auto c = compile_scene(*parsed.value);
    ASSERT_TRUE(c) << to_string(c.errors[0]);
    const auto parallel = make_parallel(Context{1, {}, {}});
    EXPECT_TRUE(find_defects(*parallel, c.value->model, c.value->state).empty());
    c.value->state.point.x[0] = {10, 10, 10}; // a corner through the block
    const std::vector<Finding> found = find_defects(*parallel, c.value->model, c.value->state);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found[0].object, "jelly");
    EXPECT_EQ(found[0].kind, "inverted");
    EXPECT_TRUE(found[0].serious);
    EXPECT_FALSE(found[0].polygons.empty());
}

TEST(findings, positions_that_are_no_numbers_are_named) {
    const auto parsed = parse_scene(R"({ "objects": { "floor": { "kind": "plane" },
        "dust": { "kind": "particles", "positions": [[2, 0, 0], [0, 1, 0]], "mass": 1 } } })", "t");
    ASSERT_TRUE(parsed);
    auto c = compile_scene(*parsed.value);
    ASSERT_TRUE(c) << to_string(c.errors[0]);
    c.value->state.point.x[1].y = std::numeric_limits<double>::quiet_NaN();
    const std::vector<Finding> found = find_defects(*make_parallel(Context{1, {}, {}}), c.value->model, c.value->state);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].object, "dust");
    EXPECT_TRUE(found[0].serious);
    EXPECT_EQ(found[0].message, "position or velocity is not a number: 1 point (1)");
}
