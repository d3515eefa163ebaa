#include "linalg/block_sparse.h"
#include "random_matrix.h"
#include <gtest/gtest.h>

using namespace sinew;

static bool same_bits(const BlockSparse& A, const MatX& dense) {
    return same_bits(to_dense(A), std::vector<Real>(dense.data(), dense.data() + dense.size()));
}

TEST(block_sparse, layout_of_points_frames_and_scalars) {
    const BlockLayout l = make_block_layout(2, 1, 2);
    EXPECT_EQ(l.begin, (std::vector<int>{0, 3, 6, 9, 12, 13, 14}));
    EXPECT_EQ(block_count(l), 6);
    EXPECT_EQ(scalar_count(l), 14);
    EXPECT_EQ(block_size(l, 3), 3);
    EXPECT_EQ(block_size(l, 5), 1);
    EXPECT_EQ(block_count(make_block_layout(0, 0, 0)), 0);
}

TEST(block_sparse, pattern_is_sorted_with_the_diagonal_last_and_mirrored) {
    std::mt19937 rng(1);
    const BlockLayout layout = random_layout(rng, 40);
    const RandomElements r = random_elements(rng, layout, 100, false);
    BlockPattern p;
    ASSERT_TRUE(build_pattern(layout, r.elements, {}, p));
    for (int b = 0; b < block_count(layout); ++b) {
        EXPECT_EQ(p.column[diagonal_slot(p, b)], b);
        for (int s = p.row_begin[b]; s < p.row_begin[b + 1]; ++s) {
            EXPECT_EQ(p.row[s], b);
            EXPECT_TRUE(s == p.row_begin[b] || p.column[s - 1] < p.column[s]);
            EXPECT_EQ(find_slot(p, b, p.column[s]), s);
            EXPECT_EQ(p.value_begin[s + 1] - p.value_begin[s],
                      block_size(layout, b) * block_size(layout, p.column[s]));
        }
        for (int m = p.mirror_begin[b]; m < p.mirror_begin[b + 1]; ++m)
            EXPECT_EQ(p.column[p.mirror_slot[m]], b);
    }
    EXPECT_EQ(int(p.mirror_slot.size()), slot_count(p) - block_count(layout));
}

TEST(block_sparse, gathered_assembly_equals_triplets_in_element_order_bit_for_bit) {
    for (int seed = 0; seed < 20; ++seed) {
        std::mt19937 rng(seed);
        const BlockLayout layout = random_layout(rng, 3 + 6 * seed);
        const RandomElements fixed = random_elements(rng, layout, 60 * seed, false);
        const RandomElements contact = random_elements(rng, layout, 5 * seed, false);
        BlockPattern pattern;
        ASSERT_TRUE(build_pattern(layout, fixed.elements, contact.elements, pattern));
        GatherPlan plan, second;
        ASSERT_TRUE(build_plan(pattern, fixed.elements, plan));
        ASSERT_TRUE(build_plan(pattern, contact.elements, second));

        const int n = scalar_count(layout);
        MatX one = MatX::Zero(n, n);
        add_triplets(layout, fixed, one);
        MatX both = one;
        add_triplets(layout, contact, both);
        mirror_blocks(layout, one);
        mirror_blocks(layout, both);

        BlockSparse A = make_block_sparse(pattern);
        std::fill(A.values.begin(), A.values.end(), 7.0); // what was there before must not matter
        for (int threads : {1, 2, 3, 8}) {
            const auto p = make_parallel({.threads = threads});
            gather_elements(*p, plan, fixed.values, A);
            EXPECT_TRUE(same_bits(A, one)) << "seed " << seed << " threads " << threads;
            add_elements(*p, second, contact.values, A);
            EXPECT_TRUE(same_bits(A, both)) << "seed " << seed << " threads " << threads;
        }
    }
}

