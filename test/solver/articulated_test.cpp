// Motion in generalised coordinates against closed forms (spec P V18, V19, V21) and conservation laws.
#include "articulated_run.h"
#include "core/math.h"
#include <cmath>

namespace sinew {
namespace {

constexpr Real kG = 9.81;

Real agm(Real a, Real b) {
    while (std::abs(a - b) > 1e-15 * a) {
        const Real m = 0.5 * (a + b);
        b = std::sqrt(a * b), a = m;
    }
    return a;
}

// mean period from the first to the last downward crossing of zero, crossings interpolated by cubic Hermite
Real measure_period(ArticulatedRun& r, Real dt, int periods) {
    Real first = -1, last = -1;
    int count = -1;
    while (count < periods) {
        const Real q0 = r.q(0), v0 = r.qd(0), t0 = r.now.time;
        r.step(dt);
        const Real q1 = r.q(0), v1 = r.qd(0);
        if (!(q0 > 0 && q1 <= 0)) continue;
        Real s = q0 / (q0 - q1);
        for (int i = 0; i < 20; ++i) { // Newton on the Hermite cubic
            const Real h00 = (1 + 2 * s) * (1 - s) * (1 - s), h10 = s * (1 - s) * (1 - s), h01 = s * s * (3 - 2 * s),
                       h11 = s * s * (s - 1);
            const Real x = h00 * q0 + h10 * dt * v0 + h01 * q1 + h11 * dt * v1;
            const Real dx = 6 * s * (s - 1) * (q0 - q1) + dt * ((1 - s) * (1 - 3 * s) * v0 + s * (3 * s - 2) * v1);
            s -= x / dx;
        }
        last = t0 + s * dt;
        if (++count == 0) first = last;
    }
    return (last - first) / periods;
}

TEST(articulated_motion, a_pendulum_swings_with_the_period_of_the_elliptic_integral) {
    // T = 2 pi sqrt(l/g) / AGM(1, cos(theta/2)), spec P V18
    for (const Real degrees : {5.0, 30.0, 90.0, 150.0, 170.0}) {
        const Real angle = degrees * kPi / 180;
        ArticulatedRun r(hanging_chain(1), {angle}, {0}, scheme("rk4"));
        const Real exact = 2 * kPi * std::sqrt(1 / kG) / agm(1, std::cos(angle / 2));
        // rk4: (omega h)^5/120 per step gives a relative 1e-10 at h = 2 ms; near the top 170 degrees it grows by cosh
        EXPECT_NEAR(measure_period(r, 2e-3, 2), exact, 1e-7) << degrees;
    }
}

TEST(articulated_motion, symplectic_euler_has_the_mean_period_and_energy_error_of_the_table) {
    // spec P V18, V21: from 90 degrees for 10 s
    const Real steps[] = {0.01, 0.005, 0.001}, errors[] = {0.136, 0.068, 0.0135};
    for (int k = 0; k < 3; ++k) {
        ArticulatedRun r(hanging_chain(1), {kPi / 2}, {0}, scheme("symplectic_euler"));
        Real worst = 0;
        for (int i = 0; i < int(std::lround(10 / steps[k])); ++i) {
            r.step(steps[k]);
            worst = std::max(worst, std::abs(r.energy()));
        }
        EXPECT_NEAR(worst, errors[k], 0.01 * errors[k]); // three digits in the table
        EXPECT_NEAR(r.p(0).norm(), 1, 1e-15);            // no drift by construction
        ArticulatedRun again(hanging_chain(1), {kPi / 2}, {0}, scheme("symplectic_euler"));
        EXPECT_NEAR(measure_period(again, steps[k], 4), 2.3678419476, 20 * steps[k] * steps[k]); // order 2 in the mean
    }
}

TEST(articulated_motion, joint_force_at_the_bottom_is_the_tension) {
    // m g (1 + 2 (1 - cos theta0)), spec P V18
    const Real start = 60 * kPi / 180;
    ArticulatedRun r(hanging_chain(1), {start}, {0}, scheme("rk4"));
    do r.step(1e-4);
    while (r.q(0) > 0);
    std::vector<LinkMotion> motion(1);
    const Real q[] = {r.q(0)}, qd[] = {r.qd(0)};
    const Range all{0, 1};
    compute_positions(r.forest, all, {}, q, motion.data());
    compute_velocities(r.forest, all, {}, q, qd, motion.data());
    std::vector<LinkFactor> factor(1);
    ASSERT_EQ(factor_inertia(r.forest, all, motion.data(), nullptr, factor.data()), -1);
    Vec6 weight = Vec6::Zero(), a, joint;
    weight.y() = -kG;
    Real qdd, tau;
    compute_accelerations(r.forest, all, {}, motion.data(), factor.data(), nullptr, &weight, &qdd, &a);
    compute_joint_forces(r.forest, all, {}, motion.data(), &qdd, &weight, &tau, &joint);
    EXPECT_NEAR(joint.head<3>().norm(), 2 * kG, 1e-4); // passed the bottom by less than one step: angle 3e-4 rad
}

TEST(articulated_motion, a_free_particle_in_polar_coordinates_goes_straight) {
    // erratum X16: r = sqrt(2), theta = pi/4 after 1 s from r = 1 with theta' = 1 (spec P V19)
    Forest f;
    Link turn, slide;
    turn.kind = JointType::revolute, turn.mass = 0, turn.inertia.setZero();
    turn.a.axes = turn.b.axes = rotation_between(Vec3::UnitX(), Vec3::UnitZ());
    slide.parent = 0, slide.kind = JointType::prismatic, slide.inertia.setZero();
    f.links = {turn, slide};
    finish_forest(f);
    ArticulatedRun r(f, {0, 1}, {1, 0}, scheme("rk4"), false);
    r.steps(1000, 1e-3);
    EXPECT_NEAR(r.q(1), std::sqrt(2.0), 1e-12); // rk4: 1e-3^4 times derivatives of order one
    EXPECT_NEAR(r.q(0), kPi / 4, 1e-12);
    EXPECT_LT((r.p(1) - Vec3(1, 1, 0)).norm(), 1e-12);
}

// theta'' of two points of mass 1 on rods of length 1 (angles from the vertical, both absolute)
std::array<Real, 4> double_pendulum_rate(const std::array<Real, 4>& y) {
    const Real d = y[0] - y[1], c = std::cos(d), s = std::sin(d);
    // [2 c; c 1] theta'' = [-w2^2 s - 2 g sin a; w1^2 s - g sin b]
    const Real r0 = -y[3] * y[3] * s - 2 * kG * std::sin(y[0]), r1 = y[2] * y[2] * s - kG * std::sin(y[1]);
    const Real det = 2 - c * c;
    return {y[2], y[3], (r0 - c * r1) / det, (2 * r1 - c * r0) / det};
}
std::array<Real, 4> double_pendulum(std::array<Real, 4> y, Real time, int steps) {
    const Real h = time / steps;
    const auto add = [](std::array<Real, 4> a, const std::array<Real, 4>& b, Real f) {
        for (int i = 0; i < 4; ++i) a[i] += f * b[i];
        return a;
    };
    for (int i = 0; i < steps; ++i) {
        const auto k1 = double_pendulum_rate(y), k2 = double_pendulum_rate(add(y, k1, h / 2)),
                   k3 = double_pendulum_rate(add(y, k2, h / 2)), k4 = double_pendulum_rate(add(y, k3, h));
        for (int j = 0; j < 4; ++j) y[j] += h / 6 * (k1[j] + 2 * k2[j] + 2 * k3[j] + k4[j]);
    }
    return y;
}

TEST(articulated_motion, a_double_pendulum_follows_its_equations_with_the_order_of_the_scheme) {
    const std::array<Real, 4> start{2.0, 1.0, 0.5, -0.3}, exact = double_pendulum(start, 1, 20000);
    const auto error = [&](const char* name, int steps) {
        ArticulatedRun r(hanging_chain(2), {start[0], start[1] - start[0]}, {start[2], start[3] - start[2]}, scheme(name));
        r.steps(steps, 1.0 / steps);
        return std::abs(r.q(0) - exact[0]) + std::abs(r.q(0) + r.q(1) - exact[1]);
    };
    EXPECT_LT(error("rk4", 1000), 1e-9);
    // halving the step: 16 and 2 in the limit; what is left of the next order is within 10 %
    EXPECT_NEAR(std::log2(error("rk4", 200) / error("rk4", 400)), 4, 0.15);
    EXPECT_NEAR(std::log2(error("symplectic_euler", 4000) / error("symplectic_euler", 8000)), 1, 0.1);
}

TEST(articulated_motion, a_spherical_pendulum_circles_at_the_rate_of_its_cone) {
    // phi' = sqrt(g / (l cos theta)), for a ball joint
    const Real angle = 0.7, rate = std::sqrt(kG / std::cos(angle));
    Forest f = hanging_chain(1, JointType::ball);
    f.links[0].inertia = 1e-2 * Mat3::Identity(); // about the rod; alike in all directions it changes nothing here
    f.links[0].a.axes = f.links[0].b.axes = Quat::Identity();
    const Quat tilt = exp_rotation(Vec3(0, 0, angle));
    // spin about the vertical carries the rod round
    ArticulatedRun r(f, {tilt.w(), tilt.x(), tilt.y(), tilt.z()}, {0, rate, 0}, scheme("rk4"));
    const Real period = 2 * kPi / rate;
    const Vec3 start = r.p(0);
    r.steps(1000, period / 1000);
    EXPECT_LT((r.p(0) - start).norm(), 1e-8); // rk4 at 1000 steps per turn: (2 pi/1000)^4
    r.steps(500, period / 1000);
    EXPECT_LT((r.p(0) - Vec3(-start.x(), start.y(), -start.z())).norm(), 1e-8);
}

TEST(articulated_motion, energy_of_a_swinging_tree_is_kept_to_the_order_of_rk4) {
    const auto drift = [&](int steps) {
        const TreeSample s = make_sample(77, 6, JointType::revolute);
        ArticulatedRun r(s.forest, s.q, s.qd, scheme("rk4"));
        const Real before = r.energy();
        r.steps(steps, 0.5 / steps);
        return std::abs(r.energy() - before);
    };
    EXPECT_LT(drift(2000), 1e-7);
    EXPECT_GT(std::log2(drift(250) / drift(500)), 3.5); // order 4 or, in energy, 5
}

TEST(articulated_motion, a_floating_tree_keeps_linear_and_angular_momentum_to_rounding) {
    TreeSample s = make_sample(21, 9, JointType::free);
    s.forest.links[0].a = s.forest.links[0].b = {};
    for (int i = 6; i < s.forest.v_count; ++i) s.forest.springs[i] = {20, 0.1, 0.5, 0, 0}; // inside forces
    ArticulatedRun r(s.forest, s.q, s.qd, scheme("symplectic_euler"), false);
    const Vec3 linear = r.momentum(), angular = r.angular_momentum();
    r.steps(400, 5e-3);
    const Real scale = 1 + linear.norm() + angular.norm();
    EXPECT_LT((r.momentum() - linear).norm(), 1e-12 * scale); // 400 steps of rounding
    EXPECT_LT((r.angular_momentum() - angular).norm(), 1e-12 * scale);
}

TEST(articulated_motion, the_centre_of_a_falling_tree_moves_as_a_point_does) {
    TreeSample s = make_sample(22, 7, JointType::free);
    ArticulatedRun r(s.forest, s.q, s.qd, scheme("symplectic_euler"));
    const auto center = [&] {
        Vec3 sum = Vec3::Zero();
        Real mass = 0;
        for (std::size_t i = 0; i < r.forest.links.size(); ++i) sum += r.forest.links[i].mass * r.p(int(i)), mass += r.forest.links[i].mass;
        return Vec3(sum / mass);
    };
    Real mass = 0;
    for (const Link& l : r.forest.links) mass += l.mass;
    const Vec3 start = center(), v = r.momentum() / mass;
    const int n = 200;
    const Real h = 5e-3;
    r.steps(n, h);
    // symplectic Euler of a point: sum of h (v - k h g)
    const Vec3 exact = start + n * h * v - Vec3(0, kG * h * h * n * (n + 1) / 2, 0);
    EXPECT_LT((center() - exact).norm(), 1e-11);
}

TEST(articulated_motion, stiff_joint_springs_and_dampers_are_stable_and_reach_their_rest) {
    Forest f = hanging_chain(3, JointType::revolute, 0.01);
    for (JointSpring& s : f.springs) s = {1e7, 0.3, 1e4, 0, 0};
    ArticulatedRun r(f, {0, 0, 0}, {0, 0, 0}, scheme("symplectic_euler"));
    r.steps(300, 0.01);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(r.q(i), 0.3, 1e-5); // gravity's torque over the stiffness: 6 g/1e7
}

TEST(articulated_motion, a_moved_base_carries_and_accelerates_the_tree) {
    // a pendulum whose support starts to move at speed u swings up as if hit: energy 1/2 m u^2 in the moving frame
    Forest f = hanging_chain(1);
    f.base_frames = {0};
    f.links[0].base = 0;
    ArticulatedRun r(f, {0}, {0}, scheme("symplectic_euler"), false);
    const Real h = 1e-3, u = 0.5;
    for (int i = 0; i < 100; ++i) {
        r.input.targets = {{{0, 0}, {{u * h * (i + 1), 0, 0}, {}}}};
        r.step(h);
    }
    // without gravity the point keeps turning at -u/l in the moving frame: its joint moves, it stays where it is at first
    EXPECT_NEAR(r.qd(0), -u, 1e-12);
    EXPECT_NEAR(r.p(0).x(), u * 0.1 + std::sin(r.q(0)), 1e-12);
}

TEST(articulated_motion, edited_frames_are_taken_over) {
    ArticulatedRun r(hanging_chain(2, JointType::revolute, 0.1), {0.2, 0.1}, {0, 0}, scheme("symplectic_euler"));
    r.steps(5, 1e-3);
    // turn the whole pendulum by half a radian about z, as an edit between steps would
    const Quat turn = exp_rotation(Vec3(0, 0, 0.5));
    const Real before = r.q(0), second = r.q(1);
    for (int i = 0; i < 2; ++i) {
        const int f = r.forest.links[i].frame;
        r.now.frame.p[f] = real3(turn * vec(r.now.frame.p[f]));
        r.now.frame.q[f] = real4(turn * quat(r.now.frame.q[f]));
        r.now.frame.v[f] = r.now.frame.w[f] = {};
    }
    r.step(1e-6);
    EXPECT_NEAR(r.q(0), before + 0.5, 1e-9); // one microsecond of fall
    EXPECT_NEAR(r.q(1), second, 1e-9);
    EXPECT_NEAR(r.qd(0), 0, 1e-4);
}

TEST(articulated_motion, same_bits_for_any_number_of_threads_dropped_caches_and_resumed_runs) {
    for (const char* name : {"symplectic_euler", "rk4"}) {
        Forest many;
        std::vector<Real> q, qd;
        for (int t = 0; t < 70; ++t) { // more trees than one chunk
            const TreeSample s = make_sample(300 + t, 4, t % 2 ? JointType::free : JointType::revolute);
            const int first = int(many.links.size());
            for (Link l : s.forest.links) {
                l.tree = t;
                if (l.parent >= 0) l.parent += first;
                many.links.push_back(l);
            }
            q.insert(q.end(), s.q.begin(), s.q.end());
            qd.insert(qd.end(), s.qd.begin(), s.qd.end());
        }
        ASSERT_TRUE(finish_forest(many));
        ArticulatedRun one(many, q, qd, scheme(name), true, 1), three(many, q, qd, scheme(name), true, 3);
        three.drop = true;
        one.steps(10, 1e-3);
        three.steps(5, 1e-3);
        State saved = three.now;
        ArticulatedRun resumed(many, q, qd, scheme(name), true, 2);
        resumed.now = saved;
        resumed.steps(5, 1e-3);
        EXPECT_EQ(hash(one.now), hash(resumed.now));
    }
}

} // namespace
} // namespace sinew
