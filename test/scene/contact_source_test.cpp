// Each pair of objects of a scene has one source of contacts (collision/collision.h), however many ways there are to
// describe its shapes.
#include "collision/detect.h"
#include "collision/detect_points.h"
#include "scene/compile.h"
#include <gtest/gtest.h>

namespace sinew {
namespace {

struct Found {
    Contacts contacts;
    int total() const {
        const Contacts& c = contacts;
        return int(c.vertex_triangle.size() + c.edge_edge.size() + c.vertex_edge.size() + c.vertex_vertex.size() + c.point_point.size());
    }
};

// everything that any solver can ask for
Found detect_everything(const std::string& objects, Real margin) {
    const Result<Scene> scene = parse_scene("{ \"objects\": {" + objects + "} }", "text");
    EXPECT_TRUE(scene) << to_string(scene.errors[0]);
    const Result<Compiled> c = compile_scene(*scene.value);
    EXPECT_TRUE(c) << to_string(c.errors[0]);
    const auto parallel = make_parallel(Context{1, {}, {}});
    const Model& m = c.value->model;
    const State& s = c.value->state;
    Found out;
    PointsScratch points;
    EXPECT_TRUE(detect_points(*parallel, m, surface_state(s), margin, points, out.contacts));
    std::vector<Real3> x(m.surface.vertices.size());
    surface_positions(*parallel, m, surface_state(s), x);
    SurfaceScratch surface;
    EXPECT_TRUE(detect_surface(*parallel, m, x, s.point.alive, {margin, false, 1}, surface, out.contacts));
    return out;
}

TEST(contact_source, a_free_box_on_a_held_plane_has_four_points) {
    const Found f = detect_everything(R"("floor": { "kind": "plane" }, "box": { "kind": "box", "size": [1, 1, 1], "at": [0.3, 0.4999, 0.2],
        "rotate": { "axis": [0, 1, 0], "angle": "20 deg" }, "density": 1000 })", 1e-3);
    EXPECT_EQ(f.total(), 4);
    for (const PointContact& c : f.contacts.point_point) {
        EXPECT_EQ(c.source, PointContact::shapes);
        EXPECT_NEAR(c.gap, -1e-4, 1e-12); // rounding of the pose
        EXPECT_NEAR(std::abs(c.normal.y), 1, 1e-12);
    }
}

TEST(contact_source, a_free_ball_on_a_held_box_has_one_point) {
    const Found f = detect_everything(R"("table": { "kind": "box", "size": [2, 1, 2] },
        "ball": { "kind": "sphere", "radius": 0.5, "at": [0.3, 0.9999, 0.2], "density": 1000 })", 1e-3);
    EXPECT_EQ(f.total(), 1);
}

// a vertex of the grid lies on the sphere's top, all others 0.1 m and more aside, where the sphere is 5 mm lower
TEST(contact_source, a_cloth_vertex_on_a_held_sphere_has_one_contact) {
    const Found f = detect_everything(R"("ball": { "kind": "sphere", "radius": 1 },
        "sheet": { "kind": "cloth_grid", "size": [1, 1], "edge": 0.1, "at": [0, 1.001, 0], "thickness": 0.0005 })", 1e-3);
    ASSERT_EQ(f.total(), 1);
    EXPECT_EQ(f.contacts.point_point[0].source, PointContact::vertex_obstacle);
    EXPECT_NEAR(f.contacts.point_point[0].gap, 0.0005, 1e-9);
}

// a corner of the box just below the inside of a triangle, far from all vertices
TEST(contact_source, a_held_box_corner_under_a_cloth_triangle_has_one_contact) {
    const Found f = detect_everything(R"("crate": { "kind": "box", "size": [0.1, 0.1, 0.1], "at": [0.13, -0.0871, 0.06],
        "rotate": { "axis": [1, 0, -1], "angle": "54.7356103 deg" } },
        "sheet": { "kind": "cloth_grid", "size": [1, 1], "edge": 0.5, "at": [0, 0, 0], "thickness": 0.001 })", 1e-3);
    ASSERT_EQ(f.total(), 1);
    EXPECT_EQ(f.contacts.point_point[0].source, PointContact::triangle_obstacle);
}

} // namespace
} // namespace sinew
