// Trees of joints moved on their own (velocity_tree.h) against the general direct method, and what they promise.
#include "constraint/joint_ball.h"
#include "constraint/joint_hinge.h"
#include "constraint/joint_weld.h"
#include "constraint/list.h"
#include "core/random.h"
#include "energy/list.h"
#include "model/builder.h"
#include "solver/velocity.h"
#include "solver/velocity_build.h"
#include "solver/velocity_islands.h"
#include "solver/velocity_tree.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

int add_link(ModelBuilder& b, const Vec3& at, Real mass, const Vec3& inertia, bool held) {
    begin_object(b, "b" + std::to_string(b.model.objects.size()), "body");
    b.model.objects.back().touches = 0;
    const int f = add_frame(b, {real3(at), {1, 0, 0, 0}}, mass, {inertia.x(), 0, 0, 0, inertia.y(), 0, 0, 0, inertia.z()}, held ? kFixed : kFree);
    const ElementRow& gravity = *find_energy("gravity_frame");
    if (!held) add_energy(b, gravity, gravity.make_params().get(), std::array<int, 1>{f});
    return f;
}

template <class J> void add_joint_at(ModelBuilder& b, int a, int c, const Vec3& at) {
    typename J::Params p;
    for (int side = 0; side < 2; ++side) {
        const int f = side == 0 ? a : c;
        p.anchor.local[side] = real3(at - vec(b.state.frame.p[f]));
        p.anchor.axes[side] = {1, 0, 0, 0};
    }
    begin_object(b, "j" + std::to_string(b.model.objects.size()), "joint");
    add_constraint(b, *find_constraint(J::name), &p, std::array<int, 2>{a, c});
}

// a random tree of bodies with unequal inertias that move in accordance with nothing; every third joint a hinge or a weld
ModelBuilder make_tree(int bodies, bool held, bool only_balls, Rng& rng) {
    ModelBuilder b;
    std::vector<Vec3> x;
    for (int k = 0; k < bodies; ++k) {
        const int to = k == 0 ? -1 : int(draw_uniform(rng, std::max(0, k - 4), k - 1e-9));
        x.push_back((to < 0 ? Vec3(Vec3::Zero()) : x[to]) + draw_vec(rng, -1, 1));
        add_link(b, x[k], draw_uniform(rng, 0.5, 50), Vec3(draw_uniform(rng, 0.2, 1), draw_uniform(rng, 0.2, 1), draw_uniform(rng, 0.6, 1)),
                 held && k == 0);
        if (to < 0) continue;
        const Vec3 at = 0.5 * (x[to] + x[k]) + draw_vec(rng, -0.2, 0.2);
        if (only_balls || k % 3 == 0) add_joint_at<JointBall>(b, to, k, at);
        else if (k % 3 == 1) add_joint_at<JointHinge>(b, to, k, at);
        else add_joint_at<JointWeld>(b, to, k, at);
    }
    finish_model(b);
    for (int k = held; k < bodies; ++k) {
        b.state.frame.v[k] = real3(draw_vec(rng, -1, 1));
        b.state.frame.w[k] = real3(draw_vec(rng, -1, 1));
    }
    return b;
}

State run_velocity(const ModelBuilder& b, const std::string& method, int steps, Real dt, Report* report = nullptr, int substeps = 0) {
    VelocitySettings s;
    s.method = method;
    s.sleep = false;
    s.substeps = substeps;
    State now = b.state, next;
    const auto solver = make_velocity({}, b.model, now, &s);
    for (int k = 0; k < steps; ++k) {
        const Report r = solver->step(b.model, {}, now, next, dt);
        EXPECT_EQ(r.status, Status::ok) << r.message;
        if (report) *report = r;
        std::swap(now, next);
    }
    return now;
}

Real difference(const std::vector<Real3>& a, const std::vector<Real3>& b) {
    Real worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, (vec(a[i]) - vec(b[i])).cwiseAbs().maxCoeff());
    return worst;
}

} // namespace

