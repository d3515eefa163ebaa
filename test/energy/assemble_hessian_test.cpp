// The matrix of implicit solvers against triplets, finite differences, other thread counts and a second
// build.
#include "constraint/list.h"
#include "dense.h"
#include "energy/assemble_hessian.h"
#include "energy/attach.h"
#include "energy/contact_penalty.h"
#include "energy/drag.h"
#include "energy/list.h"
#include "energy/spring.h"
#include "model/builder.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace sinew;

namespace {

// every kind of table: pairs with and without damping, constraints, one-point energies, forces without
// potential, a frame
ModelBuilder cloud_of_every_table(int points, int springs) {
    ModelBuilder b;
    begin_object(b, "cloud", "particles");
    Rng rng{11, 0, 0};
    std::vector<Real3> x(points);
    for (Real3& a : x) a = real3(draw_vec(rng, -1, 1));
    add_points(b, x, std::vector<Real>(points, 0.5));
    add_frame(b, {}, 2, {});
    for (Real3& a : b.state.point.v) a = real3(draw_vec(rng, -1, 1));
    const auto two = [&] {
        const int a = draw_int(rng, points), c = (a + 1 + draw_int(rng, points - 1)) % points;
        return std::array<int, 2>{a, c};
    };
    const auto& distance = *find_constraint("distance");
    const auto rigid = distance.make_params();
    for (int i = 0; i < springs; ++i) {
        const Spring::Params stiff{100, i % 3 ? 3.0 : 0};
        add_energy(b, *find_energy("spring"), &stiff, two());
        if (i % 5 == 0) add_constraint(b, distance, rigid.get(), two());
    }
    for (int i = 0; i < points; ++i) {
        const std::array<int, 1> one{i};
        const auto gravity = find_energy("gravity")->make_params();
        add_energy(b, *find_energy("gravity"), gravity.get(), one);
        const Drag::Params drag{0.3, 0.2, -1};
        add_energy(b, *find_energy("drag"), &drag, one);
        Attach::Params pin;
        pin.length = 0.1, pin.damping = 2, pin.to = Real3{0.1, 0.2, 0.3};
        if (i % 4 == 0) add_energy(b, *find_energy("attach"), &pin, one);
    }
    const auto frame_gravity = find_energy("gravity_frame")->make_params();
    add_energy(b, *find_energy("gravity_frame"), frame_gravity.get(), std::array<int, 1>{0});
    for (Real3& a : b.state.point.x) vec(a) += draw_vec(rng, -0.1, 0.1);
    finish_model(b);
    return b;
}

// contacts as a solver's scratch holds them: penalties on some points
Tables contacts_on(const ModelBuilder& b) {
    Tables out;
    const ElementRow& row = *find_energy("contact_penalty");
    Table& t = table_of(out.energies, row);
    for (int i = 0; i < point_count(b.model); i += 3) {
        const ContactPenalty::Params p{500, 4, 0.05, {0, 1, 0}, {0, 0.4, 0}, {}};
        add_element(t, &p, std::array<int, 1>{i}, {}, 0);
    }
    return out;
}

Evaluation evaluation_of_state(const State& s) {
    Evaluation ev;
    ev.x = s.point.x.data(), ev.v = s.point.v.data(), ev.x_now = s.point.x.data();
    ev.p = s.frame.p.data(), ev.q = s.frame.q.data(), ev.frame_v = s.frame.v.data(),
    ev.frame_w = s.frame.w.data();
    return ev;
}

HessianTerms all_terms(Projection how) {
    HessianTerms t;
    t.projection = how, t.force_x = 1, t.force_v = 60;
    return t;
}

bool same_bits(const std::vector<Real>& a, const std::vector<Real>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)) == 0;
}

MatX expand(const ElementRow& row, const std::vector<Real>& stored) {
    if (!row.pair) return Eigen::Map<const MatX>(stored.data(), row.dofs, row.dofs);
    const Eigen::Map<const Mat3> k(stored.data());
    MatX full(6, 6);
    full << k, -k, -k, k;
    return full;
}

