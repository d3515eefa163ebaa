// Methods for impulses on problems made by hand: contraction, complementarity, agreement with the pivoting reference.
#include "core/random.h"
#include "dense.h"
#include "model/stencil.h"
#include "sinew/solver.h"
#include "solver/velocity_build.h"
#include "solver/velocity_islands.h"
#include "solver/velocity_solve.h"
#include <Eigen/LU>
#include <gtest/gtest.h>
#include <numeric>

using namespace sinew;

namespace {

void add_body(RowProblem& q, Real mass, const Vec3& x, const Vec3& v, Real radius) {
    q.x.push_back(x);
    q.v.push_back(v);
    q.w.push_back(Vec3::Zero());
    q.inverse_mass.push_back(mass > 0 ? 1 / mass : 0);
    q.inverse_inertia.push_back(mass > 0 && radius > 0 ? Mat3(Mat3::Identity() / (0.4 * mass * radius * radius)) : Mat3(Mat3::Zero()));
}

// contact of a over b at a point: normal n from b to a
void add_contact(RowProblem& q, int a, int b, const Vec3& at, const Vec3& n, Real friction, Real gap = 0) {
    const std::array<int, 2> bodies{a, b};
    RowGroup& g = add_group(q, 3, bodies);
    g.set = RowSet::contact;
    g.friction = friction;
    const ContactFrame frame = contact_frame(real3(n));
    const std::array<Vec3, 3> d{n, vec(frame.t0), vec(frame.t1)};
    for (int k = 0; k < 3; ++k) {
        q.jacobian[g.lever + 2 * k] = {d[k], (at - q.x[a]).cross(d[k])};
        q.jacobian[g.lever + 2 * k + 1] = {-d[k], -(at - q.x[b]).cross(d[k])};
    }
    q.bias[g.row] = gap;
    build_response(q, g);
}

// heavy, light, heavy along x, stuck together pairwise (spec P V20)
RowProblem make_messenger(Real ratio) {
    RowProblem q;
    q.dt = 0.01;
    for (int k = 0; k < 3; ++k) add_body(q, k == 1 ? 1 : ratio, Vec3(k, 0, 0), Vec3(k == 0 ? 1 : k == 2 ? -0.5 : 0, 0, 0), 0);
    for (int k = 0; k < 2; ++k) {
        RowGroup& g = add_group(q, 1, std::array<int, 2>{k, k + 1});
        q.jacobian[g.lever] = {Vec3::UnitX(), Vec3::Zero()};
        q.jacobian[g.lever + 1] = {-Vec3::UnitX(), Vec3::Zero()};
        build_response(q, g);
    }
    return q;
}

// a heap of balls over a held floor, each pair of neighbours touching at `copies` equal points
RowProblem make_heap(std::uint64_t seed, Real friction, int copies) {
    Rng rng{seed, 0, 0};
    RowProblem q;
    q.dt = 0.01;
    add_body(q, 0, Vec3(0, -100, 0), Vec3::Zero(), 0);
    for (int k = 0; k < 4; ++k)
        add_body(q, draw_uniform(rng, 0.5, 3), Vec3(0.2 * draw_uniform(rng), 0.5 + k, 0.2 * draw_uniform(rng)), draw_vec(rng, -1, 1) - Vec3(0, 1, 0), 0.5);
    for (int k = 1; k < 5; ++k) {
        const Vec3 at = k == 1 ? Vec3(q.x[1] - Vec3(0, 0.5, 0)) : Vec3(0.5 * (q.x[k] + q.x[k - 1]));
        const Vec3 n = k == 1 ? Vec3(Vec3::UnitY()) : Vec3((q.x[k] - q.x[k - 1]).normalized());
        for (int c = 0; c < copies; ++c) add_contact(q, k, k - 1, at, n, friction);
    }
    return q;
}

void add_ball_joint(RowProblem& q, int a, int b, const Vec3& at) {
    RowGroup& g = add_group(q, 3, std::array<int, 2>{a, b});
    for (int k = 0; k < 3; ++k) {
        const Vec3 d = Vec3::Unit(k);
        q.jacobian[g.lever + 2 * k] = {d, (at - q.x[a]).cross(d)};
        q.jacobian[g.lever + 2 * k + 1] = {-d, -(at - q.x[b]).cross(d)};
    }
    build_response(q, g);
}

// Two to five bodies: each rests on the floor on one to four points, leans on a wall or lies on another body, or hangs on it by a ball
// joint; joints close loops and are there twice, contacts up to three times. All at rest is admissible, so there is a solution.
RowProblem make_tangle(std::uint64_t seed) {
    Rng rng{seed, 1, 0};
    RowProblem q;
    q.dt = 0.01;
    add_body(q, 0, Vec3(0, -100, 0), Vec3::Zero(), 0);
    add_body(q, 0, Vec3(-100, 0, 0), Vec3::Zero(), 0);
    const int bodies = 2 + draw_int(rng, 4), first = 2;
    const Real friction = draw_uniform(rng, 0.1, 1);
    for (int k = 0; k < bodies; ++k)
        add_body(q, std::pow(10.0, draw_uniform(rng, -1, 1)), Vec3(k, 0.5, 0) + draw_vec(rng, -0.2, 0.2), draw_vec(rng, -1, 1) - Vec3(0, 1, 0), 0.5);
    for (int k = 0; k < bodies; ++k) {
        const int b = first + k, points = draw_int(rng, 5);
        for (int c = 0; c < points; ++c) // corners of a box on the floor
            add_contact(q, b, 0, q.x[b] + Vec3(c & 1 ? 0.4 : -0.4, -0.5, c & 2 ? 0.4 : -0.4), Vec3::UnitY(), friction);
        if (draw_int(rng, 3) == 0) add_contact(q, b, 1, q.x[b] - Vec3(0.5, 0, 0), Vec3::UnitX(), friction);
        if (k == 0) continue;
        const Vec3 at = 0.5 * (q.x[b] + q.x[b - 1]);
        const int copies = 1 + draw_int(rng, 3);
        if (draw_int(rng, 2) == 0)
            for (int c = 0; c < std::min(copies, 2); ++c) add_ball_joint(q, b, b - 1, at);
        else
            for (int c = 0; c < copies; ++c) add_contact(q, b, b - 1, at, (q.x[b] - q.x[b - 1]).normalized(), friction);
        if (k > 1 && draw_int(rng, 3) == 0) add_ball_joint(q, b, first, 0.5 * (q.x[b] + q.x[first])); // a loop
    }
    return q;
}

// rows that say nothing new
int count_redundant(const RowProblem& q) {
    int rows = 0;
    for (const RowGroup& g : q.groups) rows += g.rows;
    MatX j = MatX::Zero(rows, 6 * q.body_count());
    for (const RowGroup& g : q.groups)
        for (int k = 0; k < g.rows; ++k)
            for (int s = 0; s < g.sides; ++s) {
                const int b = q.body[g.side + s];
                if (q.inverse_mass[b] == 0) continue;
                const Lever& l = q.jacobian[g.lever + k * g.sides + s];
                j.block<1, 3>(g.row + k, 6 * b) += l.linear.transpose(), j.block<1, 3>(g.row + k, 6 * b + 3) += l.angular.transpose();
            }
    return rows - rank_of(j);
}

SolveResult solve_by_method(const std::string& method, const SolveOptions& o, RowProblem& q) {
    Islands islands;
    build_islands(q, islands);
    EXPECT_EQ(islands.count(), 1);
    const SolveScratchPtr scratch = make_solve_scratch();
    const IslandView view = islands.view(0);
    if (method == "block") return solve_block(o, view, q);
    if (method == "jacobi") return solve_jacobi(o, view, *scratch, q);
    if (method == "apgd") return solve_apgd(o, view, *scratch, q);
    if (method == "bb") return solve_bb(o, view, *scratch, q);
    if (method == "direct") return solve_direct(o, view, *scratch, q);
    if (method == "mlcp") return solve_mlcp(o, view, q);
    return solve_sequential(o, view, q);
}

SolveOptions many(int iterations = 200000) {
    SolveOptions o;
    o.iterations = iterations;
    o.tolerance = 1e-10;
    return o;
}

class velocity_methods : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(all, velocity_methods, testing::Values("sequential_impulses", "block", "jacobi", "apgd", "bb", "direct"));

} // namespace