// the first step has no forces to stiffen bodies with: the same equations, solved by the general envelope
TEST(velocity_tree, first_steps_are_those_of_the_general_direct_method) {
    Rng rng{3, 0, 0};
    for (int n : {2, 3, 8, 25})
        for (bool held : {true, false})
            for (bool balls : {true, false}) {
                const ModelBuilder b = make_tree(n, held, balls, rng);
                Report report;
                const State tree = run_velocity(b, "auto", 1, 1e-3, &report), direct = run_velocity(b, "direct", 1, 1e-3);
                EXPECT_EQ(report.path, std::string("direct"));
                EXPECT_LT(report.residual, 1e-9);
                // round-off of velocities about 1 m/s times the condition of J W J^T, some 1e4, and of traces of softness
                EXPECT_LT(difference(tree.frame.v, direct.frame.v), 1e-8) << n << held << balls;
                EXPECT_LT(difference(tree.frame.w, direct.frame.w), 1e-8) << n << held << balls;
                EXPECT_LT(difference(tree.frame.p, direct.frame.p), 1e-9) << n << held << balls;
            }
}

// momentum of a free tree: gravity alone acts on it. Joints act in pairs at one point up to what positions are corrected by
TEST(velocity_tree, free_trees_keep_their_momentum) {
    Rng rng{4, 0, 0};
    const ModelBuilder b = make_tree(12, false, true, rng);
    const int steps = 60;
    const Real dt = 1.0 / 60;
    const State end = run_velocity(b, "auto", steps, dt);
    Vec3 before = Vec3::Zero(), after = Vec3::Zero();
    Real mass = 0;
    for (std::size_t i = 0; i < end.frame.v.size(); ++i) {
        before += b.model.frame.mass[i] * vec(b.state.frame.v[i]);
        after += b.model.frame.mass[i] * vec(end.frame.v[i]);
        mass += b.model.frame.mass[i];
    }
    const Vec3 expected = before + mass * steps * dt * vec(b.model.gravity);
    EXPECT_LT((after - expected).norm(), 1e-9 * mass); // round-off of 60 steps
}

// 1000 kg on 20 links of 1 kg: swings of links at 800 rad/s, 13 rad per step, must not grow
TEST(velocity_tree, a_heavy_load_hangs_still_on_a_light_chain) {
    ModelBuilder b;
    int last = add_link(b, Vec3::Zero(), 1, Vec3::Ones(), true);
    for (int k = 0; k < 20; ++k) {
        const int f = add_link(b, Vec3(1e-3 * (k % 2), -0.25 - 0.5 * k, 0), 1, Vec3::Constant(0.016), false);
        add_joint_at<JointBall>(b, last, f, Vec3(0, -0.5 * k, 0));
        last = f;
    }
    const int load = add_link(b, Vec3(0, -10.5, 0), 1000, Vec3::Constant(100), false);
    add_joint_at<JointBall>(b, last, load, Vec3(0, -10, 0));
    finish_model(b);
    Report report;
    const State end = run_velocity(b, "auto", 600, 1.0 / 60, &report);
    EXPECT_NEAR(end.frame.p[load].y, -10.5, 1e-3); // the length is kept to 1 mm
    EXPECT_LT(std::abs(end.frame.p[load].x), 5e-3);
    EXPECT_LE(report.iterations, 4);               // one sub-step, and at most three corrections
}

// a pendulum of two links with small swings against many sub-steps: second order leaves h^2 of it
TEST(velocity_tree, swings_agree_with_small_steps) {
    ModelBuilder b;
    const int root = add_link(b, Vec3::Zero(), 1, Vec3::Ones(), true);
    const int one = add_link(b, Vec3(0.5, 0, 0), 1, Vec3::Constant(0.02), false), two = add_link(b, Vec3(1.5, 0, 0), 1, Vec3::Constant(0.02), false);
    add_joint_at<JointBall>(b, root, one, Vec3::Zero());
    add_joint_at<JointBall>(b, one, two, Vec3(1, 0, 0));
    finish_model(b);
    const State fine = run_velocity(b, "auto", 60 * 64, 1.0 / 60 / 64), middle = run_velocity(b, "auto", 60 * 4, 1.0 / 60 / 4);
    const State coarse = run_velocity(b, "auto", 60 * 2, 1.0 / 60 / 2);
    const Real far = difference(coarse.frame.p, fine.frame.p), near = difference(middle.frame.p, fine.frame.p);
    EXPECT_LT(near, 0.05);
    EXPECT_LT(near, 0.65 * far); // at least first order
}

