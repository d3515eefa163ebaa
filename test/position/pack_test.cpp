// Packed links, hinges, triangles and tetrahedra against the local solve of any element, and the order in which they are visited.
#include "constraint/dihedral.h"
#include "constraint/tet_hooke.h"
#include "constraint/tri_strain.h"
#include "core/random.h"
#include "core/simd.h"
#include "energy/gravity.h"
#include "energy/hinge.h"
#include "energy/tet.h"
#include "energy/tri.h"
#include "position/position_fixture.h"
#include "solver/position_problem.h"
#include <set>

using namespace sinew;

namespace {

// a sheet of triangles with hinges of one kind
ModelBuilder make_hinges(const char* kind, Real damping) {
    constexpr int n = 9;
    ModelBuilder b;
    begin_object(b, "sheet", "cloth_grid");
    std::vector<Real3> x;
    for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c) x.push_back({0.1 * c, 0.03 * std::sin(2.0 * c + r), 0.1 * r});
    add_points(b, x, std::vector<Real>(x.size(), 0.01));
    b.model.point.flags[0] = b.model.point.flags[4] = kFixed;
    const auto add = [&](std::array<int, 4> stencil) {
        if (std::string_view(kind) == "dihedral") {
            const Dihedral::Params p{1e-3, 0.5};
            add_constraint(b, *find_constraint(kind), &p, stencil);
        } else {
            HingeParams p;
            p.stiffness = 1e-3 * (1 + stencil[0] % 3), p.damping = damping, p.rest = 0.5;
            add_energy(b, *find_energy(kind), &p, stencil);
        }
    };
    for (int r = 0; r + 1 < n; ++r)
        for (int c = 0; c + 1 < n; ++c) {
            const int a = r * n + c;
            add({a, a + n, a + 1, a + n + 1}); // across the diagonal
            if (c + 2 < n) add({a + n, a + n + 1, a + 1, a + 2});
        }
    finish_model(b);
    shake(b.model, b.state, 0.02);
    return b;
}
// a sheet of triangles, orthotropic, two of its points held; one triangle has no area
ModelBuilder make_triangles(const char* kind, Real damping) {
    constexpr int n = 9;
    ModelBuilder b;
    begin_object(b, "sheet", "cloth_grid");
    std::vector<Real3> x;
    for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c) x.push_back({0.1 * c, 0.03 * std::sin(2.0 * c + r), 0.1 * r});
    x.push_back(x.back());
    add_points(b, x, std::vector<Real>(x.size(), 0.01));
    b.model.point.flags[0] = b.model.point.flags[4] = kFixed;
    const auto add = [&](std::array<int, 3> t) {
        if (std::string_view(kind) == "tri_strain") {
            const TriStrain::Params p{2e3, 1e3 * (1 + t[0] % 3), 0.3, 500, 1e-3, {1, 0, 0.5}, false};
            add_constraint(b, *find_constraint(kind), &p, t);
        } else {
            const MembraneParams p{2e3, 1e3 * (1 + t[0] % 3), 0.3, 500, 1e-3, damping, {1, 0, 0.5}};
            add_energy(b, *find_energy(kind), &p, t);
        }
    };
    for (int r = 0; r + 1 < n; ++r)
        for (int c = 0; c + 1 < n; ++c) {
            const int a = r * n + c;
            add({a, a + n, a + 1}), add({a + 1, a + n, a + n + 1});
        }
    add({n * n - 2, n * n - 1, n * n});
    finish_model(b);
    shake(b.model, b.state, 0.02);
    return b;
}
ModelBuilder make_tets(const char* kind) {
    constexpr int n = 4;
    ModelBuilder b;
    begin_object(b, "block", "tet_mesh");
    std::vector<Real3> x;
    for (int i = 0; i < n * n * n; ++i) x.push_back({0.1 * (i / (n * n)), 0.1 * (i / n % n), 0.1 * (i % n)});
    add_points(b, x, std::vector<Real>(x.size(), 0.05));
    for (int i = 0; i < 5; ++i) b.model.point.flags[i] = kFixed;
    const auto add = [&](std::array<int, 4> t) {
        if (std::string_view(kind) == "tet_hooke") {
            const TetHooke::Params p{1e4, 0.3, false};
            add_constraint(b, *find_constraint(kind), &p, t);
        } else {
            const auto p = find_energy(kind)->make_params();
            add_energy(b, *find_energy(kind), p.get(), t);
        }
    };
    for (int i = 0; i + 1 < n; ++i)
        for (int j = 0; j + 1 < n; ++j)
            for (int k = 0; k + 1 < n; ++k) {
                const int a = (i * n + j) * n + k, e = n * n;
                for (auto [p, q] : {std::array<int, 2>{e, n}, {n, 1}, {1, e}}) // two of the six around the diagonal each
                    add({a, a + p, a + p + q, a + e + n + 1}), add({a, a + p + q, a + q, a + e + n + 1});
            }
    finish_model(b);
    shake(b.model, b.state, 0.01);
    return b;
}

