// The one-pass step of springs against the general path (bit for bit) and against the gather (to rounding).
#include "energy/spring_models.h"
#include "model/visit.h"
#include "solver/explicit.h"
#include "solver/explicit_springs.h"
#include "solver/measure.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

std::unique_ptr<Solver> make_explicit_solver(const ModelBuilder& b, State& s, int threads,
                                             const char* scheme = "symplectic_euler") {
    ExplicitSettings settings;
    settings.scheme = scheme;
    return make_explicit({.threads = threads}, b.model, s, &settings);
}

// the state after some steps; a grab of no stiffness changes nothing but keeps the step off the special path
State run_explicit(const ModelBuilder& b, Input input, int steps, int threads, bool general, bool drop = false,
                   const char* scheme = "symplectic_euler") {
    State now = b.state, next;
    const auto solver = make_explicit_solver(b, now, threads, scheme);
    if (general) input.grabs.push_back({1, {}, 0});
    for (int i = 0; i < steps; ++i) {
        if (drop) solver->drop_caches();
        const Report r = solver->step(b.model, input, now, next, 1e-3);
        EXPECT_EQ(std::string_view(r.path).starts_with("springs"), !general);
        std::swap(now, next);
    }
    return now;
}

// a cloth with advected points beside it
ModelBuilder with_passive_points() {
    ModelBuilder b = make_spring_cloth(20, 30);
    begin_object(b, "smoke", "particles");
    const int first =
        add_points(b, std::vector<Real3>(100, {1, 2, 3}), std::vector<Real>(100, 0.0), kPassive);
    b.fields.velocity.emplace_back();
    b.fields.velocity.back().turbulence_speed = 1;
    for (int i = first; i < first + 100; ++i) b.model.point.field[i] = 0;
    b.model.point.field[0] = -1;
    finish_model(b);
    return b;
}

} // namespace

TEST(explicit_springs, have_the_bits_of_the_general_path) {
    for (const char* scheme : {"symplectic_euler", "improved_euler"})
        for (int which = 0; which < 6; ++which) {
            const ModelBuilder b = which == 0   ? make_spring_cloth(61, 67)
                                   : which == 1 ? make_spring_cloth(40, 33, 0.3)
                                   : which == 2 ? make_spring_cloth(40, 33, 0, false)
                                   : which == 3 ? make_spring_cloth(7, 41)
                                   : which == 4 ? make_spring_tangle(700, 4000, 2)
                                                : with_passive_points();
            const State special = run_explicit(b, {}, 10, 2, false, false, scheme),
                        general = run_explicit(b, {}, 10, 2, true, false, scheme);
            EXPECT_TRUE(equal(special, general)) << scheme << " case " << which;
            EXPECT_FALSE(equal(special, b.state));
        }
}

TEST(explicit_springs, fixed_points_follow_their_targets) {
    const ModelBuilder b = make_spring_cloth(20, 30);
    Input input;
    input.points.push_back({0, {-0.1, 0.2, 0.3}});
    const State special = run_explicit(b, input, 1, 2, false);
    EXPECT_TRUE(equal(special, run_explicit(b, input, 1, 2, true)));
    EXPECT_NEAR((vec(special.point.x[0]) - Vec3(-0.1, 0.2, 0.3)).norm(), 0,
                1e-16);                                  // one rounding of numbers below 1
    EXPECT_EQ(special.point.x[29], b.state.point.x[29]); // fixed without a target
    // what moves the point does the same work on both paths, up to the order of sums
    Real work[2];
    for (int general = 0; general < 2; ++general) {
        State now = b.state, next;
        const auto solver = make_explicit_solver(b, now, 2, "symplectic_euler");
        if (general) input.grabs.push_back({1, {}, 0});
        work[general] = solver->step(b.model, input, now, next, 1e-3).work_external;
    }
    EXPECT_GT(std::abs(work[0]), 1e-6);
    EXPECT_NEAR(work[0], work[1], 1e-12 * std::abs(work[1]));
}