// the oracle: the matrix of one element after another, entry by entry into a dense one. One element at a time
// through a set of its own gives the element matrix; adding it up in order is what is tested.
void add_triplets(const ElementSet& set, const Dofs& dofs, const Evaluation& ev, const HessianTerms& terms,
                  MatX& dense) {
    const auto serial = make_parallel({.threads = 1});
    std::array<int, 32> blocks;
    for (const Table* t : set.tables)
        for (int e = 0; e < t->count(); ++e) {
            const int n = t->row->stencil;
            Table one{t->row, {t->stencil.begin() + e * n, t->stencil.begin() + (e + 1) * n}, {}, {0}};
            const auto data = t->data.begin() + std::ptrdiff_t(e * t->row->data_size);
            one.data.assign(data, data + std::ptrdiff_t(t->row->data_size));
            const ElementSet single{{&one}};
            BlockPattern pattern;
            HessianPlan plan;
            ASSERT_TRUE(build_hessian_pattern(single, {}, dofs, pattern));
            ASSERT_TRUE(build_hessian_plan(single, dofs, pattern, plan));
            BlockSparse A = make_block_sparse(pattern);
            compute_hessian(*serial, single, ev, terms, plan, A);
            const MatX h = expand(*t->row, plan.local);
            const int count = element_blocks(*t, e, dofs, blocks.data());
            int c0 = 0;
            for (int c = 0; c < count; ++c) {
                int r0 = 0;
                for (int r = 0; r < count; ++r) {
                    for (int j = 0; j < dofs.block_size(blocks[c]); ++j)
                        for (int i = 0; i < dofs.block_size(blocks[r]); ++i)
                            dense(dofs.block_offset(blocks[r]) + i, dofs.block_offset(blocks[c]) + j) +=
                                h(r0 + i, c0 + j);
                    r0 += dofs.block_size(blocks[r]);
                }
                c0 += dofs.block_size(blocks[c]);
            }
        }
}

} // namespace

TEST(assemble_hessian, equals_triplets_in_element_order_bit_for_bit) {
    const ModelBuilder b = cloud_of_every_table(60, 400);
    const Tables contacts = contacts_on(b);
    const Dofs dofs = dofs_of(b.model);
    const auto parallel = make_parallel({.threads = 2});
    ElementSet fixed, touching;
    collect_elements(*b.model.elements, fixed);
    collect_elements(contacts, touching);
    BlockPattern pattern;
    HessianPlan plan, contact_plan;
    ASSERT_TRUE(build_hessian_pattern(fixed, {}, dofs, pattern));
    ASSERT_TRUE(build_hessian_plan(fixed, dofs, pattern, plan));
    ASSERT_TRUE(build_hessian_plan(touching, dofs, pattern,
                                   contact_plan)); // diagonal blocks only: never leaves the pattern
    BlockSparse A = make_block_sparse(pattern);
    for (Projection how : {Projection::none, Projection::clamp, Projection::absolute}) {
        MatX expected = MatX::Zero(dofs.size(), dofs.size());
        compute_hessian(*parallel, fixed, evaluation_of_state(b.state), all_terms(how), plan, A);
        add_triplets(fixed, dofs, evaluation_of_state(b.state), all_terms(how), expected);
        EXPECT_TRUE(same_bits(to_dense(A), {expected.data(), expected.data() + expected.size()}));
        add_hessian(*parallel, touching, evaluation_of_state(b.state), all_terms(how), contact_plan, A);
        add_triplets(touching, dofs, evaluation_of_state(b.state), all_terms(how), expected);
        EXPECT_TRUE(same_bits(to_dense(A), {expected.data(), expected.data() + expected.size()}));
    }
}