Sweep sweep_over(const PositionProblem& p, State& s, Softness softness, Real damping_time) {
    Sweep w;
    w.to.x = s.point.x.data(), w.to.v = s.point.v.data(), w.to.point_inverse = p.point_inverse.data();
    w.h = 0.01, w.reach = 1e-4, w.kick = 0.01, w.relaxation = 1.1, w.stiffness = 0.7, w.softness = softness, w.damping_time = damping_time;
    return w;
}

// three sweeps by batches and by elements in the same order
void compare(const ModelBuilder& b, Softness softness, Real damping_time) {
    const ParallelPtr parallel = make_parallel({.threads = 2});
    State packed = b.state, plain = b.state, other = b.state;
    PositionProblem p;
    p.chains = false; // chain_test.cpp
    refresh_masses(b.model, packed, p);
    refresh_tables(b.model, p);
    ASSERT_FALSE(p.tables.empty());
    Evaluation ev;
    ev.x = plain.point.x.data(), ev.v = plain.point.v.data(), ev.x_now = b.state.point.x.data();
    std::vector<PositionPack> without;
    for (DualTable& t : p.tables) {
        ASSERT_TRUE(t.packed) << t.table->row->name;
        without.push_back(t.pack);
        without.back().avx2 = false;
    }
    for (int k = 0; k < 3; ++k)
        for (std::size_t i = 0; i < p.tables.size(); ++i) {
            DualTable& t = p.tables[i];
            project_pack(*parallel, sweep_over(p, packed, softness, damping_time), true, k == 0, t.pack);
            project_pack(*parallel, sweep_over(p, other, softness, damping_time), true, k == 0, without[i]);
            Sweep w = sweep_over(p, plain, softness, damping_time);
            w.lambda = t.lambda.data();
            for (int e : t.pack.plan.lane)
                if (e >= 0) t.view->project(*t.table, ev, std::array<int, 1>{e}, w);
            std::vector<Real> lambda(t.lambda.size());
            store_multipliers(t.pack, lambda);
            for (std::size_t j = 0; j < lambda.size(); ++j) ASSERT_NEAR(lambda[j], t.lambda[j], 1e-9 * (1 + std::abs(t.lambda[j])));
        }
    Real moved = 0;
    for (int i = 0; i < point_count(b.model); ++i) { // rounding of another order of the same operations
        EXPECT_LT((vec(packed.point.x[i]) - vec(plain.point.x[i])).norm(), 1e-13);
        EXPECT_LT((vec(packed.point.v[i]) - vec(plain.point.v[i])).norm(), 1e-11);
        moved = std::max(moved, (vec(packed.point.x[i]) - vec(b.state.point.x[i])).norm());
    }
    EXPECT_GT(moved, 1e-5);
    EXPECT_EQ(hash(packed), hash(other)); // the same operations with and without AVX2
}

} // namespace

