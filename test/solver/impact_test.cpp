// Algebraic laws of impact (spec P V23, V24).
#include "core/random.h"
#include "dense.h"
#include "model/stencil.h"
#include "solver/impact.h"
#include <Eigen/LU>
#include <gtest/gtest.h>

using namespace sinew;

namespace {

constexpr std::array kLaws{ImpactLaw::sticking, ImpactLaw::frictionless, ImpactLaw::stick_slide, ImpactLaw::poisson, ImpactLaw::chatterjee_ruina};

// rod of mass 1 and length 1 in the xy-plane that hits the floor with its tip: K at the tip; angle to the floor
Mat3 rod_matrix(Real angle) {
    const Vec3 r(-0.5 * std::cos(angle), -0.5 * std::sin(angle), 0);
    const Mat3 inverse_inertia = Vec3(12, 12, 12).asDiagonal();
    return Mat3::Identity() - skew(r) * inverse_inertia * skew(r);
}

} // namespace

// along one line K = 1/m1 + 1/m2 in all directions: table of spec P V23; body 1 is b, n points from b to a
TEST(impact, two_bodies_on_a_line_follow_the_coefficient_of_restitution) {
    struct Row {
        Real m1, m2, e, v1, v2;
    };
    for (const Row& r : {Row{1, 1, 0, 0, 0}, {3, 1, 0, 0.5, 0.5}, {1, 1, 0.5, -0.5, 0.5}, {3, 1, 0.5, 0.25, 1.25},
                         {1, 1, 1, -1, 1}, {3, 1, 1, 0, 2}}) {
        const Mat3 K = Mat3::Identity() * (1 / r.m1 + 1 / r.m2);
        const Vec3 P = compute_impact(ImpactLaw::chatterjee_ruina, K, Vec3::UnitX(), Vec3(-2, 0, 0), r.e, 0.3);
        EXPECT_NEAR(1 - P.x() / r.m1, r.v1, 1e-15);
        EXPECT_NEAR(-1 + P.x() / r.m2, r.v2, 1e-15);
    }
}

// a flat rod meets a frictionless edge with its tip: effective mass 1/4 (spec P V23)
TEST(impact, a_falling_rod_keeps_its_energy_on_a_frictionless_elastic_edge) {
    const Mat3 K = rod_matrix(0);
    EXPECT_NEAR(1 / K(1, 1), 0.25, 1e-15);
    for (Real e : {0.0, 1.0}) {
        const Vec3 P = compute_impact(ImpactLaw::frictionless, K, Vec3::UnitY(), Vec3(0, -1, 0), e, 0);
        const Real p = P.y(), v = -1 + p, w = 12 * (-0.5) * p;
        EXPECT_NEAR(p, e == 1 ? 0.5 : 0.25, 1e-15);
        EXPECT_NEAR(v, e == 1 ? -0.5 : -0.75, 1e-15);
        EXPECT_NEAR(std::abs(w), e == 1 ? 3 : 1.5, 1e-14);
        EXPECT_NEAR(0.5 * v * v + w * w / 24, e == 1 ? 0.5 : 0.375, 1e-14);
    }
}

