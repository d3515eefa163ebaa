// Rods under the explicit schemes: orders, agreement with `newton`, closed forms of torsion, stretching and bending, conservation,
// stable steps, contact, checkpoints.
#include "model/element.h"
#include "physics/simulation.h"
#include "scene/choose.h"
#include <cmath>
#include <fmt/format.h>

using namespace sinew;

namespace {

std::string scheme_of(const std::string& name) {
    const bool is_newton = name == "newton";
    return fmt::format(R"("solver": "{0}", "solvers": {{ "{0}": {{ {1} }} }})", is_newton ? "newton" : "explicit",
                       is_newton ? R"("tolerance": 1e-11, "force_tolerance": 1e-11, "max_iterations": 100)"
                                 : R"("scheme": ")" + name + '"');
}

// first material director of the last edge: the angle alone depends on how the reference frame came there
Vec3 last_director(const Simulation& s) {
    const std::vector<double>& memory = *find_element_memory(s.now.memory, "rod_bend_twist");
    const double* frame = memory.data() + memory.size() - 16;
    const Vec3 t(frame[6], frame[7], frame[8]), d1(frame[9], frame[10], frame[11]);
    const Real angle = s.now.scalar.s.back();
    return std::cos(angle) * d1 + std::sin(angle) * t.cross(d1);
}

// A clamped, twisted, viscous rod of natural curvature lets go of its straight shape: it bends by 70 degrees and turns out of its plane.
Simulation swing_freed_rod(const std::string& scheme, int steps) {
    constexpr Real time = 0.1;
    return run_to_end(fmt::format(R"({{ "sinew": 1, "time": {{ "dt": {}, "substeps": 1, "seconds": {} }},
        "objects": {{ "r": {{ "kind": "rod", "to": [0.3, 0, 0.05], "count": 5, "radius": 0.01, "radius2": 0.008, "young": 1e5, "viscosity": 20,
            "natural": "curved", "curvature1": 12, "natural_twist": 8, "twist": 2, "clamp": "first" }} }}, {} }})",
                           time / steps, time, scheme_of(scheme)));
}

Real error_of(const Simulation& s, const Simulation& exact) {
    Real largest = 0.1 * (last_director(s) - last_director(exact)).norm(); // 0.1 m: about the rod's length
    for (std::size_t i = 0; i < s.now.point.x.size(); ++i)
        largest = std::max(largest, (vec(s.now.point.x[i]) - vec(exact.now.point.x[i])).norm());
    return largest;
}

} // namespace

// The same limit for all of them and for newton, each with its order: frames, angles and viscosity belong to one differential equation.
// 4 of rk4 needs the turning of the reference frames within the step (explicit_rods.h).
TEST(rod_explicit, schemes_converge_to_one_motion_with_their_orders) {
    const Simulation exact = swing_freed_rod("rk4", 3200);
    EXPECT_GT((last_director(exact) - last_director(swing_freed_rod("rk4", 100))).norm(), 0); // it is an error that is measured
    struct Case {
        const char* scheme;
        int steps;
        Real order;
    };
    for (const Case& c : {Case{"forward_euler", 1600, 1}, Case{"symplectic_euler", 800, 1}, Case{"newton", 800, 1},
                          Case{"improved_euler", 800, 1}, Case{"rk2_midpoint", 400, 2}, Case{"rk2_trapezoid", 400, 2},
                          Case{"leapfrog", 400, 2}, Case{"verlet", 400, 2}, Case{"rk4", 200, 4}}) {
        const Real coarse = error_of(swing_freed_rod(c.scheme, c.steps), exact), fine = error_of(swing_freed_rod(c.scheme, 2 * c.steps), exact);
        EXPECT_NEAR(std::log2(coarse / fine), c.order, 0.15 * c.order) << c.scheme << ' ' << coarse << ' ' << fine; // next term of the error
        EXPECT_LT(fine, 2e-3) << c.scheme;
    }
}