// error of the constraint after each sweep: factor (R/(R+1))^2, exactly, as the iteration is linear with one eigenvalue
TEST(velocity_solve, sweeps_over_heavy_light_heavy_contract_by_the_square_of_r_over_r_plus_1) {
    for (Real ratio : {1.0, 10.0, 100.0, 1000.0}) {
        std::array<Real, 2> error;
        for (int k = 0; k < 2; ++k) {
            RowProblem q = make_messenger(ratio);
            SolveOptions o;
            o.tolerance = 0;
            o.iterations = 3 + k;
            solve_by_method("sequential_impulses", o, q);
            error[k] = std::abs(row_rate(q, q.groups[0], 0));
        }
        EXPECT_NEAR(error[1] / error[0], std::pow(ratio / (ratio + 1), 2), 1e-9) << ratio; // round-off of errors above 1e-4
    }
}

TEST(velocity_solve, a_direct_solve_of_heavy_light_heavy_takes_one_iteration) {
    for (Real ratio : {1.0, 1e3, 1e6}) {
        RowProblem q = make_messenger(ratio);
        const SolveResult r = solve_by_method("direct", SolveOptions{}, q);
        EXPECT_LE(r.iterations, 4); // one, and refinements of round-off
        const Real mean = 0.5 * ratio / (2 * ratio + 1);
        for (int k = 0; k < 3; ++k) EXPECT_NEAR(q.v[k].x(), mean, 1e-9) << ratio; // asked for 1e-8 and refined to 1e-12; R = 1e6 multiplies round-off
    }
}

