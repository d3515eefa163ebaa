// Same bits for any number of threads, without caches, and resumed from the middle: every method and scheme, with joints and rods.
#include "physics/simulation.h"
#include "position/position_fixture.h"

using namespace sinew;

namespace {

const char* kCloth = R"(
    "cloth": { "kind": "cloth_grid", "size": [2, 2], "edge": 0.1, "at": [0, 0.9, 0], "material": "cotton", "fixed": { "index": [0, 20] },
               "thickness": 0.01 },)";
const char* kGrains = R"(
    "grains": { "kind": "particles", "shape": "grid", "size": [0.4, 0.4, 0.4], "at": [0.3, 1.2, 0.3], "spacing": 0.1, "mass": 0.002,
                "radius": 0.04, "thickness": 0.04, "self_contact": true },
    "floor": { "kind": "plane" })";
const char* kJoinedBodies = R"(,
    "box": { "kind": "box", "size": [0.25, 0.25, 0.25], "mass": 0.3, "at": [0, 1.1, 0] },
    "arm": { "kind": "box", "size": [0.1, 0.3, 0.1], "mass": 0.1, "at": [0, 1.4, 0] })";
const char* kRod = R"(,
    "rod": { "kind": "rod", "curve": "line", "size": 0.5, "count": 10, "radius": "1 cm", "young": "1 MPa", "density": 500, "at": [-0.5, 1.2, 0] })";
const char* kJoints = R"( "joints": { "elbow": { "kind": "hinge", "between": ["box", "arm"], "at": [0, 1.24, 0], "axis": [1, 0, 0], "motor": { "speed": 2, "limit": "0.02 N m" } } },)";

// solids by strains and by two rows, shapes matched whole and by regions, a shell full of water, and a sheet whose strain is limited
const char* kFallingContinua = R"(
    "stvk":   { "kind": "solid", "size": [0.3, 0.3, 0.3], "cells": [2, 2, 2], "at": [-1, 0.25, 0], "thickness": 0.01,
                "material": { "solid_density": 300, "solid": { "model": "stvk", "young": 2e5, "poisson": 0.3 } } },
    "rubber": { "kind": "solid", "size": [0.3, 0.3, 0.3], "cells": [2, 2, 2], "at": [-0.5, 0.25, 0], "thickness": 0.01,
                "material": { "solid_density": 300, "solid": { "model": "stable_neohookean", "young": 2e5, "poisson": 0.4 } } },
    "whole":  { "kind": "solid", "size": [0.3, 0.3, 0.3], "cells": [2, 2, 2], "at": [0, 0.25, 0], "thickness": 0.01,
                "material": { "solid_density": 300, "solid": { "model": "shape_match", "frequency": "8 Hz" } } },
    "parts":  { "kind": "solid", "size": [0.6, 0.3, 0.2], "cells": [4, 2, 2], "at": [0.6, 0.25, 0], "thickness": 0.01,
                "material": { "solid_density": 300, "solid": { "model": "shape_match", "frequency": "12 Hz", "region": "30 cm" } } },
    "water":  { "kind": "cloth", "mesh": { "shape": "ball", "radius": 0.15, "levels": 1 }, "at": [0, 0.25, 1], "pressure": { "bulk": "2 GPa", "fill": 1.02 }, "thickness": "5 mm",
                "material": { "density": 3, "membrane": { "model": "tri_stvk", "young": 4e5, "poisson": 0.3, "thickness": "1 mm", "damping": "2 ms" },
                              "bend": { "model": "hinge_tan", "stiffness": 1e-4 } } },
    "sheet":  { "kind": "cloth_grid", "size": [1, 1], "edge": 0.2, "at": [0, 0.25, -1], "fixed": "boundary", "thickness": 0.02, "strain_limit": 0.02,
                "material": { "density": 0.3, "membrane": { "model": "tri_stvk", "young": 2e4, "poisson": 0.3, "thickness": "1 mm" } } })";

enum class With { points, bodies, all };