// Two rigid bodies that stick at a point: velocities and spins of both after the impact and the impulse are
// 15 unknowns, with Newton's and Euler's equations and one velocity at the point (spec P 5.5). The law is
// that system with the bodies eliminated.
TEST(impact, bodies_that_stick_solve_the_fifteen_equations_of_their_motion) {
    Rng rng{13, 0, 0};
    using System = Eigen::Matrix<Real, 15, 15>;
    using Unknowns = Eigen::Matrix<Real, 15, 1>;
    int sticking = 0;
    for (int k = 0; k < 100; ++k) {
        System a = System::Zero();
        Unknowns right = Unknowns::Zero();
        Mat3 K = Mat3::Zero();
        Vec3 u = Vec3::Zero();
        for (int b = 0; b < 2; ++b) {
            const Real mass = draw_uniform(rng, 0.2, 5), sign = b == 0 ? 1 : -1;
            const Mat3 turn = exp_rotation(draw_vec(rng, -2, 2)).toRotationMatrix();
            const Mat3 inertia = turn * draw_vec(rng, 0.1, 2).asDiagonal() * turn.transpose();
            const Vec3 r = draw_vec(rng, -1, 1), v = draw_vec(rng, -1, 1), w = draw_vec(rng, -1, 1);
            const int at = 6 * b;
            a.block<3, 3>(at, at) = mass * Mat3::Identity(); // m (v' - v) = +-P
            a.block<3, 3>(at, 12) = -sign * Mat3::Identity();
            right.segment<3>(at) = mass * v;
            a.block<3, 3>(at + 3, at + 3) = inertia;         // I (w' - w) = +-r x P
            a.block<3, 3>(at + 3, 12) = -sign * skew(r);
            right.segment<3>(at + 3) = inertia * w;
            a.block<3, 3>(12, at) = sign * Mat3::Identity(); // v_a' + w_a' x r_a = v_b' + w_b' x r_b
            a.block<3, 3>(12, at + 3) = -sign * skew(r);
            K += Mat3::Identity() / mass - skew(r) * inertia.inverse() * skew(r);
            u += sign * (v + w.cross(r));
        }
        const Unknowns x = solve_dense(a, right);
        const Vec3 P = compute_impact(ImpactLaw::sticking, K, -u.normalized(), u, 0, 0.1);
        EXPECT_LT((P - x.tail<3>()).norm(), 1e-11 * (1 + x.tail<3>().norm()))
            << k; // condition numbers up to 1e4
        sticking += P.norm() > 0.01;
    }
    EXPECT_GT(sticking, 90);
}

TEST(impact, no_law_gains_energy_in_a_million_random_impacts) {
    Rng rng{11, 0, 0};
    Real worst = -1e300;
    int outside = 0, approaching = 0;
    for (int k = 0; k < 1000000; ++k) {
        const Mat3 K = rod_matrix(draw_uniform(rng, 0.05, kPi - 0.05));
        const Vec3 u(draw_uniform(rng, -2, 2), draw_uniform(rng, -1, -0.01), draw_uniform(rng, -2, 2));
        const Real e = draw_uniform(rng), mu = std::pow(10.0, draw_uniform(rng, -1, 0.7));
        const ImpactLaw law = kLaws[k % kLaws.size()];
        const Vec3 P = compute_impact(law, K, Vec3::UnitY(), u, e, mu);
        worst = std::max(worst, impact_energy(K, u, P));
        if (law != ImpactLaw::sticking && std::hypot(P.x(), P.z()) > mu * P.y() + 1e-12) ++outside;
        if ((u + K * P).y() < -1e-12) ++approaching;
    }
    EXPECT_LE(worst, 1e-14); // energies are of size 1: round-off
    EXPECT_EQ(outside, 0);
    EXPECT_EQ(approaching, 0);
}