// A block is all rows of one joint: off the centres of its bodies they are coupled by the levers, which sweeps over single rows feel the more the
// longer the levers are, and a block at no mass ratio: one iteration. Between joints a block is a sweep like any other: of
// heavy-light-heavy, where each has one row, it leaves the same (R/(R+1))^2; that takes the simultaneous solve above.
TEST(velocity_solve, a_block_solves_one_joint_in_one_iteration_at_any_mass_ratio) {
    for (Real ratio : {1.0, 1e3, 1e6}) {
        const auto joint = [&] {
            RowProblem q;
            q.dt = 0.01;
            add_body(q, 1, Vec3(0, 0, 0), Vec3(1, 0.5, 0), 0.2);
            add_body(q, ratio, Vec3(2, 1, 0.5), Vec3(-1, 0, 0.3), 0.4);
            const Vec3 at(1.1, 0.7, -0.4);
            RowGroup& g = add_group(q, 3, std::array<int, 2>{0, 1});
            for (int k = 0; k < 3; ++k) {
                q.jacobian[g.lever + 2 * k] = {Vec3::Unit(k), (at - q.x[0]).cross(Vec3::Unit(k))};
                q.jacobian[g.lever + 2 * k + 1] = {-Vec3::Unit(k), -(at - q.x[1]).cross(Vec3::Unit(k))};
            }
            build_response(q, g);
            return q;
        };
        SolveOptions once;
        once.iterations = 1, once.tolerance = 0;
        RowProblem block = joint(), swept = joint();
        solve_by_method("block", once, block), solve_by_method("sequential_impulses", once, swept);
        const auto error = [](const RowProblem& q) { return Vec3(row_rate(q, q.groups[0], 0), row_rate(q, q.groups[0], 1), row_rate(q, q.groups[0], 2)).norm(); };
        EXPECT_LT(error(block), 1e-9) << ratio; // 1e-12 of the diagonal is added to it
        EXPECT_GT(error(swept), 0.05) << ratio;
        std::array<Real, 2> left;
        for (int k = 0; k < 2; ++k) {
            RowProblem q = make_messenger(ratio);
            SolveOptions o;
            o.tolerance = 0, o.iterations = 3 + k;
            solve_by_method("block", o, q);
            left[k] = std::abs(row_rate(q, q.groups[0], 0));
        }
        EXPECT_NEAR(left[1] / left[0], std::pow(ratio / (ratio + 1), 2), 1e-6) << ratio; // as above
    }
}

TEST_P(velocity_methods, end_at_complementary_impulses_with_friction_and_redundant_contacts) {
    for (int seed = 1; seed <= 10; ++seed) {
        RowProblem q = make_heap(seed, 0.4, 2);
        const SolveResult r = solve_by_method(GetParam(), many(), q);
        EXPECT_LT(r.residual, 1e-7) << seed; // asked for 1e-10; methods that stall stop at what they print
        for (const RowGroup& g : q.groups) {
            EXPECT_GE(q.impulse[g.row], 0);
            EXPECT_GE(row_rate(q, g, 0), -1e-7);
            EXPECT_LE(std::hypot(q.impulse[g.row + 1], q.impulse[g.row + 2]), 0.4 * q.impulse[g.row] + 1e-9);
        }
    }
}

// without friction the velocities after are unique
TEST_P(velocity_methods, agree_with_pivoting_where_there_is_no_friction) {
    for (int seed = 1; seed <= 10; ++seed) {
        RowProblem q = make_heap(seed, 0, 1), reference = make_heap(seed, 0, 1);
        solve_by_method(GetParam(), many(), q);
        solve_by_method("mlcp", SolveOptions{}, reference);
        for (int b = 1; b < q.body_count(); ++b)
            EXPECT_LT((q.v[b] - reference.v[b]).norm() + (q.w[b] - reference.w[b]).norm(), 1e-6) << seed;
    }
}

