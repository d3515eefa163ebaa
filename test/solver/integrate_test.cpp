// The implicit schemes against closed forms and recurrences, and their orders measured by refinement.
#include "solver/newton_fixture.h"

using namespace sinew;

namespace {

// amplitude in the plane (x, v/omega), in which the exact motion is a circle
Real amplitude(const NewtonRun& r, Real omega) { return std::hypot(r.x(0).norm(), r.v(0).norm() / omega); }

// slope of log error against log step over two halvings
struct Orders {
    Real position, velocity;
};
template <class Run> Orders measure_orders(const State& exact, int coarse, Run&& run) {
    std::array<Real, 2> x, v;
    for (int k = 0; k < 2; ++k) {
        const State s = run(coarse << (2 * k));
        x[k] = distance_between(s, exact), v[k] = velocity_distance(s, exact);
    }
    return {std::log2(x[0] / x[1]) / 2, std::log2(v[0] / v[1]) / 2};
}

constexpr Real kTime = 0.8; // [s] of the pendulum: more than half a swing

} // namespace

// spec P V32: backward Euler multiplies the amplitude by 1/sqrt(1 + s^2), s = omega h
TEST(integrate, implicit_euler_damps_an_oscillator_by_the_closed_form) {
    const Real omega = 7;
    const std::array<std::array<Real, 2>, 4> table{
        {{0.1, 0.99504}, {1, 0.70711}, {10, 0.09950}, {100, 0.0099995}}};
    for (const auto& [s, printed] : table) {
        const ModelBuilder b = make_oscillator(2, omega, {1, 0, 0}, {0, 0, 0});
        NewtonRun r(b, exact_settings("implicit_euler"));
        r.steps(3, s / omega);
        const Real factor = std::cbrt(amplitude(r, omega));
        EXPECT_NEAR(factor, 1 / std::sqrt(1 + s * s), 1e-14); // rounding of a linear system of condition 1
        EXPECT_NEAR(factor, printed, 6e-6);                   // digits of the specification
    }
}

TEST(integrate, implicit_midpoint_conserves_the_energy_of_an_oscillator_for_any_step) {
    const Real omega = 7;
    for (Real s : {0.1, 1.0, 10.0, 100.0}) {
        const ModelBuilder b = make_oscillator(2, omega, {1, 0.3, 0}, {0, 2, -1});
        NewtonRun r(b, exact_settings("implicit_midpoint"));
        const Real before = amplitude(r, omega);
        r.steps(200, s / omega);
        EXPECT_NEAR(amplitude(r, omega) / before, 1, 1e-12)
            << s; // 200 steps of rounding, amplified by s at most
    }
}

// v' and x' of both sides of one step by hand
TEST(integrate, midpoint_and_newmark_follow_their_recurrences_with_damping) {
    const Real m = 2, omega = 3, c = 1.5, h = 0.07, k = m * omega * omega;
    const ModelBuilder b = make_oscillator(m, omega, {1, 0, 0}, {-2, 0, 0}, c);
    // midpoint: v' = v + h a((x + x')/2, (v + v')/2), x' = x + h (v + v')/2
    {
        NewtonRun r(b, exact_settings("implicit_midpoint"));
        Real x = 1, v = -2;
        for (int i = 0; i < 50; ++i) {
            r.step(h);
            // linear: v' (m + h c/2 + h^2 k/4) = v (m - h c/2 - h^2 k/4) - h k x
            const Real next =
                (v * (m - h * c / 2 - h * h * k / 4) - h * k * x) / (m + h * c / 2 + h * h * k / 4);
            x += h * (v + next) / 2, v = next;
            ASSERT_NEAR(r.x(0).x(), x, 1e-13);
            ASSERT_NEAR(r.v(0).x(), v, 1e-12);
        }
    }
    for (const auto& [beta, gamma] :
         {std::array<Real, 2>{0.25, 0.5}, {0.3025, 0.6}, {0.5, 0.5}, {1.0 / 6, 0.5}}) {
        NewtonSettings s = exact_settings("newmark");
        s.beta = beta, s.gamma = gamma;
        NewtonRun r(b, s);
        Real x = 1, v = -2, a = (-k * x - c * v) / m;
        for (int i = 0; i < 50; ++i) {
            r.step(h);
            const Real xp = x + h * v + h * h * (0.5 - beta) * a, vp = v + h * (1 - gamma) * a;
            a = (-k * xp - c * vp) / (m + gamma * h * c + beta * h * h * k);
            x = xp + beta * h * h * a, v = vp + gamma * h * a;
            ASSERT_NEAR(r.x(0).x(), x, 1e-13) << beta;
            ASSERT_NEAR(r.v(0).x(), v, 1e-12) << beta;
        }
    }
}

