// Small dense systems with a symmetric positive semi-definite matrix, by LDL^T.
#pragma once
#include "linalg/block6.h"
#include <Eigen/Cholesky>

namespace sinew {

// x: right-hand sides in columns, then solutions of a x = b; directions in which a is zero get whatever the
// factorisation leaves finite
void solve_symmetric(const Eigen::Ref<const MatX>& a, Eigen::Ref<MatX> x);
// the same with memory that is kept: nothing is allocated for sizes that were there before
void solve_symmetric(const Eigen::Ref<const MatX>& a, Eigen::LDLT<MatX>& scratch, Eigen::Ref<MatX> x);
// the same for at most six unknowns, on the stack
void solve_symmetric(const SmallBlock& a, SmallBlock& x);

} // namespace sinew