TEST(block_sparse, pairs_stored_as_one_block_give_the_bits_of_the_full_element) {
    std::mt19937 rng(9);
    const BlockLayout layout = make_block_layout(30, 2, 3);
    std::vector<std::array<int, 2>> stencil(400);
    std::vector<ElementBlocks> compact, full;
    std::vector<Real> compact_values, full_values;
    for (auto& s : stencil) {
        // equal ends and absent ends too
        for (int& b : s) b = random_int(rng, 10) == 0 ? kAbsentBlock : random_int(rng, 34);
        Mat3 K = Mat3::NullaryExpr([&] { return random_real(rng); });
        K = (K + K.transpose()).eval();
        Mat6 H;
        H << K, -K, -K, K;
        compact.push_back({s, int(compact_values.size()), 6, true});
        full.push_back({s, int(full_values.size()), 6});
        EXPECT_EQ(stored_values(compact.back()), 9);
        EXPECT_EQ(stored_values(full.back()), 36);
        compact_values.insert(compact_values.end(), K.data(), K.data() + 9);
        full_values.insert(full_values.end(), H.data(), H.data() + 36);
    }
    BlockPattern pattern;
    ASSERT_TRUE(build_pattern(layout, compact, {}, pattern));
    GatherPlan plan, full_plan;
    ASSERT_TRUE(build_plan(pattern, compact, plan));
    ASSERT_TRUE(build_plan(pattern, full, full_plan));
    BlockSparse A = make_block_sparse(pattern), B = A;
    const auto p = make_parallel({.threads = 2});
    gather_elements(*p, plan, compact_values, A);
    gather_elements(*p, full_plan, full_values, B);
    EXPECT_TRUE(same_bits(A.values, B.values));
    add_elements(*p, plan, compact_values, A);
    add_elements(*p, full_plan, full_values, B);
    EXPECT_TRUE(same_bits(A.values, B.values));
    // a pair has two blocks of size 3
    const std::vector<int> one{0}, scalar{0, 35};
    EXPECT_FALSE(build_pattern(layout, std::vector<ElementBlocks>{{one, 0, 3, true}}, {}, pattern));
    EXPECT_FALSE(build_pattern(layout, std::vector<ElementBlocks>{{scalar, 0, 4, true}}, {}, pattern));
}

TEST(block_sparse, assembly_and_rebuilding_a_plan_reuse_memory) {
    std::mt19937 rng(3);
    const BlockLayout layout = random_layout(rng, 60);
    const RandomElements r = random_elements(rng, layout, 200, false);
    BlockPattern pattern;
    ASSERT_TRUE(build_pattern(layout, r.elements, {}, pattern));
    GatherPlan plan;
    ASSERT_TRUE(build_plan(pattern, r.elements, plan));
    const auto before = std::array{(const void*)plan.slot.data(), (const void*)plan.begin.data(),
                                   (const void*)plan.offset.data(), (const void*)plan.stride.data(),
                                   (const void*)plan.scratch_contribution.data()};
    ASSERT_TRUE(build_plan(pattern, std::span(r.elements).first(150), plan));
    const auto after = std::array{(const void*)plan.slot.data(), (const void*)plan.begin.data(),
                                  (const void*)plan.offset.data(), (const void*)plan.stride.data(),
                                  (const void*)plan.scratch_contribution.data()};
    EXPECT_EQ(before, after);
    // contributions of the present blocks only, 6 bytes each
    EXPECT_EQ(plan.offset.size(), std::size_t(plan.begin.back()));
    EXPECT_EQ(plan.stride.size(), plan.offset.size());
}

TEST(block_sparse, a_plan_outside_the_pattern_and_malformed_stencils_are_refused) {
    const BlockLayout layout = make_block_layout(3, 0, 1);
    const std::vector<int> pair{0, 1}, other{0, 2}, bad{0, 4}, negative{0, -3}, mixed{0, 3};
    BlockPattern p;
    const std::vector<ElementBlocks> good{{pair, 0, 6}};
    ASSERT_TRUE(build_pattern(layout, good, {}, p));
    GatherPlan plan;
    EXPECT_TRUE(build_plan(p, good, plan));
    EXPECT_FALSE(build_plan(p, std::vector<ElementBlocks>{{other, 0, 6}}, plan));
    EXPECT_TRUE(plan.slot.empty());
    EXPECT_FALSE(build_plan(p, std::vector<ElementBlocks>{{bad, 0, 6}}, plan));
    BlockPattern q;
    EXPECT_FALSE(build_pattern(layout, std::vector<ElementBlocks>{{bad, 0, 6}}, {}, q));
    EXPECT_FALSE(build_pattern(layout, std::vector<ElementBlocks>{{negative, 0, 6}}, {}, q));
    EXPECT_FALSE(build_pattern(layout, std::vector<ElementBlocks>{{mixed, 0, 6}}, {}, q)); // 3 + 1 scalars
    EXPECT_TRUE(build_pattern(layout, std::vector<ElementBlocks>{{mixed, 0, 4}}, {}, q));
    EXPECT_FALSE(build_pattern(layout, {}, std::vector<ElementBlocks>{{pair, -1, 6}}, q));
    EXPECT_FALSE(build_pattern(make_block_layout(std::vector<int>{3, 6}), {}, {}, q));
}

