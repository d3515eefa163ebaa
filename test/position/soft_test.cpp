// Soft rows: the fixed point of the iteration is implicit Euler, whatever the method (spec U 3.5, V1-V3, V8, V11).
#include "position/position_fixture.h"
#include "solver/newton.h"
#include <cmath>

using namespace sinew;

namespace {

ModelBuilder one_spring(Real stiffness, Real mass, Real stretch) {
    ModelBuilder b;
    begin_object(b, "spring", "chain");
    add_points(b, std::vector<Real3>{{0, 0, 0}, {1, 0, 0}}, std::vector<Real>{1, mass});
    b.model.point.flags[0] = kFixed;
    add_spring(b, 0, 1, stiffness);
    finish_model(b);
    b.state.point.x[1].x += stretch;
    return b;
}

Vec3 momentum(const State& s, const Model& m) {
    Vec3 p = Vec3::Zero();
    for (int i = 0; i < point_count(m); ++i) p += m.point.mass[i] * vec(s.point.v[i]);
    return p;
}
} // namespace

TEST(position_soft, one_link_shrinks_by_the_factor_of_implicit_euler) {
    const Real k = 200, mass = 0.5, h = 0.01, stretch = 0.1;
    const ModelBuilder b = one_spring(k, mass, stretch);
    for (const std::string& method : kDualMethods) {
        PositionSettings s = plain_settings();
        s.method = method;
        s.iterations = 100; // Jacobi at 1/2 halves the error each time
        PositionRun run(b, s);
        run.step(h);
        // V1: c1 = c~/(1 + h^2 k w); from rest c~ is the stretch
        EXPECT_NEAR(run.x(1).x() - 1, stretch / (1 + h * h * k / mass), 1e-12) << method;
    }
    // printed: without feedback each iteration divides again
    PositionSettings s = plain_settings();
    s.softness = "printed", s.iterations = 3;
    PositionRun run(b, s);
    run.step(h);
    EXPECT_NEAR(run.x(1).x() - 1, stretch / std::pow(1 + h * h * k / mass, 3), 1e-12);
}

TEST(position_soft, an_oscillator_loses_energy_as_implicit_euler_does) {
    const Real k = 50, mass = 1, h = 0.02, w2 = k / mass;
    const ModelBuilder b = one_spring(k, mass, 0.1);
    PositionSettings s = plain_settings();
    s.iterations = 1; // one row: exact
    PositionRun run(b, s);
    Real before = 0.5 * k * 0.01;
    for (int i = 0; i < 20; ++i) {
        run.step(h);
        const Real stretch = run.x(1).x() - 1, energy = 0.5 * k * stretch * stretch + 0.5 * mass * run.v(1).squaredNorm();
        EXPECT_NEAR(energy / before, 1 / (1 + w2 * h * h), 1e-9) << i; // V3
        before = energy;
    }
}

TEST(position_soft, a_hanging_chain_has_the_stretch_of_its_weight_and_the_printed_form_does_not) {
    // V2: 6 masses of 0.1 kg, 2000 N/m, 0.1 m; exact 2.94, 2.45 ... 0.49 mm
    const ModelBuilder b = make_chain({0, -1, 0}, 6, 0.1, 0.1, -1.0 / 2000, 9.8);
    const auto stretch = [&](const char* softness, int iterations) {
        PositionSettings s = plain_settings();
        s.softness = softness, s.iterations = iterations;
        PositionRun run(b, s);
        run.steps(600, 1.0 / 60);
        std::vector<Real> out;
        for (int i = 0; i < 6; ++i) out.push_back((run.x(i) - run.x(i + 1)).norm() - 0.1);
        return out;
    };
    const auto at25 = stretch("feedback", 25), at200 = stretch("feedback", 200);
    for (int i = 0; i < 6; ++i) {
        EXPECT_NEAR(at25[i], (6 - i) * 0.49e-3, 0.01 * (6 - i) * 0.49e-3) << i; // within 1 %
        EXPECT_NEAR(at200[i], (6 - i) * 0.49e-3, 1e-8) << i;
    }
    // stiffer with every iteration: a tenth of the stretch at 25, none at 200 (spec table 0.282 and 0.000 mm)
    EXPECT_LT(stretch("printed", 25)[0], 0.4e-3);
    EXPECT_LT(stretch("printed", 200)[0], 1e-6);
}

// The multiplier of an iteration pushes along the rows as they are then. `newton` takes that into account and is implicit
// Euler to the last digit; the others keep what earlier directions did: a part of the way that shrinks with the step.
TEST(position_soft, hard_links_hold_beside_soft_ones) {
    // C31: a hard link below a spring: the spring stretches by the weight of both masses, the link not at all
    ModelBuilder b;
    begin_object(b, "chain", "chain");
    add_points(b, std::vector<Real3>{{0, 0, 0}, {0, -0.1, 0}, {0, -0.2, 0}}, std::vector<Real>{1, 0.1, 0.1});
    b.model.point.flags[0] = kFixed;
    add_spring(b, 0, 1, 500);
    add_link(b, 1, 2, 0);
    add_gravity(b, 1, 3);
    finish_model(b);
    for (const char* method : {"gauss_seidel", "conjugate_residuals", "fast_projection", "newton"}) {
        PositionSettings s = plain_settings();
        s.method = method, s.iterations = 100;
        PositionRun run(b, s);
        run.steps(600, 1.0 / 60);
        EXPECT_NEAR((run.x(0) - run.x(1)).norm() - 0.1, 0.2 * 9.81 / 500, 1e-6) << method;
        EXPECT_NEAR((run.x(1) - run.x(2)).norm(), 0.1, 1e-9) << method;
    }
}

