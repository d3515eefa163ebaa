#include "dense.h"
#include "linalg/cg.h"
#include "random_matrix.h"
#include <gtest/gtest.h>

using namespace sinew;

static Preconditioner make_preconditioner(const BlockSparse& A, PreconditionerKind kind) {
    Preconditioner P;
    reserve_preconditioner(A.pattern, kind, P);
    EXPECT_TRUE(build_preconditioner(*make_parallel({.threads = 2}), A, P).ok);
    return P;
}

static MatX dense_preconditioner(const BlockSparse& A, const Preconditioner& P) {
    const int n = scalar_count(A.pattern.layout);
    const auto p = make_parallel({.threads = 1});
    MatX inverse(n, n);
    for (int j = 0; j < n; ++j) {
        const VecX e = VecX::Unit(n, j);
        apply_preconditioner(*p, A.pattern, P, std::span(e.data(), n), std::span(inverse.col(j).data(), n));
    }
    return inverse;
}

TEST(preconditioner, jacobi_inverts_the_diagonal_blocks) {
    std::mt19937 rng(1);
    const BlockSparse A = random_spd(rng, 30);
    const MatX P = dense_preconditioner(A, make_preconditioner(A, PreconditionerKind::jacobi));
    const MatX dense = dense_matrix(A);
    MatX diagonal = MatX::Zero(dense.rows(), dense.cols());
    const BlockLayout& l = A.pattern.layout;
    for (int b = 0; b < block_count(l); ++b)
        diagonal.block(l.begin[b], l.begin[b], block_size(l, b), block_size(l, b)) =
            dense.block(l.begin[b], l.begin[b], block_size(l, b), block_size(l, b));
    // rounding times the condition of a block
    EXPECT_LE((P * diagonal - MatX::Identity(P.rows(), P.cols())).norm(), 1e-11);
}

TEST(preconditioner, ic0_is_exact_on_a_full_pattern_and_matches_a_on_a_sparse_one) {
    std::mt19937 rng(2);
    // one element over all blocks: no fill is dropped, so ic0 is the Cholesky factorisation
    const BlockLayout layout = make_block_layout(5, 1, 4);
    std::vector<int> all(block_count(layout));
    for (int b = 0; b < block_count(layout); ++b) all[b] = b;
    const int n = scalar_count(layout);
    MatX m = MatX::NullaryExpr(n, n, [&] { return random_real(rng); });
    m = (m * m.transpose() + MatX::Identity(n, n)).eval();
    const std::vector<ElementBlocks> element{{all, 0, n}};
    BlockPattern pattern;
    GatherPlan plan;
    ASSERT_TRUE(build_pattern(layout, element, {}, pattern) && build_plan(pattern, element, plan));
    BlockSparse full = make_block_sparse(pattern);
    gather_elements(*make_parallel({.threads = 1}), plan, std::span(m.data(), n * n), full);
    const Preconditioner P = make_preconditioner(full, PreconditionerKind::ic0);
    EXPECT_EQ(P.shift, 0);
    EXPECT_LE((dense_preconditioner(full, P) * m - MatX::Identity(n, n)).norm(), 1e-10); // cond(m) about 1e3

    // definition of ic0: L L^T equals A on the pattern of A
    BlockSparse A = random_spd(rng, 60, 50.0); // diagonally dominant, so that no shift is needed
    const Preconditioner Q = make_preconditioner(A, PreconditionerKind::ic0);
    EXPECT_EQ(Q.shift, 0);
    const MatX product = invert_dense(dense_preconditioner(A, Q)), dense = dense_matrix(A);
    const BlockPattern& p = A.pattern;
    for (int s = 0; s < slot_count(p); ++s) {
        const int r = p.layout.begin[p.row[s]], c = p.layout.begin[p.column[s]];
        const int rows = block_size(p.layout, p.row[s]), columns = block_size(p.layout, p.column[s]);
        EXPECT_LE((product - dense).block(r, c, rows, columns).norm(), 1e-11 * dense.norm());
    }
}

// Kershaw's matrix (1978), positive definite, on which incomplete Cholesky breaks down
static BlockSparse kershaw() {
    const BlockLayout layout = make_block_layout(0, 0, 4);
    const std::vector<int> pairs[4] = {{0, 1}, {1, 2}, {2, 3}, {0, 3}};
    std::vector<ElementBlocks> elements;
    for (const auto& p : pairs) elements.push_back({p, 0, 2});
    BlockPattern pattern;
    build_pattern(layout, elements, {}, pattern);
    BlockSparse A = make_block_sparse(pattern);
    for (int b = 0; b < 4; ++b) block_values(A, diagonal_slot(A.pattern, b))[0] = 3;
    *block_values(A, find_slot(A.pattern, 1, 0)) = -2;
    *block_values(A, find_slot(A.pattern, 2, 1)) = -2;
    *block_values(A, find_slot(A.pattern, 3, 2)) = -2;
    *block_values(A, find_slot(A.pattern, 3, 0)) = 2;
    return A;
}

TEST(preconditioner, ic0_shifts_the_diagonal_on_breakdown_and_cg_still_converges) {
    const BlockSparse A = kershaw();
    ASSERT_TRUE(is_definite(dense_matrix(A)));
    const Preconditioner P = make_preconditioner(A, PreconditionerKind::ic0);
    EXPECT_GT(P.shift, 0);
    const std::vector<Real> b{1, 2, 3, 4};
    std::vector<Real> x(4, 0.0);
    CgScratch scratch;
    const LinearInfo info = solve_cg(*make_parallel({.threads = 1}), A, P, {}, 1e-14, 50, b, x, scratch);
    EXPECT_TRUE(info.ok) << info.message;
    EXPECT_LE(info.residual, 1e-13);
}

