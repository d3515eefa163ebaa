// No allocation in a steady step of `velocity`, by each of its ways: soft steps with and without joints, direct solutions of
// contacts and of loops, trees, sweeps, gradients. Left out by name: `mlcp`, a dense reference for small islands.
#include "allocation_counter.h"
#include "constraint/joint_ball.h"
#include "constraint/list.h"
#include "energy/list.h"
#include "model/builder.h"
#include "paths.h"
#include "physics/simulation.h"
#include "solver/velocity.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

int add_cube(ModelBuilder& b, const Vec3& at, Real half, Real mass, bool touches = true) {
    begin_object(b, "b" + std::to_string(b.model.objects.size()), "box");
    if (!touches) b.model.objects.back().touches = 0;
    const Real i = mass * half * half * 2 / 3;
    const int f = add_frame(b, {real3(at), {1, 0, 0, 0}}, mass, {i, 0, 0, 0, i, 0, 0, 0, i}, mass > 0 ? kFree : kFixed);
    const ElementRow& gravity = *find_energy("gravity_frame");
    if (mass > 0) add_energy(b, gravity, gravity.make_params().get(), std::array<int, 1>{f});
    add_collider(b, {Shape::box, {half, half, half}}, f);
    return f;
}

void join_cubes_by_ball(ModelBuilder& b, int a, int c, const Vec3& at) {
    JointBall::Params p;
    for (int side = 0; side < 2; ++side) {
        p.anchor.local[side] = real3(at - vec(b.state.frame.p[side == 0 ? a : c]));
        p.anchor.axes[side] = {1, 0, 0, 0};
    }
    begin_object(b, "j" + std::to_string(b.model.objects.size()), "joint");
    add_constraint(b, *find_constraint("joint_ball"), &p, std::array<int, 2>{a, c});
}

ModelBuilder make_cube_scene(const std::string& kind) {
    ModelBuilder b;
    const int floor = add_cube(b, Vec3(0, -50, 0), 50, 0);
    if (kind == "heap")
        for (int k = 0; k < 60; ++k) add_cube(b, Vec3(1.02 * (k % 5), 0.5 + 1.0 * (k / 20), 1.02 * (k / 5 % 4)), 0.5, 1);
    if (kind == "stack")
        for (int k = 0; k < 6; ++k) add_cube(b, Vec3(0, 0.5 + k, 0), 0.5, k == 5 ? 1000 : 1);
    if (kind == "chain" || kind == "loop") {
        int last = floor;
        for (int k = 0; k < 10; ++k) {
            const int f = add_cube(b, Vec3(k + 0.5, 10, 0), 0.2, 1, false);
            join_cubes_by_ball(b, last, f, Vec3(k, 10, 0));
            last = f;
        }
        if (kind == "loop") join_cubes_by_ball(b, last, floor, Vec3(10, 10, 0));
    }
    if (kind == "dolls") // chains that lie on the floor
        for (int n = 0; n < 3; ++n) {
            int last = -1;
            for (int k = 0; k < 4; ++k) {
                const int f = add_cube(b, Vec3(1.1 * k, 0.5, 3 * n), 0.5, 1);
                if (last >= 0) join_cubes_by_ball(b, last, f, Vec3(1.1 * k - 0.55, 0.5, 3 * n));
                last = f;
            }
        }
    finish_model(b);
    return b;
}

} // namespace

TEST(velocity_allocation, steady_steps_allocate_nothing) {
    SINEW_NEEDS_ALLOCATION_COUNT;
    for (const char* kind : {"heap", "stack", "chain", "loop", "dolls"})
        for (const char* method : {"auto", "direct", "block", "sequential_impulses", "apgd"})
            for (int threads : {1, 2}) {
                if (std::string(method) == "direct" && std::string(kind) == "heap") continue; // cubic
                // a thousand times heavier on top: by sweeps and gradients it hops, and touches begin and end in most steps
                if (std::string(kind) == "stack" && std::string(method) != "auto" && std::string(method) != "direct") continue;
                const ModelBuilder b = make_cube_scene(kind);
                VelocitySettings s;
                s.method = method;
                s.sleep = false;
                State now = b.state, next;
                const auto solver = make_velocity({.threads = threads}, b.model, now, &s);
                long counted = 0;
                for (int k = 0; k < 40; ++k) {
                    const long before = allocation_count();
                    const Report r = solver->step(b.model, {}, now, next, 1.0 / 60);
                    if (k >= 30) counted += allocation_count() - before;
                    EXPECT_EQ(r.status, Status::ok) << r.message;
                    std::swap(now, next);
                }
                EXPECT_EQ(counted, 0) << kind << " " << method << ", " << threads << " threads";
            }
}

// The same of scenes: pairs with restitution, grains on the ground, hulls, and islands that fall asleep.
TEST(velocity_allocation, steady_steps_with_restitution_grains_hulls_and_sleep_allocate_nothing) {
    SINEW_NEEDS_ALLOCATION_COUNT;
    const std::string floor = R"("floor": { "kind": "box", "size": [40, 2, 40], "at": [0, -1, 0] }, )";
    std::vector<std::pair<std::string, std::string>> scenes;
    scenes.emplace_back("restitution", floor + R"("low": { "kind": "box", "size": [1, 1, 1], "density": 1, "restitution": 0.3, "replicate": { "count": 12, "index": "i", "at": ["1.2*i", 0.5, 0] } },
            "high": { "kind": "box", "size": [1, 1, 1], "density": 1, "restitution": 0.3, "replicate": { "count": 12, "index": "i", "at": ["1.2*i", 1.5, 0] } })");
    scenes.emplace_back("grains", R"("floor": { "kind": "plane" }, "sand": { "kind": "particles", "shape": "grid", "size": [0.4, 0.4, 0.4], "at": [0, 0.25, 0], "spacing": 0.1, "mass": 0.1, "radius": 0.05, "thickness": 0.05, "self_contact": true })");
    scenes.emplace_back("hulls", floor + R"("stone": { "kind": "mesh", "shape": "hull", "density": 1, "replicate": { "count": 6, "index": "i", "at": ["3*i", 1, 0] }, "mesh": ")" + source_dir() + R"(/scenes/rigid/meshes/voussoir.obj" })");
    for (const auto& [name, objects] : scenes)
        for (bool sleep : {false, true}) {
            const std::optional<Compiled> c = compile_text(R"({ "sinew": 1, "solver": "velocity", "objects": { )" + objects + " } }");
            ASSERT_TRUE(c) << name;
            VelocitySettings s;
            s.sleep = sleep;
            State now = c->state, next;
            const auto solver = make_velocity({.threads = 2}, c->model, now, &s);
            long counted = 0;
            for (int k = 0; k < 240; ++k) {
                const long before = allocation_count();
                const Report r = solver->step(c->model, {}, now, next, 1.0 / 60);
                if (k >= 220) counted += allocation_count() - before;
                EXPECT_EQ(r.status, Status::ok) << r.message;
                std::swap(now, next);
            }
            EXPECT_EQ(counted, 0) << name << (sleep ? ", sleeping" : "");
        }
}
