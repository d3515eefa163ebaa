// Constraints with multipliers in the implicit step: equal to springs where they are soft, exact where they are hard.
#include "constraint/distance.h"
#include "constraint/list.h"
#include "model/stencil.h"
#include "newton_fixture.h"

using namespace sinew;

namespace {

// masses on links under a fixed point, swinging; compliance in m/N
ModelBuilder make_links(Real compliance, bool rope = false, int count = 4, Real last_mass = 0.4) {
    ModelBuilder b;
    begin_object(b, "links", "chain");
    std::vector<Real3> x;
    for (int i = 0; i < count; ++i) x.push_back({0.3 * i, 0.05 * (i % 2), 0.02 * i});
    std::vector<Real> mass(count, 0.5);
    mass.back() = last_mass;
    add_points(b, x, mass);
    b.model.point.flags[0] = kFixed;
    Distance::Params p;
    p.compliance = compliance, p.rope = rope;
    for (int i = 0; i + 1 < count; ++i) add_constraint(b, *find_constraint("distance"), &p, std::array<int, 2>{i, i + 1});
    add_gravity(b, 1, count);
    b.state.point.v.back() = {0, 0.5, 0.3};
    finish_model(b);
    return b;
}
Real length(const State& s, int i) { return (vec(s.point.x[i + 1]) - vec(s.point.x[i])).norm(); }

NewtonSettings with(const char* constraints, const char* scheme = "implicit_euler") {
    NewtonSettings s = exact_settings(scheme);
    s.constraints = constraints;
    return s;
}

} // namespace

TEST(kkt_step, compliant_rows_converge_to_the_springs_of_the_same_stiffness) {
    for (const char* scheme : {"implicit_euler", "implicit_midpoint", "bdf2", "newmark"})
        for (bool rope : {false, true})
            for (bool geometric : {false, true}) {
                const ModelBuilder b = make_links(1e-3, rope);
                NewtonSettings rows = with("compliant", scheme);
                rows.geometric_stiffness = geometric, rows.max_iterations = 200;
                NewtonRun springs(b, with("penalty", scheme)), multipliers(b, rows);
                springs.steps(20, 0.02);
                multipliers.steps(20, 0.02);
                // both to 1e-12 m/s per step; the chain carries errors on
                EXPECT_LT(distance_between(springs.now, multipliers.now), 1e-9) << scheme << rope << geometric;
            }
}

TEST(kkt_step, hard_rows_keep_lengths_to_rounding) {
    const ModelBuilder b = make_links(1e-6);
    NewtonRun run(b, with("hard"));
    std::vector<Real> rest;
    for (int i = 0; i < 3; ++i) rest.push_back(length(b.state, i));
    for (int k = 0; k < 50; ++k) {
        run.step(0.02);
        for (int i = 0; i < 3; ++i) EXPECT_NEAR(length(run.now, i), rest[i], 1e-12); // tolerance 1e-12 m/s * h
    }
}

// spec C 8.3, test T5: two masses on a rigid rod, r = 1 m, h = 0.01 s, 20 rad/s. tan th_1 = h w, tan th_k+1 = sin th_k/(2 - cos th_k)
TEST(kkt_step, a_hard_dumbbell_turns_by_the_exact_recursion) {
    ModelBuilder b;
    begin_object(b, "dumbbell", "particles");
    add_points(b, std::vector<Real3>{{-1, 0, 0}, {1, 0, 0}}, std::vector<Real>{3, 3});
    const Real omega = 20, h = 0.01;
    b.state.point.v = {{0, -omega, 0}, {0, omega, 0}};
    Distance::Params p;
    p.compliance = 0;
    add_constraint(b, *find_constraint("distance"), &p, std::array<int, 2>{0, 1});
    finish_model(b);
    NewtonSettings s = with("hard");
    s.max_iterations = 100;
    NewtonRun run(b, s);
    Real theta = 0, before = 0;
    for (int i = 0; i < 20; ++i) {
        theta = i == 0 ? std::atan(h * omega) : std::atan(std::sin(theta) / (2 - std::cos(theta)));
        run.step(h);
        const Real angle = std::atan2(run.x(1).y(), run.x(1).x());
        EXPECT_NEAR(std::remainder(angle - before, 2 * kPi), theta, 1e-10) << i; // converged to 1e-12 m/s
        before = angle;
        const Vec3 momentum = 3 * (run.x(0).cross(run.v(0)) + run.x(1).cross(run.v(1)));
        EXPECT_NEAR(momentum.z(), 2 * 3 * std::sin(theta) / h, 1e-8) << i; // the same over h
    }
}

// geometric stiffness is the derivative of the constraint force: Newton's method is then quadratic. Without it the
// iteration is a fixed-point one, slower the longer the step, and at 0.05 s it runs in circles.
TEST(kkt_step, geometric_stiffness_saves_iterations) {
    int count[2] = {};
    for (bool geometric : {false, true}) {
        const ModelBuilder b = make_links(1e-6);
        NewtonSettings s = with("hard");
        s.geometric_stiffness = geometric, s.max_iterations = 400;
        NewtonRun run(b, s);
        for (int k = 0; k < 20; ++k) {
            run.step(0.02);
            count[geometric] += run.report.iterations;
        }
    }
    EXPECT_LT(2 * count[1], count[0]);
}