TEST(position_pack, sweeps_over_packed_links_are_those_over_elements) {
    for (Real damping : {0.0, 0.05})
        for (Softness softness : {Softness::feedback, Softness::printed, Softness::factor})
            compare(make_spring_cloth(9, 11, damping), softness, 0);
}
TEST(position_pack, sweeps_over_packed_hinges_are_those_over_elements) {
    for (const char* kind : {"hinge_theta", "hinge_tan", "hinge_willmore", "dihedral"})
        for (Real damping : {0.0, 0.01}) compare(make_hinges(kind, damping), Softness::feedback, 0.002);
}
TEST(position_pack, sweeps_over_packed_triangles_are_those_over_elements) {
    for (const char* kind : {"tri_stvk", "tri_strain"})
        for (Softness softness : {Softness::feedback, Softness::printed, Softness::factor})
            for (Real damping : {0.0, 0.01}) compare(make_triangles(kind, damping), softness, damping > 0 ? 0.002 : 0);
}
TEST(position_pack, triangles_of_cauchys_strain_are_not_packed) {
    ModelBuilder b = make_triangles("tri_strain", 0);
    const TriStrain::Params p{.linear = true};
    add_constraint(b, *find_constraint("tri_strain"), &p, std::array<int, 3>{0, 9, 1});
    finish_model(b);
    PositionProblem q;
    refresh_masses(b.model, b.state, q);
    refresh_tables(b.model, q);
    ASSERT_EQ(q.tables.size(), 1u);
    EXPECT_FALSE(q.tables[0].packed);
}
TEST(position_pack, sweeps_over_packed_tetrahedra_are_those_over_elements) {
    for (const char* kind : {"tet_stvk", "tet_hooke", "tet_stable_neohookean"})
        for (Real damping_time : {0.0, 0.002}) compare(make_tets(kind), Softness::feedback, damping_time);
}

// `directions: start` over packed links against general rows; these are taken as soon as anything damps, however little
TEST(position_pack, methods_along_the_rows_of_the_start_are_those_over_general_rows) {
    const auto run = [](const std::string& method, int iterations, bool chains, Real damping_time) {
        PositionSettings s;
        s.method = method, s.iterations = iterations, s.chains = chains, s.damping_time = damping_time;
        s.directions = "start", s.substeps = 2;
        const ModelBuilder b = make_spring_cloth(6, 7, 0);
        PositionRun r(b, s);
        for (int k = 0; k < 4; ++k) r.step(0.01);
        return r.now.point.x;
    };
    for (const std::string method : {"jacobi", "accelerated_jacobi", "minres", "conjugate_residuals", "gauss_seidel"})
        for (bool chains : {true, false}) {
            const bool sweeps = method == "gauss_seidel"; // in another order: where both have converged
            const int iterations = sweeps ? 2000 : 8;
            const auto packed = run(method, iterations, chains, 0), general = run(method, iterations, chains, 1e-300);
            ASSERT_EQ(packed.size(), general.size());
            for (std::size_t i = 0; i < packed.size(); ++i)
                EXPECT_LT((vec(packed[i]) - vec(general[i])).norm(), sweeps ? 1e-9 : 1e-11) << method << ' ' << chains;
        }
}