// spec U080: a part of the last change repeated, (k/n)^0.6. The same fixed point, and less left after the same iterations
TEST(velocity_solve, momentum_brings_jacobi_nearer_to_the_same_end) {
    for (int seed = 1; seed <= 5; ++seed) {
        RowProblem plain = make_heap(seed, 0, 1), quick = plain, reference = plain;
        SolveOptions o;
        o.iterations = 60, o.tolerance = 0;
        const Real left = solve_by_method("jacobi", o, plain).residual;
        o.momentum_factor = 1;
        Trace trace;
        o.trace = &trace;
        EXPECT_LT(solve_by_method("jacobi", o, quick).residual, 0.5 * left) << seed;
        ASSERT_EQ(trace.iterations.size(), 61u);
        EXPECT_NEAR(trace.iterations[31].momentum, std::pow(0.5, 0.6), 1e-15); // of the iteration that led there
        EXPECT_LT(trace.iterations[60].residual_norm, trace.iterations[0].residual_norm);
        solve_by_method("mlcp", SolveOptions{}, reference);
        o.iterations = 5000, o.trace = nullptr;
        solve_by_method("jacobi", o, quick);
        for (int b = 1; b < quick.body_count(); ++b) EXPECT_LT((quick.v[b] - reference.v[b]).norm(), 1e-6) << seed; // residual of 1e-8 m/s
    }
}

// impulses between bodies cancel: momentum of the balls changes by the floor's impulse only
TEST_P(velocity_methods, change_momentum_by_the_impulses_from_outside_only) {
    RowProblem q = make_heap(7, 0.3, 1);
    Vec3 before = Vec3::Zero(), after = Vec3::Zero();
    for (int b = 1; b < q.body_count(); ++b) before += q.v[b] / q.inverse_mass[b];
    solve_by_method(GetParam(), many(500), q);
    for (int b = 1; b < q.body_count(); ++b) after += q.v[b] / q.inverse_mass[b];
    const RowGroup& floor = q.groups[0];
    Vec3 from_floor = Vec3::Zero();
    for (int k = 0; k < 3; ++k) from_floor += q.impulse[floor.row + k] * q.jacobian[floor.lever + 2 * k].linear;
    EXPECT_LT((after - before - from_floor).norm(), 1e-11); // sums of hundreds of rounded impulses of size 1
}

// Islands that touch the same held body are solved at the same time. A zero that is added would make -0 a 0.
TEST_P(velocity_methods, write_nothing_to_what_is_held) {
    RowProblem q = make_heap(3, 0.4, 2);
    q.v[0] = q.w[0] = -Vec3::Zero();
    ASSERT_TRUE(std::signbit(q.v[0].x()));
    solve_by_method(GetParam(), many(50), q);
    for (int k = 0; k < 3; ++k) EXPECT_TRUE(std::signbit(q.v[0][k]) && std::signbit(q.w[0][k])) << k;
}

// Random tangles of joints, supports and contacts. Looked at from outside: rates and impulses themselves, not what the method says.
TEST(velocity_solve, pivoting_reaches_complementarity_on_random_problems_with_redundant_rows) {
    Real worst = 0, largest = 0;
    int redundant = 0, with_joints = 0;
    std::vector<int> seeds(1000);
    std::iota(seeds.begin(), seeds.end(), 1);
    // of 12000 those that ended at 1e-4 to 1e-10 by elimination and pivots alone
    seeds.insert(seeds.end(), {4178, 5499, 5701, 7212, 8856, 9147, 11156, 11541});
    for (int seed : seeds) {
        RowProblem q = make_tangle(seed);
        redundant += count_redundant(q) > 0;
        SolveOptions o;
        o.sets.facets = 4;
        const SolveResult r = solve_by_method("mlcp", o, q);
        worst = std::max(worst, r.residual);
        bool joint = false;
        for (const RowGroup& g : q.groups) {
            const Real* p = &q.impulse[g.row];
            if (g.set != RowSet::contact) {
                joint = true;
                for (int k = 0; k < g.rows; ++k) largest = std::max(largest, std::abs(row_rate(q, g, k)));
                continue;
            }
            Real answer = 0; // [m/s] of a row to an impulse of 1 N s: impulses are compared with rates as what they change
            for (int k = 0; k < 3; ++k) answer = std::max(answer, q.block[g.block + k * g.rows + k]);
            const Real normal = row_rate(q, g, 0), push = answer * p[0], along = answer * (std::abs(p[1]) + std::abs(p[2])); // corners of the square on the axes
            largest = std::max({largest, -normal, -push, std::min(normal, push), along - g.friction * push});
            // below the limit nothing slides
            const Real slip = std::hypot(row_rate(q, g, 1), row_rate(q, g, 2));
            largest = std::max(largest, std::min(slip, g.friction * push - along));
        }
        with_joints += joint;
    }
    EXPECT_LT(worst, 1e-10); // the bar
    // the same bar from outside, in m/s: 1e-16 of the 5e4 m/s that impulses of redundant rows make and unmake, a few sums of it; 2e-12 without the last eight
    EXPECT_LT(largest, 1e-10);
    EXPECT_GT(redundant, 700);
    EXPECT_GT(with_joints, 500);
}

