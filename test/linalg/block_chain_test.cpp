// Block factors against dense ones: chains, trees and graphs with loops, blocks of both widths.
#include "core/random.h"
#include "dense.h"
#include "linalg/block_chain.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

std::vector<std::array<int, 2>> make_pairs(const std::string& kind, int n, Rng& rng) {
    std::vector<std::array<int, 2>> out;
    for (int k = 0; k + 1 < n; ++k) out.push_back({k, kind == "chain" ? k + 1 : k + 1 + int(draw_uniform(rng) * (n - k - 1) * 0.999)});
    if (kind == "loops")
        for (int k = 0; k < n; ++k) {
            const int a = int(draw_uniform(rng, 0, n - 1e-9)), b = int(draw_uniform(rng, 0, n - 1e-9));
            if (a != b) out.push_back({std::min(a, b), std::max(a, b)});
        }
    return out;
}

} // namespace

TEST(block_chain, solves_what_a_dense_matrix_solves) {
    Rng rng{17, 0, 0};
    for (const char* kind : {"chain", "tree", "loops"})
        for (int width : {3, 6})
            for (int n : {1, 2, 7, 30}) {
                const auto pairs = make_pairs(kind, n, rng);
                BlockChain a;
                build_block_chain(width, n, pairs, a);
                MatX dense = MatX::Zero(n * width, n * width);
                for (const auto& p : pairs)
                    for (int i = 0; i < width; ++i)
                        for (int j = 0; j < width; ++j) {
                            const Real x = draw_uniform(rng, -1, 1);
                            a.block(find_block(a, p[0], p[1]))[i * width + j] += x;
                            dense(p[0] * width + i, p[1] * width + j) += x;
                            dense(p[1] * width + j, p[0] * width + i) += x;
                        }
                // diagonally dominant, so that it is definite
                for (int k = 0; k < n; ++k)
                    for (int i = 0; i < width; ++i)
                        for (int j = 0; j < width; ++j) {
                            const int r = k * width + i;
                            const Real x = i == j ? 1 + dense.row(r).cwiseAbs().sum() + width : 0.3 / (1 + i + j);
                            a.block(k)[i * width + j] = dense(r, k * width + j) = x;
                        }
                VecX x(n * width);
                for (int i = 0; i < x.size(); ++i) x[i] = draw_uniform(rng, -1, 1);
                const VecX expected = solve_dense(dense, x);
                ASSERT_TRUE(factor_block_chain(a));
                solve_block_chain(a, {x.data(), std::size_t(x.size())});
                EXPECT_LT((x - expected).cwiseAbs().maxCoeff(), 1e-13) << kind << " " << width << " " << n; // condition below 100
            }
}

TEST(block_chain, a_tree_numbered_from_its_leaves_has_no_fill) {
    // two arms of three that meet in a body with a stem: 0 1 2 and 3 4 5, then 6 7
    const std::vector<std::array<int, 2>> pairs{{0, 1}, {1, 2}, {3, 4}, {4, 5}, {2, 5}, {2, 6}, {5, 6}, {6, 7}};
    BlockChain a;
    build_block_chain(3, 8, pairs, a);
    EXPECT_EQ(a.later.size(), pairs.size());
}

TEST(block_chain, says_so_where_a_matrix_is_not_definite) {
    BlockChain a;
    build_block_chain(3, 2, std::vector<std::array<int, 2>>{{0, 1}}, a);
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < 3; ++i) a.block(k)[4 * i] = 1;
    for (int i = 0; i < 3; ++i) a.block(2)[4 * i] = 2;
    EXPECT_FALSE(factor_block_chain(a));
}
