// What holds for every elastic scene (issue "Elastic solids, shells and rods", what must be shown):
//   every iteration of Newton's method that moves lowers the incremental potential, with the contacts and lagged forces it sees;
//   no element is turned inside out under a material that forbids it;
//   a run that is saved in mid-motion and continued by another simulation has the same hash: plastic strain, rod frames, viscosity;
//   bodies in free flight keep their linear momentum to rounding, whatever they are made of.
// Here some scenes run coarse and for a few steps; soak_elastic_scenes runs all of newton's, whole.
#include "model/visit.h"
#include "paths.h"
#include "physics/simulation.h"
#include "solver/newton.h"
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <set>

using namespace sinew;

namespace {

// Newton's solver with a look at its iterations
struct Watched final : Solver {
    std::unique_ptr<Solver> inner;
    int iterations = 0, rises = 0;
    double worst = 0; // rise over the size of the numbers in the sum
    Report step(const Model& m, const Input& input, const State& now, State& next, double dt, Trace*) override {
        Trace trace;
        Report r = inner->step(m, input, now, next, dt, &trace);
        for (const TraceEntry& e : trace.iterations) {
            if (e.step_length == 0) continue;
            ++iterations;
            const double rise = (e.objective_next - e.objective) / std::max(1e-300, e.objective_size);
            worst = std::max(worst, rise);
            // the search accepts what rounding of the sum can hide
            if (!(rise <= 1e-13)) ++rises;
        }
        return r;
    }
    void drop_caches() override { inner->drop_caches(); }
};

struct SceneCase {
    std::string name;
    int steps; // or all of the scene's where it has fewer
    std::vector<std::string> set;
};

bool forbids_inversion(const Model& m) {
    for (const Table& t : m.elements->energies)
        if (t.count() > 0 && (t.row->name.starts_with("tet_neohookean") || t.row->name == "tet_ogden")) return true;
    return false;
}

void check_scene(const SceneCase& c) {
    std::optional<Simulation> s = start_file(c.name + ".json", c.set);
    ASSERT_TRUE(s) << c.name;
    ASSERT_EQ(s->compiled.solver, "newton") << c.name;
    auto watched = std::make_unique<Watched>();
    Watched& watch = *watched;
    watched->inner = std::move(s->solver);
    s->solver = std::move(watched);
    const bool forbids = forbids_inversion(s->compiled.model);
    const std::int64_t steps = std::min<std::int64_t>(c.steps, total_steps(*s)), half = steps / 2;
    StateFile middle;
    for (std::int64_t i = 0; i < steps; ++i) {
        if (i == half) middle = save_run(*s);
        ASSERT_NE(simulate_step(*s), Status::failed) << c.name << ": " << s->report.message;
        ASSERT_EQ(forbids ? s->report.inverted : 0, 0) << c.name << " at " << s->now.time;
    }
    EXPECT_GT(watch.iterations, 0) << c.name;
    // rows with multipliers seek a saddle point, and a single solve has no search
    const auto& settings = *static_cast<const NewtonSettings*>(s->compiled.settings.get());
    if (settings.constraints == "penalty" && settings.linearisation == "full" && settings.line_search != "none" && settings.merit == "energy") {
        EXPECT_EQ(watch.rises, 0) << c.name << ": rose by up to " << watch.worst << " of " << watch.iterations << " iterations";
    }
    std::optional<Simulation> other = start_file(c.name + ".json", c.set);
    ASSERT_TRUE(other);
    continue_from(*other, middle);
    ASSERT_EQ(other->now.step, half) << c.name; // in mid-motion
    while (other->now.step < s->now.step) ASSERT_NE(simulate_step(*other), Status::failed) << c.name;
    EXPECT_EQ(hash(other->now), hash(s->now)) << c.name;
}

const std::vector<SceneCase>& cases() {
    static const std::vector<SceneCase> all{
        {"demo/cantilevers", 6, {"vars.n=10"}},
        {"demo/cloth_over_sphere", 24, {"vars.n=10"}},
        {"demo/draped_sheet", 24, {"objects.sheet.edge=0.08"}},
        {"demo/flag", 8, {"objects.flag.edge=0.1"}},
        {"demo/hanging_beam", 4, {}},
        {"demo/hanging_sheet", 6, {"vars.n=8"}},
        {"demo/inflated_balloon", 4, {"objects.balloon.levels=2"}},
        {"demo/plastic_bar", 30, {}},
        {"demo/plectoneme", 20, {"time.substeps=1"}},
        {"demo/rod_twist", 20, {}},
        {"demo/sheared_sheet", 20, {"objects.sheet.edge=0.1"}},
        {"demo/squeezed_block", 40, {"objects.block.cells=[4,4,4]"}},
        {"demo/twisting_beam", 16, {"objects.beam.cells=[10,2,2]"}},
        {"verify/c_t5_free_twist", 10, {}},
        {"verify/p_v33_plastic_bar", 10, {}},
        {"verify/t_t14_rest_angle", 20, {}},
        {"verify/t_t14_rest_scale", 5, {}},
        {"verify/t_t93_bent_hinge", 2, {}},
    };
    return all;
}

} // namespace