// A mass on a damped link, along it: the damper of implicit Euler is c (l' - l)/h, v' (1 + h c/m + h^2 k/m) = v - h k/m (x - L). With small
// steps the energy falls as that of the damped oscillator, A exp(-c t/(2 m)).
TEST(integrate, a_damped_link_follows_the_recurrence_of_implicit_euler_and_decays_as_the_oscillator) {
    const Real m = 2, k = 50, c = 3;
    const auto make_link = [&](Real damping) {
        ModelBuilder b;
        begin_object(b, "link", "chain");
        add_points(b, std::vector<Real3>{{0, 0, 0}, {1, 0, 0}}, std::vector<Real>{1, m});
        b.model.point.flags[0] = kFixed;
        add_spring(b, 0, 1, k, damping);
        b.state.point.v[1] = {0.6, 0, 0};
        finish_model(b);
        return b;
    };
    for (const Real damping : {1.0, 1000.0}) { // times c; strongly: c/h far above k and m/h^2
        const ModelBuilder b = make_link(damping * c);
        NewtonRun r(b, exact_settings("implicit_euler"));
        Real x = 0, v = 0.6, taken = 0, before = 0.5 * m * v * v, scheme = 0;
        const Real h = 0.03;
        for (int i = 0; i < 40; ++i) {
            r.step(h);
            const Real next = (v - h * k / m * x) / (1 + h * damping * c / m + h * h * k / m);
            // implicit Euler takes 1/2 m (v' - v)^2 + 1/2 k (x' - x)^2 by itself, the damper h c v'^2
            scheme += 0.5 * m * (next - v) * (next - v) + 0.5 * k * h * h * next * next;
            x += h * next, v = next;
            taken -= r.report.work_damping;
            ASSERT_NEAR(r.x(1).x() - 1, x, 1e-13);
            ASSERT_NEAR(r.v(1).x(), v, 1e-12);
        }
        EXPECT_NEAR(taken + scheme, before - 0.5 * m * v * v - 0.5 * k * x * x, 1e-12);
    }
    const ModelBuilder b = make_link(c);
    const Real h = 2e-4, time = 1, w = std::sqrt(k / m - c * c / (4 * m * m));
    NewtonRun r(b, exact_settings("implicit_euler"));
    r.steps(int(time / h + 0.5), h);
    // the scheme adds the rate w^2 h/2 = 0.25 % to the damping c/(2 m) = 0.75/s
    EXPECT_NEAR(r.x(1).x() - 1, 0.6 / w * std::exp(-c * time / (2 * m)) * std::sin(w * time), 0.6 / w * 5e-3);
}

TEST(integrate, newmark_with_a_quarter_and_a_half_conserves_the_energy_of_an_oscillator) {
    const Real omega = 7;
    for (Real s : {0.1, 1.0, 10.0}) {
        const ModelBuilder b = make_oscillator(2, omega, {1, 0, 0}, {0, 2, 0});
        NewtonRun r(b, exact_settings("newmark"));
        const Real before = amplitude(r, omega);
        r.steps(100, s / omega);
        EXPECT_NEAR(amplitude(r, omega) / before, 1, 1e-11) << s;
    }
}

// Euler first, then 3/2 y' - 2 y + 1/2 y_prev = h f(y'), with the coefficients of unequal steps in between
TEST(integrate, bdf2_follows_its_recurrence_with_variable_steps) {
    const Real m = 2, omega = 3, c = 1.5, k = m * omega * omega;
    const ModelBuilder b = make_oscillator(m, omega, {1, 0, 0}, {-2, 0, 0}, c);
    NewtonRun r(b, exact_settings("bdf2"));
    Real x = 1, v = -2, x_previous = 0, v_previous = 0, h_previous = 0;
    for (int i = 0; i < 60; ++i) {
        const Real h = i % 7 == 3 ? 0.02 : i % 7 == 4 ? 0.05 : 0.07;
        r.step(h);
        const Real q = h_previous > 0 ? h / h_previous : 0;
        const Real a0 = (1 + 2 * q) / (1 + q), a1 = 1 + q, a2 = q * q / (1 + q);
        // a0 x' = rx + h v',  a0 v' = rv + h (-k x' - c v')/m
        const Real rx = a1 * x - a2 * x_previous, rv = a1 * v - a2 * v_previous;
        const Real next_v = (a0 * rv - h * k / m * rx) / (a0 * a0 + a0 * h * c / m + h * h * k / m);
        const Real next_x = (rx + h * next_v) / a0;
        x_previous = x, v_previous = v, h_previous = h;
        x = next_x, v = next_v;
        ASSERT_NEAR(r.x(0).x(), x, 1e-13) << i;
        ASSERT_NEAR(r.v(0).x(), v, 1e-12) << i;
    }
}

