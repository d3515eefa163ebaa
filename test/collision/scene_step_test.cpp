// The safe step of a whole scene: bodies that turn, points, animated vertices. Judged by sampling the true motion: no pair
// of triangles may be nearer than allowed before the step's end, and the step must not be much shorter than it could be.
#include "collision/scene_step.h"
#include "core/random.h"
#include "geometry/distance_closest.h"
#include "model/builder.h"
#include <gtest/gtest.h>

namespace sinew {
namespace {

const std::vector<std::array<int, 3>> kFace{{0, 1, 2}};

Real3 draw3(Rng& rng, Real size) {
    const Real x = draw_uniform(rng, -size, size), y = draw_uniform(rng, -size, size), z = draw_uniform(rng, -size, size);
    return {x, y, z};
}

struct Bodies {
    ModelBuilder b;
    std::vector<Real> direction;
    std::vector<Real3> targets;
    SceneMotion motion() const { return {b.state, direction, targets}; }
};

// two turning triangles, one of points, one animated
Bodies make_bodies(std::uint64_t seed, Real turn) {
    Bodies w;
    Rng rng{seed, 0, 0};
    for (int k = 0; k < 2; ++k) {
        begin_object(w.b, "body" + std::to_string(k), "test");
        const int frame = add_frame(w.b, {{k * 1.5 - 0.75, 0, 0}, draw_rotation(rng)}, 1, {});
        const int first = int(w.b.model.surface.vertices.size());
        for (int i = 0; i < 3; ++i) add_surface_vertex_in_frame(w.b, frame, draw3(rng, 0.6), 0);
        add_surface_triangles(w.b, first, kFace);
    }
    begin_object(w.b, "soft", "test");
    std::vector<Real3> x;
    for (int i = 0; i < 3; ++i) x.push_back(real3(Vec3(0, 1.5, 0) + vec(draw3(rng, 0.6))));
    add_points(w.b, x, std::vector<Real>(3, 1.0));
    add_surface_triangles(w.b, add_surface_points(w.b, {0, 3}, 0), kFace);
    begin_object(w.b, "moved", "test");
    for (Real3& a : x) a = real3(Vec3(0, -1.5, 0) + vec(draw3(rng, 0.6)));
    const int first = int(w.b.model.surface.vertices.size());
    add_animated_vertices(w.b, x, 0);
    add_surface_triangles(w.b, first, kFace);
    for (Real3& a : x) w.targets.push_back(real3(vec(a) + Vec3(0, 1.2, 0)));
    finish_model(w.b);
    const Dofs dofs = dofs_of(w.b.model);
    w.direction.assign(dofs.size(), 0);
    for (int i = 0; i < 3; ++i) w.direction[dofs.point_offset(i) + 1] = -1.2;
    for (int k = 0; k < 2; ++k)
        for (int c = 0; c < 3; ++c) {
            w.direction[dofs.frame_offset(k) + c] = draw_uniform(rng, -0.5, 0.5);
            w.direction[dofs.frame_offset(k) + 3 + c] = draw_uniform(rng, -turn, turn);
        }
    return w;
}

Real pair_distance(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b) {
    Real d = std::numeric_limits<Real>::infinity();
    for (int i = 0; i < 3; ++i) {
        d = std::min(d, closest_vertex_triangle(a[i], b[0], b[1], b[2]).squared);
        d = std::min(d, closest_vertex_triangle(b[i], a[0], a[1], a[2]).squared);
        for (int j = 0; j < 3; ++j) d = std::min(d, closest_edge_edge(a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3]).squared);
    }
    return std::sqrt(d);
}

// smallest distance of all pairs of objects at part t of the true motion
Real scene_distance(const Bodies& w, Real t) {
    const Model& m = w.b.model;
    std::vector<std::array<Vec3, 3>> triangles;
    for (const auto& f : m.surface.triangles) {
        std::array<Vec3, 3> x;
        for (int i = 0; i < 3; ++i) x[i] = moved_vertex(m, w.motion(), m.surface.vertices[f[i]], t);
        triangles.push_back(x);
    }
    Real d = std::numeric_limits<Real>::infinity();
    for (std::size_t i = 0; i < triangles.size(); ++i)
        for (std::size_t j = i + 1; j < triangles.size(); ++j) d = std::min(d, pair_distance(triangles[i], triangles[j]));
    return d;
}

SafeStep safe_step(const Bodies& w, const SafeStepOptions& options, int threads = 1) {
    const auto parallel = make_parallel(Context{threads, {}, {}});
    SceneStepScratch scratch;
    SafeStep out;
    EXPECT_TRUE(find_scene_step(*parallel, w.b.model, w.motion(), options, true, scratch, out));
    return out;
}

TEST(scene_step, turning_bodies_never_come_nearer_than_allowed_and_come_near) {
    int limited = 0, tight = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const Bodies w = make_bodies(seed, seed % 3 == 0 ? 6 : 1.5); // up to a whole turn
        const SafeStep got = safe_step(w, {});
        ASSERT_GE(got.step, 0);
        ASSERT_LE(got.step, 1);
        // sampled densely; triangles may only cross through a distance of zero
        const int samples = 400;
        Real first = 2;
        for (int k = 0; k <= samples; ++k) {
            const Real t = Real(k) / samples, d = scene_distance(w, t);
            if (t < got.step) { EXPECT_GT(d, 0) << seed << " t = " << t << " step " << got.step; }
            if (first > 1 && d < 2e-3) first = t;
        }
        if (got.step == 1) continue;
        ++limited;
        const Real left = scene_distance(w, got.step);
        EXPECT_GT(left, 0) << seed;
        tight += left < 0.02; // the search ends when the bend is a hundredth of the gap
    }
    EXPECT_GT(limited, 10);
    EXPECT_EQ(tight, limited);
}