// Slender bodies in space, whose K couples slip and approach in all directions: friction along the first slip may gain energy even at e = 0.
TEST(impact, no_law_gains_energy_between_slender_bodies) {
    Rng rng{12, 0, 0};
    Real worst = -1e300;
    int outside = 0, approaching = 0;
    for (int k = 0; k < 500000; ++k) {
        Mat3 K = Mat3::Zero();
        for (int b = 0; b < 2; ++b) {
            const Mat3 R = quat(draw_rotation(rng)).toRotationMatrix();
            const Vec3 inverse(std::pow(10.0, draw_uniform(rng, 0, 2)), std::pow(10.0, draw_uniform(rng, 0, 2)), std::pow(10.0, draw_uniform(rng, 0, 2)));
            const Vec3 r = vec(draw_in_ball(rng));
            K += draw_uniform(rng, 0.1, 1) * (Mat3::Identity() - skew(r) * R * inverse.asDiagonal() * R.transpose() * skew(r));
        }
        const Vec3 u(draw_uniform(rng, -2, 2), draw_uniform(rng, -1, -0.01), draw_uniform(rng, -2, 2));
        const Real e = draw_uniform(rng), mu = std::pow(10.0, draw_uniform(rng, -1, 0.7));
        const ImpactLaw law = kLaws[k % kLaws.size()];
        const Vec3 P = compute_impact(law, K, Vec3::UnitY(), u, e, mu);
        worst = std::max(worst, impact_energy(K, u, P) / u.squaredNorm());
        if (law != ImpactLaw::sticking && std::hypot(P.x(), P.z()) > mu * P.y() + 1e-12) ++outside;
        if ((u + K * P).y() < -1e-12 * u.norm()) ++approaching;
    }
    EXPECT_LE(worst, 1e-12); // round-off of K up to 200
    EXPECT_EQ(outside, 0);
    EXPECT_EQ(approaching, 0);
}

// Spec P V24, all 16 pairs of restitution and friction: without the guard stick-then-slide gains energy as often, by as much, and sticks
// as often as the table says; Chatterjee and Ruina's law never gains, and Poisson's not in the plane.
TEST(impact, without_the_guard_stick_then_slide_gains_as_often_as_the_table_says) {
    struct Line {
        Real e, mu, gains, worst, sticks;
    };
    const Line table[] = {{0, 0.1, 0, 1, 0.032},        {0, 0.5, 0, 1, 0.175},           {0, 1, 0, 1, 0.366},           {0, 5, 0, 1, 0.705},
                          {0.5, 0.1, 0, 1, 0.049},      {0.5, 0.5, 0.0019, 1.171, 0.252}, {0.5, 1, 0, 1, 0.455},         {0.5, 5, 0, 1, 0.776},
                          {0.8, 0.1, 0, 1, 0.058},      {0.8, 0.5, 0.0133, 1.616, 0.284}, {0.8, 1, 0, 1, 0.492},         {0.8, 5, 0, 1, 0.808},
                          {1, 0.1, 0.0893, 1.291, 0.065}, {1, 0.5, 0.1153, 1.989, 0.309}, {1, 1, 0.1148, 1.562, 0.517},  {1, 5, 0.1141, 1.562, 0.826}};
    Rng rng{12, 0, 0};
    const int n = 100000;
    for (const Line& l : table) {
        int gains = 0, sticks = 0, gains_of_other = 0, outside = 0;
        Real worst = 0;
        for (int k = 0; k < n; ++k) {
            const Mat3 K = rod_matrix(draw_uniform(rng, 0.05, kPi - 0.05));
            const Vec3 u(draw_uniform(rng, -2, 2), draw_uniform(rng, -1, -0.01), 0);
            const Vec3 P = compute_impact(ImpactLaw::stick_slide, K, Vec3::UnitY(), u, l.e, l.mu, false);
            const Real before = 0.5 * u.dot(K.inverse() * u), gain = impact_energy(K, u, P) / before;
            gains += gain > 1e-9;
            worst = std::max(worst, 1 + gain);
            sticks += std::abs((u + K * P).x()) < 1e-9;
            for (ImpactLaw law : {ImpactLaw::chatterjee_ruina, ImpactLaw::poisson}) {
                const Vec3 other = compute_impact(law, K, Vec3::UnitY(), u, l.e, l.mu, false);
                gains_of_other += impact_energy(K, u, other) > 1e-12 * before;
                outside += std::hypot(other.x(), other.z()) > l.mu * other.y() + 1e-12 || (u + K * other).y() < -1e-12;
            }
        }
        EXPECT_NEAR(double(gains) / n, l.gains, 0.005) << l.e << " " << l.mu; // five standard deviations of 1e5 draws
        if (l.gains == 0) { EXPECT_EQ(gains, 0) << l.e << " " << l.mu; }
        if (l.gains > 0) { EXPECT_NEAR(worst, l.worst, 0.02) << l.e << " " << l.mu; } // an extreme of the sample
        EXPECT_NEAR(double(sticks) / n, l.sticks, 0.008) << l.e << " " << l.mu;
        EXPECT_EQ(gains_of_other, 0) << l.e << " " << l.mu;
        EXPECT_EQ(outside, 0) << l.e << " " << l.mu;
    }
}

