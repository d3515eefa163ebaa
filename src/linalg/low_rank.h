// Systems whose matrix is sparse but for a few dense terms of rank one (Woodbury 1950):
//   (S + sum_j c_j n_j n_j^T) x = b,   c_j > 0
//   Z = S^-1 N,   (diag(1/c) + N^T Z) y = N^T S^-1 b,   x = S^-1 b - Z y
// S is factored by the caller and positive definite, so is then the small matrix. Each term costs one more solve with S.
#pragma once
#include "core/math.h"
#include "linalg/linear_solver.h"
#include <Eigen/Cholesky>

namespace sinew {

struct RankOne {
    Real factor = 0;          // c
    std::vector<Real> vector; // n, zero on fixed blocks
};

struct LowRankScratch {
    std::vector<std::vector<Real>> columns; // Z
    MatX small, y;
    Eigen::LDLT<MatX> factor; // of the small matrix
};

// `solver` has factored S. The info is that of the solves: worst residual, sum of iterations.
LinearInfo solve_low_rank(const Parallel&, LinearSolver& solver, std::span<const RankOne>, std::span<const Real> b,
                          LowRankScratch&, std::span<Real> x);

} // namespace sinew