// a point pressed on a floor and sliding: the plain cone lifts it at mu |u_t|, the corrected one does not (spec U V6)
TEST(velocity_solve, the_correction_of_de_saxce_keeps_a_sliding_contact_down) {
    for (bool corrected : {false, true}) {
        for (const char* method : {"sequential_impulses", "direct", "apgd"}) {
            RowProblem q;
            q.dt = 0.01;
            add_body(q, 0, Vec3(0, -1, 0), Vec3::Zero(), 0);
            add_body(q, 2, Vec3::Zero(), Vec3(5, -0.1, 0), 0);
            add_contact(q, 1, 0, Vec3::Zero(), Vec3::UnitY(), 0.5);
            SolveOptions o = many(5000);
            o.sets.de_saxce = corrected;
            solve_by_method(method, o, q);
            const Real slide = std::hypot(q.v[1].x(), q.v[1].z());
            EXPECT_NEAR(q.v[1].y(), corrected ? 0 : 0.5 * slide, 1e-7) << method;
            if (corrected) { EXPECT_NEAR(slide, 5 - 0.5 * 0.1, 1e-7) << method; } // Coulomb: dv_t = mu dv_n
        }
    }
}

TEST(velocity_solve, box_friction_is_too_strong_along_the_diagonal_and_a_polygon_too_weak) {
    RowGroup g;
    g.rows = 3;
    g.set = RowSet::contact;
    g.friction = 0.5;
    const auto length = [&](Friction f) {
        std::array<Real, 3> p{2, 10, 10};
        project_impulse({f, 4, true}, g, p.data());
        return std::hypot(p[1], p[2]) / p[0];
    };
    EXPECT_NEAR(length(Friction::box), 0.5 * std::sqrt(2), 1e-15);
    EXPECT_NEAR(length(Friction::cylinder), 0.5, 1e-15);
    EXPECT_NEAR(length(Friction::polyhedral), 0.5 / std::sqrt(2), 1e-15); // the middle of a square's side, corners on the axes
    std::array<Real, 3> cone{2, 10, 10};
    project_impulse({Friction::cone, 8, true}, g, cone.data());
    EXPECT_NEAR(std::hypot(cone[1], cone[2]), 0.5 * cone[0], 1e-14);
    EXPECT_NEAR(cone[0], (2 + 0.5 * std::hypot(10, 10)) / 1.25, 1e-14);
}

// what is projected on the cone is nearer than any other point of it, whether it was inside, outside or in
// the polar cone
TEST(velocity_solve, the_projection_on_the_cone_is_its_nearest_point) {
    Rng rng{5, 0, 0};
    RowGroup g;
    g.rows = 3;
    g.set = RowSet::contact;
    std::array<int, 3> seen{}; // inside, at the tip, on the rim
    for (int k = 0; k < 300; ++k) {
        g.friction = draw_uniform(rng, 0.1, 2);
        const Vec3 from = draw_vec(rng, -1, 1);
        Vec3 p = from;
        project_impulse({Friction::cone, 8, true}, g, p.data());
        ASSERT_LE(std::hypot(p[1], p[2]), g.friction * p[0] + 1e-15);
        ++seen[p == from ? 0 : p == Vec3::Zero() ? 1 : 2];
        for (int i = 0; i < 200; ++i) {
            const Real n = draw_uniform(rng, 0, 2), t = g.friction * n * std::sqrt(draw_uniform(rng)),
                       angle = draw_uniform(rng, 0, 2 * kPi);
            EXPECT_GE((from - Vec3(n, t * std::cos(angle), t * std::sin(angle))).norm(),
                      (from - p).norm() - 1e-15);
        }
    }
    for (int n : seen) EXPECT_GT(n, 20);
}

// a row with compliance 1/k and damping c is one step of backward Euler of the spring: (1 + h c + h^2 k) v' = -h k x (spec P V22)
TEST_P(velocity_methods, a_soft_row_is_the_backward_euler_step_of_its_spring) {
    for (Real k : {100.0, 1e6}) {
        Rows rows;
        rows.row_begin = {0, 1}, rows.block_begin = {0, 1}, rows.value_begin = {0, 3};
        rows.block = {0}, rows.jacobian = {1, 0, 0};
        rows.c = {0.1}, rows.rate = {0}, rows.compliance = {1 / k}, rows.damping = {1}, rows.lambda = {0};
        rows.friction = {0}, rows.bound = {Bound::equality}, rows.level = {Level::position}, rows.key = {0};
        RowProblem q;
        q.dt = 0.01;
        add_body(q, 1, Vec3(0.1, 0, 0), Vec3::Zero(), 0);
        add_constraint_groups(Dofs{1, 0, 0}, rows, {}, q);
        solve_by_method(GetParam(), many(1000), q);
        EXPECT_NEAR(q.v[0].x(), -0.01 * k * 0.1 / (1 + 0.01 + 1e-4 * k), 1e-8); // tolerance of the methods
    }
}

