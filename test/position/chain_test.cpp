// Chains of links solved as a whole (solver/chain_plan.h): which they are, the local solve against a dense one, and what they do to
// the step: the same result in fewer sweeps.
#include "core/random.h"
#include "core/simd.h"
#include "dense.h"
#include "position/position_fixture.h"
#include "solver/position_problem.h"
#include <set>

using namespace sinew;

namespace {

struct Packed {
    State s;
    PositionProblem p;
    explicit Packed(const ModelBuilder& b, bool chains = true) : s(b.state) {
        p.chains = chains;
        refresh_masses(b.model, s, p);
        refresh_tables(b.model, p);
    }
    Sweep sweep(Real damping_time = 0) {
        Sweep w;
        w.to.x = s.point.x.data(), w.to.v = s.point.v.data(), w.to.point_inverse = p.point_inverse.data();
        w.h = 0.01, w.reach = 1e-4, w.kick = 0.01, w.relaxation = 0.9, w.damping_time = damping_time;
        return w;
    }
};

// bent at random by some degrees, of uneven masses and compliances
ModelBuilder make_bent_chain(int links, bool held) {
    ModelBuilder b;
    begin_object(b, "chain", "chain");
    Rng rng{3, 1, 0};
    std::vector<Real3> x;
    std::vector<Real> mass;
    Vec3 at = Vec3::Zero();
    for (int i = 0; i <= links; ++i) {
        x.push_back(real3(at)), mass.push_back(0.1 + 0.05 * (i % 3));
        at += Vec3(0.1, 0.04 * draw_uniform(rng) - 0.02, 0.04 * draw_uniform(rng) - 0.02);
    }
    add_points(b, x, mass);
    if (held) b.model.point.flags[0] = kFixed;
    for (int i = 0; i < links; ++i) { // half of them the other way round
        if (i % 2) add_link(b, i, i + 1, 1e-5 * (1 + i % 4));
        else add_link(b, i + 1, i, 1e-5 * (1 + i % 4));
    }
    finish_model(b);
    shake(b.model, b.state, 0.02);
    return b;
}

} // namespace

TEST(position_chain, a_sweep_solves_the_rows_of_a_chain_together) {
    const ParallelPtr parallel = make_parallel({.threads = 1});
    for (bool held : {true, false})
        for (Real rho : {0.0, 0.003}) {
            const int n = 13;
            const ModelBuilder b = make_bent_chain(n, held);
            Packed run(b);
            PositionPack& pack = run.p.tables[0].pack;
            ASSERT_EQ(pack.plan.run_begin.back(), n); // one run, of one chain
            std::vector<Real> lambda(n, 0);
            Packed plain(b);
            plain.p.tables[0].pack.avx2 = false;
            for (int k = 0; k < 3; ++k) {
                const Sweep w = run.sweep(rho);
                Eigen::MatrixXd J = Eigen::MatrixXd::Zero(n, 3 * n + 3);
                Eigen::VectorXd W(3 * n + 3), v(3 * n + 3), r(n), alpha(n);
                for (int i = 0; i <= n; ++i) W.segment<3>(3 * i).setConstant(run.p.point_inverse[i]), v.segment<3>(3 * i) = vec(run.s.point.v[i]);
                for (int i = 0; i < n; ++i) {
                    const Vec3 d = vec(run.s.point.x[i + 1]) - vec(run.s.point.x[i]), rest = vec(b.model.point.rest[i + 1]) - vec(b.model.point.rest[i]);
                    J.block<1, 3>(i, 3 * i) = -d.normalized().transpose(), J.block<1, 3>(i, 3 * i + 3) = d.normalized().transpose();
                    alpha[i] = 1e-5 * (1 + i % 4);
                    r[i] = d.norm() - rest.norm() + alpha[i] * lambda[i];
                }
                r += rho * (J * v);
                const Eigen::MatrixXd A = (w.reach + rho * w.kick) * (J * W.asDiagonal() * J.transpose()) + Eigen::MatrixXd(alpha.asDiagonal());
                const Eigen::VectorXd change = -w.relaxation * solve_dense(A, r), move = W.asDiagonal() * (J.transpose() * change);
                std::vector<Vec3> x, u;
                for (int i = 0; i <= n; ++i) {
                    x.push_back(vec(run.s.point.x[i]) + w.reach * move.segment<3>(3 * i));
                    u.push_back(vec(run.s.point.v[i]) + w.kick * move.segment<3>(3 * i));
                }
                project_pack(*parallel, w, true, k == 0, pack);
                project_pack(*parallel, plain.sweep(rho), true, k == 0, plain.p.tables[0].pack);
                for (int i = 0; i < n; ++i) lambda[i] += change[i];
                std::vector<Real> kept(n);
                store_multipliers(pack, kept);
                for (int i = 0; i < n; ++i) EXPECT_NEAR(kept[i], lambda[i], 1e-8 * (1 + std::abs(lambda[i])));
                for (int i = 0; i <= n; ++i) {
                    EXPECT_LT((vec(run.s.point.x[i]) - x[i]).norm(), 1e-12);
                    EXPECT_LT((vec(run.s.point.v[i]) - u[i]).norm(), 1e-10);
                }
            }
            EXPECT_EQ(hash(run.s), hash(plain.s)); // with and without AVX2
        }
}

