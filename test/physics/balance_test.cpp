// Energy balances and what must not gain energy.
#include "model/edit.h"
#include "physics/simulation.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace sinew;

namespace {

struct EnergyBalance {
    double change = 0, damping = 0, external = 0, largest = 0; // [J]; largest = of the total energy in any step
};
EnergyBalance run_balance(const std::string& text) {
    EnergyBalance b;
    std::optional<Simulation> s = start(text);
    if (!s) return b;
    const double first = energy_total(s->report);
    b.largest = first;
    while (!is_finished(*s)) {
        if (simulate_step(*s) == Status::failed) {
            ADD_FAILURE() << s->report.message;
            break;
        }
        b.damping += s->report.work_damping;
        b.external += s->report.work_external;
        b.largest = std::max(b.largest, energy_total(s->report));
    }
    b.change = energy_total(s->report) - first;
    return b;
}

} // namespace

class explicit_balance : public testing::TestWithParam<const char*> {};

TEST_P(explicit_balance, what_damping_takes_is_what_energy_loses) {
    // zeta = 0.2, 1 J in the beginning; half of a percent of w0 h = 0.02: trapezoid sum of powers, and the scheme itself
    const EnergyBalance b = run_balance(fmt::format(R"json({{ "sinew": 1, "gravity": 0,
        "time": {{ "dt": 1e-3, "seconds": 0.3 }},
        "objects": {{ "p": {{ "kind": "particles", "mass": 1, "positions": [[-0.25, 0, 0], [0.25, 0, 0]],
            "velocities": [[-1, 0, 0], [1, 0, 0]], "links": [[0, 1]],
            "material": {{ "rod": {{ "model": "spring_strain", "stiffness": 100, "damping": 2 }} }} }} }},
        "solver": "explicit", "solvers": {{ "explicit": {{ "scheme": "{}" }} }} }})json", GetParam()));
    EXPECT_LT(b.change, -0.5);
    EXPECT_NEAR(b.damping, b.change, std::string_view(GetParam()) == "symplectic_euler" ? 0.02 : 1e-4);
    EXPECT_EQ(b.external, 0);
}
INSTANTIATE_TEST_SUITE_P(schemes, explicit_balance, testing::Values("symplectic_euler", "rk4", "leapfrog", "verlet"),
                         [](const auto& info) { return info.param; });

TEST(balance, what_a_moving_hold_puts_in_is_what_energy_gains) {
    // a particle hung on a spring from a point that is lifted by 0.2 m in 1 s, slowly against the 0.2 s of the spring
    const EnergyBalance b = run_balance(R"json({ "sinew": 1,
        "time": { "dt": 1e-3, "seconds": 1 },
        "objects": { "p": { "kind": "particles", "mass": 1, "positions": [[0, 1, 0], [0, 0.5, 0]], "links": [[0, 1]],
            "material": { "rod": { "model": "spring", "stiffness": 1000 } },
            "fixed": { "index": [0] }, "motion": { "move": [0, "0.2*t", 0] } } },
        "solver": "explicit", "solvers": { "explicit": { "scheme": "leapfrog" } } })json");
    EXPECT_GT(b.external, 1.5); // 1 kg 9.81 m/s^2 0.2 m
    // the kinetic energy of the held point itself appears at once: 1/2 1 kg (0.2 m/s)^2; forces of the end of a step
    EXPECT_NEAR(b.external, b.change, 0.03);
}

TEST(default_step, keeps_free_bodies_that_meet_obstacles_from_gaining_energy) {
    const char* bodies[] = {R"({ "kind": "sphere", "radius": 0.1, "motion": "free", "at": [0, 0.3, 0] })",
                            R"({ "kind": "box", "size": [0.1, 0.1, 0.1], "mass": 0.01, "motion": "free", "at": [0, 1, 0] })",
                            R"({ "kind": "box", "size": [0.3, 0.02, 0.1], "mass": 0.2, "motion": "free", "at": [0, 0.3, 0],
                                 "rotate": { "axis": [0, 0, 1], "angle": "30 deg" } })"};
    for (const char* body : bodies)
        for (double damping : {0.0, 50.0}) {
            const std::string text = fmt::format(R"json({{ "sinew": 1, "time": {{ "seconds": 1.5 }},
                "objects": {{ "b": {}, "floor": {{ "kind": "plane", "damping": {} }} }} }})json", body, damping);
            std::optional<Simulation> s = start(text);
            ASSERT_TRUE(s);
            const double first = energy_total(s->report), lowest = -first;
            const EnergyBalance b = run_balance(text);
            // symplectic Euler keeps the energy within a fraction w h < 1 of what is in the contact
            EXPECT_LT(b.largest, 1.5 * first) << body << " " << damping << " " << lowest;
        }
}

TEST(default_step, takes_the_damping_of_obstacles_into_account) {
    const EnergyBalance b = run_balance(R"json({ "sinew": 1, "time": { "seconds": 1 },
        "objects": { "p": { "kind": "particles", "mass": 1e-3, "positions": [[0, 0.1, 0]] },
                     "floor": { "kind": "plane", "damping": 10 } } })json");
    EXPECT_LE(b.largest, 1.01 * 1e-3 * 9.81 * 0.1);
}

TEST(verlet, spawned_particles_at_rest_stay_at_rest) {
    const std::string text = R"json({ "sinew": 1, "gravity": 0, "time": { "dt": 0.01, "seconds": 1 },
        "objects": { "p": { "kind": "particles", "positions": [[0, 5, 0]] } },
        "solver": "explicit", "solvers": { "explicit": { "scheme": "verlet" } } })json";
    std::optional<Simulation> s = start(text);
    std::optional<Compiled> more = compile_text(text);
    ASSERT_TRUE(s && more);
    for (int k = 0; k < 3; ++k) ASSERT_EQ(simulate_step(*s), Status::ok);
    more->model.objects[0].name = "q";
    append_model(s->compiled.model, s->now, more->model, more->state);
    s->spare = s->now;
    for (int k = 0; k < 3; ++k) ASSERT_EQ(simulate_step(*s), Status::ok);
    EXPECT_EQ(s->now.point.x[1].y, 5);
    EXPECT_EQ(s->now.point.x[0].y, 5);
}