// 2D Laplacian on an n x n grid of points, one 3 x 3 block per point
static BlockSparse grid_matrix(int n, Real mass) {
    std::vector<std::array<int, 2>> stencil;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            if (i + 1 < n) stencil.push_back({i * n + j, (i + 1) * n + j});
            if (j + 1 < n) stencil.push_back({i * n + j, i * n + j + 1});
        }
    std::vector<ElementBlocks> elements;
    for (const auto& s : stencil) elements.push_back({s, 0, 6});
    MatX k(6, 6);
    k << Mat3::Identity(), -Mat3::Identity(), -Mat3::Identity(), Mat3::Identity();
    BlockPattern pattern;
    GatherPlan plan;
    build_pattern(make_block_layout(n * n, 0, 0), elements, {}, pattern);
    build_plan(pattern, elements, plan);
    BlockSparse A = make_block_sparse(pattern);
    const auto p = make_parallel({.threads = 1});
    gather_elements(*p, plan, std::span(k.data(), 36), A);
    add_diagonal(*p, std::vector<Real>(3 * n * n, mass), A);
    return A;
}

TEST(cg, better_preconditioners_need_fewer_iterations) {
    const BlockSparse A = grid_matrix(40, 1e-3);
    std::mt19937 rng(1);
    const std::vector<Real> b = random_vector(rng, scalar_count(A.pattern.layout));
    int iterations[3];
    for (const auto kind : {PreconditionerKind::none, PreconditionerKind::jacobi, PreconditionerKind::ic0}) {
        std::vector<Real> x(b.size(), 0.0);
        CgScratch scratch;
        const LinearInfo info = solve_cg(*make_parallel({.threads = 2}), A, make_preconditioner(A, kind), {},
                                         1e-8, 5000, b, x, scratch);
        EXPECT_TRUE(info.ok) << info.message;
        EXPECT_LE(info.residual, 1e-6);
        iterations[int(kind)] = info.iterations;
    }
    EXPECT_LE(iterations[1], iterations[0] + 5); // the diagonal is nearly constant: jacobi gains little
    EXPECT_LT(2 * iterations[2], iterations[1]); // ic0 gains a factor of about 3 on a Laplacian
}

TEST(cg, ends_in_at_most_as_many_iterations_as_there_are_distinct_eigenvalues) {
    // exact arithmetic: k distinct eigenvalues, k iterations
    BlockPattern pattern;
    ASSERT_TRUE(build_pattern(make_block_layout(0, 0, 30), {}, {}, pattern));
    BlockSparse A = make_block_sparse(pattern);
    for (int i = 0; i < 30; ++i) A.values[i] = 1 + i % 3;
    std::mt19937 rng(1);
    const std::vector<Real> b = random_vector(rng, 30);
    std::vector<Real> x(30, 0.0);
    CgScratch scratch;
    const LinearInfo info = solve_cg(*make_parallel({.threads = 1}), A, {}, {}, 1e-12, 100, b, x, scratch);
    EXPECT_TRUE(info.ok);
    EXPECT_EQ(info.iterations, 3);
}

TEST(cg, stops_at_the_iteration_limit_and_says_so) {
    const BlockSparse A = grid_matrix(30, 1e-6);
    std::mt19937 rng(1);
    const std::vector<Real> b = random_vector(rng, scalar_count(A.pattern.layout));
    std::vector<Real> x(b.size(), 0.0);
    CgScratch scratch;
    const LinearInfo info = solve_cg(*make_parallel({.threads = 1}), A, {}, {}, 1e-10, 7, b, x, scratch);
    EXPECT_FALSE(info.ok);
    EXPECT_FALSE(info.not_positive_definite);
    EXPECT_EQ(info.iterations, 7);
    EXPECT_EQ(info.message, "not converged in 7 iterations");
    EXPECT_GT(info.residual, 0);
}

TEST(cg, negative_curvature_stops_with_the_last_iterate) {
    BlockPattern pattern;
    ASSERT_TRUE(build_pattern(make_block_layout(0, 0, 2), {}, {}, pattern));
    BlockSparse A = make_block_sparse(pattern);
    A.values = {1, -1};
    CgScratch scratch;
    std::vector<Real> x(2, 0.0);
    // d = b: d.A d = 1 - 4 < 0 in the first iteration
    LinearInfo info =
        solve_cg(*make_parallel({.threads = 1}), A, {}, {}, 1e-10, 10, std::vector<Real>{1, 2}, x, scratch);
    EXPECT_TRUE(!info.ok && info.not_positive_definite);
    EXPECT_EQ(info.iterations, 0);
    EXPECT_EQ(x, (std::vector<Real>{0, 0}));
    // d.A d = 4 - 1 > 0 first, negative later: the first step is kept
    info =
        solve_cg(*make_parallel({.threads = 1}), A, {}, {}, 1e-10, 10, std::vector<Real>{2, 1}, x, scratch);
    EXPECT_TRUE(!info.ok && info.not_positive_definite);
    EXPECT_EQ(info.iterations, 1);
    EXPECT_NE(x[0], 0);
}

TEST(cg, a_good_first_guess_is_used) {
    const BlockSparse A = grid_matrix(20, 1e-2);
    std::mt19937 rng(1);
    std::vector<Real> x = random_vector(rng, scalar_count(A.pattern.layout)), b(x.size());
    const auto p = make_parallel({.threads = 1});
    multiply(*p, A, x, b);
    const std::vector<Real> exact = x;
    CgScratch scratch;
    const LinearInfo info = solve_cg(*p, A, {}, {}, 1e-6, 100, b, x, scratch);
    EXPECT_EQ(info.iterations, 0);
    EXPECT_EQ(x, exact);
}
