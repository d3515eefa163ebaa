// Fast trees by default: velocity terms do no work, momenta stay, and nothing blows up however far a link turns in a step.
#include "allocation_counter.h"
#include "articulated_run.h"
#include "core/math.h"
#include "solver/articulated_drift.h"
#include "solver/articulated_state.h"
#include <cmath>

namespace sinew {
namespace {

Real link_energy(const ArticulatedRun& r) {
    Real e = 0;
    for (const Link& l : r.forest.links) {
        const Vec3 w = quat(r.now.frame.q[l.frame]).conjugate() * vec(r.now.frame.w[l.frame]);
        e += 0.5 * l.mass * vec(r.now.frame.v[l.frame]).squaredNorm() + 0.5 * w.dot(l.inertia * w);
    }
    return e;
}

// rods of 1 m on hinges about z whose ends turn against each other by `turn` in a step of 1 s, without gravity
ArticulatedRun turning_rods(Real turn, const char* name = "symplectic_euler", int steps = 1) {
    Forest f = hanging_chain(2, JointType::revolute, 1.0 / 12);
    f.links[1].a.at = Vec3(0, -0.5, 0);
    for (Link& l : f.links) l.b.at = Vec3(0, 0.5, 0);
    return {f, {0.3, 0.9}, {0.75 * turn / steps, -turn / steps}, scheme(name), false};
}

// `count` double pendulums, each on a base of its own (the last two on one), all turning; speeds at the end of the free motion and the way there
struct DriftEnds {
    std::vector<Real> qd, way;
    long allocations = 0; // on the way
};
DriftEnds drift_on_bases(int first, int count, bool alone) {
    Forest f;
    for (int t = 0; t < count; ++t) {
        const Forest one = hanging_chain(2, JointType::revolute, 1.0 / 12);
        for (Link l : one.links) {
            l.tree = t;
            if (l.parent < 0) l.base = alone ? 0 : std::min(t, count - 2);
            if (l.parent >= 0) l.parent += 2 * t;
            f.links.push_back(l);
        }
    }
    EXPECT_TRUE(finish_forest(f));
    const int bases = alone ? 1 : count - 1;
    f.base_frames.resize(bases);
    ForestState s;
    resize_state(f, s);
    s.bases.resize(bases);
    for (int i = 0; i < bases; ++i) {
        const Real k = first + i;
        s.bases[i].p = Vec3(k, 0.1 * k, 0);
        s.bases[i].v << 0.2, 0.01 * k, -0.1, 0.3, 0.5 + 0.1 * k, 0.7;
    }
    for (int i = 0; i < f.q_count; ++i) s.q[i] = 0.3 + 0.1 * (i % 2), s.qd[i] = 1 - 2.5 * (i % 2);
    DriftScratch d;
    resize_drift(f, d);
    DriftEnds out{std::vector<Real>(f.v_count), std::vector<Real>(f.v_count)};
    for (int t = 0; t < count; ++t) {
        compute_positions(f, f.trees[t], s.bases, s.q.data(), s.motion.data());
        compute_velocities(f, f.trees[t], s.bases, s.q.data(), s.qd.data(), s.motion.data());
        EXPECT_EQ(factor_inertia(f, f.trees[t], s.motion.data(), nullptr, s.factor.data()), -1);
    }
    const long before = allocation_count();
    for (int t = 0; t < count; ++t) EXPECT_EQ(drift_tree(f, t, s, 0.1, s.qd, d, out.qd, out.way), -1);
    out.allocations = allocation_count() - before;
    return out;
}

TEST(articulated_drift, the_way_between_coordinates_is_the_inverse_of_moving_along_it) {
    Rng rng{11, 2, 0};
    for (int k = 0; k < 8; ++k) {
        const JointType kind = JointType(k);
        std::array<Real, 7> q{}, to{};
        std::array<Real, 6> d{}, found{};
        set_zero(kind, q.data());
        for (Real& x : d) x = draw_uniform(rng, -1.5, 1.5);
        retract_joint(kind, q.data(), d.data(), to.data());
        q = to;
        for (Real& x : d) x = draw_uniform(rng, -1.5, 1.5); // less than half a turn
        retract_joint(kind, q.data(), d.data(), to.data());
        tangent_to(kind, q.data(), to.data(), found.data());
        for (int i = 0; i < speed_count(kind); ++i) EXPECT_NEAR(found[i], d[i], 1e-13) << k;
    }
}

// Explicit velocity terms gained 1 % at 0.02 rad, 20 % at 0.1, and blew up from 0.5 on.
TEST(articulated_drift, a_pinned_double_pendulum_keeps_its_energy_however_far_it_turns_in_a_step) {
    for (const Real turn : {0.00005, 0.005, 0.02, 0.1, 0.5, 2.0, 10.0}) {
        ArticulatedRun r = turning_rods(turn);
        const Real start = link_energy(r);
        Real worst = 0;
        for (int i = 0; i < 600; ++i) {
            r.step(1);
            worst = std::max(worst, std::abs(link_energy(r) - start) / start);
        }
        // slow trees: to and fro by the turn per step; all others: rounding
        EXPECT_LT(worst, turn < 1e-4 ? turn : 1e-11) << turn;
        EXPECT_TRUE(r.report.warnings.empty()) << turn;
    }
}

// Nothing turns it about its pin: what scaling the speeds takes from that is of the order of the scheme.
TEST(articulated_drift, a_pinned_double_pendulum_keeps_its_angular_momentum_to_the_order_of_the_scheme) {
    const std::array<std::array<Real, 2>, 5> bounds{{{0.005, 1e-5}, {0.02, 1e-4}, {0.1, 1e-3}, {0.5, 1e-2}, {2, 0.2}}};
    for (const auto& [turn, most] : bounds) {
        ArticulatedRun r = turning_rods(turn);
        const Real start = r.angular_momentum().z();
        r.steps(600, 1);
        EXPECT_NEAR(r.angular_momentum().z(), start, most * std::abs(start)) << turn;
    }
}

TEST(articulated_drift, free_motion_is_of_order_four) {
    const auto ends = [](int steps) {
        ArticulatedRun r = turning_rods(8, "symplectic_euler", steps);
        r.steps(steps, 1);
        return Vec3(r.q(0), r.q(1), 0);
    };
    ArticulatedRun fine = turning_rods(8, "rk4", 4000);
    fine.steps(4000, 1);
    const Vec3 exact(fine.q(0), fine.q(1), 0);
    // 0.07 and 0.03 rad per step, neither cut into parts: 4, and more with the energy kept
    EXPECT_LT((ends(120) - exact).norm(), 1e-5);
    EXPECT_GT(std::log2((ends(120) - exact).norm() / (ends(240) - exact).norm()), 3.6);
}

TEST(articulated_drift, random_pinned_trees_keep_their_energy) {
    for (int seed = 0; seed < 20; ++seed)
        for (const Real turn : {0.02, 0.3, 3.0}) {
            const TreeSample s = make_sample(900 + seed, 5, seed % 2 ? JointType::ball : JointType::revolute);
            ArticulatedRun r(s.forest, s.q, s.qd, scheme("symplectic_euler"), false);
            Real spin = 0;
            for (const Link& l : r.forest.links) spin = std::max(spin, vec(r.now.frame.w[l.frame]).norm());
            const Real start = link_energy(r);
            for (int i = 0; i < 100; ++i) r.step(turn / spin);
            EXPECT_NEAR(link_energy(r), start, 1e-10 * start) << seed << ", " << turn;
        }
}

// Energy as well as momenta, as long as there is a motion in itself that could make up for it; from 4 rad on it blew up.
TEST(articulated_drift, floating_trees_keep_momenta_to_rounding_and_never_gain_energy) {
    for (int seed = 0; seed < 10; ++seed)
        for (const Real turn : {0.02, 0.3, 1.0, 5.0, 10.0}) {
            TreeSample s = make_sample(500 + seed, 4, JointType::free);
            s.forest.links[0].a = s.forest.links[0].b = {};
            ArticulatedRun r(s.forest, s.q, s.qd, scheme("symplectic_euler"), false);
            Real spin = 0;
            for (const Link& l : r.forest.links) spin = std::max(spin, vec(r.now.frame.w[l.frame]).norm());
            const Real start = link_energy(r);
            const Vec3 linear = r.momentum(), angular = r.angular_momentum();
            Real most = 0;
            for (int i = 0; i < 100; ++i) {
                r.step(turn / spin);
                most = std::max(most, link_energy(r));
            }
            // about the origin, from which it flies off
            const Real scale = linear.norm() + angular.norm() + linear.norm() * 100 * turn / spin;
            EXPECT_LT((r.momentum() - linear).norm(), 1e-12 * scale) << seed << ", " << turn;
            EXPECT_LT((r.angular_momentum() - angular).norm(), 1e-9 * scale) << seed << ", " << turn;
            EXPECT_LT(most, start * (1 + 1e-9)) << seed << ", " << turn;
        }
}

// two points on rods whose pin is carried round at 3 rad/s, half a metre from the axis: against short steps
TEST(articulated_drift, trees_on_a_turning_base_are_followed) {
    const auto ends = [](int steps) {
        Forest f = hanging_chain(2);
        f.base_frames = {0};
        f.links[0].base = 0;
        f.links[0].a.at = Vec3(0.5, 0, 0);
        ArticulatedRun r(f, {0.3, 0.9}, {0, 0}, scheme("symplectic_euler"), false);
        const Real h = 1.0 / steps;
        for (int i = 0; i < steps; ++i) {
            const Quat turn = exp_rotation(Vec3(0, 0, 3 * h * (i + 1)));
            r.input.targets = {{{0, 0}, {{0, 0, 0}, real4(turn)}}};
            r.step(h);
        }
        return r.p(1);
    };
    const Vec3 exact = ends(1000);
    EXPECT_LT((ends(10) - exact).norm(), 1e-3);  // 0.3 rad per step: order 4
    EXPECT_LT((ends(100) - exact).norm(), 3e-4); // 0.03 rad, less of the links themselves: order 2
}

TEST(articulated_drift, the_report_warns_of_links_that_turn_too_far_to_be_followed) {
    ArticulatedRun r = turning_rods(40);
    const Real start = link_energy(r);
    r.steps(20, 1);
    EXPECT_NEAR(link_energy(r), start, 1e-11 * start);
    ASSERT_EQ(r.report.warnings.size(), 1u);
    EXPECT_NE(r.report.warnings[0].find("shorter steps"), std::string::npos);
}

TEST(articulated_drift, same_bits_for_any_number_of_threads_and_resumed_runs) {
    Forest many;
    std::vector<Real> q, qd;
    for (int t = 0; t < 70; ++t) { // more trees than one chunk, from slow to fast
        const TreeSample s = make_sample(700 + t, 4, t % 2 ? JointType::free : JointType::revolute);
        const int first = int(many.links.size());
        for (Link l : s.forest.links) {
            l.tree = t;
            if (l.parent >= 0) l.parent += first;
            many.links.push_back(l);
        }
        q.insert(q.end(), s.q.begin(), s.q.end());
        for (const Real x : s.qd) qd.push_back(x * std::pow(10, 4.0 * t / 70 - 2));
    }
    ASSERT_TRUE(finish_forest(many));
    ArticulatedRun one(many, q, qd, scheme("symplectic_euler"), true, 1), three(many, q, qd, scheme("symplectic_euler"), true, 3);
    three.drop = true;
    one.steps(10, 0.01);
    three.steps(5, 0.01);
    ArticulatedRun resumed(many, q, qd, scheme("symplectic_euler"), true, 2);
    resumed.now = three.now;
    resumed.steps(5, 0.01);
    EXPECT_EQ(hash(one.now), hash(resumed.now));
}

// Each had a copy of all bases: n^2 of them.
TEST(articulated_drift, trees_on_bases_that_move_keep_their_own_base_alone) {
    SINEW_NEEDS_ALLOCATION_COUNT;
    EXPECT_EQ(drift_on_bases(0, 50, false).allocations, 0);
}
TEST(articulated_drift, trees_on_bases_that_move_go_as_each_would_alone) {
    const DriftEnds all = drift_on_bases(0, 7, false);
    for (int t = 0; t < 7; ++t) {
        const DriftEnds one = drift_on_bases(std::min(t, 5), 1, true);
        for (int i = 0; i < 2; ++i) {
            EXPECT_EQ(all.qd[2 * t + i], one.qd[i]) << t;
            EXPECT_EQ(all.way[2 * t + i], one.way[i]) << t;
        }
        EXPECT_NE(all.qd[2 * t], -1.0) << t;
    }
    EXPECT_NE(all.qd[0], all.qd[2]); // the bases turn differently
    EXPECT_EQ(all.qd[10], all.qd[12]); // the last two hang on one
}

} // namespace
} // namespace sinew