TEST(elastic_scenes, iterates_go_down_nothing_inverts_that_must_not_and_saved_runs_continue) {
    for (const SceneCase& c : cases()) check_scene(c);
}

// every scene of the folders that newton runs, whole
TEST(soak_elastic_scenes, iterates_go_down_nothing_inverts_that_must_not_and_saved_runs_continue) {
    int count = 0;
    for (const char* folder : {"demo", "verify"}) {
        std::set<std::string> names; // in a fixed order
        for (const auto& entry : std::filesystem::directory_iterator(source_dir() + "/scenes/" + folder))
            if (entry.path().extension() == ".json") names.insert(std::string(folder) + "/" + entry.path().stem().string());
        for (const std::string& name : names) {
            const Result<Scene> scene = load_scene(source_dir() + "/scenes/" + name + ".json");
            if (!scene || scene.value->solver != "newton") continue;
            SCOPED_TRACE(name);
            check_scene({name, 1 << 20, {}});
            ++count;
        }
    }
    EXPECT_GE(count, 37);
}

namespace {

// ten steps of free flight with a spin
void check_flight(const std::string& object, const std::string& what, const char* scheme = "implicit_euler") {
    std::optional<Simulation> s = start(fmt::format(R"({{ "sinew": 1, "gravity": 0, "time": {{ "dt": 0.01, "substeps": 1, "seconds": 0.1 }},
        "objects": {{ "it": {{ {}, "velocity": [1, 0.5, -0.2], "angular_velocity": [3, 5, 1] }} }}, "solver": "newton",
        "solvers": {{ "newton": {{ "scheme": "{}", "tolerance": 1e-10, "force_tolerance": 1e-12 }} }} }})", object, scheme));
    ASSERT_TRUE(s) << what;
    const Vec3 before = vec(s->report.momentum);
    while (!is_finished(*s)) ASSERT_NE(simulate_step(*s), Status::failed) << what << ": " << s->report.message;
    // rounding of the sum over points in ten steps; element forces cancel exactly up to theirs
    EXPECT_LT((vec(s->report.momentum) - before).norm(), 1e-12 * before.norm()) << what << ' ' << scheme;
    EXPECT_GT(s->report.iterations, 0) << what;
}

} // namespace

TEST(elastic_scenes, free_bodies_of_every_material_keep_their_linear_momentum) {
    for (const char* model : {"linear", "stvk", "corotated", "strain", "arap", "neohookean", "stable_neohookean"})
        check_flight(fmt::format(R"("kind": "solid", "size": [0.4, 0.2, 0.1], "cells": [4, 2, 1], "material": {{ "solid_density": 1000,
            "solid": {{ "model": "{}", "young": 1e5, "damping": {{ "stiffness": 0.002 }} }} }})", model), model);
    check_flight(R"("kind": "solid", "size": [0.4, 0.2, 0.1], "cells": [4, 2, 1], "material": { "solid_density": 1000, "solid": { "model": "corotated",
        "young": 1e5, "poisson": 0.3, "plasticity": { "yield": 100 } } })", "plastic");
    for (const char* model : {"tri_stvk", "tri_baraff_witkin", "tri_neohookean", "tri_rubber", "tri_fung"})
        check_flight(fmt::format(R"("kind": "cloth_grid", "size": [0.4, 0.2], "edge": 0.05, "model": "shell", "material": {{ "density": 0.2,
            "membrane": {{ "model": "{}" }}, "bend": {{ "model": "hinge_tan", "stiffness": 1e-4 }} }})", model), model);
    for (const char* model : {"hinge_tan", "hinge_theta", "hinge_willmore", "hinge_bridson"})
        check_flight(fmt::format(R"("kind": "cloth_grid", "size": [0.4, 0.2], "edge": 0.05, "model": "shell", "material": {{ "density": 0.2,
            "membrane": {{ "model": "tri_stvk", "young": 1e5, "thickness": 0.001, "damping": 0.01 }},
            "bend": {{ "model": "{}", "stiffness": 1e-3, "damping": 0.02 }} }})", model), model);
    check_flight(R"("kind": "rod", "curve": "helix", "turns": 2, "count": 30, "radius": 0.004, "young": 1e6, "viscosity": 1e3, "natural": "straight")", "rod");
}

