// Lemke's pivoting by itself: problems with a known solution, degenerate and rank-deficient ones, one without any.
#include "dense.h"
#include "linalg/lcp.h"
#include "random_matrix.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

MatX random_gram(std::mt19937& rng, int n, int rank) {
    const MatX b = MatX::NullaryExpr(n, rank, [&] { return random_real(rng); });
    return b * b.transpose();
}

// q = w - M z of complementary w, z >= 0, a third of which are both zero (degenerate)
VecX make_solvable(std::mt19937& rng, const MatX& m, VecX& w) {
    const int n = int(m.rows());
    VecX z = VecX::Zero(n);
    w = VecX::Zero(n);
    for (int i = 0; i < n; ++i) {
        const int kind = random_int(rng, 3);
        if (kind == 0) z[i] = 0.1 + std::abs(random_real(rng));
        if (kind == 1) w[i] = 0.1 + std::abs(random_real(rng));
    }
    return w - m * z;
}

// the z of all 2^n choices of which are zero that is complementary; empty = none
VecX search_all(const MatX& m, const VecX& q) {
    const int n = int(q.size());
    for (int set = 0; set < (1 << n); ++set) {
        std::vector<int> in;
        for (int i = 0; i < n; ++i)
            if (set >> i & 1) in.push_back(i);
        VecX z = VecX::Zero(n);
        if (!in.empty()) {
            const VecX x = solve_dense(m(in, in), -q(in));
            for (std::size_t i = 0; i < in.size(); ++i) z[in[i]] = x[int(i)];
        }
        if (z.allFinite() && z.minCoeff() > -1e-10 && (m * z + q).minCoeff() > -1e-10) return z;
    }
    return {};
}

} // namespace

TEST(lcp, ends_at_complementarity_whatever_the_rank) {
    std::mt19937 rng(3);
    for (int k = 0; k < 500; ++k) {
        const int n = 1 + random_int(rng, 20), rank = 1 + random_int(rng, n);
        const MatX m = random_gram(rng, n, rank);
        VecX w, z;
        const VecX q = make_solvable(rng, m, w);
        const LcpResult r = solve_lcp(m, q, z);
        ASSERT_TRUE(r.solved) << k;
        EXPECT_LT(r.residual, 1e-10) << k;
        EXPECT_EQ(r.residual, lcp_residual(m, q, z));
        // symmetric and positive semidefinite: z may differ, M z may not
        EXPECT_LT((m * z + q - w).cwiseAbs().maxCoeff(), 1e-8) << k; // condition numbers up to some 1e4
    }
}

// not symmetric, as friction makes them: positive definite ones have one solution
TEST(lcp, finds_what_a_search_of_all_choices_finds) {
    std::mt19937 rng(4);
    for (int k = 0; k < 200; ++k) {
        const int n = 1 + random_int(rng, 7);
        MatX skew = MatX::NullaryExpr(n, n, [&] { return random_real(rng); });
        skew = (skew - skew.transpose()).eval();
        const MatX m = random_gram(rng, n, n) + 0.1 * MatX::Identity(n, n) + skew;
        const VecX q = VecX::NullaryExpr(n, [&] { return random_real(rng); });
        VecX z;
        ASSERT_TRUE(solve_lcp(m, q, z).solved) << k;
        const VecX all = search_all(m, q);
        ASSERT_EQ(all.size(), n) << k;
        EXPECT_LT((z - all).cwiseAbs().maxCoeff(), 1e-9) << k; // the part 0.1 bounds the inverse by 10
    }
}

// equal rows tie in every ratio test: the lexicographic order keeps the pivots from going in circles
TEST(lcp, equal_rows_do_not_cycle) {
    for (int n = 2; n <= 32; ++n) {
        const MatX m = MatX::Ones(n, n);
        VecX z;
        const LcpResult r = solve_lcp(m, -VecX::Ones(n), z);
        EXPECT_TRUE(r.solved) << n;
        EXPECT_NEAR(z.sum(), 1, 1e-12) << n;
        EXPECT_LE(r.pivots, 3 * n) << n;
    }
}

// Equalities behind the complementary variables, some of them twice; begun near the solution, as elimination leaves it.
TEST(lcp, mixed_problems_are_polished_to_rounding) {
    for (unsigned seed = 1; seed <= 100; ++seed) {
        std::mt19937 rng(seed);
        const int n = 6, f = 4;
        MatX b = MatX::NullaryExpr(n + f, 9, [&] { return random_real(rng); });
        b.row(n + f - 1) = b.row(n + f - 2); // redundant
        const MatX m = b * b.transpose();
        VecX w, q = VecX::Zero(n + f), x = VecX::Zero(n + f);
        for (int i = 0; i < n + f; ++i) x[i] = i >= n || i % 2 ? 0.5 + std::abs(random_real(rng)) : 0;
        w = VecX::Zero(n + f);
        for (int i = 0; i < n; i += 2) w[i] = 0.5 + std::abs(random_real(rng));
        q = w - m * x;
        for (int i = 0; i < n + f; ++i)
            if (x[i] > 0) x[i] += 1e-6 * random_real(rng);
        EXPECT_GT(mixed_residual(m, q, n, x), 1e-9) << seed;
        polish_mixed(m, q, n, x);
        EXPECT_LT(mixed_residual(m, q, n, x), 1e-12) << seed; // numbers of size 10
    }
}

TEST(lcp, nothing_to_do_and_no_solution_are_told_apart) {
    VecX z;
    EXPECT_TRUE(solve_lcp(MatX(0, 0), VecX(0), z).solved);
    const LcpResult open = solve_lcp(MatX::Identity(2, 2), Vec2(1, 0), z); // all contacts part
    EXPECT_TRUE(open.solved);
    EXPECT_EQ(open.pivots, 0);
    EXPECT_EQ(z.norm(), 0);
    // a body between two closing walls: w0 = z0 - z1 - 1, w1 = z1 - z0 - 1, never both >= 0
    MatX m(2, 2);
    m << 1, -1, -1, 1;
    const LcpResult none = solve_lcp(m, Vec2(-1, -1), z);
    EXPECT_FALSE(none.solved);
    EXPECT_GE(none.residual, 0.5);
    EXPECT_TRUE(z.allFinite());
}
