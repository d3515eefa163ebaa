// Packed trees of ball joints (soft_tree.h): against a dense matrix, one instruction set against the other, and whole steps
// against the joints of the soft step one by one in double precision.
#include "constraint/joint_ball.h"
#include "constraint/list.h"
#include "core/random.h"
#include "core/simd.h"
#include "dense.h"
#include "energy/list.h"
#include "model/builder.h"
#include "solver/soft_joint.h"
#include "solver/velocity.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace sinew;

namespace {

// Trees of two shapes, `count` in all, so that batches are full, part full and of one lane; the first body of every third is held.
struct SoftForest {
    RowProblem q;
    Rows rows;
    std::vector<SoftJointGroup> groups;
    std::vector<int> place, begin{0}, tree;
    std::vector<Vec3> arm_a, arm_b;
    std::vector<SoftBody<float>> bodies;
    SoftTrees trees;
    ParallelPtr parallel = make_parallel({.threads = 1});
};

void add_random_body(SoftForest& f, bool held, Rng& rng) {
    f.q.x.push_back(draw_vec(rng, -1, 1));
    f.q.v.push_back(Vec3::Zero()), f.q.w.push_back(Vec3::Zero());
    f.q.inverse_mass.push_back(held ? 0 : draw_uniform(rng, 0.1, 2));
    const Mat3 m = Mat3::NullaryExpr([&] { return draw_uniform(rng, -1, 1); });
    f.q.inverse_inertia.push_back(held ? Mat3(Mat3::Zero()) : Mat3(m * m.transpose() + Mat3::Identity()));
    f.place.push_back(int(f.place.size()));
    SoftBody<float> b;
    for (int k = 0; k < 6; ++k) b.v[k] = held ? 0 : float(draw_uniform(rng, -1, 1));
    f.bodies.push_back(b);
}

void join_by_ball(SoftForest& f, int a, int b, bool swapped, Rng& rng) {
    const std::array<int, 2> sides{swapped ? b : a, swapped ? a : b};
    const int row = f.q.row_count();
    const RowGroup from = add_group(f.q, 3, sides); // C = x_b - x_a, whichever comes first
    f.arm_a.push_back(draw_vec(rng, -1, 1)), f.arm_b.push_back(draw_vec(rng, -1, 1));
    SoftJointGroup g;
    g.body_a = g.a = sides[0], g.body_b = g.b = sides[1];
    g.moves_a = f.q.inverse_mass[sides[0]] > 0, g.moves_b = f.q.inverse_mass[sides[1]] > 0;
    g.a_is_plus = swapped;
    g.group = int(f.q.groups.size()) - 1, g.source = int(f.groups.size());
    g.rows = 3;
    for (int k = 0; k < 3; ++k)
        for (int side = 0; side < 2; ++side) {
            const bool plus = (side == 1) != swapped;
            const Vec3& r = plus ? f.arm_b.back() : f.arm_a.back();
            f.q.jacobian[from.lever + 2 * k + side] = {(plus ? 1 : -1) * Vec3::Unit(k), (plus ? 1 : -1) * Vec3(r.cross(Vec3::Unit(k)))};
        }
    for (int k = 0; k < 3; ++k) {
        f.rows.c.push_back(draw_uniform(rng, -0.01, 0.01));
        f.q.impulse[row + k] = draw_uniform(rng, -1, 1);
    }
    f.rows.row_begin.push_back(int(f.rows.c.size()));
    f.groups.push_back(g);
}

SoftForest make_forest(int count) {
    SoftForest f;
    Rng rng{3};
    for (int n = 0; n < count; ++n) {
        const bool doll = n % 2 == 0;
        static constexpr int to_doll[] = {0, 0, 0, 2, 3, 0, 0, 6, 7}, to_chain[] = {0, 1, 2};
        const std::span<const int> to = doll ? std::span<const int>(to_doll) : std::span<const int>(to_chain);
        const int first = int(f.place.size());
        for (std::size_t k = 0; k <= to.size(); ++k) add_random_body(f, k == 0 && n % 3 == 0, rng);
        for (std::size_t k = 0; k < to.size(); ++k) {
            f.tree.push_back(int(f.groups.size()));
            join_by_ball(f, first + to[k], first + int(k) + 1, k % 2 == 1, rng);
        }
        f.begin.push_back(int(f.tree.size()));
    }
    plan_soft_trees(f.groups, f.begin, f.tree, f.trees);
    return f;
}

const SoftJointOptions kOptions{.substeps = 6, .h = 1.0 / 360, .pull = 0.3, .trace = 1e-5, .packs = true};

} // namespace