TEST(block_sparse, multiply_agrees_with_dense_and_has_the_same_bits_for_any_thread_count) {
    for (int seed = 0; seed < 10; ++seed) {
        std::mt19937 rng(seed);
        const BlockSparse A = random_spd(rng, 1 + 50 * seed);
        const int n = scalar_count(A.pattern.layout);
        const std::vector<Real> x = random_vector(rng, n);
        const VecX expected = dense_matrix(A) * as_eigen(x);
        std::vector<Real> first;
        for (int threads : {1, 2, 3, 8}) {
            std::vector<Real> y(n);
            multiply(*make_parallel({.threads = threads}), A, x, y);
            if (threads == 1) first = y;
            EXPECT_TRUE(same_bits(y, first)) << threads;
        }
        // sums of at most n products: n * eps * |A| |x|
        EXPECT_LE((as_eigen(first) - expected).norm(), n * 2.3e-16 * frobenius_norm(A) * as_eigen(x).norm());
    }
}

TEST(block_sparse, multiply_of_a_pure_point_matrix_agrees_with_dense) {
    std::mt19937 rng(5);
    const BlockLayout layout = make_block_layout(700, 0, 0);
    const RandomElements r = random_elements(rng, layout, 1500, true);
    BlockPattern pattern;
    ASSERT_TRUE(build_pattern(layout, r.elements, {}, pattern));
    EXPECT_TRUE(pattern.all_three);
    GatherPlan plan;
    ASSERT_TRUE(build_plan(pattern, r.elements, plan));
    BlockSparse A = make_block_sparse(pattern);
    const auto p = make_parallel({.threads = 2});
    gather_elements(*p, plan, r.values, A);
    const std::vector<Real> x = random_vector(rng, 2100);
    std::vector<Real> y(2100);
    multiply(*p, A, x, y);
    const VecX expected = dense_matrix(A) * as_eigen(x);
    EXPECT_LE((as_eigen(y) - expected).norm(), 1e-14 * expected.norm()); // about 30 blocks per row, rounding
}

TEST(block_sparse, diagonal_and_norms_agree_with_dense) {
    std::mt19937 rng(6);
    BlockSparse A = random_spd(rng, 50);
    MatX dense = dense_matrix(A);
    const std::vector<Real> d = random_vector(rng, scalar_count(A.pattern.layout));
    add_diagonal(*make_parallel({.threads = 2}), d, A);
    dense.diagonal() += as_eigen(d);
    EXPECT_TRUE(same_bits(A, dense));
    EXPECT_EQ(max_abs(A), dense.cwiseAbs().maxCoeff());
    EXPECT_NEAR(frobenius_norm(A), dense.norm(), 1e-13 * dense.norm());
    // squares out of range
    for (Real& v : A.values) v *= 1e-200;
    EXPECT_NEAR(frobenius_norm(A) / 1e-200, dense.norm(), 1e-13 * dense.norm());
    A.values[3] = std::numeric_limits<Real>::quiet_NaN();
    EXPECT_TRUE(std::isnan(max_abs(A)));
}

TEST(block_sparse, the_empty_matrix_works) {
    BlockPattern pattern;
    ASSERT_TRUE(build_pattern(make_block_layout(0, 0, 0), {}, {}, pattern));
    GatherPlan plan;
    ASSERT_TRUE(build_plan(pattern, {}, plan));
    BlockSparse A = make_block_sparse(pattern);
    const auto p = make_parallel({.threads = 2});
    gather_elements(*p, plan, {}, A);
    add_elements(*p, plan, {}, A);
    multiply(*p, A, {}, {});
    EXPECT_EQ(max_abs(A), 0);
    EXPECT_EQ(frobenius_norm(A), 0);
    EXPECT_TRUE(to_dense(A).empty());
}

TEST(block_sparse, a_matrix_without_elements_is_zero_after_assembly) {
    BlockPattern pattern;
    ASSERT_TRUE(build_pattern(make_block_layout(3, 1, 2), {}, {}, pattern));
    EXPECT_EQ(slot_count(pattern), 7);
    GatherPlan plan;
    ASSERT_TRUE(build_plan(pattern, {}, plan));
    BlockSparse A = make_block_sparse(pattern);
    std::fill(A.values.begin(), A.values.end(), 1.0);
    gather_elements(*make_parallel({.threads = 1}), plan, {}, A);
    EXPECT_EQ(max_abs(A), 0);
}