// one way or the other, with gravity as the only acceleration
static State step_by(const ModelBuilder& b, bool special, int steps, Real dt) {
    const Model& m = b.model;
    State s = b.state;
    const ParallelPtr parallel = make_parallel({.threads = 1});
    RowProblem q;
    Rows rows;
    Islands islands;
    JointTreeScratch scratch;
    std::vector<Real> impulse;
    build_rows(m.elements->constraints, dofs_of(m), rows);
    for (int k = 0; k < steps; ++k) {
        build_bodies(m, s, q);
        clear_rows(q);
        list_constraint_groups(dofs_of(m), rows, q);
        if (k > 0) q.impulse = impulse;
        build_islands(q, islands);
        std::vector<IslandView> views;
        for (int i = 0; i < islands.count(); ++i) views.push_back(islands.view(i));
        std::vector<Vec3> linear(q.body_count(), Vec3::Zero()), angular(q.body_count(), Vec3::Zero());
        for (int i = 0; i < q.body_count(); ++i)
            if (q.inverse_mass[i] > 0) linear[i] = vec(m.gravity);
        build_trees(m, rows, views, q, scratch);
        for (const JointTree& t : scratch.trees) EXPECT_EQ(t.balls.size(), t.links.size());
        step_trees(*parallel, {.dt = dt, .special = special}, {m, m.elements->constraints, linear, angular, rows}, scratch, q, s);
        impulse = q.impulse;
    }
    return s;
}

// trees of ball joints: arms instead of levers are the same arithmetic in another order
TEST(velocity_tree, ball_joints_step_as_any_joints_do) {
    Rng rng{5, 0, 0};
    for (int n : {2, 3, 8, 25})
        for (bool held : {true, false}) {
            const ModelBuilder b = make_tree(n, held, true, rng);
            const State one = step_by(b, true, 20, 1.0 / 60), other = step_by(b, false, 20, 1.0 / 60);
            // rounding times the condition of J W J^T, some 1e4, over 20 steps of motion that is not yet chaotic
            EXPECT_LT(difference(one.frame.v, other.frame.v), 1e-9) << n << held;
            EXPECT_LT(difference(one.frame.w, other.frame.w), 1e-9) << n << held;
            EXPECT_LT(difference(one.frame.p, other.frame.p), 1e-10) << n << held;
        }
}

