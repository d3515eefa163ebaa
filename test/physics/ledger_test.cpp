// The energy ledger of implicit steps: what the energy loses or gains is the sum of the works that the report names.
#include "physics/simulation.h"
#include <fmt/format.h>

using namespace sinew;

namespace {

struct Ledger {
    double change = 0, damping = 0, plastic = 0, external = 0, friction = 0;
    double sum() const { return damping + plastic + external + friction; }
};
Ledger run_ledger(const std::string& text, void (*begin)(Simulation&) = nullptr) {
    Ledger out;
    std::optional<Simulation> s = start(text);
    if (!s) return out;
    if (begin) {
        begin(*s);
        measure_start(*s);
    }
    const double before = energy_total(s->report);
    while (!is_finished(*s)) {
        if (simulate_step(*s) == Status::failed) ADD_FAILURE() << s->report.message;
        out.damping += s->report.work_damping, out.plastic += s->report.work_plastic;
        out.external += s->report.work_external, out.friction += s->report.work_friction;
    }
    out.change = energy_total(s->report) - before;
    return out;
}

} // namespace

TEST(ledger, plastic_flow_takes_what_is_missing_from_the_work_of_the_grip) {
    const auto pull = [](double dt) {
        return run_ledger(fmt::format(R"({{ "sinew": 1, "gravity": 0, "time": {{ "dt": {}, "substeps": 1, "seconds": 0.8 }},
            "objects": {{ "grip": {{ "kind": "box", "size": [0.1, 0.1, 0.1], "at": [0.5, 0, 0], "contact": false,
                                     "motion": {{ "slide": {{ "velocity": [0.25, 0, 0], "to": 0.8 }} }} }},
                "bar": {{ "kind": "solid", "size": [1, 0.1, 0.1], "cells": [5, 1, 1], "fixed": {{ "group": "x_min" }},
                    "material": {{ "solid_density": 10, "solid": {{ "model": "corotated", "young": 1e5, "poisson": 0.3,
                        "plasticity": {{ "yield": 3000, "hardening": 1000 }} }} }} }} }},
            "attach": [ {{ "points": {{ "of": "bar", "group": "x_max" }}, "to": "grip" }} ],
            "solver": "newton", "solvers": {{ "newton": {{ "scheme": "implicit_midpoint", "tolerance": 1e-9, "force_tolerance": 1e-10 }} }} }})", dt));
    };
    const Ledger fine = pull(1e-3);
    // yield stress times area times the way beyond yield: 3 kPa * 0.01 m^2 * (0.2 m - 3 cm), and some hardening
    EXPECT_NEAR(fine.plastic, -3000 * 0.01 * 0.17, 0.15 * 3000 * 0.01 * 0.17);
    // the midpoint rule loses second order terms of a potential that is not quadratic; plastic flow at the end of the step, first order
    EXPECT_NEAR(fine.change, fine.sum(), 0.01 * -fine.plastic);
    EXPECT_EQ(fine.friction, 0);
}

TEST(ledger, viscosity_of_membranes_hinges_solids_and_rods_is_the_work_of_damping) {
    const std::string time = R"("sinew": 1, "gravity": 0, "time": { "dt": 5e-4, "substeps": 1, "seconds": 0.2 }, "solver": "newton",
        "solvers": { "newton": { "scheme": "implicit_midpoint", "tolerance": 1e-10, "force_tolerance": 1e-12 } }, )";
    // a stretched and bent start that swings back
    const auto bend = [](Simulation& s) {
        for (Real3& x : s.now.point.x) {
            x.y += 0.5 * x.x * x.x;
            x.x *= 1.02;
        }
    };
    const Ledger shell = run_ledger("{" + time + R"("objects": { "sheet": { "kind": "cloth_grid", "size": [0.4, 0.2], "edge": 0.05, "model": "shell",
        "material": { "density": 0.2, "membrane": { "model": "tri_stvk", "young": 1e5, "thickness": 0.001, "damping": 0.002 },
                      "bend": { "model": "hinge_theta", "stiffness": 1e-3, "damping": 0.02 } } } } })", bend);
    const Ledger solid = run_ledger("{" + time + R"("objects": { "bar": { "kind": "solid", "size": [0.4, 0.1, 0.1], "cells": [4, 1, 1],
        "material": { "solid_density": 100, "solid": { "model": "corotated", "young": 1e5, "damping": { "mass": 1, "stiffness": 0.002 } } } } } })", bend);
    const Ledger rod = run_ledger("{" + time +
                                      R"("objects": { "rod": { "kind": "rod", "count": 20, "radius": 0.01, "young": 1e6, "viscosity": 1e3 } } })",
                                  bend);
    for (const auto& [name, l] : {std::pair{"shell", &shell}, {"solid", &solid}, {"rod", &rod}}) {
        EXPECT_LT(l->damping, 0) << name;
        EXPECT_LT(l->change, 0) << name;
        // second order in the step for potentials that are not quadratic: 0.5 ms of modes of some ms
        EXPECT_NEAR(l->change, l->damping, 0.02 * -l->change) << name;
    }
}

