// No allocation inside `step` after the first steps (design 6). What is counted and what is excepted, by name:
// allocation_counter.h.
#include "allocation_counter.h"
#include "collision/detect_shapes.h"
#include "collision/scene_step.h"
#include "linalg/dense_solve.h"
#include "linalg/linear_solver.h"
#include "physics/simulation.h"
#include "solver/newton_fixture.h"
#include "solver/velocity.h"

using namespace sinew;

namespace {

// a cloth with dampers that lies on a floor, passive points and a moving pin
ModelBuilder make_cloth_scene() {
    ModelBuilder b = make_spring_cloth(40, 27, 0.05);
    const int cloth = point_count(b.model);
    begin_object(b, "smoke", "particles");
    const int first = add_points(b, std::vector<Real3>(50, {1, 2, 3}), std::vector<Real>(50, 0.0), kPassive);
    b.fields.velocity.emplace_back();
    b.fields.velocity.back().turbulence_speed = 1;
    for (int i = first; i < first + 50; ++i) b.model.point.field[i] = 0;
    begin_object(b, "floor", "obstacle");
    Obstacle o;
    o.frame = add_frame(b, {{0, -0.1, 0}, {}}, 1, {}, kFixed);
    o.object = 2, o.stiffness = 1, o.damping = 0.01;
    b.model.obstacles.push_back(o);
    add_surface_points(b, {0, cloth}, 0.3); // in contact everywhere from the start
    finish_model(b);
    return b;
}

// Eigen's sparse factor is an exception: of it, operator new alone counts
using Count = long (*)();
Count count_of(std::string_view linear_solver) {
    return (linear_solver == "default" ? default_linear_solver() : linear_solver) == "ldlt" ? new_count : allocation_count;
}

// allocations per step after some steps
long count_allocations(const ModelBuilder& b, State now, Solver& solver, Real dt, Count count = allocation_count) {
    State next;
    Input input;
    input.points.push_back({0, b.state.point.x[0]});
    input.point_forces.push_back({7, {0, 0.01, 0}});
    input.grabs.push_back({9, b.state.point.x[9], 1});
    long counted = 0;
    for (int i = 0; i < 8; ++i) {
        vec(input.points[0].x) += Vec3(1e-4, 0, 0);
        const long before = count();
        const Report r = solver.step(b.model, input, now, next, dt);
        if (i >= 4) counted += count() - before;
        EXPECT_NE(r.status, Status::failed) << r.message;
        std::swap(now, next);
    }
    return counted;
}

} // namespace

TEST(allocation, is_seen_by_the_counter) {
    SINEW_NEEDS_ALLOCATION_COUNT;
    const long before = allocation_count();
    const std::vector<int> a(100);
    EXPECT_EQ(allocation_count(), before + 1);
}

// memory that Eigen takes inside the library: matrices by malloc
TEST(allocation, of_matrices_is_seen_by_the_counter) {
    SINEW_NEEDS_ALLOCATION_COUNT;
    if (!sees_malloc()) GTEST_SKIP() << "the sanitizer has its own malloc";
    const MatX a = MatX::Identity(20, 20);
    MatX x = MatX::Ones(20, 1);
    const long before = allocation_count(), before_new = new_count();
    solve_symmetric(a, x);
    EXPECT_GT(allocation_count(), before);
    EXPECT_EQ(new_count(), before_new);
    Eigen::LDLT<MatX> scratch;
    solve_symmetric(a, scratch, x);
    const long kept = allocation_count();
    solve_symmetric(a, scratch, x);
    SmallBlock b = SmallBlock::Identity(6, 6), y = SmallBlock::Ones(6, 1);
    solve_symmetric(b, y);
    EXPECT_EQ(allocation_count(), kept);
    EXPECT_EQ(y.sum(), 6);
}

