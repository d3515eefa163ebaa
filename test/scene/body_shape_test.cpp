// What a body from a mesh file touches with, as its scene says.
#include "paths.h"
#include "scene/compile.h"
#include "scene/load.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace sinew;

TEST(body_shape, a_mesh_becomes_hulls_one_hull_a_distance_field_or_triangles_as_the_scene_says) {
    const Result<Scene> scene = load_scene(source_dir() + "/test/scene/sample/shapes.json");
    for (const Error& e : scene.errors) ADD_FAILURE() << to_string(e);
    ASSERT_TRUE(scene);
    const Result<Compiled> r = compile_scene(*scene.value, {}, false);
    for (const Error& e : r.errors) ADD_FAILURE() << to_string(e);
    ASSERT_TRUE(r);
    const Model& m = r.value->model;
    ASSERT_EQ(m.colliders.size(), 5u);
    const auto shape = [&](const char* name) {
        const int object = find(m, name).index;
        const auto c = std::find_if(m.colliders.begin(), m.colliders.end(),
                                    [&](const Collider& k) { return k.object == object; });
        return c->shape;
    };
    const Shape parts = shape("parts");
    ASSERT_EQ(parts.kind, Shape::compound);
    EXPECT_EQ(parts.rounding, 0.001);
    const CompoundShape& l = m.shapes->compounds[parts.data];
    EXPECT_EQ(l.parts.size(), 2u); // an L is two boxes
    ASSERT_EQ(l.parts.size(), l.poses.size());
    for (const Shape& s : l.parts) {
        EXPECT_EQ(s.kind, Shape::hull);
        EXPECT_EQ(m.shapes->hulls[s.data].vertices.size(), 8u);
    }
    EXPECT_EQ(shape("one").kind, Shape::hull);
    EXPECT_EQ(shape("field").kind, Shape::solid);
    EXPECT_EQ(shape("still").kind, Shape::mesh);
    ASSERT_EQ(shape("few").kind, Shape::compound);
    EXPECT_EQ(m.shapes->compounds[shape("few").data].parts.size(), 1u);
    const auto told = [](const std::string& n) {
        return n.find("hulls are not enough") != std::string::npos;
    };
    EXPECT_TRUE(std::any_of(r.value->notes.begin(), r.value->notes.end(), told));
}
