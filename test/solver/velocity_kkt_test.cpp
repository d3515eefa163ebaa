// Equality rows by the saddle-point matrix of velocities and impulses (velocity_kkt.h) against the Schur complement and the dense matrix.
#include "core/random.h"
#include "dense.h"
#include "model/stencil.h"
#include "solver/velocity_islands.h"
#include "solver/velocity_kkt.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

void add_kkt_body(RowProblem& q, Rng& rng, Real mass, const Vec3& x) {
    q.x.push_back(x);
    q.v.push_back(draw_vec(rng, -1, 1)), q.w.push_back(draw_vec(rng, -1, 1));
    q.inverse_mass.push_back(mass > 0 ? 1 / mass : 0);
    const Mat3 turn = exp_rotation(draw_vec(rng, -2, 2)).toRotationMatrix();
    q.inverse_inertia.push_back(mass > 0 ? Mat3(turn * (draw_vec(rng, 5, 20) / mass).asDiagonal() * turn.transpose()) : Mat3(Mat3::Zero()));
    if (mass == 0) q.v.back().setZero(), q.w.back().setZero();
}

// three rows of a ball joint; two more make a hinge
void add_kkt_joint(RowProblem& q, Rng& rng, int a, int b, bool hinge) {
    const Vec3 at = 0.5 * (q.x[a] + q.x[b]), axis = draw_vec(rng, -1, 1).normalized(), side = axis.unitOrthogonal();
    RowGroup& g = add_group(q, hinge ? 5 : 3, std::array<int, 2>{a, b});
    for (int k = 0; k < 3; ++k) {
        const Vec3 d = Vec3::Unit(k);
        q.jacobian[g.lever + 2 * k] = {d, (at - q.x[a]).cross(d)};
        q.jacobian[g.lever + 2 * k + 1] = {-d, -(at - q.x[b]).cross(d)};
    }
    for (int k = 3; k < g.rows; ++k) {
        const Vec3 d = k == 3 ? side : Vec3(axis.cross(side));
        q.jacobian[g.lever + 2 * k] = {Vec3::Zero(), d};
        q.jacobian[g.lever + 2 * k + 1] = {Vec3::Zero(), -d};
    }
    for (int k = 0; k < g.rows; ++k) q.bias[g.row + k] = draw_uniform(rng, -0.1, 0.1);
    build_response(q, g);
}

struct KktCase {
    const char* name;
    bool tree;
    RowProblem q;
};
std::vector<KktCase> kkt_cases() {
    Rng rng{41, 0, 0};
    const auto mass = [&] { return std::pow(10.0, draw_uniform(rng, -1, 1)); };
    const auto held = [&] {
        RowProblem q;
        q.dt = 0.01;
        add_kkt_body(q, rng, 0, Vec3::Zero());
        return q;
    };
    std::vector<KktCase> out;
    RowProblem chain = held();
    for (int k = 1; k <= 20; ++k) add_kkt_body(chain, rng, mass(), Vec3(k, 0.3 * draw_uniform(rng), 0)), add_kkt_joint(chain, rng, k, k - 1, k % 3 == 0);
    out.push_back({"chain that hangs", true, chain});
    RowProblem tree = held();
    for (int k = 1; k <= 20; ++k) {
        add_kkt_body(tree, rng, mass(), draw_vec(rng, -2, 2));
        if (k > 1) add_kkt_joint(tree, rng, k, 1 + draw_int(rng, k - 1), k % 2 == 0);
    }
    out.push_back({"free tree", true, tree});
    RowProblem soft = out[0].q;
    for (Real& s : soft.softness) s = draw_uniform(rng, 0, 0.1);
    out.push_back({"soft chain", true, soft});
    RowProblem bridge = chain;
    add_kkt_joint(bridge, rng, 20, 0, false);
    out.push_back({"chain held at both ends", false, bridge});
    RowProblem loop = tree;
    add_kkt_joint(loop, rng, 20, 1, false);
    out.push_back({"tree with a loop", false, loop});
    return out;
}

} // namespace