TEST(allocation, explicit_steps_allocate_nothing) {
    const ModelBuilder b = make_cloth_scene(), springs = make_spring_cloth(40, 30, 0.05);
    for (const ModelBuilder* model : {&b, &springs})
        for (const char* scheme : {"forward_euler", "symplectic_euler", "improved_euler", "rk2_trapezoid",
                                   "rk2_midpoint", "rk4", "verlet", "leapfrog"})
            for (int threads : {1, 2}) {
                ExplicitSettings s;
                s.scheme = scheme;
                State now = model->state;
                const auto solver = make_explicit({.threads = threads}, model->model, now, &s);
                EXPECT_EQ(count_allocations(*model, now, *solver, 1e-5), 0)
                    << scheme << " threads " << threads;
            }
}

TEST(allocation, newton_steps_allocate_nothing) {
    const ModelBuilder b = make_cloth_scene();
    const auto check = [&](NewtonSettings s, int threads) {
        s.force_tolerance = 1e-4; // loose enough that no step warns: warnings are text and may allocate
        State now = b.state;
        const auto solver = make_newton({.threads = threads}, b.model, now, &s);
        EXPECT_EQ(count_allocations(b, now, *solver, 1e-3, count_of(s.linear_solver)), 0)
            << s.scheme << " " << s.linearisation << " " << s.linear_solver << " " << s.preconditioner << " "
            << threads;
    };
    NewtonSettings s;
    for (const char* scheme : {"implicit_euler", "implicit_midpoint", "bdf2", "newmark", "quasi_static"})
        for (const char* linearisation : {"full", "linearly_implicit", "baraff_witkin"}) {
            s.scheme = scheme, s.linearisation = linearisation;
            check(s, 2);
        }
    s = {};
    for (const char* linear : {"default", "ldlt", "cg"}) {
        s.linear_solver = linear;
        check(s, 1);
    }
    s.preconditioner = "ic0";
    check(s, 2);
}

// Two balloons of sealed gas, whose dense terms go to the linear solver as such of rank one.
TEST(allocation, newton_steps_with_gas_allocate_nothing) {
    SINEW_NEEDS_ALLOCATION_COUNT;
    const std::optional<Compiled> c = compile_text(R"({ "sinew": 1, "solver": "newton", "objects": {
        "balloon": { "kind": "cloth", "mesh": { "shape": "ball", "radius": 0.5, "levels": 2 }, "pressure": { "pressure": 500, "gas": true },
                     "material": { "density": 0.3, "membrane": { "model": "tri_stvk", "young": 1e5, "poisson": 0.3, "thickness": "1 mm" } },
                     "replicate": { "count": 2, "index": "i", "at": ["2*i", 0, 0] } } } })");
    ASSERT_TRUE(c);
    for (const char* linear : {"default", "ldlt", "cg"})
        for (int threads : {1, 2}) {
            NewtonSettings s;
            s.linear_solver = linear;
            s.force_tolerance = 1e-2; // no step warns
            const Count count = count_of(linear);
            State now = c->state, next;
            const auto solver = make_newton({.threads = threads}, c->model, now, &s);
            long counted = 0;
            for (int i = 0; i < 8; ++i) {
                const long before = count();
                const Report r = solver->step(c->model, {}, now, next, 1e-3);
                if (i >= 4) counted += count() - before;
                ASSERT_EQ(r.status, Status::ok) << r.message;
                EXPECT_GT(r.iterations, 0);
                std::swap(now, next);
            }
            EXPECT_EQ(counted, 0) << linear << " threads " << threads;
        }
}

