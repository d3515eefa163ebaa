// Sheets of triangles and hinges against the theory of beams: deflection under their own weight, small and large, under
// refinement; viscosity that only takes energy; free flight.
#include "physics/simulation.h"
#include <cmath>
#include <fmt/format.h>

using namespace sinew;

namespace {

// Heavy elastica: D theta'' = -q (L - s) cos theta, theta(0) = 0, theta'(L) = 0; theta downwards. Runge-Kutta and bisection on
// theta'(0); L = D = 1, q = q L^3/D. Returns drop and reach of the tip.
std::array<double, 2> heavy_elastica(double q) {
    const auto shoot = [&](double slope, std::array<double, 2>& tip) {
        const int n = 2000;
        const double h = 1.0 / n;
        double theta = 0, rate = slope;
        tip = {0, 0};
        for (int i = 0; i < n; ++i) {
            const double s = i * h;
            const auto bend = [&](double at, double t) { return -q * (1 - at) * std::cos(t); };
            const double k1 = rate, l1 = bend(s, theta), k2 = rate + h / 2 * l1, l2 = bend(s + h / 2, theta + h / 2 * k1),
                         k3 = rate + h / 2 * l2, l3 = bend(s + h / 2, theta + h / 2 * k2), k4 = rate + h * l3,
                         l4 = bend(s + h, theta + h * k3);
            const double next = theta + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
            tip[0] += h / 2 * (std::sin(theta) + std::sin(next));
            tip[1] += h / 2 * (std::cos(theta) + std::cos(next));
            theta = next;
            rate += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
        }
        return rate;
    };
    double low = 0, high = q; // theta'(0) = q/2 for small loads
    std::array<double, 2> tip;
    for (int k = 0; k < 60; ++k) {
        const double middle = 0.5 * (low + high);
        (shoot(middle, tip) < 0 ? low : high) = middle;
    }
    return tip;
}

// Tip of a strip of n columns. Two columns are held, and the beam begins in the middle between them: its length is 1 m.
std::array<double, 2> strip_tip(int n, double load, const char* law, int frames = 40) {
    const double dx = 1 / (n - 0.5), rigidity = 1e6 * 1e-6 / 12, density = load * rigidity / 9.81;
    std::optional<Simulation> s = start(fmt::format(R"json({{ "sinew": 1, "time": {{ "dt": 1, "frames": {} }},
        "objects": {{ "strip": {{ "kind": "cloth_grid", "size": [{}, {}], "edge": {}, "at": [{}, 0, 0],
            "fixed": {{ "box": [[-1, -1, -1], [{}, 1, 1]] }}, "model": "shell",
            "material": {{ "density": {}, "membrane": {{ "model": "tri_stvk", "young": 1e6, "poisson": 0, "thickness": 0.01 }},
                           "bend": {{ "model": "{}" }} }} }} }},
        "solver": "newton", "solvers": {{ "newton": {{ "scheme": "quasi_static", "force_tolerance": 1e-9, "max_iterations": 200 }} }} }})json",
        frames, n * dx, 2 * dx, dx, 0.5 * n * dx - 0.5 * dx, 0.6 * dx, density, law));
    if (!s) return {0, 0};
    while (!is_finished(*s) && (s->report.iterations != 0 || s->now.step == 0)) {
        if (simulate_step(*s) == Status::failed) {
            ADD_FAILURE() << s->report.message;
            break;
        }
        if (s->report.residual < 1e-9) break;
    }
    const int corner = n, other = 2 * (n + 1) + n;
    const auto at = [&](int i, const char* c) { return measure(*s, fmt::format("strip.point[{}].{}", i, c)); };
    return {-0.5 * (at(corner, "y") + at(other, "y")), 0.5 * (at(corner, "x") + at(other, "x"))};
}

} // namespace

TEST(shell, light_cantilever_sags_by_beam_theory_under_refinement) {
    // q L^4/(8 D), with the correction of the elastica for this load
    const double load = 0.2, exact = heavy_elastica(load)[0];
    EXPECT_NEAR(exact, load / 8, 0.001 * load / 8);
    double last = 1;
    for (int n : {6, 12, 24}) {
        const double error = std::abs(strip_tip(n, load, "hinge_tan")[0] / exact - 1);
        EXPECT_LT(error, 0.4 * last) << n; // second order would be a quarter
        last = error;
    }
    EXPECT_LT(last, 0.005);
}

TEST(shell, heavy_cantilever_is_the_elastica_under_refinement) {
    const double load = 8;
    const auto exact = heavy_elastica(load);
    EXPECT_GT(exact[0], 0.5); // far from small
    for (const char* law : {"hinge_theta", "hinge_tan"}) {
        double last = 1;
        for (int n : {8, 16, 32}) {
            const auto tip = strip_tip(n, load, law);
            const double error = std::hypot(tip[0] - exact[0], tip[1] - exact[1]);
            EXPECT_LT(error, 0.4 * last) << law << " " << n;
            last = error;
        }
        EXPECT_LT(last, 0.005) << law;
    }
}

TEST(shell, free_sheet_keeps_its_momentum_and_viscosity_only_takes_energy) {
    std::optional<Simulation> s = start(R"json({ "sinew": 1, "gravity": 0, "time": { "dt": 0.002, "seconds": 0.2 },
        "objects": { "sheet": { "kind": "cloth_grid", "size": [0.3, 0.3], "edge": 0.05, "model": "shell", "spin": [3, 5, 1],
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
