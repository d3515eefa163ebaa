// Free sheets of triangles and hinges: momentum, and viscosity that only takes energy.
#include "physics/simulation.h"

using namespace sinew;

TEST(shell, free_sheet_keeps_its_momentum_and_viscosity_only_takes_energy) {
    std::optional<Simulation> s = start(R"json({ "sinew": 1, "gravity": 0, "time": { "dt": 0.002, "seconds": 0.2 },
        "objects": { "sheet": { "kind": "cloth_grid", "size": [0.3, 0.3], "edge": 0.05, "model": "shell", "angular_velocity": [3, 5, 1],
            "velocity": [1, 0.5, -0.2],
            "material": { "membrane": { "model": "tri_stvk", "young": 2e5, "thickness": 0.0005, "damping": 0.01 },
                          "bend": { "model": "hinge_tan", "stiffness": 1e-4, "damping": 0.01 } } } },
        "solver": "newton", "solvers": { "newton": { "tolerance": 1e-9, "force_tolerance": 1e-12 } } })json");
    ASSERT_TRUE(s);
    const double px = s->report.momentum.x, py = s->report.momentum.y;
    double energy = energy_total(s->report);
    while (!is_finished(*s)) {
        ASSERT_NE(simulate_step(*s), Status::failed) << s->report.message;
        EXPECT_NEAR(s->report.momentum.x, px, 1e-13);
        EXPECT_NEAR(s->report.momentum.y, py, 1e-13);
        EXPECT_LE(energy_total(s->report), energy * (1 + 1e-9));
        energy = energy_total(s->report);
    }
}
