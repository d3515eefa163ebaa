// A steady step of the position solver allocates nothing: every method, scheme and kind of body, with contacts. What is left out by name:
// what allocation_counter.h names; a step in which things begin or cease to touch is not steady: it tells so in Report.touches.
#include "allocation_counter.h"
#include "physics/simulation.h"
#include "position/position_fixture.h"

using namespace sinew;

namespace {

// allocations of steady steps, of which there are at least two among eight, after some that let things come to rest
long count_steady(const std::string& text, int threads, bool& ok, int settling = 40, long (*count)() = allocation_count) {
    auto s = start(text, threads);
    ok = bool(s);
    if (!ok) return -1;
    for (int k = 0; k < settling && ok; ++k) ok = simulate_step(*s) == Status::ok;
    State next = s->now;
    long counted = 0;
    int steady = 0;
    for (int k = 0; k < 12; ++k) {
        const long before = count();
        const Report report = s->solver->step(s->compiled.model, s->input, s->now, next, 1.0 / 60);
        if (k >= 4 && report.touches.empty()) counted += count() - before, ++steady;
        ok = ok && report.status == Status::ok;
        std::swap(s->now, next);
    }
    ok = ok && steady >= 2;
    return counted;
}

// these solve all rows at once, by Eigen's sparse LU: of them, operator new alone counts
bool is_direct(const std::string& method) { return method == "fast_projection" || method == "newton"; }
auto count_of_method(const std::string& method) { return is_direct(method) ? new_count : allocation_count; }

const char* kRestingPoints = R"("cloth": { "kind": "cloth_grid", "size": [1, 1], "edge": 0.1, "at": [0, 0.01, 2], "material": "cotton", "thickness": 0.01 },
    "rope": { "kind": "rope", "from": [-1, 0.02, -2], "to": [1, 0.02, -2], "count": 30 },
    "grain": { "kind": "particles", "positions": [[0, 0.05, -1], [0.3, 0.05, -1]], "masses": [0.1, 0.1], "radius": 0.05, "thickness": 0.05 })";
const char* kRestingBoxes = R"("box": { "kind": "box", "size": [0.3, 0.3, 0.3], "mass": 1, "at": [0, 0.15, 0],
    "replicate": { "count": 4, "index": "i", "at": ["0.6*i", 0, 0] } },)";

// solids by strains and by two rows, shapes matched whole and by regions, a shell full of water, and a sheet whose strain is limited
const char* kRestingContinua = R"(
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

// each lies on the floor where the scene begins
struct Kind {
    const char *name, *objects, *joints;
    bool never_rests = false; // under methods that are there for comparison alone
};
const Kind kRestingKinds[] = {
    {"links", R"("cloth": { "kind": "cloth_grid", "model": "links", "size": [0.5, 0.5], "edge": 0.1, "at": [0, 0.01, 0], "thickness": 0.01,
        "material": { "density": 0.3, "membrane": { "model": "spring", "stiffness": 500, "damping": 0.1 } } })", ""},
    {"shell", R"("cloth": { "kind": "cloth_grid", "model": "shell", "size": [0.5, 0.5], "edge": 0.1, "at": [0, 0.01, 0], "thickness": 0.01, "material": "cotton" })", ""},
    {"solid", R"("stvk": { "kind": "solid", "size": [0.2, 0.2, 0.2], "cells": [2, 2, 2], "at": [0, 0.11, 0], "thickness": 0.01,
            "material": { "solid_density": 300, "solid": { "model": "stvk", "young": 5e4, "poisson": 0.3 } } },
        "rubber": { "kind": "solid", "size": [0.2, 0.2, 0.2], "cells": [2, 2, 2], "at": [0.5, 0.11, 0], "thickness": 0.01,
            "material": { "solid_density": 300, "solid": { "model": "stable_neohookean", "young": 5e4, "poisson": 0.4 } } })", ""},
    {"rod", R"("rod": { "kind": "rod", "from": [-0.3, 0.01, 0], "to": [0.3, 0.01, 0], "count": 10, "radius": "1 cm", "thickness": "1 cm", "young": "1 MPa", "density": 500 },
        "rope": { "kind": "rope", "from": [-1, 0.02, -2], "to": [1, 0.02, -2], "count": 20 })", ""},
    {"joints", R"("box": { "kind": "box", "size": [0.3, 0.3, 0.3], "mass": 1, "at": [0, 0.15, 0], "replicate": { "count": 5, "index": "i", "at": ["0.4*i", 0, 0] } })",
        R"("ball": { "kind": "ball", "between": ["box/0", "box/1"], "at": [0.2, 0.15, 0], "friction": 0.1 },
        "hinge": { "kind": "hinge", "between": ["box/1", "box/2"], "at": [0.6, 0.15, 0], "axis": [0, 0, 1], "limits": ["-20 deg", "20 deg"],
                   "motor": { "position": 0, "stiffness": 10, "damping": 1, "limit": 5 } },
        "slider": { "kind": "slider", "between": ["box/2", "box/3"], "axis": [1, 0, 0], "spring": { "stiffness": 100, "damping": 5 } },
        "rod": { "kind": "distance", "between": ["box/3", "box/4"], "length": 0.4 })", true},
    {"grains", R"("grains": { "kind": "particles", "shape": "grid", "size": [0.4, 0.4, 0.4], "at": [0, 0.24, 0], "spacing": 0.08, "mass": 0.01, "radius": 0.04, "thickness": 0.04,
        "self_contact": true, "material": { "friction": 0.6 } })", "", true},
};

