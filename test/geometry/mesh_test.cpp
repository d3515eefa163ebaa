#include "geometry/mesh.h"
#include <gtest/gtest.h>
#include <limits>

using namespace sinew;

static PolygonMesh quad() {
    PolygonMesh m;
    m.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    add_polygon(m, {0, 1, 2, 3});
    return m;
}

TEST(mesh, a_well_formed_mesh_has_no_errors) {
    PolygonMesh m = quad();
    m.uv = {{0, 0}};
    m.polygon_uv = {0, 0, -1, 0}; // -1 = corner without texture coordinate
    m.segments = {{0, 2}};
    m.vertex_groups = {{"corner", {0, 3}}};
    m.polygon_groups = {{PolygonGroupKind::material, "cotton", {0}}};
    m.attributes = {{"weight", 1, {0, 1, 2, 3}}};
    EXPECT_TRUE(validate_mesh(m).empty());
    EXPECT_TRUE(validate_mesh(PolygonMesh{}).empty());
}

TEST(mesh, each_structural_defect_is_named_with_its_place) {
    const auto first = [](auto&& damage) {
        PolygonMesh m = quad();
        damage(m);
        const auto errors = validate_mesh(m);
        return errors.empty() ? std::string("none") : errors[0].path;
    };
    EXPECT_EQ(first([](PolygonMesh& m) { m.positions[2].y = std::numeric_limits<double>::infinity(); }),
              "positions[2]");
    EXPECT_EQ(first([](PolygonMesh& m) { m.polygon_vertex[1] = 4; }), "polygon_vertex[1]");
    EXPECT_EQ(first([](PolygonMesh& m) { m.polygon_vertex[1] = -1; }), "polygon_vertex[1]");
    EXPECT_EQ(first([](PolygonMesh& m) { m.polygon_begin = {0, 2, 4}; }), "polygon_begin[0]");
    EXPECT_EQ(first([](PolygonMesh& m) { m.polygon_begin = {0, 9, 4}; }), "polygon_begin[0]");
    EXPECT_EQ(first([](PolygonMesh& m) { m.polygon_begin = {}; }), "polygon_begin");
    EXPECT_EQ(first([](PolygonMesh& m) { m.polygon_uv = {0, 0, 0, 0}; }), "polygon_uv[0]");
    EXPECT_EQ(first([](PolygonMesh& m) { m.polygon_uv = {-1}; }), "polygon_uv");
    EXPECT_EQ(first([](PolygonMesh& m) { m.segments = {{0, 7}}; }), "segments[0]");
    EXPECT_EQ(first([](PolygonMesh& m) { m.vertex_groups = {{"collar", {0, 4}}}; }), "collar[1]");
    EXPECT_EQ(first([](PolygonMesh& m) {
                  m.polygon_groups = {{PolygonGroupKind::group, "hem", {1}}};
              }),
              "hem[0]");
    EXPECT_EQ(first([](PolygonMesh& m) { m.attributes = {{"map", 2, {1, 2, 3, 4}}}; }), "map");
}

TEST(mesh, a_thousand_defects_give_ten_errors) {
    PolygonMesh m = quad();
    m.segments.assign(1000, {-1, -1});
    EXPECT_EQ(validate_mesh(m).size(), 10u);
}

TEST(mesh, bounds_hold_every_vertex) {
    const Bounds b = compute_bounds(quad());
    EXPECT_EQ(b.min, (Real3{0, 0, 0}));
    EXPECT_EQ(b.max, (Real3{1, 1, 0}));
}
