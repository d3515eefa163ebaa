// Packed soft contacts: widths against each other, and single contacts against closed forms.
#include "core/random.h"
#include "core/simd.h"
#include "model/stencil.h"
#include "solver/soft_contact.h"
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <set>

namespace sinew {
namespace {
constexpr Real kGravity = 9.81;

template <class S, int N> struct World {
    std::vector<SoftMass> masses;
    std::vector<SoftBody<S>> bodies;
    std::vector<SoftManifold> manifolds;
    SoftContacts<S, N> contacts;
    SoftParameters parameters;
    ParallelPtr parallel;
    Real gravity = kGravity;

    explicit World(int threads = 1) {
        Context context;
        context.threads = threads;
        parallel = make_parallel(context);
    }
};

// the sub-steps of one step, as soft_contact.h lists them
template <class S, int N> void step(World<S, N>& w, int substeps) {
    const std::span<SoftBody<S>> bodies(w.bodies);
    build_contacts(*w.parallel, w.parameters, std::span<const SoftManifold>(w.manifolds),
                   std::span<const SoftMass>(w.masses), std::span<const SoftBody<S>>(w.bodies), w.contacts);
    for (int s = 0; s < substeps; ++s) {
        for (std::size_t i = 0; i < w.bodies.size(); ++i)
            if (w.masses[i].inverse_mass > 0) w.bodies[i].v[1] -= S(w.gravity * w.parameters.h);
        warm_start_contacts(*w.parallel, w.contacts, bodies);
        solve_contacts(*w.parallel, w.parameters, w.contacts, bodies);
        for (SoftBody<S>& b : w.bodies)
            for (int k = 0; k < 6; ++k) b.d[k] += S(w.parameters.h) * b.v[k];
        relax_contacts(*w.parallel, w.parameters, w.contacts, bodies);
    }
    bounce_contacts(*w.parallel, w.parameters, w.contacts, bodies);
    read_impulses(*w.parallel, w.contacts, std::span<SoftManifold>(w.manifolds));
}

SoftMass cube_mass(Real mass, Real side) {
    const Real i = 6 / (mass * side * side);
    return {1 / mass, {i, i, i, 0, 0, 0}};
}

// a unit cube of 2 kg (body 0) on held ground (no body)
template <class S, int N> World<S, N> make_cube_on_ground(Real friction) {
    World<S, N> w;
    w.masses = {cube_mass(2, 1)};
    w.bodies.resize(1);
    SoftManifold m;
    m.a = 0;
    m.points = 4;
    m.normal = {0, 1, 0};
    for (int i = 0; i < 4; ++i) {
        m.ra[i] = {i & 1 ? 0.5 : -0.5, -0.5, i & 2 ? 0.5 : -0.5};
        m.rb[i] = m.ra[i];
    }
    m.friction = friction;
    w.manifolds = {m};
    return w;
}

// many bodies, some held, many manifolds of one to four points between random pairs
template <class S, int N> World<S, N> make_crowd(int threads) {
    World<S, N> w(threads);
    Rng rng{7};
    const int count = 300;
    for (int i = 0; i < count; ++i) {
        w.masses.push_back(i % 10 == 0 ? SoftMass{} : cube_mass(draw_uniform(rng, 0.5, 2), 1));
        SoftBody<S> b;
        for (int k = 0; k < 6; ++k) b.v[k] = S(i % 10 == 0 ? 0 : draw_uniform(rng, -0.1, 0.1));
        w.bodies.push_back(b);
    }
    for (int i = 0; i < 700; ++i) {
        SoftManifold m;
        m.a = draw_int(rng, count);
        do m.b = draw_int(rng, count);
        while (m.b == m.a || (m.a % 10 == 0 && m.b % 10 == 0));
        m.points = 1 + i % 4;
        m.normal = real3(draw_vec(rng, -1, 1).normalized());
        for (int k = 0; k < m.points; ++k) {
            m.ra[k] = real3(draw_vec(rng, -0.5, 0.5));
            m.rb[k] = real3(draw_vec(rng, -0.5, 0.5));
            m.gap[k] = draw_uniform(rng, -0.01, 0.005);
            m.impulse[k] = draw_uniform(rng, 0, 0.001);
        }
        m.friction = draw_uniform(rng, 0, 1);
        m.restitution = i % 5 == 0 ? 0.5 : 0;
        m.rolling = i % 7 == 0 ? 0.05 : 0;
        m.torsion = 0.01;
        w.manifolds.push_back(m);
    }
    return w;
}
} // namespace

TEST(SoftContact, no_movable_body_is_twice_in_a_color_and_no_manifold_is_lost) {
    World<float, kSoftLanes> w = make_crowd<float, kSoftLanes>(1);
    // a hub that touches more bodies than there are colours
    for (int i = 0; i < 60; ++i) {
        SoftManifold m = w.manifolds[0];
        m.a = 1, m.b = 11 + 2 * i;
        w.manifolds.push_back(m);
    }
    step(w, 1);
    std::set<int> seen;
    for (int c = 0; c < kSoftColors; ++c) {
        std::set<int> bodies;
        for (int k = w.contacts.color_begin[c]; k < w.contacts.color_begin[c + 1]; ++k)
            for (int l = 0; l < kSoftLanes; ++l) {
                const auto& block = w.contacts.blocks[k];
                if (block.manifold[l] < 0) continue;
                EXPECT_TRUE(seen.insert(block.manifold[l]).second);
                for (const int b : {block.a[l], block.b[l]})
                    if (w.masses[b].inverse_mass > 0) {
                        EXPECT_TRUE(bodies.insert(b).second) << "body " << b << " colour " << c;
                    }
            }
    }
    EXPECT_GT(w.contacts.rest.size(), 10u);
    for (const auto& block : w.contacts.rest) EXPECT_TRUE(seen.insert(block.manifold[0]).second);
    EXPECT_EQ(seen.size(), w.manifolds.size());
}

TEST(SoftContact, eight_at_once_in_single_precision_agree_with_one_at_a_time_in_double) {
    World<float, kSoftLanes> w = make_crowd<float, kSoftLanes>(1);
    World<double, 1> oracle = make_crowd<double, 1>(1);
    step(w, 4);
    step(oracle, 4);
    Real largest = 0;
    std::vector<Real> error;
    for (std::size_t i = 0; i < w.bodies.size(); ++i)
        for (int k = 0; k < 6; ++k) {
            largest = std::max(largest, std::abs(oracle.bodies[i].v[k]));
            error.push_back(std::abs(oracle.bodies[i].v[k] - Real(w.bodies[i].v[k])));
        }
    std::sort(error.begin(), error.end());
    EXPECT_GT(largest, 0.1);
    // most: rounding 6e-8 of numbers of that size, through 4 x 2 sweeps of a few hundred coupled rows each.
    // All: a gap that closes to zero within rounding may be taken as open or as a soft contact, which differs
    // by the bias of a sub-step.
    EXPECT_LT(error[error.size() / 2], 1e-5 * largest);
    EXPECT_LT(error.back(), 1e-2 * largest);
    EXPECT_GT(error.back(), 0);
}

TEST(SoftContact, avx2_and_plain_code_and_any_number_of_threads_give_the_same_bits) {
    const World<float, kSoftLanes> first = [] {
        World<float, kSoftLanes> w = make_crowd<float, kSoftLanes>(1);
        step(w, 4);
        return w;
    }();
    World<float, kSoftLanes> threaded = make_crowd<float, kSoftLanes>(3);
    step(threaded, 4);
    ASSERT_EQ(first.bodies.size(), threaded.bodies.size());
    EXPECT_EQ(std::memcmp(first.bodies.data(), threaded.bodies.data(),
                          first.bodies.size() * sizeof first.bodies[0]),
              0);
    if (!has_avx2()) GTEST_SKIP() << "this machine has no AVX2";
    // the loops themselves: one block after another by both versions
    World<float, kSoftLanes> a = make_crowd<float, kSoftLanes>(1);
    build_contacts(*a.parallel, a.parameters, std::span<const SoftManifold>(a.manifolds),
                   std::span<const SoftMass>(a.masses), std::span<const SoftBody<float>>(a.bodies),
                   a.contacts);
    const SoftNumbers<float> s{float(a.parameters.h), float(1 / a.parameters.h), 3, 0, 0.1f};
    std::vector<SoftBody<float>> bodies_plain = a.bodies, bodies_avx2 = a.bodies;
    auto blocks_plain = a.contacts.blocks, blocks_avx2 = a.contacts.blocks;
    const int count = int(blocks_plain.size());
    const auto run = [&](const SoftLoops<float, kSoftLanes>& loops, auto& blocks, auto& bodies) {
        loops.warm_start(blocks.data(), 0, count, bodies.data());
        loops.solve(blocks.data(), 0, count, s, bodies.data());
        loops.relax(blocks.data(), 0, count, s, bodies.data());
        loops.bounce(blocks.data(), 0, count, s, bodies.data());
    };
    run(kSoftLoopsPlain, blocks_plain, bodies_plain);
    run(kSoftLoopsAvx2, blocks_avx2, bodies_avx2);
    EXPECT_EQ(
        std::memcmp(bodies_plain.data(), bodies_avx2.data(), bodies_plain.size() * sizeof bodies_plain[0]),
        0);
    EXPECT_NE(std::memcmp(bodies_plain.data(), a.bodies.data(), bodies_plain.size() * sizeof bodies_plain[0]),
              0);
}

TEST(SoftContact, impulses_inside_a_crowd_keep_linear_momentum) {
    World<double, 1> w = make_crowd<double, 1>(1);
    w.gravity = 0;
    // only pairs of movable bodies
    std::erase_if(w.manifolds, [](const SoftManifold& m) { return m.a % 10 == 0 || m.b % 10 == 0; });
    const auto momentum = [&] {
        Vec3 sum = Vec3::Zero();
        for (std::size_t i = 0; i < w.bodies.size(); ++i)
            if (w.masses[i].inverse_mass > 0)
                sum += Vec3(w.bodies[i].v[0], w.bodies[i].v[1], w.bodies[i].v[2]) / w.masses[i].inverse_mass;
        return sum;
    };
    const Vec3 before = momentum();
    step(w, 4);
    EXPECT_LT((momentum() - before).norm(), 1e-12); // round-off of 270 bodies of order 1 kg m/s
}

TEST(SoftContact, a_cube_at_rest_is_carried_by_its_four_points_alike) {
    World<float, kSoftLanes> w = make_cube_on_ground<float, kSoftLanes>(0.5);
    for (int i = 0; i < 120; ++i) step(w, 4);
    Real sum = 0;
    for (int i = 0; i < 4; ++i) {
        sum += w.manifolds[0].impulse[i];
        EXPECT_NEAR(w.manifolds[0].impulse[i], 2 * kGravity * w.parameters.h / 4,
                    1e-3 * 2 * kGravity * w.parameters.h);
    }
    // single precision of the displacement, seen through the bias
    EXPECT_NEAR(sum, 2 * kGravity * w.parameters.h, 1e-3 * 2 * kGravity * w.parameters.h);
    // static sinking of a spring of angular frequency w = 2 pi 60: g/w^2 = 69 micrometres
    EXPECT_GT(w.bodies[0].d[1], -1e-4);
    EXPECT_NEAR(w.bodies[0].v[1], 0, 1e-5);
}

TEST(SoftContact, sliding_is_slowed_by_mu_g_and_ends) {
    World<double, 1> w = make_cube_on_ground<double, 1>(0.3);
    for (int i = 0; i < 60; ++i) step(w, 4); // settle
    w.bodies[0].v[0] = 2;
    const int steps = 20;
    for (int i = 0; i < steps; ++i) step(w, 4);
    const Real time = steps * 4 * w.parameters.h;
    EXPECT_NEAR(w.bodies[0].v[0], 2 - 0.3 * kGravity * time, 1e-3 * 0.3 * kGravity * time);
    for (int i = 0; i < 60; ++i) step(w, 4);
    EXPECT_NEAR(w.bodies[0].v[0], 0,
                1e-6); // the coupling of sliding and tilting dies out by a factor per sweep
}

TEST(SoftContact, spin_about_the_normal_is_slowed_by_the_torque_of_its_points) {
    World<double, 1> w = make_cube_on_ground<double, 1>(0.3);
    for (int i = 0; i < 60; ++i) step(w, 4);
    w.bodies[0].v[4] = 3;
    const int steps = 6;
    for (int i = 0; i < steps; ++i) step(w, 4);
    // torque mu m g |r - c|, |r - c| = sqrt(1/2), inertia m/6
    const Real time = steps * 4 * w.parameters.h, slowing = 0.3 * kGravity * std::sqrt(0.5) * 6;
    EXPECT_NEAR(w.bodies[0].v[4], 3 - slowing * time, 1e-3 * slowing * time);
}

TEST(SoftContact, rolling_friction_slows_the_spin_of_a_ball_and_torsion_its_turning) {
    for (const bool turning : {false, true}) {
        World<double, 1> w;
        const Real radius = 0.5, mass = 2, inertia = 0.4 * mass * radius * radius;
        w.masses = {{1 / mass, {1 / inertia, 1 / inertia, 1 / inertia, 0, 0, 0}}};
        w.bodies.resize(1);
        SoftManifold m;
        m.a = 0, m.points = 1, m.normal = {0, 1, 0};
        m.ra[0] = m.rb[0] = {0, -radius, 0};
        (turning ? m.torsion : m.rolling) = 0.02; // no sliding friction: the spin is all there is
        w.manifolds = {m};
        for (int i = 0; i < 60; ++i) step(w, 4);
        const int axis = turning ? 4 : 3;
        w.bodies[0].v[axis] = 3;
        for (int i = 0; i < 10; ++i) step(w, 4);
        const Real time = 40 * w.parameters.h;
        EXPECT_NEAR(w.bodies[0].v[axis], 3 - 0.02 * mass * kGravity / inertia * time, 1e-3);
    }
}

TEST(SoftContact, a_fast_approach_bounces_by_the_restitution_and_a_slow_one_does_not) {
    for (const Real speed : {2.0, 0.05}) {
        World<double, 1> w = make_cube_on_ground<double, 1>(0.3);
        w.gravity = 0;
        w.manifolds[0].restitution = 0.5;
        w.bodies[0].v[1] = -speed;
        step(w, 4);
        EXPECT_NEAR(w.bodies[0].v[1], speed > 1 ? 1 : 0, 0.03 * speed); // one sweep over four coupled points
    }
}

TEST(SoftContact, a_gap_is_closed_and_not_passed) {
    World<double, 1> w = make_cube_on_ground<double, 1>(0);
    w.gravity = 0;
    for (Real& gap : w.manifolds[0].gap) gap = 0.01;
    w.bodies[0].v[1] = -10; // would move 0.167 m
    step(w, 4);
    EXPECT_NEAR(w.bodies[0].d[1], -0.01, 1e-3); // three sweeps of four coupled points
}

TEST(SoftContact, nothing_to_do_is_done) {
    World<float, kSoftLanes> w;
    step(w, 2);
    EXPECT_TRUE(w.contacts.blocks.empty());
}

} // namespace sinew
