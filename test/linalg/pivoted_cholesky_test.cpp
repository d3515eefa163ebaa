// Pivoted Cholesky on full and on rank-deficient matrices.
#include "core/random.h"
#include "linalg/pivoted_cholesky.h"
#include <gtest/gtest.h>

namespace sinew {
namespace {

TEST(pivoted_cholesky, solves_what_the_matrix_can_reach_whatever_its_rank) {
    Rng rng{9, 0, 0};
    for (int trial = 0; trial < 30; ++trial) {
        const int n = 1 + trial % 9, rank = 1 + draw_int(rng, n);
        MatX b(n, rank);
        for (int i = 0; i < n * rank; ++i) b(i) = draw_uniform(rng, -1, 1);
        // rows in very different units
        for (int i = 0; i < n; ++i) b.row(i) *= std::pow(10.0, draw_int(rng, 7) - 3);
        const MatX a = b * b.transpose();
        VecX y(n);
        for (int i = 0; i < n; ++i) y[i] = draw_uniform(rng, -1, 1) / b.row(i).norm();
        const VecX right = a * y;
        PivotedCholesky f;
        factor_pivoted({a.data(), std::size_t(n) * n}, n, 1e-11, {}, f);
        EXPECT_EQ(f.rank, rank);
        VecX x = right;
        solve_pivoted(f, {x.data(), std::size_t(n)});
        // rounding times the condition of the scaled matrix, up to 1e6 here
        for (int i = 0; i < n; ++i) EXPECT_NEAR((a * x - right)[i] / b.row(i).norm(), 0, 1e-8);
    }
}

TEST(pivoted_cholesky, a_zero_matrix_gives_zero) {
    const std::vector<Real> a(9, 0.0);
    PivotedCholesky f;
    factor_pivoted(a, 3, 1e-11, {}, f);
    EXPECT_EQ(f.rank, 0);
    std::vector<Real> x{1, 2, 3};
    solve_pivoted(f, x);
    EXPECT_EQ(x, std::vector<Real>(3, 0.0));
}

TEST(pivoted_cholesky, what_is_left_of_cancellation_is_no_row) {
    // the second row is rounding of a zero, in conflict with the first
    const std::vector<Real> a{2, 1e-16, 1e-16, 3e-17}, natural{2, 5};
    PivotedCholesky f;
    factor_pivoted(a, 2, 1e-10, natural, f);
    EXPECT_EQ(f.rank, 1);
    std::vector<Real> x{4, 1};
    solve_pivoted(f, x);
    EXPECT_NEAR(x[0], 2, 1e-15);
    EXPECT_EQ(x[1], 0);
}

} // namespace
} // namespace sinew
