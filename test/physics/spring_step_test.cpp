// Springs in the steps of the velocity solver: implicit where they are stiff, beside joints, contacts and bodies.
#include "energy/list.h"
#include "model/visit.h"
#include "paths.h"
#include "physics/simulation.h"
#include "solver/velocity_build.h"
#include <cmath>
#include <fmt/format.h>

using namespace sinew;

// A weight on a very stiff spring, h w = 53: it comes to rest at m g/k below, which no part of the step knows beforehand. The
// implicit step damps by 1/(1 + (h w)^2) per step; 1e-8 is the tolerance of the direct solve.
TEST(spring_step, a_stiff_spring_hangs_at_its_static_length) {
    auto s = start(R"({ "sinew": 1, "time": { "fps": 60, "seconds": 2 },
        "objects": { "line": { "kind": "chain", "from": [0, 0, 0], "to": [0, -1, 0], "count": 4, "mass": 0.4, "fixed": { "index": 0 },
                               "material": { "rod": { "model": "spring_strain", "stiffness": 2.5e5 } } } },
        "solver": "velocity", "solvers": { "velocity": { "sleep": false } } })");
    ASSERT_TRUE(s);
    run_to_end(*s);
    // four links of 0.25 m, E A = 2.5e5 N, carry 4, 3, 2, 1 times 0.1 kg
    EXPECT_NEAR(s->now.point.x[4].y, -1 - 0.25 / 2.5e5 * 0.1 * 9.81 * 10, 1e-8);
}

// A soft one is stepped explicitly: h w = 0.05, ten periods; implicit steps would have lost a factor exp(-h w^2 t/2) = 0.21.
TEST(spring_step, a_soft_spring_keeps_its_energy) {
    auto s = start(R"({ "sinew": 1, "gravity": 0, "time": { "fps": 60, "seconds": 20.943951 },
        "objects": { "pair": { "kind": "particles", "positions": [[0, 0, 0], [1, 0, 0]], "mass": 2, "velocities": [[-0.1, 0, 0], [0.1, 0, 0]],
                               "links": [[0, 1]], "material": { "rod": { "model": "spring", "stiffness": 9 } } } },
        "solver": "velocity", "solvers": { "velocity": { "sleep": false } } })");
    ASSERT_TRUE(s);
    const double before = s->report.energy_kinetic;
    run_to_end(*s);
    EXPECT_NEAR(energy_total(s->report), before, 0.06 * before); // symplectic: h w = 0.05 of the energy, bounded
}

// A sheet falls over a free box: whatever springs, contacts and friction do, they do to both. Linear momentum to rounding.
TEST(spring_step, a_sheet_and_a_box_exchange_momentum_exactly) {
    auto s = start(R"({ "sinew": 1, "gravity": 0, "time": { "fps": 60, "seconds": 0.5 },
        "objects": { "box": { "kind": "box", "size": [0.3, 0.3, 0.3], "mass": 0.5 },
                     "sheet": { "kind": "cloth_grid", "size": [0.6, 0.6], "edge": 0.1, "at": [0.05, 0.2, 0], "velocity": [0, -2, 0.3], "material": "cotton" } },
        "solver": "velocity", "solvers": { "velocity": { "sleep": false } } })");
    ASSERT_TRUE(s);
    const Vec3 p = vec(s->report.momentum);
    double energy = s->report.energy_kinetic;
    const double first = energy;
    while (!is_finished(*s)) {
        ASSERT_NE(simulate_step(*s), Status::failed);
        energy = energy_total(s->report);
        EXPECT_LE(energy, first * (1 + 1e-6)); // implicit springs, sliding and inelastic contact only take energy
    }
    EXPECT_LT((vec(s->report.momentum) - p).norm(), 1e-12); // 0.6 kg m/s, 30 steps of rounding
    EXPECT_GT(std::abs(measure(*s, "box.velocity.y")), 0.1); // they did meet
}

