// Whole detection of a scene in motion takes no memory once its scratch has grown: bodies that slide, tumble and touch,
// sheets that wave over each other and over obstacles, held meshes and animated ones that deform, safe steps between the frames.
#include "allocation_counter.h"
#include "collision/detect.h"
#include "collision/detect_points.h"
#include "collision/scene_step.h"
#include "core/random.h"
#include "geometry/generate.h"
#include "geometry/height_field.h"
#include "geometry/triangulate.h"
#include "model/builder.h"
#include <cmath>
#include <gtest/gtest.h>

namespace sinew {
namespace {

constexpr int kSide = 16, kPeriod = 12;

void add_flat_sheet(ModelBuilder& b, const std::string& name, Real height) {
    begin_object(b, name, "test");
    std::vector<Real3> x;
    std::vector<std::array<int, 3>> triangles;
    for (int i = 0; i < kSide; ++i)
        for (int j = 0; j < kSide; ++j) x.push_back({0.1 * i - 0.75, height, 0.1 * j - 0.75});
    for (int i = 0; i + 1 < kSide; ++i)
        for (int j = 0; j + 1 < kSide; ++j) {
            const int a = i * kSide + j;
            triangles.push_back({a, a + 1, a + kSide + 1});
            triangles.push_back({a, a + kSide + 1, a + kSide});
        }
    const int first = add_points(b, x, std::vector<Real>(x.size(), 0.01));
    const int vertex = add_surface_points(b, {first, first + int(x.size())}, 0.02);
    add_surface_triangles(b, vertex, triangles);
}

void add_body_and_obstacle(ModelBuilder& b, const std::string& name, const Shape& shape, const Pose& pose, std::uint8_t flags) {
    begin_object(b, name, "test");
    const int frame = add_frame(b, pose, 1, {}, flags);
    add_collider(b, shape, frame);
    if (!(flags & kFixed)) return;
    Obstacle o;
    o.shape = shape.kind == Shape::box ? Obstacle::box : shape.kind == Shape::sphere ? Obstacle::sphere
              : shape.kind == Shape::capsule ? Obstacle::capsule : Obstacle::plane;
    o.size = shape.size, o.frame = frame, o.object = int(b.model.objects.size()) - 1;
    b.model.obstacles.push_back(o);
}

void add_hills(ModelBuilder& b) {
    begin_object(b, "hills", "test");
    HeightFieldShape f{15, 15, 0.1, 0.1, {}};
    for (int i = 0; i < 15 * 15; ++i) f.height.push_back(0.04 * std::sin(2.0 * (i % 15)) * std::cos(1.7 * (i / 15)));
    Obstacle o;
    o.shape = Obstacle::height_field, o.data = 0, o.frame = add_frame(b, {{-0.7, 0.2, -0.7}, {}}, 0, {}, kFixed);
    o.object = int(b.model.objects.size()) - 1;
    const int first = int(b.model.surface.vertices.size());
    const TriangleShape mesh = mesh_of(f);
    for (const Real3& x : mesh.vertices) add_surface_vertex_in_frame(b, o.frame, x, 0);
    add_surface_triangles(b, first, mesh.triangles);
    b.shapes.height_fields.push_back(std::move(f));
    b.model.obstacles.push_back(o);
}

// an octahedron of this size
TriangleShape make_gem(Real r) {
    return {{{r, 0, 0}, {-r, 0, 0}, {0, r, 0}, {0, -r, 0}, {0, 0, r}, {0, 0, -r}},
            {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}};
}

// a mesh in a frame that scripts move
void add_held_mesh(ModelBuilder& b) {
    begin_object(b, "gem", "test");
    const int frame = add_frame(b, {{0.5, 0.3, 0.5}, {}}, 0, {}, kFixed);
    b.shapes.meshes.push_back(make_gem(0.15));
    add_collider(b, {Shape::mesh, {}, 0, 0}, frame);
    Obstacle o;
    o.object = int(b.model.objects.size()) - 1;
    b.model.obstacles.push_back(o);
}

// a ball of triangles, closed, that files move
void add_animated(ModelBuilder& b) {
    begin_object(b, "blob", "test");
    const PolygonMesh sphere = make_icosphere(1, 2);
    TriangleShape ball{sphere.positions, triangulate(sphere).triangles};
    for (Real3& x : ball.vertices) x = real3(Vec3(-0.3, 0.25, -0.3) + 0.2 * vec(x));
    const int first = int(b.model.surface.vertices.size());
    add_animated_vertices(b, ball.vertices, 0.005);
    add_surface_triangles(b, first, ball.triangles);
    Obstacle o;
    o.object = int(b.model.objects.size()) - 1;
    b.model.obstacles.push_back(o);
}

ModelBuilder make_scene() {
    ModelBuilder b;
    add_body_and_obstacle(b, "floor", {Shape::half_space, {}}, {{0, -0.5, 0}, {}}, kFixed);
    add_body_and_obstacle(b, "block", {Shape::box, {0.2, 0.2, 0.2}}, {{0.3, 0, 0.1}, real4(exp_rotation(Vec3(0.4, 0.3, 0.9)))}, kFixed);
    add_body_and_obstacle(b, "ball", {Shape::sphere, {0.25, 0, 0}}, {{-0.4, 0, 0.2}, {}}, kFixed);
    add_body_and_obstacle(b, "log", {Shape::capsule, {0.15, 0.3, 0}}, {{0, 0, -0.5}, real4(exp_rotation(Vec3(1.3, 0, 0)))}, kFixed);
    Rng rng{8, 1, 0};
    const Shape kinds[] = {{Shape::box, {0.1, 0.1, 0.1}}, {Shape::sphere, {0.12, 0, 0}}, {Shape::capsule, {0.08, 0.1, 0}}};
    for (int k = 0; k < 40; ++k)
        add_body_and_obstacle(b, "body" + std::to_string(k), kinds[k % 3],
                              {{2 + 0.19 * (k % 5), -0.41 + 0.17 * (k / 15), 0.19 * (k / 5 % 3)}, draw_rotation(rng)}, kFree);
    add_hills(b);
    add_held_mesh(b);
    add_animated(b);
    add_flat_sheet(b, "low", 0.26);
    add_flat_sheet(b, "high", 0.3);
    finish_model(b);
    return b;
}

// sheets wave, bodies tumble in place while all of them slide along z without end
State state_at(const ModelBuilder& b, int frame) {
    State s = b.state;
    const Real phase = 2 * kPi * (frame % kPeriod) / kPeriod;
    for (std::size_t i = 0; i < s.point.x.size(); ++i) {
        Real3& x = s.point.x[i];
        x.y += 0.06 * std::sin(5 * x.x + phase + (i < s.point.x.size() / 2 ? 0 : 0.5)), x.x += 0.05 * std::sin(phase);
    }
    // pressed flat and pulled long in turn: its tree is refitted, and made anew where that has become bad
    for (Real3& x : s.animated.x) x.x = -0.3 + (x.x + 0.3) * (1 + 0.8 * std::sin(phase)), x.y += 0.05 * std::cos(phase + 20 * x.z);
    for (int f = 0; f < frame_count(b.model); ++f) {
        if (b.model.objects[b.model.frame.object[f]].name == "gem") s.frame.q[f] = real4(exp_rotation(Vec3(phase, 0, 0)));
        if (b.model.frame.flags[f] & kFixed) continue;
        s.frame.p[f].z += 0.01 * frame;
        s.frame.p[f].x += 0.02 * std::sin(phase + f);
        s.frame.q[f] = real4(exp_rotation(Vec3(0.3 * std::sin(phase + 2 * f), 0.2 * std::cos(phase), 0)) * quat(s.frame.q[f]));
    }
    return s;
}

TEST(detection_memory, a_scene_in_motion_takes_none_once_its_scratch_has_grown) {
    const ModelBuilder b = make_scene();
    const Model& m = b.model;
    for (int threads : {1, 3}) {
        const auto parallel = make_parallel(Context{threads, {}, {}});
        std::vector<State> frames;
        for (int k = 0; k < 5 * kPeriod; ++k) frames.push_back(state_at(b, k));
        PointsScratch points;
        SurfaceScratch surface;
        SceneStepScratch steps;
        Contacts out;
        std::vector<Real> direction(dofs_of(m).size());
        long taken = 0;
        std::size_t least = 1u << 30, most = 0, held = 0;
        for (int k = 0; k + 1 < 5 * kPeriod; ++k) {
            const State &now = frames[k], &next = frames[k + 1];
            const Dofs dofs = dofs_of(m);
            for (int i = 0; i < point_count(m); ++i)
                Eigen::Map<Vec3>(direction.data() + dofs.point_offset(i)) = vec(next.point.x[i]) - vec(now.point.x[i]);
            for (int f = 0; f < frame_count(m); ++f) {
                Eigen::Map<Vec3>(direction.data() + dofs.frame_offset(f)) = vec(next.frame.p[f]) - vec(now.frame.p[f]);
                Eigen::Map<Vec3>(direction.data() + dofs.frame_offset(f) + 3) = log_rotation(quat(next.frame.q[f]) * quat(now.frame.q[f]).conjugate());
            }
            const long before = allocation_count();
            SafeStep step;
            ASSERT_TRUE(detect_points(*parallel, m, surface_state(now), 0.01, points, out));
            ASSERT_TRUE(detect_surface(*parallel, m, points.surface, now.point.alive, {0.01, false, 1}, surface, out));
            ASSERT_TRUE(find_scene_step(*parallel, m, {now, direction, {}}, {}, false, steps, step));
            if (k >= 2 * kPeriod) taken += allocation_count() - before;
            for (const PointContact& c : out.point_point) held += c.source == PointContact::vertex_held;
            least = std::min(least, out.point_point.size()), most = std::max(most, out.point_point.size());
        }
        EXPECT_EQ(taken, 0) << threads << " threads";
        EXPECT_GT(least, 50u);
        EXPECT_GT(held, 500u);
        EXPECT_GT(most, least + 10); // contacts come and go
        EXPECT_GT(out.vertex_triangle.size() + out.edge_edge.size(), 20u);
    }
}

} // namespace
} // namespace sinew