// Rod of 1 kg at 45 degrees, K_xx = K_yy = 5/2, K_xy = -3/2 (1/kg), its tip at (u_x, -1): Poisson's law in numbers.
// Compression: without friction p = 2/5; dropped without slip and with much friction the tip sticks, K P = (0, 1): p = 5/8 and 3/8 across.
// Expansion by e p along y, held across by 3/5 e p: u_y' = e p (5/2 - 9/10) = 8/5 e p, which is e again. Fast and with mu = 3/10 it slides
// throughout: 1 = p (5/2 - 9/20), and e p pushes apart in the same ratio.
TEST(impact, the_law_of_poisson_multiplies_the_impulse_of_compression) {
    const Mat3 K = rod_matrix(kPi / 4);
    EXPECT_NEAR(K(0, 0), 2.5, 1e-15);
    EXPECT_NEAR(std::abs(K(0, 1)), 1.5, 1e-15);
    const Real across = K(0, 1) > 0 ? -1 : 1; // the way of friction
    struct Row {
        Real mu, slip, load, friction;
    };
    for (const Row& r : {Row{0, 0.7, 0.4, 0}, {2, 0, 0.625, 0.375}, {0.3, 3, 1 / 2.05, 0.3 / 2.05}})
        for (Real e : {0.0, 0.5, 1.0}) {
            const Vec3 P = compute_impact(ImpactLaw::poisson, K, Vec3::UnitY(), Vec3(-across * r.slip, -1, 0), e, r.mu, false);
            EXPECT_NEAR(P.y(), (1 + e) * r.load, 1e-14) << r.mu << " " << e;
            EXPECT_NEAR(P.x(), across * (1 + e) * r.friction, 1e-14) << r.mu << " " << e;
            EXPECT_NEAR((K * P).y() - 1, e, 1e-14) << r.mu << " " << e; // friction goes on as it was: impulses go with speeds
        }
}

// Where slip is stopped in compression, friction has another part in expansion, and e of impulses is not e of speeds: u = (1/2, -1) sticks by
// K P = -u, p = 7/16, and leaves with e p (K_yy - K_xy^2/K_xx) = 8/5 e p.
TEST(impact, the_law_of_poisson_differs_from_that_of_newton_where_sliding_and_approach_are_coupled) {
    const Mat3 K = rod_matrix(kPi / 4);
    const Vec3 u(K(0, 1) > 0 ? -0.5 : 0.5, -1, 0);
    const Real e = 0.5, load = 7.0 / 16;
    const Vec3 P = compute_impact(ImpactLaw::poisson, K, Vec3::UnitY(), u, e, 5, false);
    EXPECT_NEAR(P.y(), (1 + e) * load, 1e-14);
    EXPECT_NEAR((u + K * P).y(), e * load * 1.6, 1e-14); // 0.35, where Newton's law has 0.5
    EXPECT_NEAR((u + K * P).x(), 0, 1e-14);
    const Vec3 newton = compute_impact(ImpactLaw::stick_slide, K, Vec3::UnitY(), u, e, 5, false);
    EXPECT_NEAR((u + K * newton).y(), e, 1e-14);
}

TEST(impact, separating_bodies_exchange_nothing) {
    for (ImpactLaw law : kLaws)
        EXPECT_EQ(compute_impact(law, Mat3::Identity(), Vec3::UnitY(), Vec3(1, 0.1, 0), 0.5, 0.5), Vec3(Vec3::Zero()));
}