// A hanging sheet of wool stretches by what hangs below, g times density over stiffness times the mean length: 0.2 % of it.
TEST(spring_step, a_hanging_sheet_stretches_by_its_weight_only) {
    auto s = start(R"({ "sinew": 1, "time": { "fps": 60, "seconds": 3 },
        "objects": { "sheet": { "kind": "cloth_grid", "size": [0.5, 1], "edge": 0.125, "rotate": { "axis": [1, 0, 0], "angle": "90 deg" },
                                "fixed": { "box": [[-1, 0.49, -1], [1, 1, 1]] }, "material": "wool" } },
        "solver": "velocity", "solvers": { "velocity": { "sleep": false } } })");
    ASSERT_TRUE(s);
    double most = 0;
    while (!is_finished(*s)) {
        ASSERT_NE(simulate_step(*s), Status::failed);
        most = std::max(most, measure(*s, "sheet.stretch"));
    }
    EXPECT_LT(most, 0.005);                       // 0.23 kg/m^2 9.81 m/s^2 1 m / 1200 N/m, and as much again when it is let go
    EXPECT_LT(s->report.energy_kinetic, 1e-6);    // at rest
}

// One mass for all unknowns, a block of 3 x 3 per point and 6 x 6 per body (spec U009): with the blocks that rows see the kinetic
// energy and momentum are those that are reported, for a body, a particle, a sheet and a solid together.
TEST(spring_step, bodies_particles_and_nodes_have_one_block_diagonal_mass) {
    auto s = start(R"({ "sinew": 1, "time": { "fps": 60, "seconds": 0.1 },
        "objects": { "box": { "kind": "box", "size": [0.3, 0.2, 0.4], "mass": 2, "velocity": [1, 2, 3], "angular_velocity": [1, -2, 0.5],
                              "rotate": { "axis": [1, 1, 0], "angle": 1 } },
                     "held": { "kind": "box", "motion": "static", "at": [5, 0, 0] },
                     "dust": { "kind": "particles", "positions": [[3, 0, 0], [4, 0, 0]], "mass": 0.3, "velocity": [0, 1, 0] },
                     "sheet": { "kind": "cloth_grid", "size": [1, 1], "edge": 0.25, "at": [0, 3, 0], "velocity": [0, 0, 2] },
                     "cube": { "kind": "solid", "size": [0.5, 0.5, 0.5], "cells": [2, 2, 2], "at": [0, -3, 0], "velocity": [-1, 0, 0] } },
        "solver": "explicit" })");
    ASSERT_TRUE(s);
    RowProblem q;
    build_bodies(s->compiled.model, s->now, q);
    ASSERT_EQ(q.body_count(), point_count(s->compiled.model) + frame_count(s->compiled.model));
    double energy = 0;
    Vec3 momentum = Vec3::Zero();
    for (int b = 0; b < q.body_count(); ++b) {
        if (!(q.inverse_mass[b] > 0)) continue;
        energy += 0.5 * q.v[b].squaredNorm() / q.inverse_mass[b];
        momentum += q.v[b] / q.inverse_mass[b];
        if (q.inverse_inertia[b] != Mat3::Zero()) energy += 0.5 * q.w[b].dot(q.inverse_inertia[b].inverse() * q.w[b]);
    }
    EXPECT_NEAR(energy, s->report.energy_kinetic, 1e-12 * energy); // the same sums in another order
    EXPECT_LT((momentum - vec(s->report.momentum)).norm(), 1e-12 * momentum.norm());
    int held = 0;
    for (int b = 0; b < q.body_count(); ++b) held += !(q.inverse_mass[b] > 0);
    EXPECT_EQ(held, 1);
}

// The second sample of the scene language up to the first steps of the stairs: a ragdoll of 75 kg lands with a cape of wool on its
// shoulders. `auto` takes the velocity solver; joints stay closed, the cape is hardly stretched, the collar holds.
TEST(spring_step, a_cape_on_a_ragdoll_lands_on_stairs) {
    Result<Scene> scene = load_scene(source_dir() + "/test/scene/sample/stairs.json", std::vector<std::string>{"time.seconds=0.7"});
    ASSERT_TRUE(scene);
    Result<Compiled> compiled = compile_scene(*scene.value);
    ASSERT_TRUE(compiled);
    EXPECT_EQ(compiled.value->solver, "velocity");
    Result<Simulation> made = make_simulation(Context{}, std::move(*compiled.value));
    ASSERT_TRUE(made);
    Simulation& s = *made.value;
    const MeasurementResult joints = find_measurements(s.compiled.model, "hero.joint_error");
    double worst = 0, stretch = 0;
    std::vector<std::string> events;
    while (!is_finished(s)) {
        ASSERT_NE(simulate_step(s), Status::failed) << s.report.message;
        for (const auto& j : joints.found) worst = std::max(worst, evaluate(j, s.compiled.model, s.now, s.report));
        stretch = std::max(stretch, measure(s, "cape.stretch"));
        events.insert(events.end(), s.events.begin(), s.events.end());
    }
    EXPECT_LT(worst, 5e-3);   // the bound that the sample gives for its end
    EXPECT_LT(stretch, 0.1);  // stopped from 5 m/s, wool of 0.23 kg/m^2 and 1200 N/m stretches by v/c = 0.07
    EXPECT_TRUE(events.empty());
    EXPECT_LT(s.report.energy_kinetic, 1000); // it fell by 1.5 m at most
}