// A straight rod with its first edge clamped, n - 1 free angles of equal inertia: w_k = 2 w0 sin((2k-1) pi/(2(2n-1))), w0 = sqrt(G/rho)/l,
// mode sin((2k-1) pi j/(2n-1)); leapfrog advances it by the frequency v with sin(v h/2) = w h/2, exactly.
TEST(rod_explicit, torsion_swings_with_the_frequency_of_the_chain_of_angles) {
    constexpr int n = 12;
    constexpr Real shear = 4e5, density = 1000, h = 1e-3;
    for (int k : {1, 2, 7}) {
        std::optional<Simulation> s = start(fmt::format(R"({{ "sinew": 1, "gravity": 0, "time": {{ "dt": {}, "substeps": 1, "seconds": 0.5 }},
            "objects": {{ "r": {{ "kind": "rod", "count": {}, "radius": 0.01, "young": 1e6, "shear": {}, "density": {}, "clamp": "first" }} }}, {} }})",
                                                        h, n, shear, density, scheme_of("leapfrog")));
        ASSERT_TRUE(s);
        const Real turn = (2 * k - 1) * kPi / (2 * n - 1), w = 2 * n * std::sqrt(shear / density) * std::sin(turn / 2);
        for (int j = 1; j < n; ++j) s->now.scalar.s[j] = 0.3 * std::sin(turn * j);
        while (!is_finished(*s)) ASSERT_NE(simulate_step(*s), Status::failed) << s->report.message;
        const Real swing = std::cos(2 * std::asin(w * h / 2) / h * 0.5);
        // 500 steps of rounding; the amplitude is 0.3
        for (int j = 1; j < n; ++j) EXPECT_NEAR(s->now.scalar.s[j], 0.3 * std::sin(turn * j) * swing, 1e-11) << k;
        for (const Real3& x : s->now.point.x) EXPECT_NEAR(x.y * x.y + x.z * x.z, 0, 1e-24);
        // the continuum: free length l (n - 1/2), quarter wave
        if (k == 1) { EXPECT_NEAR(w / (kPi / 2 * std::sqrt(shear / density) / ((n - 0.5) / n)), 1, 0.002); }
    }
}

// The same of stretching: points 0 and 1 held, half a mass at the end, w = 2 w0 sin(pi/(4 (n - 1))), w0 = sqrt(E/rho)/l, mode sin(pi j/(2 (n - 1))).
TEST(rod_explicit, a_rod_rings_along_itself_with_the_frequency_of_a_bar) {
    constexpr int n = 12;
    constexpr Real young = 1e6, density = 1000, h = 5e-4, l = 1.0 / n;
    std::optional<Simulation> s = start(fmt::format(R"({{ "sinew": 1, "gravity": 0, "time": {{ "dt": {}, "substeps": 1, "seconds": 0.5 }},
        "objects": {{ "r": {{ "kind": "rod", "count": {}, "radius": 0.01, "young": {}, "density": {}, "clamp": "first" }} }}, {} }})",
                                                    h, n, young, density, scheme_of("verlet")));
    ASSERT_TRUE(s);
    const Real turn = kPi / (2 * (n - 1)), w = 2 / l * std::sqrt(young / density) * std::sin(turn / 2);
    std::vector<Real> start_x;
    for (int j = 0; j <= n; ++j) {
        start_x.push_back(s->now.point.x[j].x);
        if (j > 1) s->now.point.x[j].x += 0.01 * l * std::sin(turn * (j - 1));
    }
    while (!is_finished(*s)) ASSERT_NE(simulate_step(*s), Status::failed) << s->report.message;
    const Real swing = std::cos(2 * std::asin(w * h / 2) / h * 0.5);
    for (int j = 2; j <= n; ++j)
        EXPECT_NEAR(s->now.point.x[j].x - start_x[j], 0.01 * l * std::sin(turn * (j - 1)) * swing, 1e-12); // 1000 steps of rounding
    EXPECT_NEAR(w / (kPi / 2 * std::sqrt(young / density) / (1 - l)), 1, 0.002);
}

