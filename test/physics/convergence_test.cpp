// Orders of convergence measured by refinement, and the torque-free flip at the time of its elliptic
// solution.
//   order p = log2(|error(h)|/|error(h/2)|)
#include "physics/simulation.h"
#include <cmath>
#include <fmt/format.h>

using namespace sinew;

namespace {

// Fails the first try of every third step, so that the main loop takes it in two halves.
struct FailsSometimes final : Solver {
    std::unique_ptr<Solver> solver;
    std::int64_t failed_step = -1;
    Report step(const Model& m, const Input& input, const State& now, State& next, double dt, Trace* trace) override {
        if (now.step % 3 == 2 && failed_step != now.step) {
            failed_step = now.step;
            Report r;
            r.status = Status::failed;
            r.message = "on purpose";
            return r;
        }
        return solver->step(m, input, now, next, dt, trace);
    }
    void drop_caches() override { solver->drop_caches(); }
};

// Distance from the exact state (x, v) at t = 2 of a nonlinear problem with known solution: the ellipse of
// Kepler, e = 0.3, a = 1, s = 1, from perihelion; r = 1 - e cos E, t = E - e sin E.
double kepler_error(const std::string& solver, const std::string& settings, int steps, bool with_retries = false) {
    const std::string text = fmt::format(R"json({{ "sinew": 1, "gravity": 0,
        "time": {{ "dt": {}, "substeps": {}, "frames": 1 }},
        "fields": {{ "sun": {{ "kind": "attractor_point", "strength": 1, "exponent": 2, "softening": 1e-9 }} }},
        "objects": {{ "p": {{ "kind": "particles", "positions": [[0.7, 0, 0]], "velocity": [0, "sqrt(1.3/0.7)", 0] }} }},
        "solver": "{}", "solvers": {{ "{}": {{ {} }} }} }})json",
                                         2.0 / steps, steps, solver, solver, settings);
    std::optional<Simulation> s = start(text);
    if (!s) return 0;
    if (with_retries) {
        auto fails = std::make_unique<FailsSometimes>();
        fails->solver = std::move(s->solver);
        s->solver = std::move(fails);
    }
    while (!is_finished(*s)) EXPECT_NE(simulate_step(*s), Status::failed) << s->report.message;
    EXPECT_EQ(s->now.step, steps);
    const double e = 0.3, b = std::sqrt(1 - e * e);
    double E = 2;
    for (int k = 0; k < 50; ++k) E -= (E - e * std::sin(E) - 2) / (1 - e * std::cos(E));
    return std::hypot(measure(*s, "p.x") - (std::cos(E) - e), measure(*s, "p.y") - b * std::sin(E));
}

struct ConvergenceCase {
    const char* name;
    const char* solver;
    const char* settings;
    int steps; // of the coarsest run: small enough for the leading term, errors well above rounding
    double order;
};
constexpr const char* kTight = R"(, "tolerance": 1e-12, "force_tolerance": 1e-13, "projection": "none")";
const ConvergenceCase kCases[] = {
    {"forward_euler", "explicit", R"("scheme": "forward_euler")", 800, 1},
    {"symplectic_euler", "explicit", R"("scheme": "symplectic_euler")", 800, 1},
    {"improved_euler", "explicit", R"("scheme": "improved_euler")", 800, 1},
    {"rk2_trapezoid", "explicit", R"("scheme": "rk2_trapezoid")", 200, 2},
    {"rk2_midpoint", "explicit", R"("scheme": "rk2_midpoint")", 200, 2},
    {"verlet", "explicit", R"("scheme": "verlet")", 200, 2},
    {"leapfrog", "explicit", R"("scheme": "leapfrog")", 200, 2},
    {"rk4", "explicit", R"("scheme": "rk4")", 50, 4},
    {"implicit_euler", "newton", R"("scheme": "implicit_euler")", 800, 1},
    {"implicit_midpoint", "newton", R"("scheme": "implicit_midpoint")", 200, 2},
    {"newmark", "newton", R"("scheme": "newmark")", 200, 2},
    {"bdf2", "newton", R"("scheme": "bdf2")", 200, 2},
    {"linearly_implicit", "linearly_implicit", R"("scheme": "implicit_euler", "projection": "none")", 800, 1},
};

// times at which body_spin.y passes zero, by linear interpolation between steps (w'' = 0 there)
std::vector<double> flip_times(double dt) {
    const std::string text =
        fmt::format(R"json({{ "sinew": 1, "gravity": 0, "time": {{ "dt": {}, "substeps": 1, "seconds": 31 }},
        "objects": {{ "body": {{ "kind": "box", "size": ["sqrt(2)", 1, 1e-6], "mass": 12, "angular_velocity": [0.01, 1, 0.01],
                                 "contact": false }} }},
        "solver": "explicit", "solvers": {{ "explicit": {{ "rotation": "exponential_midpoint" }} }} }})json",
                    dt);
    std::optional<Simulation> s = start(text);
    std::vector<double> out;
    if (!s) return out;
    double before = measure(*s, "body.body_spin.y");
    while (!is_finished(*s)) {
        if (simulate_step(*s) == Status::failed) break;
        const double now = measure(*s, "body.body_spin.y");
        if ((before > 0) != (now > 0)) out.push_back(s->now.time - dt * now / (now - before));
        before = now;
    }
    return out;
}

} // namespace

class convergence : public testing::TestWithParam<ConvergenceCase> {};