// materials with more than a modulus and a ratio, and what fills a hollow body
TEST(elastic_scenes, free_bodies_of_general_materials_and_under_pressure_keep_their_linear_momentum) {
    const char* solids[] = {R"("model": "anisotropic", "young": [1e6, 1e5, 5e4], "poisson": [0.4, 0.3, 0.2], "shear": [2e4, 6e4, 8e4], "axis": [1, 1, 0])",
                            R"("model": "ogden")", R"("model": "ogden", "moduli": [3e4, -1e3], "exponents": [1.3, -2], "bulk": 1e5)"};
    for (const char* solid : solids)
        check_flight(fmt::format(R"("kind": "solid", "size": [0.4, 0.2, 0.1], "cells": [4, 2, 1], "material": {{ "solid_density": 1000,
            "solid": {{ {} }} }})", solid), solid);
    for (const char* pressure : {R"("500 Pa")", R"({ "pressure": "500 Pa", "gas": true })", R"({ "bulk": "50 kPa", "fill": 1.2 })"})
        check_flight(fmt::format(R"("kind": "solid", "shape": "shell", "radius": 0.25, "wall": "2 cm", "levels": 1, "pressure": {}, "material": {{
            "solid_density": 950, "solid": {{ "model": "stable_neohookean", "young": "150 kPa", "poisson": 0.45 }} }})", pressure), pressure);
}

TEST(elastic_scenes, free_bodies_keep_their_linear_momentum_in_every_scheme) {
    for (const char* scheme : {"implicit_midpoint", "bdf2", "newmark"}) {
        check_flight(R"("kind": "solid", "size": [0.4, 0.2, 0.1], "cells": [4, 2, 1], "material": { "solid_density": 1000,
            "solid": { "model": "stable_neohookean", "young": 1e5, "damping": { "stiffness": 0.002 } } })", "solid", scheme);
        check_flight(R"("kind": "solid", "shape": "shell", "radius": 0.25, "wall": "2 cm", "levels": 1, "pressure": { "pressure": "500 Pa", "gas": true },
            "material": { "solid_density": 950, "solid": { "model": "stable_neohookean", "young": "150 kPa", "poisson": 0.45 } })", "gas", scheme);
        check_flight(R"("kind": "cloth_grid", "size": [0.4, 0.2], "edge": 0.05, "model": "shell", "material": { "density": 0.2,
            "membrane": { "model": "tri_stvk", "young": 1e5, "thickness": 0.001, "damping": 0.01 },
            "bend": { "model": "hinge_tan", "stiffness": 1e-3, "damping": 0.02 } })", "sheet", scheme);
        check_flight(R"("kind": "rod", "curve": "helix", "turns": 2, "count": 30, "radius": 0.004, "young": 1e6, "viscosity": 1e3, "natural": "straight")",
                     "rod", scheme);
    }
}

// a block of rubber that hits the ground at five times the speed of its shear waves
TEST(elastic_scenes, rubber_that_is_thrown_at_the_ground_is_crushed_but_never_inverted) {
    for (const char* solver : {"newton", "linearly_implicit"}) {
        std::optional<Simulation> s = start(fmt::format(R"({{ "sinew": 1, "time": {{ "dt": 0.01, "substeps": 1, "frames": 12 }}, "objects": {{
            "floor": {{ "kind": "plane", "at": [0, -0.3, 0], "stiffness": 1e6 }},
            "block": {{ "kind": "solid", "size": [0.5, 0.5, 0.5], "cells": [2, 2, 2], "velocity": [0, -30, 0],
                        "material": {{ "solid_density": 1000, "solid": {{ "model": "ogden" }} }} }} }}, "solver": "{}" }})", solver));
        ASSERT_TRUE(s);
        bool failed = false;
        while (!failed && !is_finished(*s)) {
            failed = simulate_step(*s) == Status::failed;
            ASSERT_EQ(s->report.inverted, 0) << solver << " at " << s->now.time;
            ASSERT_TRUE(std::isfinite(s->report.energy_elastic)) << solver << " at " << s->now.time;
        }
        // without a search a step may find no length that is short enough; it then says so and keeps the state before
        EXPECT_TRUE(!failed || std::string_view(solver) == "linearly_implicit") << s->report.message;
    }
}