TEST(position_chain, every_link_is_in_one_place_and_chains_of_a_phase_share_nothing_that_moves) {
    const ModelBuilder b = make_spring_cloth(40, 31);
    Packed run(b);
    const Table& t = *run.p.tables[0].table;
    const BatchPlan& plan = run.p.tables[0].pack.plan;
    std::set<int> seen;
    int count = 0;
    for (int e : plan.lane)
        if (e >= 0) seen.insert(e), ++count;
    EXPECT_EQ(int(seen.size()), count);
    std::set<int> moving;
    for (int e = 0; e < t.count(); ++e)
        if (run.p.point_inverse[t.stencil[2 * e]] + run.p.point_inverse[t.stencil[2 * e + 1]] > 0) moving.insert(e);
    EXPECT_EQ(seen, moving);
    EXPECT_GT(4 * plan.run_begin.back(), int(0.3 * count)); // rows and diagonals of two tables in turn break off what goes across
    const auto point = [&](int batch, int lane, int end) {
        const std::size_t at = std::size_t(batch) * kLanes + lane;
        return t.stencil[2 * std::size_t(plan.lane[at]) + (plan.flipped[at] ? 1 - end : end)];
    };
    for (std::size_t r = 0; r + 1 < plan.run_begin.size(); ++r)
        for (int k = plan.run_begin[r]; k < plan.run_begin[r + 1]; ++k) {
            EXPECT_GE(plan.lane[std::size_t(k) * kLanes], 0);
            for (int l = 0; l < kLanes && k > plan.run_begin[r]; ++l)
                EXPECT_TRUE(plan.lane[std::size_t(k) * kLanes + l] < 0 || point(k - 1, l, 1) == point(k, l, 0));
        }
    for (int phase = 0; phase < plan.phase_count(); ++phase) {
        std::set<int> others;
        for (int task = plan.phase_begin[phase]; task < plan.phase_begin[phase + 1]; ++task) {
            std::set<int> own;
            for (int i = plan.task_begin[task] * kLanes; i < plan.task_begin[task + 1] * kLanes; ++i)
                for (int k = 0; k < 2 && plan.lane[i] >= 0; ++k)
                    if (const int id = t.stencil[2 * std::size_t(plan.lane[i]) + k]; run.p.point_inverse[id] > 0) own.insert(id);
            for (int id : own) EXPECT_TRUE(others.insert(id).second);
        }
    }
}