TEST(position_pack, the_largest_error_is_that_of_the_rows) {
    for (const ModelBuilder& b : {make_spring_cloth(9, 11), make_hinges("hinge_theta", 0), make_triangles("tri_stvk", 0), make_triangles("tri_strain", 0),
                                  make_tets("tet_stvk"), make_tets("tet_stable_neohookean")}) {
        const ParallelPtr parallel = make_parallel({.threads = 1});
        State s = b.state;
        PositionProblem p;
        refresh_masses(b.model, s, p);
        refresh_tables(b.model, p);
        Evaluation ev;
        ev.x = s.point.x.data(), ev.v = s.point.v.data(), ev.x_now = b.state.point.x.data();
        const Sweep w = sweep_over(p, s, Softness::feedback, 0);
        for (DualTable& t : p.tables) {
            project_pack(*parallel, w, false, true, t.pack);
            store_multipliers(t.pack, t.lambda);
            std::vector<Real> c(t.lambda.size()), scratch;
            t.view->evaluate(*t.table, ev, 0, t.table->count(), c.data(), nullptr);
            Real worst = 0;
            for (std::size_t i = 0; i < c.size(); ++i)
                worst = std::max(worst, std::abs(c[i] + t.view->compliance(*t.table, int(i) / t.view->rows) * t.lambda[i]));
            EXPECT_NEAR(largest_error(*parallel, w, t.pack, scratch), worst, 1e-10 * (1 + worst)) << t.table->row->name;
        }
    }
}

TEST(position_pack, velocities_made_up_at_the_end_are_those_of_the_loop) {
    const ModelBuilder still = make_spring_cloth(9, 11, 0);
    ModelBuilder damped = make_spring_cloth(9, 11, 1e-12); // too little to matter, but the velocities take part in the loop
    PositionSettings s = plain_settings();
    PositionRun a(still, s), b(damped, s);
    a.steps(5, 0.01), b.steps(5, 0.01);
    for (int i = 0; i < point_count(still.model); ++i) {
        EXPECT_LT((a.x(i) - b.x(i)).norm(), 1e-10);
        EXPECT_LT((a.v(i) - b.v(i)).norm(), 1e-8); // (x - x at the start)/h: rounding of x over h
    }
}

TEST(position_pack, the_damping_of_the_solver_acts_where_links_have_less_of_their_own) {
    PositionSettings s = plain_settings();
    s.damping_time = 0.01;
    for (const char* method : {"gauss_seidel", "conjugate_residuals"}) {
        s.method = method;
        const ModelBuilder none = make_spring_cloth(9, 11, 0), little = make_spring_cloth(9, 11, 1e-9);
        PositionRun a(none, s), b(little, s);
        a.steps(3, 0.01), b.steps(3, 0.01);
        for (int i = 0; i < point_count(none.model); ++i) EXPECT_LT((a.x(i) - b.x(i)).norm(), 1e-9) << method;
    }
}

TEST(position_pack, any_number_of_threads_gives_the_same_bits) {
    const ModelBuilder b = make_spring_cloth(60, 50);
    for (const char* method : {"gauss_seidel", "jacobi", "accelerated_jacobi", "minres", "conjugate_residuals", "conjugate_gradients"}) {
        std::set<std::uint64_t> hashes;
        for (int threads : {1, 2, 3, 8}) {
            PositionSettings s;
            s.method = method, s.substeps = 2, s.iterations = 3;
            PositionRun run(b, s, threads);
            run.steps(2, 0.01);
            hashes.insert(hash(run.now));
        }
        EXPECT_EQ(hashes.size(), 1u) << method;
    }
}