// First bending mode of a cantilever, w = 1.8751^2 sqrt(EI/(rho A))/L^2, from the middle of the clamped edge; by the time of four swings.
TEST(rod_explicit, a_cantilever_swings_with_the_frequency_of_beam_theory) {
    constexpr Real young = 1e7, density = 1000, radius = 0.01;
    Real error[2];
    for (int level = 0; level < 2; ++level) {
        const int n = level == 0 ? 8 : 16;
        std::optional<Simulation> s = start(fmt::format(R"({{ "sinew": 1, "gravity": 0, "time": {{ "dt": {}, "substeps": 1, "seconds": 20 }},
            "objects": {{ "r": {{ "kind": "rod", "from": [{}, 0, 0], "to": [0.5, 0, 0], "count": {}, "radius": {}, "young": {}, "density": {},
                "clamp": "first" }} }}, {} }})", level == 0 ? 2e-4 : 1e-4, -0.5 / (2 * n - 1), n, radius, young, density, scheme_of("symplectic_euler")));
        ASSERT_TRUE(s);
        for (int i = 2; i <= n; ++i) { // about the first mode, small
            const Real x = s->now.point.x[i].x / 0.5;
            s->now.point.v[i].y = 0.005 * x * x * (6 - 4 * x + x * x) / 3;
        }
        int crossings = 0;
        Real first = 0, last = 0, before = 0;
        while (crossings < 9) { // eight half swings after the first crossing
            ASSERT_NE(simulate_step(*s), Status::failed) << s->report.message;
            const Real y = s->now.point.x[n].y;
            if (before * y < 0) {
                last = s->now.time - y / (y - before) * s->compiled.dt;
                if (crossings++ == 0) first = last;
            }
            before = y;
        }
        const Real inertia = kPi * std::pow(radius, 4) / 4, area = kPi * radius * radius;
        const Real exact = 1.8751 * 1.8751 * std::sqrt(young * inertia / (density * area)) / 0.25;
        error[level] = std::abs(8 * kPi / (last - first) / exact - 1);
    }
    EXPECT_LT(error[1], 0.01);
    EXPECT_GT(error[0] / error[1], 3); // second order in the edges
}

// Leapfrog goes back on its own way: energy keeps within an error of order h^2 and does not drift; momentum to rounding.
TEST(rod_explicit, a_free_rod_keeps_its_energy_and_momenta) {
    Real ripple[2];
    for (int level = 0; level < 2; ++level) {
        std::optional<Simulation> s = start(fmt::format(R"({{ "sinew": 1, "gravity": 0, "time": {{ "dt": {}, "substeps": 1, "seconds": 0.5 }},
            "objects": {{ "r": {{ "kind": "rod", "curve": "helix", "turns": 1, "count": 16, "radius": 0.004, "radius2": 0.003, "young": 1e6, "natural": "straight",
                "velocity": [0.5, -0.2, 0.1], "angular_velocity": [3, 5, -2], "twist": 4 }} }}, {} }})", level == 0 ? 2e-4 : 1e-4, scheme_of("leapfrog")));
        ASSERT_TRUE(s);
        const auto energy = [&] { return s->report.energy_kinetic + s->report.energy_elastic; };
        const Real first = energy(), size = s->report.mass * 0.5 * 0.1; // mass, speed, radius
        const Vec3 momentum = vec(s->report.momentum), angular = vec(s->report.angular_momentum);
        Real early = 0, late = 0;
        while (!is_finished(*s)) {
            ASSERT_NE(simulate_step(*s), Status::failed) << s->report.message;
            Real& most = s->now.time < 0.25 ? early : late;
            most = std::max(most, std::abs(energy() - first));
        }
        ripple[level] = std::max(early, late) / first;
        EXPECT_LT(late, 1.5 * early);
        EXPECT_LT((vec(s->report.momentum) - momentum).norm(), 1e-12 * momentum.norm());
        // no more than the spin of the edges, which is in the sum, amounts to (docs/theory/rod.md)
        EXPECT_LT((vec(s->report.angular_momentum) - angular).norm(), 1.6e-3 * size);
    }
    EXPECT_LT(ripple[1], 2e-3);
    EXPECT_NEAR(ripple[0] / ripple[1], 4, 1);
}