TEST(assemble_hessian, is_the_derivative_of_gradient_and_forces) {
    const ModelBuilder b = cloud_of_every_table(20, 60);
    const Dofs dofs = dofs_of(b.model);
    const auto parallel = make_parallel({.threads = 1});
    ElementSet set;
    collect_elements(*b.model.elements, set);
    BlockPattern pattern;
    HessianPlan plan;
    ASSERT_TRUE(build_hessian_pattern(set, {}, dofs, pattern));
    ASSERT_TRUE(build_hessian_plan(set, dofs, pattern, plan));
    BlockSparse A = make_block_sparse(pattern);
    Gather potentials, forces;
    build_gather(set, dofs, kValue, potentials);
    build_gather(set, dofs, kForce, forces);
    const Real rate = 60;
    // residual of an implicit scheme without inertia along x and v = v_0 + rate (x - x_0)
    const auto residual = [&](int i, Real h, bool with_forces) {
        State s = b.state;
        s.point.x[i / 3][i % 3] += h;
        s.point.v[i / 3][i % 3] += rate * h;
        std::vector<Real> g(dofs.size(), 0), f(dofs.size(), 0);
        add_gradient(*parallel, set, dofs, evaluation_of_state(s), potentials, g);
        if (with_forces) add_force(*parallel, set, dofs, evaluation_of_state(s), forces, f);
        return VecX(Eigen::Map<VecX>(g.data(), dofs.size()) - Eigen::Map<VecX>(f.data(), dofs.size()));
    };
    for (bool with_forces : {false, true}) {
        HessianTerms terms =
            with_forces ? all_terms(Projection::none) : HessianTerms{.projection = Projection::none};
        compute_hessian(*parallel, set, evaluation_of_state(b.state), terms, plan, A);
        const std::vector<Real> dense = to_dense(A);
        const Eigen::Map<const MatX> got(dense.data(), dofs.size(), dofs.size());
        const int n = 3 * dofs.points;
        MatX fd(n, n);
        const Real h =
            1e-5; // truncation h^2 k / l^2 and rounding eps f / h: both about 1e-8 of the stiffness
        for (int i = 0; i < n; ++i)
            fd.col(i) = ((residual(i, h, with_forces) - residual(i, -h, with_forces)) / (2 * h)).head(n);
        const MatX symmetric = 0.5 * (fd + fd.transpose());
        EXPECT_LT((got.topLeftCorner(n, n) - symmetric).cwiseAbs().maxCoeff(),
                  1e-6 * symmetric.cwiseAbs().maxCoeff());
    }
}

TEST(assemble_hessian, projected_matrix_is_positive_semidefinite_and_the_unprojected_one_is_not) {
    const ModelBuilder b = cloud_of_every_table(20, 60);
    const Dofs dofs = dofs_of(b.model);
    const auto parallel = make_parallel({.threads = 1});
    ElementSet set;
    collect_elements(*b.model.elements, set);
    BlockPattern pattern;
    HessianPlan plan;
    ASSERT_TRUE(build_hessian_pattern(set, {}, dofs, pattern));
    ASSERT_TRUE(build_hessian_plan(set, dofs, pattern, plan));
    BlockSparse A = make_block_sparse(pattern);
    const auto least = [&](HessianTerms terms) {
        compute_hessian(*parallel, set, evaluation_of_state(b.state), terms, plan, A);
        const std::vector<Real> dense = to_dense(A);
        const MatX m = Eigen::Map<const MatX>(dense.data(), dofs.size(), dofs.size());
        return eigenvalues_of(m)[0] / m.norm();
    };
    EXPECT_GT(least(all_terms(Projection::clamp)), -1e-14);
    EXPECT_GT(least(all_terms(Projection::absolute)), -1e-14);
    EXPECT_GT(least(all_terms(Projection::gauss_newton)), -1e-14);
    HessianTerms eigen = all_terms(Projection::clamp);
    eigen.eigen = true;
    EXPECT_GT(least(eigen), -1e-14);
    EXPECT_LT(least({.projection = Projection::none}), -1e-6);
}

