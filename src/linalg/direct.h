// What the direct solvers have in common around their factorisation: the matrix filtered, ordered and copied to plain columns, the
// right-hand side likewise, the solution checked and brought back.
//   analyse   begin_analyse, choose an order, order_matrix, then `analysed = true`
//   factor    take_matrix, factor system.matrix, then `factored = true`
//   solve     take_right_side, solve for system.rhs, give_solution
#pragma once
#include "linalg/linear_solver.h"
#include "linalg/scalar_matrix.h"

namespace sinew {

struct DirectSystem {
    bool analysed = false, factored = false;
    BlockSparse filtered; // holds the pattern; values are used when there are projectors
    std::vector<BlockProjector> projectors;
    std::vector<unsigned char> fixed;
    ScalarMatrix matrix;
    std::vector<Real> rhs;                    // in the order of the matrix
    std::vector<Real> rhs_filtered, residual; // scratch
};

LinearInfo begin_analyse(const BlockPattern&, FixedMask fixed, DirectSystem&);
void order_matrix(const BlockPattern&, std::span<const int> order, Triangle, DirectSystem&);
LinearInfo take_matrix(const Parallel&, const BlockSparse&, std::span<const BlockProjector>, DirectSystem&);
LinearInfo take_right_side(std::span<const Real> b, std::span<Real> x, DirectSystem&); // x = 0
LinearInfo give_solution(std::span<const Real> solution, std::span<Real> x, DirectSystem&);
LinearInfo not_positive_definite();

} // namespace sinew
