#include "scene/findings.h"
#include "geometry/generate.h"
#include "scene/compile.h"
#include <gtest/gtest.h>

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
