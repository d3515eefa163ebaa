// Skins of solids: the mesh that is shown follows the tetrahedra and keeps what it was through every output.
#include "compile_text.h"
#include "../output/samples.h"
#include "geometry/generate.h"
#include "geometry/read_mesh.h"
#include "model/snapshot_of.h"
#include "output/mesh_file.h"
#include "output/output.h"
#include "output/point_cache.h"
#include "output/recording.h"
#include "scene/compile.h"
#include "sinew/sinew.h"
#include <numeric>

namespace sinew {
namespace {

// a cube of quads and triangles in no particular order, with texture coordinates that have a seam, and two groups
constexpr const char* kCube = R"(v 1 1 1
v 0 0 0
v 1 0 0
v 0 1 1
v 1 1 0
v 0 1 0
v 0 0 1
v 1 0 1
vt 0 0
vt 1 0
vt 1 1
vt 0 1
vt 0.5 0.5
g bottom
f 2/1 3/2 8/3 7/4
g top
f 6/1 4/2 1/3 5/4
g
f 2/1 6/2 5/3
f 2/1 5/3 3/5
f 7/1 8/2 1/3 4/4
f 2/1 7/2 4/3 6/4
f 3/1 5/2 1/3 8/4
)";

std::string scene_of(const std::string& file, const std::string& more = "") {
    return R"({ "objects": { "b": { "kind": "solid", "mesh": ")" + file + R"(", "cell": 0.2, "at": [1, 2, 3],
        "rotate": { "axis": [0, 0, 1], "angle": "30 deg" } )" + more + " } } }";
}

// x -> A x + c of every point
void deform(const Mat3& a, const Vec3& c, State& s) {
    for (Real3& x : s.point.x) x = real3(a * vec(x) + c);
}

void expect_follows(const Compiled& c, const Mat3& a, const Vec3& move, Real near) {
    const SnapshotObject& look = c.model.layout->objects[0];
    State s = c.state;
    deform(a, move, s);
    const Snapshot now = snapshot_of(c.model, s);
    ASSERT_EQ(now.objects[0].position.size(), look.rest.size());
    for (std::size_t v = 0; v < look.rest.size(); ++v)
        EXPECT_LE((vec(now.objects[0].position[v]) - (a * vec(look.rest[v]) + move)).norm(), near);
}

} // namespace

TEST(solid_skin, follows_rigid_and_affine_motion_to_round_off) {
    TemporaryFolder folder;
    write_text_file(folder.path("cube.obj"), kCube);
    const Compiled c = compile(scene_of(folder.path("cube.obj")));
    ASSERT_EQ(c.model.layout->objects.size(), 1u);
    // positions of up to 6 m with weights of up to a few units: some tens of roundings of 6 * 2^-53
    const Real near = 1e-13;
    expect_follows(c, Mat3::Identity(), Vec3::Zero(), near);
    expect_follows(c, Eigen::AngleAxisd(1.1, Vec3(1, 2, 3).normalized()).toRotationMatrix(), Vec3(0.3, -2, 1), near);
    Mat3 shear;
    shear << 1.2, 0.4, 0, -0.1, 0.7, 0.3, 0.2, 0, 1.5;
    expect_follows(c, shear, Vec3(1, 1, 1), near);
}

TEST(solid_skin, velocity_and_strain_are_those_of_the_solid) {
    TemporaryFolder folder;
    write_text_file(folder.path("cube.obj"), kCube);
    Compiled c = compile(scene_of(folder.path("cube.obj")));
    const Mat3 stretch = Vec3(1.5, 1, 1).asDiagonal();
    for (std::size_t i = 0; i < c.state.point.x.size(); ++i) c.state.point.v[i] = real3(Vec3(0, 1, 0).cross(vec(c.state.point.x[i])));
    const Snapshot before = snapshot_of(c.model, c.state);
    const SnapshotField& velocity = before.objects[0].fields[0];
    ASSERT_EQ(velocity.name, "velocity");
    for (int v = 0; v < 8; ++v)
        EXPECT_LE((Vec3(velocity.values.data() + 3 * v) - Vec3(0, 1, 0).cross(vec(before.objects[0].position[v]))).norm(), 1e-13);
    deform(stretch, Vec3::Zero(), c.state);
    const Snapshot after = snapshot_of(c.model, c.state);
    for (const SnapshotField& f : after.objects[0].fields)
        if (f.name == "strain") {
            ASSERT_EQ(f.values.size(), 8u);
            for (double s : f.values) EXPECT_NEAR(s, 0.5, 1e-12); // homogeneous: round-off of the SVD
        }
}