namespace {

// two sheets close to each other and a heap of boxes: contacts of every kind
ModelBuilder make_touching() {
    ModelBuilder b;
    for (int k = 0; k < 2; ++k) {
        begin_object(b, k ? "high" : "low", "test");
        std::vector<Real3> x;
        std::vector<std::array<int, 3>> triangles;
        const int n = 20;
        for (int j = 0; j <= n; ++j)
            for (int i = 0; i <= n; ++i) x.push_back({0.05 * i + 0.01 * k, 0.01 * k + 0.004 * ((i * j) % 3), 0.05 * j + 0.007 * k});
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i) {
                const int a = i + (n + 1) * j;
                triangles.push_back({a, a + n + 2, a + 1});
                triangles.push_back({a, a + n + 1, a + n + 2});
            }
        const int first = add_points(b, x, std::vector<Real>(x.size(), 1.0));
        add_surface_triangles(b, add_surface_points(b, {first, first + int(x.size())}, 0.002), triangles);
    }
    for (int i = 0; i < 30; ++i) {
        begin_object(b, "box" + std::to_string(i), "test");
        add_collider(b, {Shape::box, {0.5, 0.5, 0.5}}, add_frame(b, {{0.9 * (i % 6), 5 + 0.9 * (i / 6), 0.1 * i}, {}}, 1, {}));
    }
    finish_model(b);
    return b;
}

} // namespace

TEST(allocation, detection_takes_no_memory_once_it_has_grown) {
    const ModelBuilder b = make_touching();
    const auto parallel = make_parallel(Context{2, {}, {}});
    std::vector<Real3> x(b.model.surface.vertices.size());
    std::vector<Real> direction(dofs_of(b.model).size(), 0.001);
    SurfaceScratch surface;
    ShapeScratch shapes;
    SceneStepScratch steps;
    Contacts contacts;
    SafeStep step;
    for (int k = 0; k < 6; ++k) {
        const long before = allocation_count();
        surface_positions(*parallel, b.model, surface_state(b.state), x);
        ASSERT_TRUE(detect_surface(*parallel, b.model, x, {}, {0.005, false, 1}, surface, contacts));
        ASSERT_TRUE(detect_shapes(*parallel, b.model, b.state.frame, 0.01, shapes, contacts));
        ASSERT_TRUE(find_scene_step(*parallel, b.model, {b.state, direction, {}}, {}, true, steps, step));
        if (k >= 3) { EXPECT_EQ(allocation_count() - before, 0) << k; }
    }
    EXPECT_GT(contacts.vertex_triangle.size() + contacts.vertex_edge.size(), 100u);
    EXPECT_GT(contacts.edge_edge.size(), 100u);
    EXPECT_GT(contacts.point_point.size(), 30u);
}

namespace {

// boxes in three layers on a floor
ModelBuilder make_bodies() {
    ModelBuilder b;
    begin_object(b, "floor", "test");
    add_collider(b, {Shape::box, {20, 1, 20}}, add_frame(b, {{0, -1, 0}, {}}, 1, {}, kFixed));
    for (int i = 0; i < 24; ++i) {
        begin_object(b, "box" + std::to_string(i), "test");
        const Pose at{{1.02 * (i % 4), 0.5 + i / 8, 1.02 * (i / 4 % 2)}, {}};
        add_collider(b, {Shape::box, {0.5, 0.5, 0.5}}, add_frame(b, at, 1, {}, kFree, {0, -0.05, 0}));
    }
    finish_model(b);
    return b;
}

} // namespace

// steps of impulses make no text and keep their lists, once contacts do not become more
TEST(allocation, steps_of_the_velocity_solver_allocate_nothing_when_steady) {
    SINEW_NEEDS_ALLOCATION_COUNT;
    const ModelBuilder b = make_bodies();
    for (const char* method : {"auto", "soft_step", "direct", "sequential_impulses", "block", "apgd"})
        for (int threads : {1, 2}) {
            VelocitySettings s;
            s.method = method;
            s.sleep = false;
            State now = b.state, next;
            const auto solver = make_velocity({.threads = threads}, b.model, now, &s);
            long counted = 0;
            for (int i = 0; i < 12; ++i) {
                const long before = allocation_count();
                const Report r = solver->step(b.model, {}, now, next, 1.0 / 60);
                if (i >= 8) counted += allocation_count() - before;
                ASSERT_NE(r.status, Status::failed) << r.message;
                std::swap(now, next);
            }
            EXPECT_EQ(counted, 0) << method << " threads " << threads;
        }
}
