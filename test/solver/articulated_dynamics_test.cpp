// Articulated-body algorithm against its oracles: finite differences of forward kinematics, the dense mass matrix,
// inverse dynamics, and the same tree in maximal coordinates with multipliers.
#include "articulated_fixture.h"
#include "dense.h"
#include "solver/articulated_kkt.h"
#include <gtest/gtest.h>

namespace sinew {
namespace {

constexpr JointType kRoots[] = {JointType::free, JointType::revolute, JointType::universal, JointType::weld,
                                JointType::planar, JointType::ball, JointType::cylindrical, JointType::prismatic};

std::vector<TreeSample> samples() {
    std::vector<TreeSample> out;
    for (int i = 0; i < 24; ++i) out.push_back(make_sample(100 + i, 1 + 2 * (i % 8), kRoots[i % 8], i % 3 == 1));
    return out;
}

TEST(articulated, coordinates_and_subspace_of_every_joint_agree_with_finite_differences) {
    const Real h = 1e-6;
    for (int kind = 0; kind < 8; ++kind) {
        for (int i = 0; i < 20; ++i) {
            const TreeSample s = make_sample(1000 * kind + i, 1, JointType(kind));
            JointSubspace sub;
            joint_subspace(JointType(kind), s.q.data(), sub);
            Quat r0, r1;
            Vec3 t0, t1;
            for (int k = 0; k < s.forest.v_count; ++k) {
                std::vector<Real> d(s.forest.v_count, 0.0);
                d[k] = 1;
                const auto a = s.moved(d, -h), b = s.moved(d, h);
                joint_pose(JointType(kind), a.data(), r0, t0);
                joint_pose(JointType(kind), b.data(), r1, t1);
                // central difference: rounding 1e-16/1e-6 and truncation 1e-12
                EXPECT_LT((log_rotation(r1 * r0.conjugate()) / (2 * h) - sub.e.col(k)).norm(), 1e-8);
                EXPECT_LT(((t1 - t0) / (2 * h) - sub.t.col(k)).norm(), 1e-8);
            }
        }
    }
}

TEST(articulated, joint_coordinates_are_found_again_from_poses) {
    for (int kind = 0; kind < 8; ++kind)
        for (int i = 0; i < 20; ++i) {
            const TreeSample s = make_sample(2000 * kind + i, 1, JointType(kind));
            Quat r;
            Vec3 t;
            joint_pose(JointType(kind), s.q.data(), r, t);
            std::vector<Real> q = s.q;
            // a guess within half a turn chooses the same number of turns
            for (Real& x : q) x += 0.3;
            fit_joint(JointType(kind), r, t, q.data());
            for (std::size_t k = 0; k < q.size(); ++k) EXPECT_NEAR(q[k], s.q[k], 1e-14) << kind;
        }
    Real turns = 4 * kPi + 0.2; // two whole turns are kept
    fit_joint(JointType::revolute, exp_rotation(Vec3(0.3, 0, 0)), Vec3::Zero(), &turns);
    EXPECT_NEAR(turns, 4 * kPi + 0.3, 1e-14);
}

TEST(articulated, velocities_are_the_rates_of_positions_on_a_moving_base) {
    const Real h = 1e-6;
    for (const TreeSample& s : samples()) {
        TreeSample a = s, b = s;
        a.q = s.moved(s.qd, -h), b.q = s.moved(s.qd, h);
        for (std::size_t i = 0; i < s.bases.size(); ++i)
            for (auto [t, side] : {std::pair{-h, &a}, std::pair{h, &b}}) {
                side->bases[i].p += t * s.bases[i].v.head<3>();
                side->bases[i].q = exp_rotation(t * s.bases[i].v.tail<3>()) * s.bases[i].q;
            }
        a.refresh(), b.refresh();
        for (std::size_t i = 0; i < s.motion.size(); ++i) {
            Vec6 rate;
            rate << (b.motion[i].p - a.motion[i].p) / (2 * h),
                log_rotation(b.motion[i].q * a.motion[i].q.conjugate()) / (2 * h);
            // truncation h^2 times third derivatives (speeds 2 /s through up to 15 links: 1e4), rounding 1e-10 times lengths
            EXPECT_LT((rate - s.motion[i].v).norm(), 1e-7 * (1 + s.motion[i].v.norm()));
        }
    }
}

TEST(articulated, accelerations_are_the_rates_of_velocities) {
    const Real h = 1e-6;
    for (const TreeSample& s : samples()) {
        TreeSample a = s, b = s;
        std::vector<Real> qdd(s.forest.v_count);
        std::vector<Vec6> acc(s.motion.size());
        ASSERT_EQ(factor_inertia(s.forest, s.links(), s.motion.data(), nullptr, a.factor.data()), -1);
        compute_accelerations(s.forest, s.links(), s.bases, s.motion.data(), a.factor.data(), s.tau.data(), s.force.data(),
                              qdd.data(), acc.data());
        a.q = s.moved(s.qd, -h), b.q = s.moved(s.qd, h);
        for (int i = 0; i < s.forest.v_count; ++i) a.qd[i] -= h * qdd[i], b.qd[i] += h * qdd[i];
        for (std::size_t i = 0; i < s.bases.size(); ++i)
            for (auto [t, side] : {std::pair{-h, &a}, std::pair{h, &b}}) {
                side->bases[i].p += t * s.bases[i].v.head<3>();
                side->bases[i].q = exp_rotation(t * s.bases[i].v.tail<3>()) * s.bases[i].q;
                side->bases[i].v += t * s.bases[i].a;
            }
        a.refresh(), b.refresh();
        for (std::size_t i = 0; i < s.motion.size(); ++i) // as above, one derivative more
            EXPECT_LT(((b.motion[i].v - a.motion[i].v) / (2 * h) - acc[i]).norm(), 1e-6 * (1 + acc[i].norm()));
    }
}

TEST(articulated, forward_dynamics_equals_dense_mass_matrix_and_inverse_dynamics) {
    for (TreeSample s : samples()) {
        const int n = s.forest.v_count;
        for (int i = 0; i < n; ++i) s.forest.springs[i].armature = 0.1 * (i % 3);
        std::vector<Real> armature(n), qdd(n), bias(n), back(n), zero(n, 0.0);
        for (int i = 0; i < n; ++i) armature[i] = s.forest.springs[i].armature;
        std::vector<Vec6> acc(s.motion.size()), joint(s.motion.size());
        ASSERT_EQ(factor_inertia(s.forest, s.links(), s.motion.data(), armature.data(), s.factor.data()), -1);
        compute_accelerations(s.forest, s.links(), s.bases, s.motion.data(), s.factor.data(), s.tau.data(), s.force.data(),
                              qdd.data(), acc.data());
        // H q'' = tau - bias with the dense matrix; 1e-12 is rounding times the matrix's condition (up to 1e4 here)
        std::vector<Real> h(n * n);
        std::vector<Mat6> composite;
        compute_mass_matrix(s.forest, s.links(), s.motion.data(), h, composite);
        compute_joint_forces(s.forest, s.links(), s.bases, s.motion.data(), zero.data(), s.force.data(), bias.data(),
                             joint.data());
        const Eigen::Map<const MatX> H(h.data(), n, n);
        const Eigen::Map<const VecX> tau(s.tau.data(), n), b(bias.data(), n), a(qdd.data(), n);
        const VecX right = tau - b, dense = solve_definite(H, right);
        EXPECT_LT((dense - a).norm(), 1e-11 * (1 + a.norm()));
        EXPECT_LT((H * a - right).norm(), 1e-11 * (1 + right.norm() + H.norm() * a.norm()));
        compute_joint_forces(s.forest, s.links(), s.bases, s.motion.data(), qdd.data(), s.force.data(), back.data(),
                             joint.data());
        EXPECT_LT((Eigen::Map<const VecX>(back.data(), n) - tau).norm(), 1e-11 * (1 + H.norm() * a.norm()));
    }
}

TEST(articulated, mass_matrix_is_the_kinetic_energy_of_the_links) {
    // T = 1/2 q'^T (J^T M J) q' on a base at rest, spec P125
    for (int i = 0; i < 8; ++i) {
        const TreeSample s = make_sample(400 + i, 8, kRoots[i]);
        const int n = s.forest.v_count;
        std::vector<Real> h(n * n);
        std::vector<Mat6> composite;
        compute_mass_matrix(s.forest, s.links(), s.motion.data(), h, composite);
        const Eigen::Map<const VecX> v(s.qd.data(), n);
        const Real energy = 0.5 * v.dot(Eigen::Map<const MatX>(h.data(), n, n) * v);
        EXPECT_NEAR(energy, kinetic_energy(s.forest, s.links(), s.motion.data()), 1e-13 * energy);
    }
}

TEST(articulated, generalised_force_is_the_virtual_work_of_a_force_on_a_link) {
    // G_k = F . dx/dq_k, spec P126: against finite differences of the position
    const Real step = 1e-6;
    for (int i = 0; i < 8; ++i) {
        const TreeSample s = make_sample(500 + i, 6, kRoots[i]);
        const int n = s.forest.v_count, link = 5;
        std::vector<Real> g(n, 0.0);
        add_generalised(s.forest, s.motion.data(), link, s.force[link], g.data());
        for (int k = 0; k < n; ++k) {
            std::vector<Real> d(n, 0.0);
            d[k] = 1;
            TreeSample a = s, b = s;
            a.q = s.moved(d, -step), b.q = s.moved(d, step);
            a.refresh(), b.refresh();
            const Vec3 way = (b.motion[link].p - a.motion[link].p) / (2 * step);
            const Vec3 turn = log_rotation(b.motion[link].q * a.motion[link].q.conjugate()) / (2 * step);
            EXPECT_NEAR(g[k], s.force[link].head<3>().dot(way) + s.force[link].tail<3>().dot(turn), 1e-7);
        }
    }
}

TEST(articulated, reduced_and_maximal_coordinates_give_the_same_accelerations_and_joint_forces) {
    for (TreeSample s : samples()) {
        const int n = int(s.motion.size());
        std::vector<Real> qdd(s.forest.v_count), zero(s.forest.v_count, 0.0), tau(s.forest.v_count);
        std::vector<Vec6> acc(n), maximal(n), joint(n), through(n);
        ASSERT_EQ(factor_inertia(s.forest, s.links(), s.motion.data(), nullptr, s.factor.data()), -1);
        compute_accelerations(s.forest, s.links(), s.bases, s.motion.data(), s.factor.data(), zero.data(), s.force.data(),
                              qdd.data(), acc.data());
        MaximalTree t;
        ASSERT_TRUE(solve_maximal(s.forest, s.bases, s.motion, s.force, t, maximal, joint));
        compute_joint_forces(s.forest, s.links(), s.bases, s.motion.data(), qdd.data(), s.force.data(), tau.data(),
                             through.data());
        Real scale = 1;
        for (const Vec6& a : acc) scale = std::max(scale, a.norm());
        for (int i = 0; i < n; ++i) { // rounding times the condition of the saddle-point matrix
            EXPECT_LT((acc[i] - maximal[i]).norm(), 1e-10 * scale);
            EXPECT_LT((through[i] - joint[i]).norm(), 1e-10 * scale);
        }
    }
}

TEST(articulated, response_to_one_impulse_is_a_column_of_the_inverse_mass_matrix) {
    for (int i = 0; i < 16; ++i) {
        TreeSample s = make_sample(700 + i, 9, kRoots[i % 8]);
        const int n = s.forest.v_count, link = i % 9, joint_speeds = s.forest.links[link].v_count;
        std::vector<Real> h(n * n), g(n, 0.0), y(n, 0.0);
        std::vector<Mat6> composite;
        std::vector<Vec6> work(9);
        compute_mass_matrix(s.forest, s.links(), s.motion.data(), h, composite);
        ASSERT_EQ(factor_inertia(s.forest, s.links(), s.motion.data(), nullptr, s.factor.data()), -1);
        add_response(s.forest, s.links(), s.motion.data(), s.factor.data(), link, s.force[link], s.tau.data(), y.data(),
                     work.data());
        add_generalised(s.forest, s.motion.data(), link, s.force[link], g.data());
        for (int k = 0; k < joint_speeds; ++k) g[s.forest.links[link].v_begin + k] += s.tau[k];
        const VecX dense = solve_definite(Eigen::Map<const MatX>(h.data(), n, n), Eigen::Map<const VecX>(g.data(), n));
        EXPECT_LT((dense - Eigen::Map<const VecX>(y.data(), n)).norm(), 1e-11 * (1 + dense.norm()));
        // and the links' changes of velocity are those that the changed speeds make
        TreeSample moved = s;
        for (int k = 0; k < n; ++k) moved.qd[k] += y[k];
        moved.refresh();
        for (int k = 0; k < 9; ++k)
            EXPECT_LT((moved.motion[k].v - s.motion[k].v - work[k]).norm(), 1e-11 * (1 + work[k].norm()));
    }
}

TEST(articulated, forces_inside_a_floating_tree_change_no_momentum) {
    for (int i = 0; i < 8; ++i) {
        TreeSample s = make_sample(800 + i, 10, JointType::free);
        std::vector<Real> qdd(s.forest.v_count), tau = s.tau;
        for (int k = 0; k < 6; ++k) tau[k] = 0; // nothing pushes on the root from outside
        std::vector<Vec6> acc(s.motion.size());
        ASSERT_EQ(factor_inertia(s.forest, s.links(), s.motion.data(), nullptr, s.factor.data()), -1);
        compute_accelerations(s.forest, s.links(), s.bases, s.motion.data(), s.factor.data(), tau.data(), nullptr, qdd.data(),
                              acc.data());
        Vec3 linear = Vec3::Zero(), angular = Vec3::Zero(); // rates of change
        Real scale = 1;
        for (std::size_t k = 0; k < s.motion.size(); ++k) {
            const LinkMotion& m = s.motion[k];
            const Vec3 w = m.v.tail<3>(), a = acc[k].head<3>();
            linear += s.forest.links[k].mass * a;
            angular += s.forest.links[k].mass * m.p.cross(a) + m.inertia * acc[k].tail<3>() + w.cross(m.inertia * w);
            scale += acc[k].norm() * (1 + m.p.norm());
        }
        EXPECT_LT(linear.norm(), 1e-13 * scale);
        EXPECT_LT(angular.norm(), 1e-13 * scale);
    }
}

TEST(articulated, a_joint_without_inertia_is_named) {
    TreeSample s = make_sample(3, 3, JointType::revolute);
    s.forest.links[2].kind = JointType::revolute;
    s.forest.links[2].mass = 0;
    s.forest.links[2].inertia.setZero();
    finish_forest(s.forest);
    TreeSample t(s.forest, 5);
    EXPECT_EQ(factor_inertia(t.forest, t.links(), t.motion.data(), nullptr, t.factor.data()), 2);
}

} // namespace
} // namespace sinew