TEST(soft_tree, impulses_are_those_of_the_dense_matrix) {
    SoftForest f = make_forest(11);
    const int n = int(f.groups.size());
    pack_soft_trees(*f.parallel, kOptions, f.rows, f.groups, f.place, f.q, f.trees);
    refresh_soft_trees(*f.parallel, kOptions, f.bodies, f.trees);
    const int b = int(f.bodies.size());
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(3 * n, 6 * b), W = Eigen::MatrixXd::Zero(6 * b, 6 * b);
    Eigen::VectorXd u(6 * b), want(3 * n);
    for (int i = 0; i < b; ++i) {
        W.block<3, 3>(6 * i, 6 * i) = f.q.inverse_mass[i] * Mat3::Identity();
        W.block<3, 3>(6 * i + 3, 6 * i + 3) = f.q.inverse_inertia[i];
        for (int k = 0; k < 6; ++k) u[6 * i + k] = f.bodies[i].v[k];
    }
    for (int g = 0; g < n; ++g)
        for (int k = 0; k < 3; ++k)
            for (int side = 0; side < 2; ++side) {
                const Lever& j = f.q.jacobian[f.q.groups[g].lever + 2 * k + side];
                const int body = f.q.body[f.q.groups[g].side + side];
                J.block<1, 3>(3 * g + k, 6 * body) = j.linear.transpose();
                J.block<1, 3>(3 * g + k, 6 * body + 3) = j.angular.transpose();
            }
    for (int g = 0; g < n; ++g) { // h/2 k by the spins at the start
        const auto spin = [&](int side) { return Vec3(u.segment<3>(6 * f.q.body[f.q.groups[g].side + side] + 3)); };
        const bool swapped = f.groups[g].a_is_plus;
        const Vec3 wa = spin(swapped), wb = spin(!swapped);
        want.segment<3>(3 * g) = 0.5 * kOptions.h * (wb.cross(wb.cross(f.arm_b[g])) - wa.cross(wa.cross(f.arm_a[g])));
    }
    Eigen::MatrixXd K = J * W * J.transpose();
    const Eigen::VectorXd softness = kOptions.trace * K.diagonal();
    K.diagonal() += softness;
    const Eigen::VectorXd p = Eigen::Map<const Eigen::VectorXd>(f.q.impulse.data(), 3 * n) / kOptions.substeps;
    const Eigen::VectorXd C = Eigen::Map<const Eigen::VectorXd>(f.rows.c.data(), 3 * n);
    const Real gain = kOptions.pull / kOptions.h;
    const Eigen::VectorXd right = J * u + want + gain * C + softness.cwiseProduct(p), x = p - solve_definite(K, right);
    const Real error = solve_soft_trees(*f.parallel, gain, f.trees, f.bodies);
    EXPECT_NEAR(error, right.lpNorm<Eigen::Infinity>(), 1e-12);
    read_soft_trees(kOptions.substeps, f.groups, f.trees, f.q);
    // double precision throughout, with a condition of some 1e3
    for (int i = 0; i < 3 * n; ++i) EXPECT_NEAR(f.q.impulse[i] / kOptions.substeps, x[i], 1e-10);
    // velocities are single: 6e-8 of some metres per second
    const Eigen::VectorXd after = u + W * J.transpose() * (x - p);
    for (int i = 0; i < 6 * b; ++i) EXPECT_NEAR(f.bodies[i / 6].v[i % 6], after[i], 1e-6 * (1 + std::abs(after[i])));
    EXPECT_LT(solve_soft_trees(*f.parallel, gain, f.trees, f.bodies), 1e-5);
}