// Both forms of the same equations: velocities and impulses agree to round-off times condition, masses of 1:100 in 20 bodies; rows end at
// zero, and velocities are those of the impulses.
TEST(velocity_kkt, agrees_with_the_schur_complement_on_a_chain_a_tree_and_a_loop) {
    for (const KktCase& c : kkt_cases()) {
        RowProblem schur = c.q, kkt = c.q;
        Islands islands;
        build_islands(schur, islands);
        ASSERT_EQ(islands.count(), 1) << c.name;
        const SolveScratchPtr scratch = make_solve_scratch();
        SolveOptions o;
        solve_direct(o, islands.view(0), *scratch, schur);
        KktScratch s;
        EXPECT_EQ(build_kkt_tree(islands.view(0), kkt, s), c.tree) << c.name;
        SolveResult out;
        ASSERT_TRUE(solve_equalities_kkt(o, islands.view(0), s, kkt, out)) << c.name;
        EXPECT_LT(out.residual, 1e-11) << c.name;
        EXPECT_LE(out.iterations, 3) << c.name;
        Real most = 0, p_most = 0;
        for (std::size_t b = 0; b < kkt.v.size(); ++b) most = std::max({most, (kkt.v[b] - schur.v[b]).norm(), (kkt.w[b] - schur.w[b]).norm()});
        EXPECT_LT(most, 1e-9) << c.name;
        for (std::size_t r = 0; r < kkt.impulse.size(); ++r) p_most = std::max(p_most, std::abs(kkt.impulse[r] - schur.impulse[r]));
        EXPECT_LT(p_most, 1e-8) << c.name;
        // the option of the direct method is the same
        RowProblem third = c.q;
        o.kkt = true;
        solve_direct(o, islands.view(0), *scratch, third);
        EXPECT_EQ(third.impulse, kkt.impulse) << c.name;
    }
}

// The dense matrix with nothing eliminated, solved at once.
TEST(velocity_kkt, solves_the_dense_saddle_point_problem) {
    for (const KktCase& c : kkt_cases()) {
        RowProblem q = c.q;
        const int n = 6 * (q.body_count() - 1), rows = q.row_count(); // body 0 is held
        MatX a = MatX::Zero(n + rows, n + rows);
        VecX right = VecX::Zero(n + rows);
        for (int b = 1; b < q.body_count(); ++b) {
            a.block<3, 3>(6 * b - 6, 6 * b - 6) = Mat3::Identity() / q.inverse_mass[b];
            a.block<3, 3>(6 * b - 3, 6 * b - 3) = invert_dense(q.inverse_inertia[b]);
        }
        for (const RowGroup& g : q.groups)
            for (int k = 0; k < g.rows; ++k) {
                const int r = n + g.row + k;
                for (int side = 0; side < g.sides; ++side) {
                    const int b = q.body[g.side + side];
                    if (b == 0) continue;
                    const Lever& j = q.jacobian[g.lever + k * g.sides + side];
                    a.block<1, 3>(r, 6 * b - 6) = -j.linear.transpose(), a.block<1, 3>(r, 6 * b - 3) = -j.angular.transpose();
                }
                a(r, r) = -q.softness[g.row + k];
                right[r] = row_residual(q, g, k);
            }
        a.topRightCorner(n, rows) = a.bottomLeftCorner(rows, n).transpose();
        const VecX x = solve_dense(a, right);
        Islands islands;
        build_islands(q, islands);
        KktScratch s;
        SolveResult out;
        ASSERT_TRUE(solve_equalities_kkt({}, islands.view(0), s, q, out)) << c.name;
        for (int b = 1; b < q.body_count(); ++b) {
            EXPECT_LT((q.v[b] - c.q.v[b] - x.segment<3>(6 * b - 6)).norm(), 1e-9) << c.name;
            EXPECT_LT((q.w[b] - c.q.w[b] - x.segment<3>(6 * b - 3)).norm(), 1e-9) << c.name;
        }
        for (int r = 0; r < rows; ++r) EXPECT_NEAR(q.impulse[r], x[n + r], 1e-8) << c.name;
    }
}