// the same trace and the same end; `wide`: how far sums in another order may grow
void expect_general_rows(const char* method, const char* softness, bool chains, Real wide) {
    const auto make = [](Real damping) {
        ModelBuilder b = make_spring_cloth(12, 11, damping);
        for (int i = 0; i + 1 < 12; ++i) add_link(b, i, i + 12, 1e-6); // beside the springs, a table of its own
        finish_model(b);
        return b;
    };
    const ModelBuilder b = make(0), damped = make(1e-13); // too little to matter, but it asks for general rows
    PositionSettings s = plain_settings();
    s.method = method, s.softness = softness, s.chains = chains, s.relaxation = 0.2, s.stiffness = 0.9;
    PositionRun packed(b, s), general(damped, s);
    for (int k = 0; k < 3; ++k) {
        Trace of_packed, of_general;
        packed.step(0.01, &of_packed), general.step(0.01, &of_general);
        ASSERT_EQ(of_packed.iterations.size(), of_general.iterations.size());
        for (std::size_t i = 0; i < of_packed.iterations.size(); ++i) {
            const TraceEntry &x = of_packed.iterations[i], &y = of_general.iterations[i];
            EXPECT_NEAR(x.momentum, y.momentum, 1e3 * (wide - 1e-11)) << method << ' ' << softness << ' ' << i;
            // of general rows `factor` tells the part of the error that an iteration is to take
            const Real part = s.softness == "factor" ? 1 - std::pow(1 - s.stiffness, 1.0 / s.iterations) : 1;
            EXPECT_NEAR(part * x.residual_sum, y.residual_sum, 100 * wide * (1 + y.residual_sum)) << method << ' ' << softness << ' ' << i;
        }
    }
    Real moved = 0;
    for (int i = 0; i < point_count(b.model); ++i) { // sums in another order, through 60 iterations
        EXPECT_LT((packed.x(i) - general.x(i)).norm(), wide) << method << ' ' << softness;
        EXPECT_LT((packed.v(i) - general.v(i)).norm(), 100 * wide) << method << ' ' << softness;
        moved = std::max(moved, (packed.x(i) - vec(b.state.point.x[i])).norm());
    }
    EXPECT_GT(moved, 1e-4);
    EXPECT_EQ(packed.report.iterations, general.report.iterations);
}

TEST(position_pack, jacobi_over_packed_links_is_jacobi_over_general_rows) {
    for (const char* method : {"jacobi", "improved_jacobi", "accelerated_jacobi"})
        for (const char* softness : {"feedback", "printed", "factor"})
            for (bool chains : {false, true}) expect_general_rows(method, softness, chains, 1e-11);
}
TEST(position_pack, residual_methods_over_packed_links_are_those_over_general_rows) {
    for (const char* method : {"minres", "conjugate_residuals", "power_residuals", "steepest_descent", "conjugate_gradients"})
        for (const char* softness : {"feedback", "printed", "factor"})
            for (bool chains : {false, true}) expect_general_rows(method, softness, chains, 1e-9); // steps are quotients of sums
}
// Links that overshoot their own length turn round, and the multiplier that pulled them together pulls them through themselves: r.dl stays above
// zero while they fly apart. This cloth was not finite after 21 and 37 steps of 64 iterations.
TEST(position_pack, accelerated_jacobi_does_not_feed_links_that_turn_round) {
    for (Real damping : {0.0, 1e-300}) // over packed links, and over general rows
        for (Real relaxation : {0.25, 0.5}) {
            ModelBuilder b;
            const int n = 30; // 20 were not enough for it
            begin_object(b, "cloth", "cloth_grid");
            std::vector<Real3> x;
            for (int i = 0; i < n * n; ++i) x.push_back({0.02 * (i % n), 0, 0.02 * (i / n)});
            add_points(b, x, std::vector<Real>(x.size(), 8e-5));
            b.model.point.flags[0] = b.model.point.flags[n - 1] = kFixed;
            for (int i = 0; i < n * n; ++i) {
                if (i % n + 1 < n) add_link(b, i, i + 1, 1e-12);
                if (i / n + 1 < n) add_link(b, i, i + n, 1e-12);
            }
            const Gravity::Params g{Real3{0, -9.8, 0}};
            for (int i = 0; i < n * n; ++i) add_energy(b, *find_energy("gravity"), &g, std::array<int, 1>{i});
            finish_model(b);
            PositionSettings s = plain_settings();
            s.method = "accelerated_jacobi", s.relaxation = relaxation, s.iterations = 64, s.damping_time = damping;
            PositionRun run(b, s);
            Real farthest = 0;
            for (int k = 0; k < 60; ++k) {
                run.step(0.016);
                for (int i = 0; i < n * n; ++i) farthest = std::max(farthest, run.x(i).norm());
            }
            EXPECT_LT(farthest, 2) << relaxation << ' ' << damping; // its diagonal is 0.82 m; links near the corners stay longer than they should
        }
}