TEST(integrate, orders_are_1_2_2_2_on_a_swinging_chain_of_springs) {
    const ModelBuilder b = make_pendulum(0.2);
    const State exact = reference_state(b, kTime, 20000); // error of rk4 at h = 4e-5: below 1e-13
    for (const auto& [scheme, order] :
         {std::pair{"implicit_euler", 1.0}, {"implicit_midpoint", 2.0}, {"bdf2", 2.0}, {"newmark", 2.0}}) {
        const Orders got = measure_orders(exact, order == 1 ? 1600 : 400, [&, scheme = scheme](int n) {
            NewtonRun r(b, exact_settings(scheme));
            r.steps(n, kTime / n);
            return r.now;
        });
        // the next term of the error is a few percent at these steps
        EXPECT_NEAR(got.position, order, 0.06) << scheme;
        EXPECT_NEAR(got.velocity, order, 0.06) << scheme;
    }
}

TEST(integrate, one_step_cut_into_unequal_parts_keeps_the_order) {
    const ModelBuilder b = make_pendulum(0.2);
    const State exact = reference_state(b, kTime, 20000);
    for (const char* scheme : {"bdf2", "newmark", "implicit_midpoint"})
        for (const std::vector<Real>& parts : {std::vector<Real>{0.5, 0.5}, {0.3, 0.7}, {0.2, 0.5, 0.3}}) {
            const Orders got = measure_orders(exact, 400, [&](int n) {
                NewtonRun r(b, exact_settings(scheme));
                r.steps(n / 2, kTime / n);
                for (Real part : parts) r.step(part * kTime / n);
                r.steps(n - n / 2 - 1, kTime / n);
                return r.now;
            });
            EXPECT_NEAR(got.position, 2, 0.08) << scheme << " in " << parts.size();
            EXPECT_NEAR(got.velocity, 2, 0.08) << scheme << " in " << parts.size();
        }
}

// a history left by a run under another solver is not taken for the step before
TEST(integrate, history_is_used_only_for_the_step_that_follows_it) {
    const ModelBuilder b = make_oscillator(2, 3, {1, 0, 0}, {-2, 0, 0});
    NewtonRun r(b, exact_settings("bdf2"));
    r.steps(3, 0.1);
    r.now.time += 1;
    r.now.point.x[0] = {1, 0, 0}, r.now.point.v[0] = {-2, 0, 0};
    r.step(0.1);
    NewtonRun fresh(b, exact_settings("implicit_euler"));
    fresh.step(0.1);
    EXPECT_EQ(r.now.point.x, fresh.now.point.x);
}

// free fall under a constant force: second-order schemes are exact, Euler is off by h t g/2
TEST(integrate, free_fall_and_constant_forces) {
    ModelBuilder b = one_point(3, {0, 0, 0}, {1, 5, 0});
    add_gravity(b, 0, 1);
    finish_model(b);
    const Real h = 0.02, t = 0.4, push = 6;
    for (const auto& [scheme, late] :
         {std::pair{"implicit_euler", 1.0}, {"implicit_midpoint", 0.0}, {"newmark", 0.0}}) {
        NewtonRun r(b, exact_settings(scheme));
        r.input.point_forces = {{0, {push, 0, 0}}, {77, {1, 1, 1}}}; // a point that does not exist is ignored
        r.steps(20, h);
        const Vec3 a(push / 3, -9.81, 0);
        const Vec3 expected = t * Vec3(1, 5, 0) + 0.5 * t * (t + late * h) * a;
        EXPECT_NEAR((r.x(0) - expected).norm(), 0, 1e-13) << scheme;
        EXPECT_NEAR((r.v(0) - Vec3(1, 5, 0) - t * a).norm(), 0, 1e-12) << scheme;
    }
}
