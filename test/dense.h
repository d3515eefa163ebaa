// Decompositions of dense matrices for tests to compare with. Plain functions, compiled once: each of Eigen's decompositions
// takes seconds in every file that names it.
#pragma once
#include "core/math.h"

namespace sinew {

VecX solve_dense(const MatX&, const VecX& right);    // any regular matrix: LU with full pivoting
VecX solve_definite(const MatX&, const VecX& right); // symmetric positive definite: Cholesky
MatX invert_dense(const MatX&);
int rank_of(const MatX&);
int rank_of(const MatX&, Real threshold);            // pivots below threshold times the largest count as zero
MatX cholesky_factor(const MatX&);                   // L of A = L L^T
bool is_definite(const MatX&);                       // whether Cholesky's factorisation exists
MatX orthonormal_columns(const MatX&);               // Q of A = Q R

// of symmetric matrices, by their lower triangle; values in rising order
struct EigenSystem {
    VecX values;
    MatX vectors;
    MatX with(const VecX& d) const; // V d V^T
};
EigenSystem eigen_system(const MatX&);
VecX eigenvalues_of(const MatX&);
VecX singular_values(const MatX&); // in falling order

} // namespace sinew
