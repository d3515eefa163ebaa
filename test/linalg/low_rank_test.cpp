#include "linalg/low_rank.h"
#include "allocation_counter.h"
#include "dense.h"
#include "random_matrix.h"
#include <gtest/gtest.h>

using namespace sinew;

TEST(low_rank, sparse_solvers_with_dense_terms_agree_with_the_dense_matrix) {
    std::mt19937 rng(5);
    const auto parallel = make_parallel({.threads = 1});
    for (const LinearSolverEntry& entry : linear_solvers()) {
        if (!entry.available) continue;
        for (int terms : {0, 1, 3}) {
            SCOPED_TRACE(testing::Message() << entry.name << " " << terms);
            const BlockLayout layout = make_block_layout(12, 0, 5);
            const RandomElements r = random_elements(rng, layout, 40, true);
            BlockPattern pattern;
            ASSERT_TRUE(build_pattern(layout, r.elements, {}, pattern));
            BlockSparse A = make_block_sparse(std::move(pattern));
            GatherPlan plan;
            ASSERT_TRUE(build_plan(A.pattern, r.elements, plan));
            gather_elements(*parallel, plan, r.values, A);
            const int n = scalar_count(layout);
            add_diagonal(*parallel, std::vector<Real>(n, 0.5), A);
            // the second block is fixed
            std::vector<unsigned char> fixed(block_count(layout), 0);
            fixed[1] = 1;
            std::vector<RankOne> dense;
            const std::vector<Real> values = to_dense(A);
            MatX full = Eigen::Map<const MatX>(values.data(), n, n);
            for (int k = 0; k < terms; ++k) {
                RankOne t{10.0 * (k + 1), std::vector<Real>(n)};
                for (int i = 0; i < n; ++i) t.vector[i] = i / 3 == 1 ? 0 : random_real(rng);
                const Eigen::Map<const VecX> v(t.vector.data(), n);
                full += t.factor * v * v.transpose();
                dense.push_back(t);
            }
            for (int i = 3; i < 6; ++i) {
                full.row(i).setZero();
                full.col(i).setZero();
                full(i, i) = 1;
            }
            std::vector<Real> b(n), x(n);
            for (int i = 0; i < n; ++i) b[i] = i / 3 == 1 ? 0 : random_real(rng);
            LinearSettings settings;
            settings.tolerance = 1e-13, settings.max_iterations = 10000;
            auto solver = make_linear_solver(entry.name, settings);
            ASSERT_TRUE(solver);
            ASSERT_TRUE((*solver.value)->analyse(A.pattern, fixed).ok);
            ASSERT_TRUE((*solver.value)->factor(*parallel, A, {}).ok);
            LowRankScratch scratch;
            ASSERT_TRUE(solve_low_rank(*parallel, **solver.value, dense, b, scratch, x).ok);
            const VecX expected = solve_definite(full, Eigen::Map<const VecX>(b.data(), n));
            // condition below 1e5; conjugate gradients end at 1e-13 of the residual
            EXPECT_LT((Eigen::Map<const VecX>(x.data(), n) - expected).norm(), 1e-8 * expected.norm());
            // again, with memory that is there: the same bits, nothing allocated
            std::vector<Real> again(n);
            const long before = allocation_count();
            const bool ok = solve_low_rank(*parallel, **solver.value, dense, b, scratch, again).ok;
            EXPECT_EQ(allocation_count(), before);
            EXPECT_TRUE(ok && again == x);
        }
    }
}