// What viscosity takes is what the energy loses: both are in the report.
TEST(rod_explicit, viscosity_takes_the_energy_that_is_lost) {
    std::optional<Simulation> s = start(fmt::format(R"({{ "sinew": 1, "gravity": 0, "time": {{ "dt": 1e-4, "substeps": 1, "seconds": 0.3 }},
        "objects": {{ "r": {{ "kind": "rod", "curve": "helix", "turns": 1, "count": 12, "radius": 0.005, "young": 1e6, "viscosity": 2000,
            "natural": "straight", "twist": 3 }} }}, {} }})", scheme_of("leapfrog")));
    ASSERT_TRUE(s);
    const Real first = s->report.energy_kinetic + s->report.energy_elastic;
    Real taken = 0;
    while (!is_finished(*s)) {
        ASSERT_NE(simulate_step(*s), Status::failed) << s->report.message;
        EXPECT_LE(s->report.work_damping, 0);
        taken += s->report.work_damping;
    }
    const Real lost = first - s->report.energy_kinetic - s->report.energy_elastic;
    EXPECT_GT(lost, 0.2 * first);
    EXPECT_NEAR(-taken, lost, 1e-3 * first); // trapezoidal rule over steps, order 2
}

static const char* kExplicitWhip = R"({ "sinew": 1, "time": { "dt": 2e-4, "substeps": 1, "seconds": 0.04 },
    "objects": { "r": { "kind": "rod", "to": [0.5, 0, 0.1], "count": 30, "radius": 0.003, "radius2": 0.002, "young": 1e6, "viscosity": 20,
                        "natural": "curved", "curvature1": 5, "clamp": "both", "twist_rate": 20,
                        "motion": { "spin": { "axis": [1, 2, 0], "rate": 3 } } },
                 "h": { "kind": "rod", "curve": "helix", "count": 40, "at": [0, 0.3, 0], "young": 1e6, "clamp": "first" } }, )";

TEST(rod_explicit, a_checkpoint_in_mid_motion_continues_with_the_same_bits_at_any_thread_count) {
    for (const char* scheme : {"symplectic_euler", "verlet", "rk4"}) {
        const std::string text = kExplicitWhip + scheme_of(scheme) + " }";
        const std::uint64_t expected = hash(run_to_end(text).now);
        EXPECT_EQ(hash(run_to_end(text, 3).now), expected) << scheme;
        std::optional<Simulation> first = start(text), second = start(text);
        for (int i = 0; i < 87; ++i) ASSERT_NE(simulate_step(*first), Status::failed);
        second->now = first->now; // everything that continues is in the state
        while (!is_finished(*second)) ASSERT_NE(simulate_step(*second), Status::failed);
        EXPECT_EQ(hash(second->now), expected) << scheme;
    }
}

// Clamps, turned by a motion and at a rate, do to the rod what they do under newton.
TEST(rod_explicit, scripted_clamps_move_the_rod_as_under_newton) {
    const std::string text = kExplicitWhip;
    const Simulation exact = run_to_end(text + scheme_of("rk4") + " }");
    const auto difference = [&](const Simulation& s) {
        Real most = 0;
        for (std::size_t i = 0; i < s.now.point.x.size(); ++i)
            most = std::max(most, (vec(s.now.point.x[i]) - vec(exact.now.point.x[i])).norm());
        return most;
    };
    Real moved = 0;
    for (std::size_t i = 0; i < exact.now.point.x.size(); ++i)
        moved = std::max(moved, (vec(exact.now.point.x[i]) - vec(exact.compiled.model.point.rest[i])).norm());
    const Real error = difference(run_to_end(text + scheme_of("newton") + " }"));
    EXPECT_GT(moved, 0.02);
    EXPECT_LT(error, 0.1 * moved); // order 1 in the step, see above
    EXPECT_LT(difference(run_to_end(text + scheme_of("leapfrog") + " }")), 0.1 * error);
    EXPECT_NEAR(exact.now.scalar.s[29] - exact.now.scalar.s[0], 20 * 0.04, 0.05); // both turn with the motion, the last by its rate too
}