// Velocities that the pseudo-inverse gives:  v - W J^T (J W J^T)^+ (J v + bias).  Of rows that agree with each other they are unique, whatever
// impulses share the load.
static VecX pseudo_inverse_velocities(const RowProblem& q) {
    const int n = 6 * q.body_count(), rows = q.row_count();
    MatX j = MatX::Zero(rows, n), w = MatX::Zero(n, n);
    VecX v(n), error(rows);
    for (int b = 0; b < q.body_count(); ++b) {
        w.block<3, 3>(6 * b, 6 * b) = q.inverse_mass[b] * Mat3::Identity();
        w.block<3, 3>(6 * b + 3, 6 * b + 3) = q.inverse_inertia[b];
        v.segment<3>(6 * b) = q.v[b], v.segment<3>(6 * b + 3) = q.w[b];
    }
    for (const RowGroup& g : q.groups)
        for (int k = 0; k < g.rows; ++k) {
            for (int side = 0; side < g.sides; ++side) {
                const Lever& lever = q.jacobian[g.lever + k * g.sides + side];
                const int at = 6 * q.body[g.side + side];
                j.block<1, 3>(g.row + k, at) = lever.linear.transpose(), j.block<1, 3>(g.row + k, at + 3) = lever.angular.transpose();
            }
            error[g.row + k] = row_residual(q, g, k);
        }
    const EigenSystem a = eigen_system(j * w * j.transpose());
    const Real least = 1e-10 * a.values.maxCoeff(); // those of the copies are round-off, 1e-16; the others 1e-3 and more
    const VecX inverse = a.values.unaryExpr([&](Real x) { return x > least ? 1 / x : 0; });
    return v - w * j.transpose() * (a.with(inverse) * error);
}

// A joint that is there twice has no one answer in impulses, and one in velocities. What solves the saddle point alone either finds it
// or changes nothing, and the direct method finds it by either way.
TEST(velocity_kkt, leaves_redundant_rows_to_the_schur_complement) {
    Rng rng{42, 0, 0};
    RowProblem q;
    q.dt = 0.01;
    for (int k = 0; k < 3; ++k) add_kkt_body(q, rng, 1, Vec3(k, 0, 0));
    for (int copy = 0; copy < 2; ++copy)
        for (int k = 1; k < 3; ++k) add_kkt_joint(q, rng, k, k - 1, false);
    for (std::size_t r = 0; r < q.bias.size(); ++r) q.bias[r] = 0.01 * Real(r % (q.bias.size() / 2)); // copies agree, or they contradict each other
    Islands islands;
    build_islands(q, islands);
    const VecX wanted = pseudo_inverse_velocities(q);
    // 1e-16 of speeds of 1 m/s by impulses that copies may make and unmake, over the smallest eigenvalue that is left: some 1e-12
    const auto expect_wanted = [&](const RowProblem& got, const char* what) {
        for (int b = 0; b < got.body_count(); ++b) {
            EXPECT_LT((got.v[b] - wanted.segment<3>(6 * b)).norm(), 1e-10) << what << " body " << b;
            EXPECT_LT((got.w[b] - wanted.segment<3>(6 * b + 3)).norm(), 1e-10) << what << " body " << b;
        }
    };
    KktScratch s;
    SolveResult out;
    RowProblem alone = q;
    if (solve_equalities_kkt({}, islands.view(0), s, alone, out)) expect_wanted(alone, "saddle point");
    else {
        EXPECT_EQ(alone.impulse, q.impulse);
        for (int b = 0; b < q.body_count(); ++b) EXPECT_TRUE(alone.v[b] == q.v[b] && alone.w[b] == q.w[b]) << b;
    }
    for (const bool kkt : {false, true}) {
        RowProblem both = q;
        const SolveScratchPtr scratch = make_solve_scratch();
        SolveOptions o;
        o.kkt = kkt;
        EXPECT_LT(solve_direct(o, islands.view(0), *scratch, both).residual, 1e-10);
        expect_wanted(both, kkt ? "direct, kkt" : "direct");
    }
}