TEST(ledger, a_rod_that_spins_about_its_axis_has_the_angular_momentum_and_energy_of_a_shaft) {
    const double radius = 0.02, length = 1, density = 1000, w = 30;
    std::optional<Simulation> s = start(fmt::format(R"({{ "sinew": 1, "gravity": 0, "time": {{ "dt": 1e-3, "substeps": 1, "seconds": 0.1 }},
        "objects": {{ "r": {{ "kind": "rod", "count": 21, "radius": {}, "young": 1e7 }} }}, "solver": "newton" }})", radius));
    ASSERT_TRUE(s);
    for (double& ds : s->now.scalar.ds) ds = w;
    measure_start(*s);
    // I = density pi r^4/2 L: sum over the edges is exact
    const double inertia = density * 3.14159265358979323846 * std::pow(radius, 4) / 2 * length;
    const Vec3 axis = (vec(s->now.point.x.back()) - vec(s->now.point.x.front())).normalized();
    EXPECT_NEAR(vec(s->report.angular_momentum).dot(axis), inertia * w, 1e-9 * inertia * w);
    EXPECT_NEAR(s->report.energy_kinetic, 0.5 * inertia * w * w, 1e-9 * inertia * w * w);
    while (!is_finished(*s)) ASSERT_EQ(simulate_step(*s), Status::ok) << s->report.message;
    // no torque about the axis, and nothing that twists: free spin
    EXPECT_NEAR(vec(s->report.angular_momentum).dot(axis), inertia * w, 1e-9 * inertia * w);
    for (double a : s->now.scalar.s) EXPECT_NEAR(a, w * 0.1, 1e-9);
}

// Spec P V32: Newton's method on a step that is not linear; iterations and energy are recorded in the test's output.
TEST(ledger, dropped_cubes_take_several_iterations_per_step_and_lose_energy_only) {
    for (const char* model : {"stvk", "corotated"}) {
        std::optional<Simulation> s = start(fmt::format(R"({{ "sinew": 1, "time": {{ "dt": 0.016666666666666666, "substeps": 1, "seconds": 1 }},
            "objects": {{ "floor": {{ "kind": "plane", "stiffness": 2e4 }},
                "cube": {{ "kind": "solid", "size": [0.4, 0.4, 0.4], "cells": [3, 3, 3], "at": [0, 0.6, 0], "rotate": {{ "axis": [1, 0, 1], "angle": "30 deg" }},
                    "material": {{ "solid_density": 500, "solid": {{ "model": "{}", "young": 5e4, "poisson": 0.3 }} }} }} }},
            "solver": "newton", "solvers": {{ "newton": {{ "tolerance": 1e-6 }} }} }})", model));
        ASSERT_TRUE(s);
        const double first = energy_total(s->report);
        double before = first, rise = 0;
        int most = 0, all = 0, steps = 0;
        while (!is_finished(*s)) {
            ASSERT_NE(simulate_step(*s), Status::failed) << model << ": " << s->report.message;
            rise = std::max(rise, energy_total(s->report) - before);
            before = energy_total(s->report);
            most = std::max(most, s->report.iterations), all += s->report.iterations, ++steps;
        }
        RecordProperty(std::string(model) + "_iterations_per_step", fmt::format("{:.2f}", double(all) / steps));
        RecordProperty(std::string(model) + "_most_iterations", most);
        RecordProperty(std::string(model) + "_energy_left", fmt::format("{:.4f} of {:.4f} J", before, first));
        EXPECT_GE(most, 3) << model; // the flight alone takes one
        EXPECT_LT(all, 12 * steps) << model;
        // implicit Euler with convex contact loses energy; what it may gain is the tolerance of the steps
        EXPECT_LT(rise, 1e-3 * std::abs(first)) << model;
        EXPECT_LT(before, first) << model;
    }
}