TEST_P(convergence, error_falls_with_the_order_of_the_scheme) {
    const ConvergenceCase& c = GetParam();
    const std::string settings =
        std::string(c.settings) + (std::string_view(c.solver) == "newton" ? kTight : "");
    const double coarse = kepler_error(c.solver, settings, c.steps);
    const double middle = kepler_error(c.solver, settings, 2 * c.steps);
    const double fine = kepler_error(c.solver, settings, 4 * c.steps);
    EXPECT_GT(fine, 1e-12); // rounding would hide the order
    // the next term of the error is smaller by a few h: 0.1 of an order at these steps, half of that after
    // refinement
    EXPECT_NEAR(std::log2(coarse / middle), c.order, 0.15) << coarse << " " << middle;
    EXPECT_NEAR(std::log2(middle / fine), c.order, 0.08) << middle << " " << fine;
}
INSTANTIATE_TEST_SUITE_P(schemes, convergence, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

// A ball turns at constant w. Exponential map: by h |w| per step, exactly. Additive: q + h/2 (0, w) q, normalised, turns by
// 2 atan(h |w|/2) per step, short by (h |w|)^2/12 of it (spec U 3.1: q' = G(q) w).
TEST(rotation_updates, turn_by_their_closed_forms_at_constant_spin) {
    const Vec3 w(0.6, -1.2, 2.4);
    const double dt = 0.05;
    const int steps = 20;
    for (const char* rotation : {"exponential", "additive", "exponential_midpoint"}) {
        std::optional<Simulation> s = start(fmt::format(
            R"json({{ "sinew": 1, "gravity": 0, "time": {{ "dt": {}, "substeps": 1, "seconds": {} }},
            "objects": {{ "ball": {{ "kind": "sphere", "radius": 0.5, "mass": 1, "angular_velocity": [{}, {}, {}], "contact": false }} }},
            "solver": "explicit", "solvers": {{ "explicit": {{ "rotation": "{}" }} }} }})json",
            dt, dt * steps, w.x(), w.y(), w.z(), rotation));
        ASSERT_TRUE(s);
        for (int k = 0; k < steps; ++k) ASSERT_NE(simulate_step(*s), Status::failed);
        const double angle = std::string_view(rotation) == "additive" ? 2 * std::atan(0.5 * dt * w.norm()) : dt * w.norm();
        const Quat expected = exp_rotation(steps * angle * w.normalized()), got = quat(s->now.frame.q[0]);
        EXPECT_LT((got.conjugate() * expected).vec().norm(), 1e-14) << rotation; // round-off of 20 products
        EXPECT_NEAR(got.norm(), 1, 1e-15) << rotation;
    }
}

// A scheme that forgot the step before would take implicit Euler steps after each shortened one: order 1.
TEST(multi_step_schemes, keep_their_order_across_rejected_and_shortened_steps) {
    for (const char* scheme : {"bdf2", "newmark"}) {
        const std::string settings = fmt::format(R"("scheme": "{}")", scheme) + kTight;
        const double coarse = kepler_error("newton", settings, 400, true), fine = kepler_error("newton", settings, 800, true);
        // the pattern of step lengths shifts with refinement: 0.2 of an order
        EXPECT_NEAR(std::log2(coarse / fine), 2, 0.2) << scheme << " " << coarse << " " << fine;
    }
    const double coarse = kepler_error("explicit", R"("scheme": "verlet")", 400, true);
    const double fine = kepler_error("explicit", R"("scheme": "verlet")", 800, true);
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.2) << coarse << " " << fine;
}

TEST(torque_free_flip, happens_at_the_exact_times_with_order_two) {
    // spec P, V10: w2 = a sn(u0 + lam t | m); zeros at these times, 2K(m)/lam apart
    const double first = 10.91691349424024, second = 30.46978059287460, interval = 19.55286709863436;
    const std::vector<double> coarse = flip_times(2e-3), fine = flip_times(1e-3), finest = flip_times(5e-4);
    ASSERT_EQ(coarse.size(), 2u);
    ASSERT_EQ(fine.size(), 2u);
    ASSERT_EQ(finest.size(), 2u);
    EXPECT_NEAR(fine[1] - fine[0], interval, 1e-3);
    EXPECT_NEAR(fine[0], first, 1e-3);
    EXPECT_NEAR(fine[1], second, 1e-3);
    // first crossing: 0.72 h^2 s, interpolation far below, so the order is 2 within 0.05
    EXPECT_NEAR(std::log2((coarse[0] - first) / (fine[0] - first)), 2, 0.05);
    // The interval's error is a h^2 + b h^3: the step is not symmetric, so the energy drifts with h^3, and near
    // the separatrix an energy drift moves the flip by 1/(distance to it) ~ 1e4 times as much. b h is three
    // times a at h = 1e-3. Without the cubic term, (8 e(h) - e(2h)) / 4 = a h^2 + O(h^4), the order is 2;
    // rounding (1e-8 s in e at h = 5e-4, see above for the sensitivity) moves it by 0.1.
    const auto error = [&](const std::vector<double>& t) { return t[1] - t[0] - interval; };
    const double square_coarse = (8 * error(fine) - error(coarse)) / 4;
    const double square_fine = (8 * error(finest) - error(fine)) / 4;
    EXPECT_NEAR(std::log2(square_coarse / square_fine), 2, 0.2) << square_coarse << " " << square_fine;
}