// a sheet over a box, a hinged pair that comes to rest, and both formulations: whatever the threads, without caches, and when another
// simulation goes on from the middle
TEST(spring_step, and_trees_have_the_same_bits_for_any_number_of_threads_without_caches_and_resumed) {
    const std::string sheet = R"({ "sinew": 1, "time": { "fps": 60, "seconds": 0.5 },
        "objects": { "floor": { "kind": "plane" }, "box": { "kind": "box", "size": [0.3, 0.3, 0.3], "mass": 0.5, "at": [0, 0.15, 0] },
                     "sheet": { "kind": "cloth_grid", "size": [0.6, 0.6], "edge": 0.1, "at": [0.05, 0.35, 0], "material": "cotton" } },
        "solver": "velocity" })";
    const std::string rods = R"({ "sinew": 1, "time": { "fps": 60, "seconds": 1.5 },
        "objects": { "plank": { "kind": "box", "size": [4, 0.2, 1], "motion": "static", "at": [0, -0.1, 0] },
                     "a": { "kind": "box", "size": [1, 0.1, 0.1], "mass": 1, "at": [-0.5, 0.15, 0] },
                     "b": { "kind": "box", "size": [1, 0.1, 0.1], "mass": 2, "at": [0.5, 0.15, 0] } },
        "joints": { "knee": { "kind": "hinge", "between": ["a", "b"], "at": [0, 0.15, 0], "axis": [0, 0, 1], "friction": 0.1 } },
        "solver": "articulated" })";
    for (const std::string& text : {sheet, rods}) {
        std::vector<std::uint64_t> hashes;
        StateFile middle;
        for (const int threads : {1, 2, 3, 8, -1}) { // -1: caches dropped
            auto s = start(text, std::abs(threads));
            ASSERT_TRUE(s);
            s->drop_caches = threads < 0;
            while (!is_finished(*s)) {
                if (s->now.time < 0.9) middle = save_run(*s); // of rods while they sleep
                ASSERT_NE(simulate_step(*s), Status::failed) << s->report.message;
            }
            hashes.push_back(hash(s->now));
        }
        auto other = start(text);
        ASSERT_TRUE(other);
        continue_from(*other, middle);
        run_to_end(*other);
        hashes.push_back(hash(other->now));
        for (std::uint64_t h : hashes) EXPECT_EQ(h, hashes[0]);
    }
}

// Forces of solids act at the start of a step. A stiff cube falls on a plane and comes to rest by the steps
// that are chosen for it; the energy is that of its height and falls, but for what symplectic Euler swings
// by: h w/2 of what is in the fastest waves, and these have less than a tenth of the energy.
TEST(spring_step, a_stiff_solid_lands_on_a_plane_and_gains_nothing) {
    auto s = start(R"({ "sinew": 1, "solver": "velocity", "time": { "fps": 60, "seconds": 1 },
        "objects": { "floor": { "kind": "plane" },
                     "cube": { "kind": "solid", "size": [0.2, 0.2, 0.2], "cells": [2, 2, 2], "at": [0, 0.2, 0],
                               "material": { "solid": { "young": 1e6 } } } } })");
    ASSERT_TRUE(s);
    const double before = energy_total(s->report);
    while (!is_finished(*s)) {
        ASSERT_NE(simulate_step(*s), Status::failed);
        EXPECT_LT(energy_total(s->report), before * 1.05) << s->now.time;
    }
    EXPECT_LT(energy_total(s->report), 0.9 * before); // contacts have no restitution
}