// Twisting waves run at sqrt(G/rho), stretching ones at sqrt(E/rho): each sets the step, l over the faster one.
TEST(rod_explicit, the_stable_step_is_that_of_twist_where_twist_is_stiffest) {
    for (const Real shear : {3e5, 1e7}) {
        const auto text = [&](Real dt, Real seconds) {
            return fmt::format(R"({{ "sinew": 1, "gravity": 0, "time": {{ "dt": {}, "substeps": 1, "seconds": {} }},
                "objects": {{ "r": {{ "kind": "rod", "count": 20, "radius": 0.002, "young": 1e6, "shear": {}, "clamp": "first" }} }}, {} }})",
                               dt, seconds, shear, scheme_of("symplectic_euler"));
        };
        const std::optional<Compiled> c = compile_text(text(1e-4, 0.01));
        ASSERT_TRUE(c);
        const Real wave = std::sqrt(std::max(shear, 1e6) / 1000), limit = 0.05 / wave, stable = stable_step(c->model, c->state);
        EXPECT_LT(stable, limit * (1 + 1e-9));
        EXPECT_GT(stable, 0.95 * limit); // bending adds little to stretching
        const auto largest = [&](Real dt) { // energy after a knock on every unknown
            std::optional<Simulation> s = start(text(dt, 400 * dt));
            for (int i = 1; i < 20; ++i) s->now.scalar.ds[i] = i % 2 ? 1 : -1;
            for (int i = 2; i <= 20; ++i) s->now.point.v[i] = {i % 2 ? 0.01 : -0.01, 0.003 * (i % 3 - 1), 0};
            Real most = 0, first = -1;
            while (!is_finished(*s)) {
                if (simulate_step(*s) == Status::failed) return 1e9;
                const Real energy = s->report.energy_kinetic + s->report.energy_elastic;
                if (first < 0) first = energy;
                most = std::max(most, energy / first);
            }
            return most;
        };
        EXPECT_LT(largest(0.9 * stable), 30); // symplectic Euler's own energy differs by 1/(1 - (w h/2)^2) at most, here 5
        EXPECT_GT(largest(1.1 * limit), 1e3);
        EXPECT_FALSE(describe_long_step(c->model, c->state, "explicit", 1.01 * stable).empty());
        EXPECT_TRUE(describe_long_step(c->model, c->state, "explicit", 0.99 * stable).empty());
    }
}

// Two crossing rods meet at 2 m/s and part again: a penalty takes the motion and gives it back.
TEST(rod_explicit, rods_touch_each_other_and_keep_energy_and_momentum) {
    const auto rod = [](const char* from, const char* to, Real speed) {
        return fmt::format(R"({{ "kind": "rod", "from": {}, "to": {}, "count": 6, "radius": 0.01, "young": 1e6, "velocity": [0, {}, 0] }})", from, to, speed);
    };
    std::optional<Simulation> s = start(fmt::format(R"({{ "sinew": 1, "gravity": 0, "time": {{ "fps": 100, "seconds": 0.1 }}, "objects": {{ "low": {}, "high": {} }}, {} }})",
                                                    rod("[-0.15, 0, 0.013]", "[0.15, 0, 0]", 1), rod("[0.011, 0.05, -0.15]", "[0, 0.05, 0.15]", -1),
                                                    scheme_of("leapfrog")));
    ASSERT_TRUE(s);
    const Real first = s->report.energy_kinetic, size = s->report.mass;
    const Vec3 momentum = vec(s->report.momentum);
    bool touched = false;
    while (!is_finished(*s)) {
        ASSERT_NE(simulate_step(*s), Status::failed) << s->report.message;
        touched = touched || s->report.contact_count > 0;
        const Real now = s->report.energy_kinetic + s->report.energy_elastic + s->report.energy_contact;
        ASSERT_NEAR(now, first, 0.02 * first) << s->now.time; // a penalty that begins within a step: w h of what is in it
        ASSERT_LT((vec(s->report.momentum) - momentum).norm(), 1e-12 * size);
        ASSERT_LT(measure(*s, "low.point[3].y"), measure(*s, "high.point[3].y")) << s->now.time;
    }
    EXPECT_TRUE(touched);
}