TEST(explicit_springs, any_number_of_threads_and_dropped_caches_give_the_same_bits) {
    for (Real damping : {0.0, 0.3}) {
        const ModelBuilder b = make_spring_cloth(61, 67, damping);
        const State one = run_explicit(b, {}, 10, 1, false);
        for (int threads : {2, 3, 8}) EXPECT_TRUE(equal(one, run_explicit(b, {}, 10, threads, false))) << threads;
        EXPECT_TRUE(equal(one, run_explicit(b, {}, 10, 2, false, true)));
        EXPECT_TRUE(equal(run_explicit(b, {}, 10, 1, true), run_explicit(b, {}, 10, 8, true, true)));
    }
}

TEST(explicit_springs, agree_with_the_gather_to_rounding) {
    for (const ModelBuilder& b : {make_spring_cloth(40, 33, 0.3), make_spring_tangle(700, 4000, 2)}) {
        const auto parallel = make_parallel({.threads = 2});
        const State& now = b.state;
        ForceScratch gather;
        gather.pack_springs = false;
        std::vector<Real> f(dofs_of(b.model).size());
        compute_forces(*parallel, b.model, {}, evaluation_of(b.model, now, 1e-3), surface_state(now),
                       gather, f);
        const State next = run_explicit(b, {}, 1, 2, false);
        for (int i = 0; i < point_count(b.model); ++i) {
            if (b.model.point.flags[i] & kFixed) continue;
            const Vec3 v =
                vec(now.point.v[i]) + 1e-3 * Eigen::Map<const Vec3>(f.data() + 3 * i) / b.model.point.mass[i];
            const Vec3 x = vec(now.point.x[i]) + 1e-3 * v;
            // forces agree to 2e-12 N (spring_batch_test), masses are above 0.007 kg: h f/m to 3e-13 m/s
            EXPECT_NEAR((vec(next.point.v[i]) - v).norm(), 0, 1e-12) << i;
            EXPECT_NEAR((vec(next.point.x[i]) - x).norm(), 0, 2e-15) << i; // h times that, and roundings of x
        }
    }
}

// internal forces sum to zero: both ends of a spring between two chunks get the same number
TEST(explicit_springs, conserve_momentum) {
    const ModelBuilder b = make_spring_cloth(61, 67, 0.3, false, kFree);
    const auto momentum = [&](const State& s) {
        Vec3 p = Vec3::Zero();
        for (int i = 0; i < point_count(b.model); ++i) p += b.model.point.mass[i] * vec(s.point.v[i]);
        return p;
    };
    // 4000 points with m v below 1e-2, summed with relative error 4000 * 1.1e-16, 100 steps
    EXPECT_NEAR((momentum(run_explicit(b, {}, 100, 2, false)) - momentum(b.state)).norm(), 0, 1e-10);
}

// what keeps a step on the general path
TEST(explicit_springs, are_used_only_where_nothing_else_acts) {
    const auto parallel = make_parallel({.threads = 1});
    const auto special = [&](const ModelBuilder& b, const Input& input) {
        ForceScratch f;
        refresh_forces(*parallel, b.model, f);
        return is_spring_step(b.model, input, b.state, f);
    };
    const ModelBuilder plain = make_spring_cloth(20, 30), damped = make_spring_cloth(20, 30, 0.1);
    EXPECT_TRUE(special(plain, {}));
    EXPECT_TRUE(special(damped, {}));
    Input push, move;
    push.point_forces.push_back({3, {1, 0, 0}});
    move.points.push_back({0, {}});
    EXPECT_FALSE(special(plain, push));
    EXPECT_TRUE(special(plain, move));
    EXPECT_FALSE(special(damped, move)); // dampers see the velocity of the moved point
    ModelBuilder moved = damped; // and would see the old one of a point that has just come to rest
    moved.state.point.v[0] = {0, 1, 0};
    EXPECT_FALSE(special(moved, {}));
    ModelBuilder some = make_spring_cloth(20, 30, 0, false);
    add_gravity(some, 0, 100); // not all points
    finish_model(some);
    EXPECT_FALSE(special(some, {}));
    ModelBuilder twice = make_spring_cloth(20, 30);
    add_gravity(twice, 5, 6);
    finish_model(twice);
    EXPECT_FALSE(special(twice, {}));
}