namespace {

// a chain of 0.4 m links of 2 kg with a ball of 1 m at its end, from the origin on; `angle` of each link to the horizontal [rad]
struct ChainCase {
    int links = 5;
    Real ratio = 1;      // masses of ball and link
    int shape = 0;       // level, up at 45 degrees, nearly upright, folded, zigzag, hanging aside
    bool slender = false;
};
constexpr Real kLink = 0.4, kLinkMass = 2, kBall = 1;

Real find_angle(const ChainCase& c, int k) {
    switch (c.shape) {
        case 0: return 0;
        case 1: return 0.785;
        case 2: return k % 2 ? 1.6 : 1.5;
        case 3: return k < c.links / 2 ? 0 : 3;
        case 4: return k % 2 ? 1.2 : -1.2;
        default: return -0.97;
    }
}

ModelBuilder make_chain(const ChainCase& c) {
    ModelBuilder b;
    int last = add_link(b, Vec3::Zero(), 1, Vec3::Ones(), true);
    Vec3 x = Vec3::Zero();
    for (int k = 0; k <= c.links; ++k) {
        const bool end = k == c.links;
        const Real length = end ? kBall : kLink, mass = end ? c.ratio * kLinkMass : kLinkMass, turn = mass * length * length / 12;
        const Vec3 inertia = end ? Vec3(Vec3::Constant(0.1 * mass)) : c.slender ? Vec3(0.1 * turn, turn, turn) : Vec3(Vec3::Constant(turn));
        const Real angle = find_angle(c, k);
        const Vec3 along = Vec3(std::cos(angle), std::sin(angle), c.shape == 0 ? 0 : 0.05 * std::sin(3.0 * k)).normalized();
        const int f = add_link(b, x + 0.5 * length * along, mass, inertia, false);
        b.state.frame.q[f] = real4(Quat::FromTwoVectors(Vec3::UnitX(), along));
        JointBall::Params p;
        p.anchor.local[0] = last == 0 ? Real3{} : Real3{kLink / 2, 0, 0};
        p.anchor.local[1] = {-0.5 * length, 0, 0};
        p.anchor.axes[0] = p.anchor.axes[1] = {1, 0, 0, 0};
        begin_object(b, "j" + std::to_string(k), "joint");
        add_constraint(b, *find_constraint(JointBall::name), &p, std::array<int, 2>{last, f});
        x += length * along;
        last = f;
    }
    finish_model(b);
    return b;
}

struct ChainMeasures {
    Real energy = 0;  // [J]
    Real power = 0;   // [W] that gravity has at most by these speeds
    Real opening = 0; // [m] of the worst joint
};
ChainMeasures measure_chain(const Model& m, const State& s) {
    ChainMeasures out;
    Vec3 x = Vec3::Zero();
    const int last = int(s.frame.p.size()) - 1;
    for (int i = 1; i <= last; ++i) {
        const Quat q = quat(s.frame.q[i]);
        const Vec3 w = q.conjugate() * vec(s.frame.w[i]), v = vec(s.frame.v[i]), p = vec(s.frame.p[i]), g = vec(m.gravity);
        const Vec3 half = q * Vec3(i == last ? kBall / 2 : kLink / 2, 0, 0);
        const Real mass = m.frame.mass[i];
        out.energy += 0.5 * mass * v.squaredNorm() + 0.5 * w.dot(mat(m.frame.inertia[i]) * w) - mass * g.dot(p);
        out.power += mass * g.norm() * v.norm();
        out.opening = std::max(out.opening, (p - half - x).norm());
        x = p + half;
    }
    return out;
}

void expect_no_energy_from(const ChainCase& c) {
    const ModelBuilder b = make_chain(c);
    VelocitySettings settings;
    settings.sleep = false;
    const Real dt = 1.0 / 60;
    State now = b.state, next;
    const auto solver = make_velocity({}, b.model, now, &settings);
    const Real start = measure_chain(b.model, now).energy;
    const Real all = (0.5 * c.links + c.ratio) * kLinkMass * 9.81 * (c.links * kLink + kBall); // [J] from level to hanging, about
    Real most = 0, widest = 0;
    for (int k = 0; k < 600; ++k) {
        ASSERT_EQ(solver->step(b.model, {}, now, next, dt).status, Status::ok);
        std::swap(now, next);
        const ChainMeasures is = measure_chain(b.model, now);
        // velocities are those of half a step ago: the energy is off by what gravity does in that time, which is what is allowed
        most = std::max(most, (is.energy - start - 0.5 * dt * is.power) / all);
        widest = std::max(widest, is.opening);
    }
    const auto label = ::testing::Message() << c.links << " links, ratio " << c.ratio << ", shape " << c.shape << ", slender " << c.slender;
    // 0.4 % is seen, where forces act in sub-steps of changing length; heavier ends open joints, and closing them may lift them by more than they
    // can pay for. Without the balance 50 % and more, and no bound
    EXPECT_LT(most, c.ratio <= 100 ? 0.01 : 0.5) << label;
    if (c.ratio <= 1000) EXPECT_LT(widest, (c.ratio <= 100 ? 0.5 : 5) * kLink) << label; // for a moment, when it goes taut; torn chains fall by tens of metres
}

} // namespace

// Chains that were slack and go taut, and straight ones that swing, with a ball of up to 10^4 times the mass of a link
TEST(velocity_tree, pinned_chains_with_a_heavy_end_gain_no_energy) {
    for (int links : {1, 5, 13})
        for (Real ratio : {1., 100., 1000., 1e4})
            for (int shape = 0; shape < 6; ++shape)
                for (bool slender : {false, true}) expect_no_energy_from({links, ratio, shape, slender});
}

// neither way is far from what many small steps find: ten swings of a straight chain keep their energy
TEST(velocity_tree, a_heavy_end_that_swings_on_a_straight_chain_keeps_its_energy) {
    for (Real ratio : {1., 100.}) {
        const ModelBuilder b = make_chain({5, ratio, 5, false});
        const Real start = measure_chain(b.model, b.state).energy, end = measure_chain(b.model, run_velocity(b, "auto", 600, 1.0 / 60)).energy;
        const Real all = (2.5 + ratio) * kLinkMass * 9.81 * (5 * kLink + kBall);
        EXPECT_NEAR(end, start, 0.01 * all) << ratio; // first order: half a step of gravity at 2 m/s is 0.6 % of it
    }
}