// straight between two ends that are held and pulled: one chain would throw its points aside
TEST(position_chain, a_taut_thread_between_two_ends_stays_straight) {
    const int n = 60;
    ModelBuilder b = make_chain({1, 0, 0}, n, 0.1, 0.01, 0, 0);
    b.model.point.flags[n] = kFixed;
    finish_model(b);
    b.state.point.x[n].x += 0.05; // pulled by 0.8 %
    for (int i = 1; i < n; ++i) b.state.point.x[i].y = 1e-6 * std::sin(12.9898 * i);
    PositionRun run(b, {});
    Real aside = 0;
    for (int k = 0; k < 60; ++k) {
        run.step(1.0 / 60);
        for (int i = 1; i < n; ++i) aside = std::max(aside, std::abs(run.x(i).y()));
    }
    EXPECT_LT(aside, 1e-4);
}

TEST(position_chain, converged_steps_are_the_same_with_and_without) {
    ModelBuilder b = make_spring_cloth(9, 11);
    PositionSettings s = plain_settings();
    s.iterations = 3000;
    PositionRun with(b, s);
    s.chains = false;
    PositionRun without(b, s);
    with.steps(20, 5e-4), without.steps(20, 5e-4);
    Real moved = 0, differs = 0;
    for (int i = 0; i < point_count(b.model); ++i) {
        differs = std::max(differs, (with.x(i) - without.x(i)).norm());
        moved = std::max(moved, (with.x(i) - vec(b.state.point.x[i])).norm());
    }
    EXPECT_GT(moved, 1e-3);
    EXPECT_LT(differs, 2e-3 * moved); // directions turn on the way, as between any two orders: less with every shorter step
}

TEST(position_chain, a_hanging_thread_needs_one_sweep_where_links_need_hundreds) {
    const ModelBuilder b = make_chain(Vec3(1, -1, 0).normalized(), 100, 0.02, 1e-3, 1e-7, 9.81);
    const auto stretch = [&](bool chains, int iterations) {
        PositionSettings s;
        s.substeps = 10, s.iterations = iterations, s.chains = chains;
        PositionRun run(b, s);
        Real worst = 0;
        for (int k = 0; k < 60; ++k) {
            run.step(1.0 / 60);
            for (int i = 0; i < 100; ++i) worst = std::max(worst, std::abs((run.x(i + 1) - run.x(i)).norm() / 0.02 - 1));
        }
        return worst;
    };
    const Real one = stretch(true, 1), hundreds = stretch(false, 100);
    EXPECT_LT(one, hundreds);
    EXPECT_LT(one, 0.01);
}

// each link pushes its two points along the line between them: no sum of forces, and no torque about where they were
TEST(position_chain, no_change_has_a_resultant_or_a_torque) {
    const ModelBuilder b = make_bent_chain(17, false);
    Packed run(b);
    const ParallelPtr parallel = make_parallel({.threads = 1});
    for (int k = 0; k < 3; ++k) {
        const std::vector<Real3> x = run.s.point.x, v = run.s.point.v;
        project_pack(*parallel, run.sweep(0.002), true, k == 0, run.p.tables[0].pack);
        Vec3 sum = Vec3::Zero(), torque = Vec3::Zero();
        Real size = 0;
        for (int i = 0; i < point_count(b.model); ++i) {
            const Vec3 change = b.model.point.mass[i] * (vec(run.s.point.v[i]) - vec(v[i]));
            sum += change, torque += vec(x[i]).cross(change), size += change.norm();
        }
        EXPECT_GT(size, 1e-4);
        EXPECT_LT(sum.norm(), 1e-13 * size);
        EXPECT_LT(torque.norm(), 1e-13 * size);
    }
}

TEST(position_chain, a_run_goes_on_from_its_state_alone) {
    const ModelBuilder b = make_spring_cloth(20, 20);
    PositionRun whole(b, {});
    whole.steps(6, 0.01);
    PositionRun half(b, {});
    half.steps(3, 0.01);
    PositionRun rest(b, {});
    rest.now = half.now;
    rest.steps(3, 0.01);
    EXPECT_EQ(hash(rest.now), hash(whole.now));
}