// `solver`: position or a preset of it
std::string make_scene(const std::string& settings, With with, const std::string& solver = "position") {
    const bool bodies = with != With::points;
    return R"({ "sinew": 1, "time": { "fps": 60, "substeps": 1, "seconds": 0.15 }, "objects": { )" + std::string(with == With::bodies ? "" : kCloth) +
           kGrains + (bodies ? kJoinedBodies : "") + (with == With::all ? kRod : "") + " }, " + (bodies ? kJoints : "") + R"( "solver": ")" + solver +
           R"(", "solvers": { ")" + solver + R"(": { )" + (solver == "position" ? R"("substeps": 2, )" : "") + settings + " } } }";
}
// 41 x 41 points that lie on the floor, with grains on top: points, links, rows of shells and contacts are each several chunks of a parallel loop
std::string make_large_scene(const std::string& settings, const std::string& model) {
    return R"({ "sinew": 1, "time": { "fps": 60, "substeps": 1, "seconds": 0.1 }, "objects": {
        "floor": { "kind": "plane", "friction": 0.5 },
        "cloth": { "kind": "cloth_grid", "model": ")" + model + R"(", "size": [2, 2], "edge": 0.05, "at": [0, 0.011, 0], "material": "cotton", "thickness": 0.01 },
        "grains": { "kind": "particles", "shape": "grid", "size": [0.7, 0.14, 0.7], "at": [0, 0.13, 0], "spacing": 0.07, "mass": 0.002, "radius": 0.03,
                    "thickness": 0.03, "self_contact": true } },
        "solver": "position", "solvers": { "position": { "substeps": 2, "iterations": 4, )" + settings + " } } }";
}

std::uint64_t run(const std::string& scene, int threads, bool drop, bool resume) {
    auto s = start(scene, threads);
    if (!s) return 0;
    s->drop_caches = drop;
    for (int k = 0; !is_finished(*s); ++k) {
        if (resume && k == 5) {
            auto again = start(scene, threads);
            continue_from(*again, save_run(*s));
            s = std::move(again);
        }
        if (simulate_step(*s) != Status::ok) {
            ADD_FAILURE() << s->report.message;
            return 0;
        }
    }
    return hash(s->now);
}

void expect_same_bits_of(const std::string& scene, const std::string& settings) {
    const std::uint64_t one = run(scene, 1, false, false);
    ASSERT_NE(one, 0u) << settings;
    EXPECT_EQ(run(scene, 2, false, false), one) << settings;
    EXPECT_EQ(run(scene, 3, true, false), one) << settings;
    EXPECT_EQ(run(scene, 8, false, false), one) << settings;
    EXPECT_EQ(run(scene, 2, false, true), one) << settings;
}
void expect_same_bits_of_chunks(const std::string& settings, const std::string& model) {
    const std::string scene = make_large_scene(settings, model);
    auto s = start(scene);
    ASSERT_TRUE(s);
    int most = 0;
    while (!is_finished(*s)) {
        ASSERT_EQ(simulate_step(*s), Status::ok) << s->report.message;
        most = std::max(most, s->report.contact_count);
    }
    EXPECT_GT(most, kGrain) << settings;
    expect_same_bits_of(scene, model + " " + settings);
}
void expect_same_bits(const std::string& settings, With with) { expect_same_bits_of(make_scene(settings, with), settings); }

} // namespace

TEST(position_threads, every_method_has_the_same_bits) {
    for (const std::string& method : kDualMethods) {
        if (method == "fast_projection" || method == "newton") continue;
        expect_same_bits("\"method\": \"" + method + "\"", With::all);
    }
    for (const std::string method : {"jacobi", "minres"}) expect_same_bits("\"step\": \"radius\", \"method\": \"" + method + "\"", With::all);
}

TEST(position_threads, direct_methods_have_the_same_bits) {
    for (const std::string method : {"fast_projection", "newton"}) expect_same_bits("\"iterations\": 1, \"method\": \"" + method + "\"", With::all);
}

TEST(position_threads, every_scheme_has_the_same_bits) {
    expect_same_bits(R"("scheme": "verlet")", With::all);
    expect_same_bits(R"("scheme": "rattle")", With::all);
    expect_same_bits("\"scheme\": \"newmark\"", With::points);
    expect_same_bits(R"("scheme": "rattle", "method": "jacobi")", With::all);
}

TEST(position_threads, continuous_detection_has_the_same_bits) {
    expect_same_bits("\"continuous\": true", With::all);
    expect_same_bits("\"continuous\": true, \"method\": \"accelerated_jacobi\"", With::all);
}

