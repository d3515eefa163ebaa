// The safe step of a whole scene: bodies that turn, points, animated vertices. Judged by sampling the true motion: no pair
// of triangles may be nearer than allowed before the step's end, and the step must not be much shorter than it could be.
#include "collision/scene_step.h"
#include "core/random.h"
#include "geometry/convex_closest.h"
#include "geometry/distance_closest.h"
#include "geometry/exact.h"
#include "geometry/generate.h"
#include "geometry/triangle_tree.h"
#include "geometry/triangulate.h"
#include "model/builder.h"
#include "model/stencil.h"
#include <gtest/gtest.h>

namespace sinew {
namespace {

const std::vector<std::array<int, 3>> kFace{{0, 1, 2}};

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
        for (int i = 0; i < 3; ++i) add_surface_vertex_in_frame(w.b, frame, real3(draw_vec(rng, -0.6, 0.6)), 0);
        add_surface_triangles(w.b, first, kFace);
    }
    begin_object(w.b, "soft", "test");
    std::vector<Real3> x;
    for (int i = 0; i < 3; ++i) x.push_back(real3(Vec3(0, 1.5, 0) + draw_vec(rng, -0.6, 0.6)));
    add_points(w.b, x, std::vector<Real>(3, 1.0));
    add_surface_triangles(w.b, add_surface_points(w.b, {0, 3}, 0), kFace);
    begin_object(w.b, "moved", "test");
    for (Real3& a : x) a = real3(Vec3(0, -1.5, 0) + draw_vec(rng, -0.6, 0.6));
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

std::vector<Triangle3> triangles_at(const Bodies& w, Real t) {
    const Model& m = w.b.model;
    std::vector<Triangle3> triangles;
    for (const auto& f : m.surface.triangles) {
        Triangle3 x;
        for (int i = 0; i < 3; ++i) x[i] = moved_vertex(m, w.motion(), m.surface.vertices[f[i]], t);
        triangles.push_back(x);
    }
    return triangles;
}

// whether two objects pass through each other at part t of the true motion, by exact predicates
bool intersects(const Bodies& w, Real t) {
    const std::vector<Triangle3> triangles = triangles_at(w, t);
    for (std::size_t i = 0; i < triangles.size(); ++i)
        for (std::size_t j = i + 1; j < triangles.size(); ++j)
            if (triangles_intersect(triangles[i], triangles[j])) return true;
    return false;
}

// smallest distance of all pairs of objects at part t of the true motion
Real scene_distance(const Bodies& w, Real t) {
    const std::vector<Triangle3> triangles = triangles_at(w, t);
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

void judge_turning(std::uint64_t seeds) {
    int limited = 0, tight = 0, crossed = 0;
    for (std::uint64_t seed = 1; seed <= seeds && !testing::Test::HasFailure(); ++seed) {
        const Bodies w = make_bodies(seed, seed % 3 == 0 ? 6 : 1.5); // up to a whole turn
        const SafeStep got = safe_step(w, {});
        ASSERT_GE(got.step, 0);
        ASSERT_LE(got.step, 1);
        // sampled densely: nothing passes through anything before the step's end, nor at all where it is 1
        const int samples = 400;
        bool met = intersects(w, 0);
        EXPECT_TRUE(!met || got.step == 0) << seed;
        for (int k = 0; k <= samples; ++k) {
            const Real t = Real(k) / samples;
            const bool now = intersects(w, t);
            if (t <= got.step && got.step > 0) { EXPECT_FALSE(now) << seed << " t = " << t << " step " << got.step; }
            met = met || now;
        }
        crossed += met;
        if (got.step == 1) continue;
        ++limited;
        const Real left = scene_distance(w, got.step);
        EXPECT_GT(left, 0) << seed;
        tight += left < 0.02; // the search ends when the bend is a hundredth of the gap
    }
    EXPECT_GT(limited, int(seeds) / 6);
    EXPECT_GT(crossed, int(seeds) / 6); // the unlimited motion does pass through: the judge has something to see
    EXPECT_EQ(tight, limited);
}
TEST(scene_step, turning_bodies_never_come_nearer_than_allowed_and_come_near) { judge_turning(60); }
TEST(soak_scene_step, turning_bodies_never_come_nearer_than_allowed_and_come_near) { judge_turning(10000); }

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

// a round body with its surface, inscribed and coarse enough to matter
int add_round_body(ModelBuilder& b, const Shape& shape, const PolygonMesh& mesh) {
    begin_object(b, "round", "test");
    const int frame = add_frame(b, {}, 1, {}), first = int(b.model.surface.vertices.size());
    add_collider(b, shape, frame);
    for (const Real3& x : mesh.positions) add_surface_vertex_in_frame(b, frame, x, 0);
    add_surface_triangles(b, first, triangulate(mesh).triangles);
    return frame;
}

const std::pair<Shape, PolygonMesh> kRound[] = {{{Shape::sphere, {0.5, 0, 0}}, make_icosphere(0.5, 1)},
                                                {{Shape::capsule, {0.3, 0.4, 0}}, make_capsule(0.3, 0.8, 12, 4)},
                                                {{Shape::cylinder, {0.5, 0.3, 0}}, make_cylinder(0.5, 0.6, 12)},
                                                {{Shape::cone, {0.5, 0.4, 0}}, make_cone(0.5, 0.8, 12)},
                                                {{Shape::cone, {0.2, 0.8, 0}}, make_cone(0.2, 1.6, 12)}};

TEST(scene_step, round_bodies_stand_out_of_their_triangles_by_no_more_than_they_are_grown) {
    for (const auto& [shape, mesh] : kRound) {
        ModelBuilder b;
        add_round_body(b, shape, mesh);
        finish_model(b);
        InscribedScratch s;
        update_inscribed(b.model, s);
        const Convex convex = *make_convex({}, shape);
        const TriangleShape triangles{mesh.positions, triangulate(mesh).triangles};
        const TriangleTree tree = build_triangle_tree(triangles);
        Real most = 0;
        Rng rng{7};
        for (int k = 0; k < 20000; ++k) { // points of the shape's surface
            const Vec3 x = support_grown(convex, vec(draw_unit_vector(rng)));
            most = std::max(most, find_closest(tree, triangles, x).distance);
        }
        EXPECT_LE(most, s.by[0] * (1 + 1e-12)) << shape.kind;
        EXPECT_GT(most, (shape.kind == Shape::cone ? 0.1 : 0.6) * s.by[0]) << shape.kind; // and not by much more
        EXPECT_GT(s.by[0], 0.005);
    }
    ModelBuilder b; // what is flat stands out of nothing
    add_round_body(b, {Shape::box, {0.5, 0.5, 0.5}}, make_box({1, 1, 1}));
    finish_model(b);
    InscribedScratch s;
    update_inscribed(b.model, s);
    EXPECT_EQ(s.by[0], 0);
}

// a grain flies at a turning round body, another body lands on a plane: both stop before the true shapes touch
TEST(scene_step, what_flies_at_round_bodies_stops_before_their_true_shape) {
    Rng rng{11};
    for (const auto& [shape, mesh] : kRound)
        for (int trial = 0; trial < 40; ++trial) {
            const Vec3 way = vec(draw_unit_vector(rng));
            ModelBuilder b;
            const int frame = add_round_body(b, shape, mesh);
            begin_object(b, "grain", "test");
            add_points(b, std::vector<Real3>{real3(2 * way)}, std::vector<Real>{1.0});
            add_surface_points(b, {0, 1}, 0);
            finish_model(b);
            const Dofs dofs = dofs_of(b.model);
            std::vector<Real> direction(dofs.size(), 0.0);
            Eigen::Map<Vec3>(direction.data() + dofs.point_offset(0)) = -2 * way;
            const Vec3 turn = trial % 2 ? Vec3(2 * vec(draw_in_ball(rng))) : Vec3(Vec3::Zero());
            Eigen::Map<Vec3>(direction.data() + dofs.frame_offset(frame) + 3) = turn;
            const auto parallel = make_parallel(Context{1, {}, {}});
            SceneStepScratch scratch;
            SafeStep out;
            ASSERT_TRUE(find_scene_step(*parallel, b.model, {b.state, direction, {}}, {}, true, scratch, out));
            const Convex convex = *make_convex({}, shape);
            const auto gap = [&](Real t) {
                return closest_point(convex, exp_rotation(t * turn).conjugate() * Vec3((2 - 2 * t) * way)).distance;
            };
            Real least = 1;
            for (int k = 0; k <= 200; ++k) least = std::min(least, gap(out.step * k / 200));
            EXPECT_GE(least, 0) << shape.kind << ", trial " << trial;
            EXPECT_LT(gap(out.step), 2 * scratch.inscribed.by[0] + 0.02) << shape.kind; // and comes near
        }
}

// a plane held by a frame, or moving with it
int add_plane(ModelBuilder& b, const Pose& at) {
    begin_object(b, "plane", "test");
    const int frame = add_frame(b, at, 1, {}, kFixed);
    Obstacle o;
    o.shape = Obstacle::plane, o.frame = frame, o.object = int(b.model.objects.size()) - 1;
    b.model.obstacles.push_back(o);
    return frame;
}

TEST(scene_step, what_falls_stops_above_the_floor) {
    ModelBuilder b;
    begin_object(b, "sheet", "test");
    add_points(b, std::vector<Real3>{{0, 1, 0}, {1, 1.25, 0}, {0, 1.5, 1}}, std::vector<Real>(3, 1.0));
    add_surface_triangles(b, add_surface_points(b, {0, 3}, 0), kFace);
    add_plane(b, {{0, 0.5, 0}, {}});
    finish_model(b);
    const Dofs dofs = dofs_of(b.model);
    std::vector<Real> direction(dofs.size(), 0.0);
    for (int i = 0; i < 3; ++i) direction[dofs.point_offset(i) + 1] = -2;
    const auto parallel = make_parallel(Context{1, {}, {}});
    SceneStepScratch scratch;
    SafeStep out;
    ASSERT_TRUE(find_scene_step(*parallel, b.model, {b.state, direction, {}}, {}, true, scratch, out));
    // 0.5 m at 2 m: 0.25, and a hundredth of the gap is left
    EXPECT_LE(out.step, 0.25);
    EXPECT_GE(out.step, 0.99 * 0.25);
    EXPECT_EQ(out.kind, SafeStep::vertex_obstacle);
    EXPECT_EQ(out.pair, (Pair{0, 0}));
    // a distance to be kept
    ASSERT_TRUE(find_scene_step(*parallel, b.model, {b.state, direction, {}}, {0.1, 0.5}, true, scratch, out));
    EXPECT_LE(out.step, 0.2);
    EXPECT_GE(out.step, 0.99 * 0.2);
    // away from it
    for (int i = 0; i < 3; ++i) direction[dofs.point_offset(i) + 1] = 2;
    ASSERT_TRUE(find_scene_step(*parallel, b.model, {b.state, direction, {}}, {}, true, scratch, out));
    EXPECT_EQ(out.step, 1);
}

// a triangle that turns over a tilting plane: sampled, no corner gets below it before the step's end
TEST(scene_step, what_turns_over_a_tilting_plane_stays_above_it) {
    int limited = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        Rng rng{seed, 1, 0};
        ModelBuilder b;
        begin_object(b, "body", "test");
        const int body = add_frame(b, {{0, 1, 0}, draw_rotation(rng)}, 1, {});
        for (int i = 0; i < 3; ++i) add_surface_vertex_in_frame(b, body, real3(draw_vec(rng, -0.5, 0.5)), 0);
        add_surface_triangles(b, 0, kFace);
        const int plane = add_plane(b, {{0, -0.2, 0}, {}});
        finish_model(b);
        const Dofs dofs = dofs_of(b.model);
        std::vector<Real> direction(dofs.size(), 0.0);
        for (int c = 0; c < 3; ++c) {
            direction[dofs.frame_offset(body) + 3 + c] = draw_uniform(rng, -4, 4);
            direction[dofs.frame_offset(plane) + 3 + c] = c == 1 ? 0 : draw_uniform(rng, -0.6, 0.6);
        }
        direction[dofs.frame_offset(body) + 1] = -0.9;
        const auto parallel = make_parallel(Context{1, {}, {}});
        SceneStepScratch scratch;
        SafeStep out;
        const SceneMotion motion{b.state, direction, {}};
        ASSERT_TRUE(find_scene_step(*parallel, b.model, motion, {}, true, scratch, out));
        const Vec3 turn = Eigen::Map<const Vec3>(direction.data() + dofs.frame_offset(plane) + 3);
        const auto lowest = [&](Real t) {
            Real low = 1e9;
            const Vec3 normal = exp_rotation(t * turn) * Vec3::UnitY();
            for (const SurfaceVertex& v : b.model.surface.vertices)
                low = std::min(low, normal.dot(moved_vertex(b.model, motion, v, t) - Vec3(0, -0.2, 0)));
            return low;
        };
        for (int k = 0; k <= 300; ++k) EXPECT_GT(lowest(out.step * k / 300), 0) << seed;
        if (out.step == 1) continue;
        ++limited;
        Real highest = 0; // the walk of the limiting corner ends within a hundredth of its first gap
        for (const SurfaceVertex& v : b.model.surface.vertices)
            highest = std::max(highest, moved_vertex(b.model, motion, v, 0).y() + 0.2);
        EXPECT_LT(lowest(out.step), 0.011 * highest) << seed;
    }
    EXPECT_GT(limited, 5);
}

TEST(scene_step, objects_whose_groups_do_not_meet_pass_through_each_other) {
    Bodies w = make_bodies(3, 6);
    std::uint64_t seed = 3;
    while (safe_step(w, {}).step == 1) w = make_bodies(++seed, 6);
    for (Object& o : w.b.model.objects) {
        o.groups = 1;
        o.touches = 2;
    }
    ++w.b.model.values_revision;
    EXPECT_EQ(safe_step(w, {}).step, 1);
}

// A vertex near the origin as the difference of two huge numbers: its rounding, not its size, bounds what can be proven.
TEST(scene_step, a_gap_below_the_rounding_of_far_frames_is_no_gap) {
    ModelBuilder b;
    begin_object(b, "far", "test");
    const int frame = add_frame(b, {{1e8, 0, 0}, {}}, 1, {});
    for (const Real3& x : {Real3{-1e8, 0, 0}, Real3{-1e8, 1, 0}, Real3{-1e8, 0, 1}}) add_surface_vertex_in_frame(b, frame, x, 0);
    add_surface_triangles(b, 0, kFace);
    begin_object(b, "grain", "test");
    add_points(b, std::vector<Real3>{{-1e-9, 0.2, 0.2}}, std::vector<Real>{1.0});
    add_surface_points(b, {0, 1}, 0);
    finish_model(b);
    const Dofs dofs = dofs_of(b.model);
    std::vector<Real> direction(dofs.size(), 0.0);
    direction[dofs.frame_offset(frame) + 3] = 1e-3; // about x: no vertex comes nearer to the grain, but who can tell
    const auto parallel = make_parallel(Context{1, {}, {}});
    SceneStepScratch scratch;
    SafeStep out;
    ASSERT_TRUE(find_scene_step(*parallel, b.model, {b.state, direction, {}}, {}, true, scratch, out));
    EXPECT_EQ(out.step, 0);
}

} // namespace
} // namespace sinew
