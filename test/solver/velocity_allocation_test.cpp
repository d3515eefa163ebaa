// No allocation in a steady step of `velocity`, by each of its ways: soft steps with and without joints, direct solutions of
// contacts and of loops, trees, sweeps, gradients; with motors, limits, hinges and ragdolls. Left out by name: `mlcp`, a dense
// reference for small islands, which makes its matrices anew in every step, and loops by `equalities` = kkt, whose sparse LU is Eigen's and keeps no memory
// (trees, which are eliminated by our own code, are looked at), and bodies that go far in a step: pairs along their way come and go, and detection asks for memory for
// them about once a step, as it does wherever touches begin.
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
        for (const char* method : {"auto", "direct", "block", "sequential_impulses", "jacobi", "apgd", "bb"})
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

TEST(velocity_allocation, steady_steps_by_the_saddle_point_matrix_of_a_tree_allocate_nothing) {
    SINEW_NEEDS_ALLOCATION_COUNT;
    for (int threads : {1, 2}) {
        const ModelBuilder b = make_cube_scene("chain");
        VelocitySettings s;
        s.equalities = "kkt";
        State now = b.state, next;
        const auto solver = make_velocity({.threads = threads}, b.model, now, &s);
        long counted = 0;
        for (int k = 0; k < 40; ++k) {
            const long before = allocation_count();
            const Report r = solver->step(b.model, {}, now, next, 1.0 / 60);
            if (k >= 30) counted += allocation_count() - before;
            EXPECT_EQ(r.status, Status::ok) << r.message;
            EXPECT_EQ(r.islands_direct, 1);
            std::swap(now, next);
        }
        EXPECT_EQ(counted, 0) << threads << " threads";
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

namespace {

struct JointScene {
    const char* name;
    std::string text;         // of the objects and joints
    std::vector<const char*> methods{"auto", "soft_step", "direct", "block"};
    int settle = 240; // [steps]
};

std::vector<JointScene> joint_scenes() {
    // motors against a load, at their limit of force and below it; a pendulum that lies in its limit; friction of a hinge; wheels that turn for ever
    const std::string hinges = R"x("objects": { "floor": { "kind": "plane", "at": [0, -3, 0] },
        "arm": { "kind": "box", "size": [1, 0.1, 0.1], "mass": 1, "contact": false, "replicate": { "count": 8, "index": "k", "at": [0.5, 0, "k"] } },
        "wheel": { "kind": "cylinder", "radius": 0.5, "height": 0.1, "mass": 2, "contact": false, "replicate": { "count": 8, "index": "k", "at": [3, 0, "k"] } } },
      "joints": { "motor": { "kind": "hinge", "between": ["world", "arm/{k}"], "at": [0, 0, "k"], "axis": [0, 0, 1], "motor": { "speed": 1, "limit": "k < 2 ? 1 : 100" }, "replicate": { "count": 4, "index": "k" } },
        "limit": { "kind": "hinge", "between": ["world", "arm/{k + 4}"], "at": [0, 0, "k + 4"], "axis": [0, 0, 1], "limits": ["-20 deg", "20 deg"], "friction": "k", "replicate": { "count": 4, "index": "k" } },
        "axle": { "kind": "hinge", "between": ["world", "wheel/{k}"], "at": [3, 0, "k"], "axis": [0, 1, 0], "motor": { "speed": "10 + k", "limit": 50 }, "replicate": { "count": 8, "index": "k" } } })x";
    // pairs of bodies joined by each, with limits, on the floor
    const std::string pairs = R"x("objects": { "floor": { "kind": "plane" },
        "a": { "kind": "box", "size": [0.4, 0.4, 0.4], "mass": 1, "replicate": { "count": 4, "index": "k", "at": ["3*k", 0.2, 0] } },
        "b": { "kind": "box", "size": [0.4, 0.4, 0.4], "mass": 1, "replicate": { "count": 4, "index": "k", "at": ["3*k + 1", 0.2, 0] } } },
      "joints": { "s": { "kind": "slider", "between": ["a/0", "b/0"], "axis": [1, 0, 0], "limits": [-0.1, 0.1], "motor": { "speed": 1, "limit": 1 } },
        "d": { "kind": "distance", "between": ["a/1", "b/1"], "at": [3, 0.2, 0], "to": [4, 0.2, 0], "limits": [0.5, 1.5], "motor": { "speed": 0.5, "limit": 0.5 } },
        "c": { "kind": "cone_twist", "between": ["a/2", "b/2"], "at": [6.5, 0.2, 0], "axis": [1, 0, 0], "swing": "20 deg", "twist": ["-20 deg", "20 deg"], "friction": 0.1, "motor": { "stiffness": 10, "damping": 1, "limit": 2 } },
        "u": { "kind": "universal", "between": ["a/3", "b/3"], "at": [9.5, 0.2, 0], "axis": [1, 0, 0], "second_axis": [0, 0, 1] } })x";
    const std::string dolls = "\"include\": [\"" + source_dir() + R"x(/scenes/prefabs/ragdoll.json"],
      "objects": { "floor": { "kind": "plane", "at": [0, -0.1, 0] }, "doll": { "use": "ragdoll", "at": [0, 0.2, 0], "rotate": { "axis": [1, 0, 0], "angle": "85 deg" },
                   "replicate": { "count": 6, "index": "k", "at": ["2*k", 0, 0] } } })x";
    return {{"hinges", hinges}, {"pairs", pairs}, {"ragdolls", dolls, {"auto", "soft_step"}, 600}};
}

} // namespace

TEST(velocity_allocation, steady_steps_with_motors_limits_and_ragdolls_allocate_nothing) {
    SINEW_NEEDS_ALLOCATION_COUNT;
    for (const JointScene& scene : joint_scenes())
        for (const char* method : scene.methods)
            for (int threads : {1, 2}) {
                SCOPED_TRACE(std::string(scene.name) + " " + method + ", " + std::to_string(threads) + " threads");
                const std::optional<Compiled> c = compile_text(R"({ "sinew": 1, "solver": "velocity", )" + scene.text + " }");
                ASSERT_TRUE(c);
                VelocitySettings s;
                s.method = method;
                s.sleep = false;
                State now = c->state, next;
                const auto solver = make_velocity({.threads = threads}, c->model, now, &s);
                long counted = 0;
                for (int k = 0; k < scene.settle; ++k) {
                    const long before = allocation_count();
                    const Report r = solver->step(c->model, {}, now, next, 1.0 / 60);
                    if (k >= scene.settle - 20) counted += allocation_count() - before;
                    EXPECT_EQ(r.status, Status::ok) << r.message;
                    std::swap(now, next);
                }
                EXPECT_EQ(counted, 0);
            }
}