TEST(solid_skin, order_polygons_texture_coordinates_and_groups_pass_through_every_mesh_output) {
    TemporaryFolder folder;
    write_text_file(folder.path("cube.obj"), kCube);
    const Compiled c = compile(scene_of(folder.path("cube.obj")));
    const PolygonMesh in = *read_mesh(folder.path("cube.obj")).value;
    State s = c.state;
    deform(2 * Mat3::Identity(), Vec3::Zero(), s);
    const Snapshot now = snapshot_of(c.model, s);
    std::vector<Real3> expected;
    for (const Real3& x : c.model.layout->objects[0].rest) expected.push_back(real3(2 * vec(x)));

    ExporterSettings exact;
    exact.precision = Precision::float64;
    for (const char* name : {"obj", "ply", "pc2", "mdd", "recording"}) {
        const ExporterEntry& entry = *find_exporter(name);
        const std::string path = folder.path("out." + std::string(entry.extension));
        const auto exporter = std::move(*make_exporter(name, entry.float64 ? exact : ExporterSettings{}).value);
        EXPECT_NO_ERRORS(exporter->open(path, *c.model.layout));
        EXPECT_NO_ERRORS(exporter->write(now));
        EXPECT_NO_ERRORS(exporter->close());
    }
    const auto expect_near = [&](const std::vector<Real3>& x, Real near) {
        ASSERT_EQ(x.size(), 8u);
        for (int v = 0; v < 8; ++v) EXPECT_LE((vec(x[v]) - vec(expected[v])).norm(), near);
    };
    for (const char* file : {"out.0000.obj", "out.0000.ply"}) {
        const Result<PolygonMesh> out = read_mesh(folder.path(file));
        ASSERT_TRUE(out) << file;
        expect_near(out.value->positions, 1e-13);
        EXPECT_EQ(out.value->polygon_begin, in.polygon_begin);
        EXPECT_EQ(out.value->polygon_vertex, in.polygon_vertex);
    }
    const PolygonMesh obj = *read_mesh(folder.path("out.0000.obj")).value;
    EXPECT_EQ(obj.uv, in.uv);
    EXPECT_EQ(obj.polygon_uv, in.polygon_uv);
    for (const char* group : {"top", "bottom"}) {
        ASSERT_TRUE(find_vertex_group(in, group) && find_vertex_group(obj, group));
        EXPECT_EQ(*find_vertex_group(obj, group), *find_vertex_group(in, group));
    }
    for (const char* file : {"out.pc2", "out.mdd"}) {
        PointCache cache;
        std::vector<Real3> x;
        EXPECT_NO_ERRORS(cache.open(folder.path(file)));
        EXPECT_NO_ERRORS(cache.read(0, x));
        expect_near(x, 2e-6); // float32 of up to 12 m
    }
    RecordingReader reader;
    Snapshot frame;
    ASSERT_NO_ERRORS(reader.open(folder.path("out.sinew")));
    ASSERT_NO_ERRORS(reader.read(0, frame));
    expect_near(frame.objects[0].position, 1e-13);
    EXPECT_EQ(reader.layout.objects[0].polygon_uv, in.polygon_uv);
}

TEST(solid_skin, groups_of_the_surface_select_points_of_the_solid) {
    TemporaryFolder folder;
    write_text_file(folder.path("cube.obj"), kCube);
    const Compiled c = compile(R"({ "objects": { "b": { "kind": "solid", "mesh": ")" + folder.path("cube.obj") +
                               R"(", "cell": 0.1, "fixed": { "group": "top" } } } })");
    // every boundary point of the top, and nothing below the upper half of the sides
    const std::vector<Real3>& x = c.state.point.x;
    int fixed = 0, above = 0;
    for (int i = 0; i < point_count(c.model); ++i) {
        const bool held = c.model.point.flags[i] & kFixed;
        fixed += held;
        EXPECT_TRUE(held ? x[i].y >= 0.5 - 1e-9 : x[i].y < 1 - 1e-6) << i << " at " << x[i].y;
        above += x[i].y > 1 - 1e-6;
    }
    EXPECT_GT(above, 100);
    EXPECT_GE(fixed, above);
}

TEST(solid_skin, a_cage_carries_another_mesh_and_false_shows_the_tetrahedra) {
    TemporaryFolder folder;
    const PolygonMesh ball = make_icosphere(0.4, 2);
    std::vector<std::string> notes;
    EXPECT_NO_ERRORS(write_mesh(folder.path("ball.obj"), ball, notes));
    const std::string cage = R"({ "objects": { "b": { "kind": "solid", "cells": [3, 3, 3], "skin": )";
    const Compiled c = compile(cage + "\"" + folder.path("ball.obj") + "\" } } }");
    EXPECT_EQ(c.model.layout->objects[0].rest.size(), ball.positions.size());
    EXPECT_EQ(point_count(c.model), 64);
    expect_follows(c, Eigen::AngleAxisd(0.7, Vec3::UnitX()).toRotationMatrix(), Vec3(0, 1, 0), 1e-13);
    // triangles of the public interface go with its points, not with the skin
    for (const auto& t : triangles(c.model, find(c.model, "b")))
        for (int v : t) EXPECT_LT(v, 64);
    EXPECT_EQ(triangles(c.model, find(c.model, "b")).size(), 6u * 9 * 2);

    const Compiled none = compile(cage + "false } } }");
    EXPECT_TRUE(none.model.layout->objects[0].carriers.empty());
    EXPECT_EQ(none.model.layout->objects[0].rest.size(), 64u);
}

} // namespace sinew