TEST(position_threads, solids_shells_volumes_matched_shapes_and_limits_have_the_same_bits) {
    for (const std::string settings : {R"("method": "gauss_seidel", "damping_time": "2 ms")", R"("method": "jacobi")", R"("method": "conjugate_residuals")"})
        expect_same_bits_of(R"({ "sinew": 1, "time": { "fps": 60, "substeps": 1, "seconds": 0.15 }, "objects": { "floor": { "kind": "plane" }, )" + std::string(kFallingContinua) +
                                R"( }, "solver": "position", "solvers": { "position": { "substeps": 3, )" + settings + " } } }", settings);
}

TEST(position_threads, every_friction_damping_and_kind_of_rows_has_the_same_bits) {
    for (const std::string settings :
         {R"("friction": "cone")", R"("friction": "cone", "de_saxce": false)", R"("friction": "box")", R"("friction": "single")", R"("friction": "post")", R"("friction": "none")",
          R"("damping": "velocity", "damping_part": 0.2)", R"("damping": "rigid", "damping_part": 0.2)", R"("damping_time": "2 ms")",
          R"("softness": "printed")", R"("softness": "factor", "stiffness": 0.5)", R"("directions": "start")", R"("chains": false)",
          R"("warm_start": false)", R"("recovery_time": 0)", R"("contact_compliance": 1e-5, "contact_damping_time": "5 ms")", R"("limit_restitution": false)",
          R"("method": "jacobi", "incidence": true)", R"("method": "jacobi", "friction": "cone")", R"("method": "conjugate_residuals", "friction": "box")",
          R"("tolerance": "0.1 mm", "iterations": 8)"})
        expect_same_bits(settings, With::all);
}

TEST(position_threads, every_mix_with_velocities_and_sequential_positions_have_the_same_bits) {
    for (const std::string mix : {"contacts_after", "velocity_first", "post_stabilize"}) expect_same_bits("\"mix\": \"" + mix + "\"", With::all);
    expect_same_bits(R"("sequential": true)", With::all);
}

TEST(position_threads, every_preset_has_the_same_bits) {
    for (const std::string solver : {"pbd", "xpbd", "sequential_positions"})
        expect_same_bits_of(make_scene(R"("warm_start": true)", With::all, solver), solver);
}

// loops over more rows than one chunk: sums of residuals, of step lengths and of spectral radii are put together in a fixed order
TEST(position_threads, many_links_and_contacts_have_the_same_bits) {
    for (const std::string method : {"gauss_seidel", "jacobi", "accelerated_jacobi", "conjugate_residuals", "minres", "apgd", "gpminres"})
        expect_same_bits_of_chunks("\"method\": \"" + method + "\"", "links");
    expect_same_bits_of_chunks(R"("method": "jacobi", "step": "radius")", "links");
    expect_same_bits_of_chunks(R"("continuous": true)", "links");
}
TEST(position_threads, many_rows_of_shells_have_the_same_bits) {
    for (const std::string method : {"gauss_seidel", "jacobi", "conjugate_residuals", "apgd"})
        expect_same_bits_of_chunks("\"method\": \"" + method + "\"", "shell");
}
// contacts with friction at bodies that nothing moves, several chunks of batches of them
TEST(position_threads, cloth_and_grains_on_obstacles_have_the_same_bits) {
    for (const std::string settings : {R"("friction": "cylinder")", R"("friction": "cone")"}) {
        const std::string scene = R"({ "sinew": 1, "time": { "fps": 60, "substeps": 1, "seconds": 0.1 }, "objects": {
            "ball":  { "kind": "sphere", "radius": 0.5, "friction": 0.5 },
            "cloth": { "kind": "cloth_grid", "size": [1, 1], "edge": 0.025, "at": [0.05, 0.509, 0.03], "material": "cotton", "thickness": "8 mm" },
            "table": { "kind": "box", "size": [1.2, 0.2, 1.2], "at": [2, 0, 0], "friction": 0.4 },
            "grains": { "kind": "particles", "shape": "grid", "size": [1, 0.1, 1], "at": [2, 0.165, 0], "spacing": 0.05, "mass": 0.002, "radius": 0.02,
                        "thickness": 0.02, "self_contact": true } },
            "solver": "position", "solvers": { "position": { "substeps": 2, "iterations": 4, )" + settings + " } } }";
        expect_same_bits_of(scene, settings);
    }
}