namespace {

struct Swing {
    Real length = 0, energy = 0; // [m] largest |l - 1|, [J] at the end
};
// a point of 1 kg on a rod of 1 m from the horizontal, 10 s; k = 0: rigid
Swing swing(Real h, Real k, Real erp) {
    Swing out;
    Vec3 x(1, 0, 0), v = Vec3::Zero();
    Rows rows;
    rows.row_begin = {0, 1}, rows.block_begin = {0, 1}, rows.value_begin = {0, 3};
    rows.block = {0}, rows.rate = {0}, rows.lambda = {0}, rows.friction = {0}, rows.key = {0};
    rows.compliance = {k > 0 ? 1 / k : 0}, rows.damping = {2 * std::sqrt(k)};
    rows.bound = {Bound::equality}, rows.level = {Level::position};
    BiasOptions o;
    o.joint_erp = erp;
    for (int n = 0; n < int(std::lround(10 / h)) && out.length < 10; ++n) {
        const Vec3 d = x.normalized();
        rows.jacobian = {d.x(), d.y(), d.z()}, rows.c = {x.norm() - 1};
        RowProblem q;
        q.dt = h;
        add_body(q, 1, x, v - Vec3(0, h * 9.81, 0), 0);
        add_constraint_groups(Dofs{1, 0, 0}, rows, o, q);
        solve_by_method("direct", SolveOptions{}, q);
        v = q.v[0];
        x += h * v;
        out.length = std::max(out.length, std::abs(x.norm() - 1));
    }
    out.energy = 0.5 * v.squaredNorm() + 9.81 * x.y();
    return out;
}

} // namespace

// Soft rows with critical damping, all steps of the table of spec P V21; its numbers have two or three figures.
TEST(velocity_solve, a_compliant_rod_follows_the_table_of_drifts) {
    struct Line {
        Real h, k, length, energy;
    };
    const Line table[] = {{0.01, 1e3, 3.43e-2, -2.29},  {0.005, 1e3, 3.10e-2, -2.04},   {0.001, 1e3, 2.86e-2, -1.83},
                          {0.01, 1e4, 5.82e-3, -0.293}, {0.005, 1e4, 4.14e-3, -0.185},  {0.001, 1e4, 3.13e-3, -0.113},
                          {0.01, 1e6, 1.21e-3, -0.081}, {0.005, 1e6, 3.73e-4, -0.035},  {0.001, 1e6, 5.89e-5, -0.0068},
                          {0.01, 1e9, 9.86e-4, -0.0737}, {0.005, 1e9, 2.48e-4, -0.0321}, {0.001, 1e9, 1.05e-5, -0.0059}};
    for (const Line& l : table) {
        const Swing s = swing(l.h, l.k, 0);
        EXPECT_NEAR(s.length, l.length, 0.01 * l.length) << l.h << " " << l.k;
        EXPECT_NEAR(s.energy, l.energy, 0.02 * std::abs(l.energy) + 5e-5) << l.h << " " << l.k;
    }
}

// more than 2/h turns an error round and makes it larger
TEST(velocity_solve, a_rigid_rod_follows_the_table_of_drifts_until_its_gain_is_too_large) {
    for (const Real h : {0.01, 0.005, 0.001}) {
        EXPECT_NEAR(swing(h, 0, 0).length, h == 0.01 ? 0.3237 : h == 0.005 ? 0.1852 : 4.27e-2, 2e-4) << h;
        EXPECT_GT(swing(h, 0, 2.1).length, 0.1) << h;
    }
}

// velocity Baumgarte takes back erp of an error per step: J v = -erp C/h (spec P V21)
TEST(velocity_solve, baumgarte_takes_back_its_part_of_the_error) {
    Rows rows;
    rows.row_begin = {0, 1}, rows.block_begin = {0, 1}, rows.value_begin = {0, 3};
    rows.block = {0}, rows.jacobian = {1, 0, 0};
    rows.c = {0.1}, rows.rate = {0}, rows.compliance = {0}, rows.damping = {0}, rows.lambda = {0};
    rows.friction = {0}, rows.bound = {Bound::equality}, rows.level = {Level::position}, rows.key = {0};
    for (Real erp : {0.2, 1.0}) {
        RowProblem q;
        q.dt = 0.01;
        add_body(q, 2, Vec3(0.1, 0, 0), Vec3(3, 0, 0), 0);
        BiasOptions o;
        o.joint_erp = erp;
        add_constraint_groups(Dofs{1, 0, 0}, rows, o, q);
        solve_by_method("direct", SolveOptions{}, q);
        EXPECT_NEAR(q.v[0].x(), -erp * 0.1 / 0.01, 1e-9); // one solve, refined to 1e-12
    }
}