TEST(position_pack, packed_methods_stop_at_the_tolerance) {
    const ModelBuilder b = make_spring_cloth(12, 11);
    for (const char* method : {"accelerated_jacobi", "conjugate_residuals"}) {
        PositionSettings s = plain_settings();
        s.method = method, s.relaxation = 0.2, s.iterations = 2000, s.tolerance = 1e-5;
        PositionRun run(b, s);
        run.step(0.01);
        EXPECT_LE(run.report.residual, s.tolerance) << method;
        EXPECT_GT(run.report.iterations, 1) << method;
        EXPECT_LT(run.report.iterations, 2000) << method;
    }
}

TEST(position_pack, values_that_change_keep_the_order) {
    ModelBuilder b = make_spring_cloth(9, 11);
    PositionProblem p;
    refresh_masses(b.model, b.state, p);
    ASSERT_TRUE(refresh_tables(b.model, p));
    EXPECT_FALSE(refresh_tables(b.model, p));
    const std::vector<int> before = p.tables[0].pack.plan.lane;
    ++b.model.values_revision;
    EXPECT_TRUE(refresh_tables(b.model, p));
    EXPECT_EQ(p.tables[0].pack.plan.lane, before);
    EXPECT_TRUE(p.tables[0].packed);
}

TEST(batch_plan, batches_and_tasks_of_one_phase_share_nothing_that_moves) {
    Rng rng{7, 3, 0};
    constexpr int points = 5000, count = 4000, width = 4;
    std::vector<unsigned char> held(points, 0);
    for (int i = 0; i < points; i += 13) held[i] = 1;
    std::vector<int> stencil, elements;
    for (int e = 0; e < count; ++e) { // mostly neighbours, some from anywhere
        const int base = draw_int(rng, points - 40);
        for (int k = 0; k < width; ++k) stencil.push_back(e % 5 == 0 ? draw_int(rng, points) : base + 10 * k + draw_int(rng, 10));
        if (e % 7) elements.push_back(e);
    }
    BatchPlan plan;
    build_batch_plan(stencil, width, elements, held, points, 16, plan);
    const auto free_points = [&](int first, int end) {
        std::vector<int> out;
        for (int i = first; i < end; ++i)
            for (int k = 0; k < width && plan.lane[i] >= 0; ++k)
                if (const int id = stencil[plan.lane[i] * width + k]; !held[id]) out.push_back(id);
        return out;
    };
    std::multiset<int> seen;
    for (int e : plan.lane)
        if (e >= 0) seen.insert(e);
    ASSERT_EQ(seen.size(), elements.size()); // each once
    for (int e : elements) ASSERT_EQ(seen.count(e), 1u);
    for (int b = 0; b < plan.batch_count(); ++b) {
        std::set<int> points_of;
        for (int l = 0; l < kLanes; ++l) {
            const std::vector<int> of_lane = free_points(b * kLanes + l, b * kLanes + l + 1);
            for (int id : std::set<int>(of_lane.begin(), of_lane.end())) ASSERT_TRUE(points_of.insert(id).second);
        }
        EXPECT_GE(plan.lane[b * kLanes], 0); // whose points the empty lanes borrow
    }
    for (int phase = 0; phase < plan.phase_count(); ++phase) {
        std::set<int> points_of;
        for (int t = plan.phase_begin[phase]; t < plan.phase_begin[phase + 1]; ++t) {
            const std::vector<int> of_task = free_points(plan.task_begin[t] * kLanes, plan.task_begin[t + 1] * kLanes);
            for (int id : std::set<int>(of_task.begin(), of_task.end())) ASSERT_TRUE(points_of.insert(id).second);
        }
    }
}
