// Systems with constraints:
//   [ A  -J^T ] [ x ]   [ f ]
//   [ J   D   ] [ y ] = [ g ]      A symmetric, D = diag(d) >= 0
// A may be indefinite and D zero; singular where rows of J with d = 0 depend on each other (redundant or
// contradictory constraints), which is reported. Sparse LU with pivoting (Eigen), because no Cholesky stands zeros on
// the diagonal. Fixed blocks of A and rows that are not active get the solution zero.
#pragma once
#include "linalg/linear_solver.h"

namespace sinew {

struct SparseRows { // J by rows
    std::vector<int> begin{0}, column;
    std::vector<Real> value;
};

struct SaddleSystem {
    const BlockSparse& A;
    FixedMask fixed;
    const SparseRows& J;
    std::span<const Real> d;
    std::span<const unsigned char> active;
};

struct SaddleSolver {
    SaddleSolver();
    ~SaddleSolver();
    SaddleSolver(SaddleSolver&&) noexcept;
    SaddleSolver& operator=(SaddleSolver&&) noexcept;
    struct Memory;
    std::unique_ptr<Memory> memory;
};
LinearInfo solve_saddle(const SaddleSystem&, std::span<const Real> f, std::span<const Real> g, SaddleSolver&,
                        std::span<Real> x, std::span<Real> y);

} // namespace sinew