// a motor: a row that wants a rate, with as much force as it has
TEST_P(velocity_methods, a_motor_reaches_its_rate_or_gives_all_its_force) {
    for (Real limit : {1e3, 10.0}) {
        Rows rows;
        rows.row_begin = {0, 1}, rows.block_begin = {0, 1}, rows.value_begin = {0, 3};
        rows.block = {0}, rows.jacobian = {0, 1, 0};
        rows.c = {0}, rows.rate = {2}, rows.compliance = {0}, rows.damping = {0}, rows.lambda = {0};
        rows.friction = {limit}, rows.bound = {Bound::box}, rows.level = {Level::velocity}, rows.key = {0};
        RowProblem q;
        q.dt = 0.01;
        add_body(q, 1, Vec3::Zero(), Vec3::Zero(), 0);
        add_constraint_groups(Dofs{1, 0, 0}, rows, {}, q);
        solve_by_method(GetParam(), many(1000), q);
        EXPECT_NEAR(q.v[0].y(), limit > 100 ? 2 : 0.1, 1e-8); // h limit / m
    }
}

// one row along the slip has the fixed points of two rows: the same velocities at the end, and an impulse on the rim opposes the slip
TEST(velocity_solve, friction_by_a_single_row_along_the_slip_ends_where_two_rows_do) {
    for (int seed = 1; seed <= 10; ++seed) {
        RowProblem one = make_heap(seed, 0.4, 1), two = make_heap(seed, 0.4, 1);
        SolveOptions o = many();
        o.sets.friction = Friction::cylinder;
        EXPECT_LT(solve_by_method("sequential_impulses", o, two).residual, 1e-7) << seed;
        o.single_tangent = true;
        EXPECT_LT(solve_by_method("sequential_impulses", o, one).residual, 1e-7) << seed; // as all methods above
        for (int b = 1; b < one.body_count(); ++b)
            EXPECT_LT((one.v[b] - two.v[b]).norm() + (one.w[b] - two.w[b]).norm(), 1e-5) << seed; // residuals times the condition of the heap
        for (const RowGroup& g : one.groups) {
            const Vec2 p(one.impulse[g.row + 1], one.impulse[g.row + 2]), u(row_rate(one, g, 1), row_rate(one, g, 2));
            if (u.norm() > 1e-4) { // above the residual by 1e3
                EXPECT_LT((p / p.norm() + u / u.norm()).norm(), 1e-3) << seed;
            }
        }
    }
}

// Painleve's rod (spec P V25): a thin rod on its tip, leaning by th, sliding towards its lean. At the level of accelerations rigid
// friction has no solution or two beyond mu = (tan^2 th + 4)/(3 tan th); impulses exist for all angles and mu up to 5, end in no
// approach, inside the cone, and gain no energy. Sweeps may go in circles there, which is why they are not asked.
TEST(velocity_solve, a_painleve_rod_gets_a_finite_impulse_at_all_angles_and_frictions) {
    for (const char* method : {"direct", "mlcp"})
        for (int degrees = 5; degrees <= 175; degrees += 10)
            for (const Real mu : {0.5, 4.0 / 3, 2.0, 5.0}) {
                const Real th = degrees * kPi / 180;
                RowProblem q;
                q.dt = 0.01;
                add_body(q, 0, Vec3(0, -100, 0), Vec3::Zero(), 0);
                add_body(q, 1, 0.5 * Vec3(std::cos(th), std::sin(th), 0), Vec3(-1, -0.1, 0), 0);
                const Vec3 along(std::cos(th), std::sin(th), 0);
                q.inverse_inertia[1] = 12 * (Mat3::Identity() - along * along.transpose()) + 1e4 * along * along.transpose();
                add_contact(q, 1, 0, Vec3::Zero(), Vec3::UnitY(), mu);
                SolveOptions o = many(20000);
                o.sets.facets = 16;
                const Real before = 0.5 * q.v[1].squaredNorm();
                solve_by_method(method, o, q);
                const RowGroup& g = q.groups[0];
                ASSERT_TRUE(q.v[1].allFinite() && q.w[1].allFinite()) << method << degrees << " " << mu;
                EXPECT_GE(row_rate(q, g, 0), -1e-6) << method << degrees << " " << mu; // residuals of sweeps that stall
                EXPECT_LE(std::hypot(q.impulse[g.row + 1], q.impulse[g.row + 2]), mu * q.impulse[g.row] * (1 + 1e-9) + 1e-9);
                const Real after = 0.5 * (q.v[1].squaredNorm() + q.w[1].dot(q.inverse_inertia[1].inverse() * q.w[1]));
                EXPECT_LE(after, before + 1e-6) << method << degrees << " " << mu;
            }
}