TEST(kkt_step, velocity_rows_hold_at_the_start_of_the_step_and_lengths_drift) {
    const ModelBuilder b = make_links(1e-6);
    NewtonSettings s = with("hard_velocity");
    s.linearisation = "linearly_implicit";
    NewtonRun run(b, s);
    Real drift = 0;
    for (int k = 0; k < 50; ++k) {
        const State before = run.now;
        run.step(0.02);
        for (int i = 0; i < 3; ++i) {
            const Vec3 n = (vec(before.point.x[i + 1]) - vec(before.point.x[i])).normalized();
            EXPECT_NEAR(n.dot(run.v(i + 1) - run.v(i)), 0, 1e-11); // J v = 0; residual of the linear solve
            drift = std::max(drift, std::abs(length(run.now, i) - length(b.state, i)));
        }
    }
    EXPECT_GT(drift, 1e-3);
}

TEST(kkt_step, multipliers_are_the_forces_in_the_links) {
    // two masses hanging still: upper link carries both, lower one the last
    ModelBuilder b;
    begin_object(b, "links", "chain");
    add_points(b, std::vector<Real3>{{0, 0, 0}, {0, -1, 0}, {0, -2, 0}}, std::vector<Real>{1, 2, 3});
    b.model.point.flags[0] = kFixed;
    Distance::Params p;
    p.compliance = 1e-6;
    for (int i = 0; i < 2; ++i) add_constraint(b, *find_constraint("distance"), &p, std::array<int, 2>{i, i + 1});
    add_gravity(b, 1, 3);
    finish_model(b);
    NewtonRun run(b, with("hard"));
    run.step(0.01);
    const std::vector<double>* lambda = find_memory(run.now, "newton.lambda");
    ASSERT_TRUE(lambda);
    ASSERT_EQ(lambda->size(), 2u);
    EXPECT_NEAR((*lambda)[0], -9.81 * 5, 1e-9); // they pull: C would grow
    EXPECT_NEAR((*lambda)[1], -9.81 * 3, 1e-9);
}

// A hand pulls a mass by a rope in some direction, faster and faster and then slower until it stops after 0.1 s: the mass flies on
// past slack with the hand's largest speed. Lengths of hard rows are right up to rounding, of either sign, which must not make
// the rope push.
TEST(kkt_step, hard_ropes_let_go_whatever_the_direction) {
    Rng rng{3, 9, 0};
    const auto way = [](Real t) { return 0.3 * (t < 0.1 ? (3 - 20 * t) * 100 * t * t : 1); }; // [m] smooth step
    const Real h = 0.01;
    Real fastest = 0;
    for (int i = 0; i < 10; ++i) fastest = std::max(fastest, (way(h * (i + 1)) - way(h * i)) / h);
    for (const char* linearisation : {"full", "linearly_implicit"})
        for (int k = 0; k < 64; ++k) {
            const Vec3 away = draw_uniform(rng, 0.5, 1.5) * draw_direction(rng);
            ModelBuilder b;
            begin_object(b, "rope", "particles");
            add_points(b, std::vector<Real3>{{0, 0, 0}, real3(away)}, std::vector<Real>{1, 2});
            b.model.point.flags[0] = kFixed;
            Distance::Params p;
            p.rope = true;
            add_constraint(b, *find_constraint("distance"), &p, std::array<int, 2>{0, 1});
            finish_model(b);
            NewtonSettings s;
            s.constraints = "hard", s.linearisation = linearisation;
            NewtonRun run(b, s);
            for (int i = 0; i < 15; ++i) {
                run.input.points = {{0, real3(-way(h * (i + 1)) * away.normalized())}};
                run.step(h);
            }
            // straight, so that nothing is lost but the tolerance of 1e-4 m/s
            EXPECT_NEAR(run.v(1).norm(), fastest, 1e-4) << linearisation << k;
            EXPECT_LT(length(run.now, 0), away.norm() - 0.1) << linearisation << k;
        }
}

TEST(kkt_step, redundant_hard_rows_are_refused_and_compliant_ones_are_not) {
    ModelBuilder b = make_links(1e-4);
    Distance::Params p;
    p.compliance = 1e-4;
    add_constraint(b, *find_constraint("distance"), &p, std::array<int, 2>{0, 1}); // the first link again
    finish_model(b);
    State now = b.state, next;
    const NewtonSettings hard = with("hard"), soft = with("compliant");
    const auto refused = make_newton({.threads = 1}, b.model, now, &hard);
    const Report r = refused->step(b.model, {}, now, next, 0.01, nullptr);
    EXPECT_EQ(r.status, Status::failed);
    EXPECT_NE(r.message.find("redundant"), std::string::npos) << r.message;
    const auto taken = make_newton({.threads = 1}, b.model, now, &soft);
    EXPECT_EQ(taken->step(b.model, {}, now, next, 0.01, nullptr).status, Status::ok);
}

TEST(kkt_step, state_memory_continues_the_run_with_the_same_bits) {
    const ModelBuilder b = make_links(1e-6);
    NewtonSettings s = with("hard");
    s.linearisation = "linearly_implicit"; // one solve: the multipliers of the last step count
    NewtonRun whole(b, s), first(b, s);
    whole.steps(20, 0.02);
    first.steps(10, 0.02);
    NewtonRun second(b, s);
    second.now = first.now;
    second.drop = true;
    second.steps(10, 0.02);
    EXPECT_EQ(hash(second.now), hash(whole.now));
}