std::string scene_of(const std::string& objects, const std::string& joints, const std::string& settings) {
    return R"({ "sinew": 1, "time": { "fps": 60, "substeps": 1, "seconds": 20 }, "objects": { "floor": { "kind": "plane" }, )" + objects + " }, " +
           (joints.empty() ? "" : "\"joints\": { " + joints + " }, ") + R"("solver": "position", "solvers": { "position": { )" + settings + " } } }";
}
std::string resting(const std::string& settings, bool bodies) { return scene_of((bodies ? std::string(kRestingBoxes) : "") + kRestingPoints, "", settings); }

} // namespace

TEST(position_allocation, no_method_allocates_in_a_steady_step) {
    SINEW_NEEDS_ALLOCATION_COUNT;
    for (const std::string& method : kDualMethods) {
        const bool direct = is_direct(method);
        for (int threads : {1, 2}) {
            bool ok = false;
            EXPECT_EQ(count_steady(resting((direct ? "\"substeps\": 2, \"method\": \"" : "\"method\": \"") + method + "\"", true), threads, ok, direct ? 5 : 40, count_of_method(method)), 0)
                << method << ' ' << threads;
            EXPECT_TRUE(ok) << method;
        }
    }
    for (const std::string method : {"jacobi", "minres"}) {
        bool ok = false;
        EXPECT_EQ(count_steady(resting("\"step\": \"radius\", \"method\": \"" + method + "\"", true), 2, ok), 0) << method;
        EXPECT_TRUE(ok) << method;
    }
}

TEST(position_allocation, no_kind_of_body_makes_a_method_allocate) {
    SINEW_NEEDS_ALLOCATION_COUNT;
    for (const Kind& kind : kRestingKinds)
        for (const std::string& method : kDualMethods) {
            // these two jump on constraints: joints and heaps never come to rest under them, and find new contacts in every step
            if ((method == "steepest_descent" || method == "conjugate_gradients") && kind.never_rests) continue;
            bool ok = false;
            EXPECT_EQ(count_steady(scene_of(kind.objects, kind.joints, R"("iterations": 4, "damping_time": "10 ms", "method": ")" + method + "\""), 1, ok, 24, count_of_method(method)), 0) << kind.name << ' ' << method;
            EXPECT_TRUE(ok) << kind.name << ' ' << method;
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

TEST(position_allocation, no_friction_damping_mix_or_kind_of_rows_allocates_in_a_steady_step) {
    SINEW_NEEDS_ALLOCATION_COUNT;
    for (const std::string settings :
         {R"("friction": "cone")", R"("friction": "box")", R"("friction": "single")", R"("friction": "post")", R"("friction": "none")",
          R"("damping": "velocity", "damping_part": 0.2)", R"("damping": "rigid", "damping_part": 0.2)", R"("softness": "printed")",
          R"("softness": "factor", "stiffness": 0.5)", R"("directions": "start")", R"("chains": false)", R"("warm_start": false)",
          R"("contact_compliance": 1e-5, "contact_damping_time": "5 ms")", R"("method": "jacobi", "incidence": true)", R"("mix": "contacts_after")",
          R"("mix": "velocity_first")", R"("mix": "post_stabilize")", R"("sequential": true)"})
        for (int threads : {1, 2}) {
            bool ok = false;
            EXPECT_EQ(count_steady(resting(settings, true), threads, ok), 0) << settings << ' ' << threads;
            EXPECT_TRUE(ok) << settings;
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

// a sheet folded onto itself, held at its edges so that it stays as it is
TEST(position_allocation, self_contact_found_by_the_way_allocates_nothing_in_a_steady_step) {
    SINEW_NEEDS_ALLOCATION_COUNT;
    const std::string objects = R"("cloth": { "kind": "cloth_grid", "model": "shell", "size": [0.6, 0.6], "edge": 0.06, "at": [0, 0.3, 0], "rotate": { "axis": [1, 0.02, 0.03], "angle": "86 deg" },
        "material": "cotton", "thickness": "4 mm", "self_contact": true, "air": { "drag": 1 } },
        "grain": { "kind": "particles", "positions": [[1, 0.05, -1], [1.3, 0.05, -1]], "masses": [0.1, 0.1], "radius": 0.05, "thickness": 0.05 })";
    for (int threads : {1, 2}) {
        bool ok = false;
        EXPECT_EQ(count_steady(scene_of(objects, "", R"("continuous": true, "iterations": 4, "substeps": 4, "damping_time": "10 ms", "margin": "1 mm")"), threads, ok, 400), 0) << threads;
        EXPECT_TRUE(ok);
    }
}

TEST(soak_position_allocation, solids_shells_volumes_matched_shapes_and_limits_allocate_nothing_in_a_steady_step) {
    SINEW_NEEDS_ALLOCATION_COUNT;
    for (const std::string settings : {R"("method": "gauss_seidel", "damping_time": "5 ms")", R"("method": "jacobi", "damping_time": "5 ms")"})
        for (int threads : {1, 2}) {
            bool ok = false;
            EXPECT_EQ(count_steady(scene_of(kRestingContinua, "", settings), threads, ok), 0) << settings << ' ' << threads;
            EXPECT_TRUE(ok) << settings;
        }
}
