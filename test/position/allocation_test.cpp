// A steady step of the position solver allocates nothing.
#include "allocation_counter.h"
#include "physics/simulation.h"
#include "position/position_fixture.h"

using namespace sinew;

namespace {

// allocations of four steady steps
long count_steady(const std::string& text, int threads, bool& ok) {
    auto s = start(text, threads);
    ok = bool(s);
    if (!ok) return -1;
    for (int k = 0; k < 40 && ok; ++k) ok = simulate_step(*s) == Status::ok; // all have come to rest
    State next = s->now;
    long counted = 0;
    for (int k = 0; k < 8; ++k) {
        const long before = allocation_count();
        const Report report = s->solver->step(s->compiled.model, s->input, s->now, next, 1.0 / 60);
        if (k >= 4) counted += allocation_count() - before;
        ok = ok && report.status == Status::ok;
        std::swap(s->now, next);
    }
    return counted;
}

const char* kPoints = R"("cloth": { "kind": "cloth_grid", "size": [1, 1], "edge": 0.1, "at": [0, 0.01, 2], "material": "cotton", "thickness": 0.01 },
    "rope": { "kind": "rope", "from": [-1, 0.02, -2], "to": [1, 0.02, -2], "count": 30 },
    "grain": { "kind": "particles", "positions": [[0, 0.05, -1], [0.3, 0.05, -1]], "masses": [0.1, 0.1], "radius": 0.05, "thickness": 0.05 })";
const char* kBodies = R"("box": { "kind": "box", "size": [0.3, 0.3, 0.3], "mass": 1, "at": [0, 0.15, 0], "replicate": { "count": 4, "index": "i", "at": ["0.6*i", 0, 0] } },)";

// solids by strains and by two rows, shapes matched whole and by regions, a shell full of water, and a sheet whose strain is limited
const char* kContinua = R"(
    "stvk":   { "kind": "solid", "size": [0.3, 0.3, 0.3], "cells": [3, 3, 3], "at": [-1, 0.16, 0], "thickness": 0.01,
                "material": { "solid_density": 300, "solid": { "model": "stvk", "young": 2e5, "poisson": 0.3 } } },
    "rubber": { "kind": "solid", "size": [0.3, 0.3, 0.3], "cells": [3, 3, 3], "at": [-0.5, 0.16, 0], "thickness": 0.01,
                "material": { "solid_density": 300, "solid": { "model": "stable_neohookean", "young": 2e5, "poisson": 0.4 } } },
    "whole":  { "kind": "solid", "size": [0.3, 0.3, 0.3], "cells": [3, 3, 3], "at": [0, 0.16, 0], "thickness": 0.01,
                "material": { "solid_density": 300, "solid": { "model": "shape_match", "frequency": "8 Hz" } } },
    "parts":  { "kind": "solid", "size": [0.6, 0.3, 0.2], "cells": [6, 3, 2], "at": [0.6, 0.16, 0], "thickness": 0.01,
                "material": { "solid_density": 300, "solid": { "model": "shape_match", "frequency": "12 Hz", "region": "30 cm" } } },
    "water":  { "kind": "cloth", "mesh": { "shape": "ball", "radius": 0.15, "levels": 2 }, "at": [0, 0.16, 1], "pressure": { "bulk": "2 GPa", "fill": 1.02 }, "thickness": "5 mm",
                "material": { "density": 3, "membrane": { "model": "tri_stvk", "young": 4e5, "poisson": 0.3, "thickness": "1 mm", "damping": "2 ms" },
                              "bend": { "model": "hinge_tan", "stiffness": 1e-4 } } },
    "sheet":  { "kind": "cloth_grid", "size": [1, 1], "edge": 0.1, "at": [0, 0.16, -1], "fixed": "boundary", "thickness": 0.02, "strain_limit": 0.02,
                "material": { "density": 0.3, "membrane": { "model": "tri_stvk", "young": 2e4, "poisson": 0.3, "thickness": "1 mm" } } })";

std::string resting(const std::string& settings, bool bodies) {
    return R"({ "sinew": 1, "time": { "fps": 60, "substeps": 1, "seconds": 2 }, "objects": { "floor": { "kind": "plane" }, )" +
           std::string(bodies ? kBodies : "") + kPoints + R"( }, "solver": "position", "solvers": { "position": { )" + settings + " } } }";
}

} // namespace

TEST(position_allocation, no_method_allocates_in_a_steady_step) {
    SINEW_NEEDS_ALLOCATION_COUNT;
    // but for the direct ones, whose factorisation is Eigen's
    for (const std::string& method : kDualMethods) {
        if (method == "fast_projection" || method == "newton") continue;
        for (int threads : {1, 2}) {
            bool ok = false;
            EXPECT_EQ(count_steady(resting("\"method\": \"" + method + "\"", true), threads, ok), 0) << method << ' ' << threads;
            EXPECT_TRUE(ok) << method;
        }
    }
    for (const std::string method : {"jacobi", "minres"}) {
        bool ok = false;
        EXPECT_EQ(count_steady(resting("\"step\": \"radius\", \"method\": \"" + method + "\"", true), 2, ok), 0) << method;
        EXPECT_TRUE(ok) << method;
    }
}

TEST(position_allocation, no_scheme_allocates_in_a_steady_step) {
    SINEW_NEEDS_ALLOCATION_COUNT;
    for (const std::string scheme : {"symplectic", "verlet", "rattle", "newmark"})
        for (const std::string method : {"gauss_seidel", "jacobi"}) {
            bool ok = false;
            EXPECT_EQ(count_steady(resting("\"scheme\": \"" + scheme + "\", \"method\": \"" + method + "\", \"damping_time\": 0.01", false), 1, ok), 0)
                << scheme << ' ' << method;
            EXPECT_TRUE(ok) << scheme;
        }
}

TEST(position_allocation, continuous_detection_allocates_nothing_in_a_steady_step) {
    SINEW_NEEDS_ALLOCATION_COUNT;
    for (int threads : {1, 2}) {
        bool ok = false;
        EXPECT_EQ(count_steady(resting("\"continuous\": true", true), threads, ok), 0) << threads;
        EXPECT_TRUE(ok);
    }
}

TEST(soak_position_allocation, solids_shells_volumes_matched_shapes_and_limits_allocate_nothing_in_a_steady_step) {
    SINEW_NEEDS_ALLOCATION_COUNT;
    for (const std::string settings : {R"("method": "gauss_seidel", "damping_time": "5 ms")", R"("method": "jacobi", "damping_time": "5 ms")"})
        for (int threads : {1, 2}) {
            bool ok = false;
            EXPECT_EQ(count_steady(R"({ "sinew": 1, "time": { "fps": 60, "substeps": 1, "seconds": 2 }, "objects": { "floor": { "kind": "plane" }, )" + std::string(kContinua) +
                                       R"( }, "solver": "position", "solvers": { "position": { )" + settings + " } } }", threads, ok), 0) << settings << ' ' << threads;
            EXPECT_TRUE(ok) << settings;
        }
}