TEST(soft_tree, both_instruction_sets_give_the_same_bits) {
    if (!has_avx2()) GTEST_SKIP() << "no AVX2 here";
    SoftForest fast = make_forest(11), plain = make_forest(11);
    for (SoftForest* f : {&fast, &plain}) {
        pack_soft_trees(*f->parallel, kOptions, f->rows, f->groups, f->place, f->q, f->trees);
        f->trees.avx2 = f == &fast;
        for (int k = 0; k < 3; ++k) {
            refresh_soft_trees(*f->parallel, kOptions, f->bodies, f->trees);
            warm_start_soft_trees(*f->parallel, f->trees, f->bodies);
            solve_soft_trees(*f->parallel, kOptions.pull / kOptions.h, f->trees, f->bodies);
            for (SoftBody<float>& b : f->bodies)
                for (int i = 0; i < 6; ++i) b.d[i] += (i < 3 ? 0.01f : 0.5f) * b.v[i]; // turns of more than 1 rad too
        }
    }
    EXPECT_EQ(std::memcmp(fast.bodies.data(), plain.bodies.data(), fast.bodies.size() * sizeof fast.bodies[0]), 0);
}

TEST(soft_tree, steps_agree_with_joints_one_by_one_in_double) {
    const auto run = [](const std::string& precision) {
        ModelBuilder b;
        Rng rng{5};
        for (int n = 0; n < 7; ++n) {
            std::vector<int> frame;
            std::vector<Vec3> x;
            for (int k = 0; k < 6; ++k) {
                x.push_back(k == 0 ? Vec3(10 * n, 0, 0) : Vec3(x[k / 2] + draw_vec(rng, -1, 1)));
                begin_object(b, "b" + std::to_string(b.model.objects.size()), "body");
                b.model.objects.back().touches = 0;
                const Real i = draw_uniform(rng, 0.3, 1);
                frame.push_back(add_frame(b, {real3(x[k]), {1, 0, 0, 0}}, draw_uniform(rng, 1, 5), {i, 0, 0, 0, i, 0, 0, 0, 0.7 * i},
                                          k == 0 && n % 2 == 0 ? kFixed : kFree));
            }
            for (int k = 1; k < 6; ++k) {
                JointBall::Params p;
                const Vec3 at = 0.5 * (x[k / 2] + x[k]);
                p.anchor.local[0] = real3(at - x[k / 2]), p.anchor.local[1] = real3(at - x[k]);
                p.anchor.axes[0] = p.anchor.axes[1] = {1, 0, 0, 0};
                begin_object(b, "j" + std::to_string(b.model.objects.size()), "joint");
                add_constraint(b, *find_constraint("joint_ball"), &p, std::array<int, 2>{frame[k / 2], frame[k]});
            }
        }
        finish_model(b);
        for (std::size_t k = 0; k < b.state.frame.v.size(); ++k)
            if (b.model.frame.flags[k] == kFree) b.state.frame.w[k] = real3(draw_vec(rng, -3, 3));
        VelocitySettings s;
        s.method = "soft_step";
        s.precision = precision;
        s.substeps = 6;
        State now = b.state, next;
        const auto solver = make_velocity({.threads = 1}, b.model, now, &s);
        for (int k = 0; k < 10; ++k) {
            next = now;
            EXPECT_EQ(solver->step(b.model, {}, now, next, 1.0 / 60).status, Status::ok);
            std::swap(now, next);
        }
        return now;
    };
    const State one = run("single"), other = run("double");
    // rounding of single velocities, 6e-8 of 3 m/s, in 60 sub-steps of three solves each, and factors that hold within 1e-3 rad
    for (std::size_t k = 0; k < one.frame.p.size(); ++k) {
        EXPECT_LT((vec(one.frame.p[k]) - vec(other.frame.p[k])).norm(), 2e-5) << k;
        EXPECT_LT((vec(one.frame.v[k]) - vec(other.frame.v[k])).norm(), 2e-4) << k;
    }
}