TEST(position_soft, pbd_corrects_its_part_of_an_error_whatever_the_iterations) {
    // C24-C25: k' = 1 - (1 - k)^(1/n), so that one link keeps (1 - k) of its error after n iterations
    const ModelBuilder b = one_spring(1, 1, 0.1);
    for (const char* method : {"gauss_seidel", "jacobi"})
        for (int iterations : {1, 4, 20}) {
            PositionSettings s = *static_cast<PositionSettings*>(make_pbd_settings().get());
            s.method = method, s.relaxation = 1, s.iterations = iterations, s.stiffness = 0.6;
            PositionRun run(b, s);
            run.step(0.01);
            EXPECT_NEAR(run.x(1).x() - 1, 0.4 * 0.1, 1e-12) << method << ' ' << iterations;
        }
}

TEST(position_soft, converged_methods_agree_with_newton) {
    ModelBuilder b = make_spring_cloth(5, 5, 0.05);
    State far = b.state;
    for (int i = 0; i < point_count(b.model); ++i) // where they would go without springs
        if (!(b.model.point.flags[i] & kFixed)) vec(far.point.x[i]) += 0.05 * vec(far.point.v[i]) + 0.5 * 0.05 * 0.06 * Vec3(0, -9.81, 0);
    NewtonSettings exact;
    exact.tolerance = 1e-13;
    exact.force_tolerance = 1e-14;
    State now = b.state, next;
    const auto newton = make_newton({.threads = 1}, b.model, now, &exact);
    for (int i = 0; i < 5; ++i) {
        ASSERT_EQ(newton->step(b.model, {}, now, next, 0.01).status, Status::ok);
        std::swap(now, next);
    }
    for (const char* method : {"gauss_seidel", "accelerated_jacobi", "conjugate_residuals", "minres", "fast_projection", "newton"}) {
        PositionSettings s = plain_settings();
        s.method = method;
        s.iterations = 3000, s.tolerance = 1e-11;
        PositionRun run(b, s);
        run.steps(5, 0.01);
        Real worst = 0, way = 0;
        for (int i = 0; i < point_count(b.model); ++i) {
            worst = std::max(worst, (run.x(i) - vec(now.point.x[i])).norm());
            way = std::max(way, (vec(far.point.x[i]) - vec(now.point.x[i])).norm());
        }
        // newton: tolerance of rows [sqrt(J)] over sqrt(k); others: links turn by tenths in a step
        EXPECT_LT(worst, method == std::string_view("newton") ? 1e-7 : 0.2 * way) << method << ' ' << way;
    }
}

TEST(position_soft, rows_that_act_between_bodies_keep_momentum_in_every_iteration) {
    ModelBuilder b = make_spring_cloth(4, 5, 0, false, kFree);
    for (const std::string& method : kDualMethods) {
        for (int iterations : {1, 2, 7}) {
            PositionSettings s = plain_settings();
            s.method = method;
            s.iterations = iterations;
            PositionRun run(b, s);
            const Vec3 p = momentum(run.now, b.model);
            run.step(0.01);
            EXPECT_LT((momentum(run.now, b.model) - p).norm(), 1e-14) << method << ' ' << iterations; // round-off
        }
    }
}

TEST(position_soft, a_damped_row_ends_where_its_equation_holds) {
    // V11: c1 + rho u1 + eps lambda = 0
    const Real k = 300, mass = 0.7, h = 0.01, rho = 0.03;
    const ModelBuilder b = one_spring(k, mass, 0.1);
    for (const std::string& method : kDualMethods) {
        PositionSettings s = plain_settings();
        s.method = method;
        s.iterations = 200;
        s.damping_time = rho;
        PositionRun run(b, s);
        run.now.point.v[1].x = 0.4;
        run.step(h);
        const Real c = run.x(1).x() - 1, u = run.v(1).x(), w = 1 / mass, eps = 1 / k;
        const Real c0 = 0.1 + h * 0.4, u0 = 0.4, lambda = -(c0 + rho * u0) / (h * (h + rho) * w + eps);
        EXPECT_NEAR(c, c0 + h * h * w * lambda, 1e-12) << method;
        EXPECT_NEAR(u, u0 + h * w * lambda, 1e-10) << method;
        EXPECT_NEAR(c + rho * u + eps * lambda, 0, 1e-11) << method;
    }
}

TEST(position_soft, damping_has_the_ratio_of_its_time) {
    // zeta = rho w0/2, as h -> 0; implicit Euler adds h w0/2
    const Real k = 100, mass = 1, w0 = 10, rho = 0.02;
    const ModelBuilder b = one_spring(k, mass, 0.1);
    PositionSettings s = plain_settings();
    s.iterations = 1;
    s.damping_time = rho;
    const auto ratio = [&](Real h) {
        PositionRun run(b, s);
        Real last = 0.1, peak = 0, log_sum = 0, t = 0;
        int peaks = 0;
        while (t < 3) { // maxima of the stretch, one period apart
            const Real before = run.x(1).x() - 1;
            run.step(h);
            t += h;
            const Real now = run.x(1).x() - 1;
            if (before > last && before > now && before > 1e-4) {
                if (peaks++) log_sum += std::log(peak / before);
                peak = before;
            }
            last = before;
        }
        const Real decrement = log_sum / (peaks - 1);
        return decrement / std::sqrt(4 * kPi * kPi + decrement * decrement);
    };
    const Real at1 = ratio(4e-4), at2 = ratio(2e-4);
    EXPECT_NEAR(2 * at2 - at1, rho * w0 / 2, 0.01 * rho * w0 / 2); // extrapolated: the error is of first order in h
}