TEST(scene_step, keeps_the_separation_asked_for) {
    const SafeStepOptions options{0.05, 0.5};
    int limited = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const Bodies w = make_bodies(seed, 2);
        const SafeStep got = safe_step(w, options);
        const Real allowed = std::min(0.05, 0.5 * scene_distance(w, 0));
        for (int k = 0; k <= 200; ++k) {
            const Real t = got.step * k / 200;
            EXPECT_GT(scene_distance(w, t), allowed * (1 - 1e-9)) << seed;
        }
        limited += got.step < 1;
    }
    EXPECT_GT(limited, 10);
}

// a bar of length 2 turns about its end; a point stands at angle a: touch at a / turn
TEST(scene_step, the_time_of_a_turning_bar_is_that_of_the_angle) {
    ModelBuilder b;
    begin_object(b, "bar", "test");
    const int frame = add_frame(b, {}, 1, {});
    add_surface_vertex_in_frame(b, frame, {0, 0, -0.1}, 0);
    add_surface_vertex_in_frame(b, frame, {2, 0, -0.1}, 0);
    add_surface_vertex_in_frame(b, frame, {1, 0, 0.4}, 0);
    add_surface_triangles(b, 0, kFace);
    begin_object(b, "grain", "test");
    const Real angle = 2.0;
    add_points(b, std::vector<Real3>{{std::cos(angle), std::sin(angle), 0}}, std::vector<Real>{1.0});
    add_surface_points(b, {0, 1}, 0);
    finish_model(b);
    const Dofs dofs = dofs_of(b.model);
    std::vector<Real> direction(dofs.size(), 0.0);
    direction[dofs.frame_offset(0) + 5] = 3.0;
    const auto parallel = make_parallel(Context{1, {}, {}});
    SceneStepScratch scratch;
    SafeStep out;
    ASSERT_TRUE(find_scene_step(*parallel, b.model, {b.state, direction, {}}, {}, true, scratch, out));
    EXPECT_LE(out.step, angle / 3);
    EXPECT_GT(out.step, 0.99 * angle / 3);
    EXPECT_EQ(out.kind, SafeStep::vertex_triangle);
    // the straight chord of the same turn misses the grain: without the bend it would be passed
    direction[dofs.frame_offset(0) + 5] = -3.0;
    ASSERT_TRUE(find_scene_step(*parallel, b.model, {b.state, direction, {}}, {}, true, scratch, out));
    EXPECT_EQ(out.step, 1); // the other way round it does not get there: 2 pi - 2 > 3
}

TEST(scene_step, any_number_of_threads_finds_the_same_and_bad_input_is_refused) {
    const Bodies w = make_bodies(5, 3);
    const SafeStep one = safe_step(w, {0.01, 0.5});
    for (int threads : {2, 3, 8}) {
        const SafeStep more = safe_step(w, {0.01, 0.5}, threads);
        EXPECT_EQ(one.step, more.step);
        EXPECT_EQ(one.kind, more.kind);
        EXPECT_EQ(one.pair, more.pair);
    }
    const auto parallel = make_parallel(Context{1, {}, {}});
    SceneStepScratch scratch;
    SafeStep out;
    EXPECT_FALSE(find_scene_step(*parallel, w.b.model, {w.b.state, {}, {}}, {}, true, scratch, out));
    EXPECT_EQ(out.step, 0);
    std::vector<Real> bad = w.direction;
    bad[1] = std::numeric_limits<Real>::quiet_NaN();
    EXPECT_FALSE(find_scene_step(*parallel, w.b.model, {w.b.state, bad, {}}, {}, true, scratch, out));
}

} // namespace
} // namespace sinew