// A ball between two held walls that close in on it: no velocity leaves both. The method of multipliers adds m v / eps
// per round, for ever; sweeps add what a sweep can, 50 times m v at most.
// A body that something else keeps from moving along m, as a straight arm keeps its hand: J of a contact has
// rank two, and its block no inverse. Impulses are bounded where nothing is wedged: with m outside of the
// friction cone they are at most as large as what stops the body from its speed, v/sin of the angle between m
// and the cone; they take energy and give none.
TEST(velocity_solve, a_contact_that_cannot_move_along_one_direction_gets_bounded_impulses) {
    Rng rng{7, 0, 0};
    SolveOptions o;
    o.iterations = 100;
    for (int k = 0; k < 2000; ++k) {
        RowProblem q;
        q.dt = 0.01;
        add_body(q, 1, Vec3::Zero(), Vec3::Zero(), 0);
        const Vec3 n = draw_direction(rng), m = draw_direction(rng);
        const Real friction = draw_uniform(rng, 0.1, 1),
                   to_cone = std::acos(std::abs(n.dot(m))) - std::atan(friction);
        if (!(to_cone > 0.1)) continue; // the body is wedged, and any impulse along m will do
        RowGroup& g = add_group(q, 3, std::array<int, 1>{0});
        g.set = RowSet::contact;
        g.friction = friction;
        const ContactFrame frame = contact_frame(real3(n));
        const std::array<Vec3, 3> d{n, vec(frame.t0), vec(frame.t1)};
        for (int i = 0; i < 3; ++i) q.jacobian[g.lever + i] = {d[i] - d[i].dot(m) * m, Vec3::Zero()};
        build_response(q, g);
        const Vec3 v = draw_vec(rng, -1, 1), free = v - v.dot(m) * m;
        q.v[0] = free;
        solve_block(o, {std::array<int, 1>{0}, std::array<int, 1>{0}}, q);
        EXPECT_LE(Eigen::Map<const Vec3>(q.impulse.data()).norm(),
                  (1 + 1e-6) * free.norm() / std::sin(to_cone))
            << k;
        EXPECT_LE(q.v[0].norm(), free.norm() * (1 + 1e-9)) << k;
    }
}

TEST(velocity_fallback, squeezed_bodies_have_impulses_of_sweeps_not_of_a_failed_direct_solution) {
    const auto make = [] {
        RowProblem q;
        q.dt = 0.01;
        add_body(q, 0, Vec3(-1, 0, 0), Vec3(1, 0, 0), 0);
        add_body(q, 2, Vec3(0, 0, 0), Vec3::Zero(), 0.5);
        add_body(q, 0, Vec3(1, 0, 0), Vec3(-1, 0, 0), 0);
        add_contact(q, 1, 0, Vec3(-0.5, 0, 0), Vec3::UnitX(), 0.5);
        add_contact(q, 1, 2, Vec3(0.5, 0, 0), -Vec3::UnitX(), 0.5);
        return q;
    };
    const auto largest = [](const RowProblem& q) {
        Real p = 0;
        for (Real x : q.impulse) p = std::max(p, std::abs(x));
        return p;
    };
    const SolveScratchPtr scratch = make_solve_scratch();
    SolveOptions o;
    RowProblem direct = make(), safe = make();
    Islands islands;
    build_islands(direct, islands);
    EXPECT_GT(solve_direct(o, islands.view(0), *scratch, direct).residual, 0.1);
    EXPECT_GT(largest(direct), 1e4); // so that the test is about something
    solve_direct_or_sweep(o, islands.view(0), *scratch, safe);
    EXPECT_LE(largest(safe), 2 * o.iterations * 2 * 1.0 + 1e-9); // 2 kg, 1 m/s from each side
    EXPECT_LE(std::abs(safe.v[1].x()), 1 + 1e-12);
    EXPECT_TRUE(safe.w[1].allFinite());
}

// the impulses of a solution are a solution: nothing is factored again
TEST(velocity_direct, a_solution_is_kept) {
    RowProblem q = make_heap(5, 0.4, 2);
    SolveOptions o;
    EXPECT_GT(solve_by_method("direct", o, q).iterations, 0);
    const std::vector<Real> before = q.impulse;
    EXPECT_EQ(solve_by_method("direct", o, q).iterations, 0);
    EXPECT_EQ(q.impulse, before);
}