TEST(assemble_hessian, has_the_same_bits_for_any_thread_count_and_after_a_rebuild) {
    const ModelBuilder b = cloud_of_every_table(1500, 12000);
    const Dofs dofs = dofs_of(b.model);
    ElementSet set;
    collect_elements(*b.model.elements, set);
    std::vector<Real> first;
    for (int threads : {1, 2, 3, 8}) {
        // pattern and plan anew for every thread count
        BlockPattern pattern;
        HessianPlan plan;
        ASSERT_TRUE(build_hessian_pattern(set, {}, dofs, pattern));
        ASSERT_TRUE(build_hessian_plan(set, dofs, pattern, plan));
        BlockSparse A = make_block_sparse(pattern);
        const auto parallel = make_parallel({.threads = threads});
        compute_hessian(*parallel, set, evaluation_of_state(b.state), all_terms(Projection::clamp), plan, A);
        if (threads == 1) first = A.values;
        EXPECT_TRUE(same_bits(A.values, first)) << threads;
        compute_hessian(*parallel, set, evaluation_of_state(b.state), all_terms(Projection::clamp), plan, A);
        EXPECT_TRUE(same_bits(A.values, first)) << "second time with " << threads;
    }
}

TEST(assemble_hessian, a_pair_that_leaves_the_pattern_is_refused_and_a_new_pattern_takes_it) {
    ModelBuilder b;
    begin_object(b, "three", "particles");
    add_points(b, std::vector<Real3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, std::vector<Real>(3, 1.0));
    const Spring::Params p{10, 0};
    add_energy(b, *find_energy("spring"), &p, std::array<int, 2>{0, 1});
    finish_model(b);
    Tables contacts;
    const std::vector<Real> mass(2, 1.0);
    add_element(table_of(contacts.energies, *find_energy("spring")), &p, std::array<int, 2>{1, 2},
                {.x = std::span(b.model.point.rest).subspan(1), .mass = mass}, 0);
    ElementSet fixed, touching;
    collect_elements(*b.model.elements, fixed);
    collect_elements(contacts, touching);
    const Dofs dofs = dofs_of(b.model);
    BlockPattern pattern;
    HessianPlan plan, contact_plan;
    ASSERT_TRUE(build_hessian_pattern(fixed, {}, dofs, pattern));
    EXPECT_FALSE(build_hessian_plan(touching, dofs, pattern, contact_plan));
    ASSERT_TRUE(build_hessian_pattern(fixed, touching, dofs, pattern));
    ASSERT_TRUE(build_hessian_plan(fixed, dofs, pattern, plan));
    ASSERT_TRUE(build_hessian_plan(touching, dofs, pattern, contact_plan));
    BlockSparse A = make_block_sparse(pattern);
    const auto parallel = make_parallel({.threads = 1});
    compute_hessian(*parallel, fixed, evaluation_of_state(b.state), {}, plan, A);
    add_hessian(*parallel, touching, evaluation_of_state(b.state), {}, contact_plan, A);
    // at rest K = k n n^T: the second spring runs along (-1, 1, 0)/sqrt(2)
    EXPECT_NEAR(block_values(A, find_slot(A.pattern, 2, 1))[1], 5, 1e-14);
    EXPECT_NEAR(block_values(A, find_slot(A.pattern, 1, 1))[0], 10 + 5, 1e-14);
}

TEST(assemble_hessian, dead_points_contribute_nothing) {
    ModelBuilder b = cloud_of_every_table(20, 60);
    std::vector<std::uint8_t> alive(20, 1);
    alive[7] = 0;
    Evaluation ev = evaluation_of_state(b.state);
    ev.alive = alive.data();
    const Dofs dofs = dofs_of(b.model);
    ElementSet set;
    collect_elements(*b.model.elements, set);
    BlockPattern pattern;
    HessianPlan plan;
    ASSERT_TRUE(build_hessian_pattern(set, {}, dofs, pattern));
    ASSERT_TRUE(build_hessian_plan(set, dofs, pattern, plan));
    BlockSparse A = make_block_sparse(pattern);
    compute_hessian(*make_parallel({.threads = 1}), set, ev, all_terms(Projection::clamp), plan, A);
    const std::vector<Real> dense = to_dense(A);
    const Eigen::Map<const MatX> got(dense.data(), dofs.size(), dofs.size());
    EXPECT_EQ(got.middleRows<3>(21).norm(), 0);
    EXPECT_EQ(got.middleCols<3>(21).norm(), 0);
    EXPECT_GT(got.norm(), 0);
}
