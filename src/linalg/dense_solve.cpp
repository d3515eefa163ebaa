#include "linalg/dense_solve.h"

namespace sinew {

void solve_symmetric(const Eigen::Ref<const MatX>& a, Eigen::Ref<MatX> x) {
    Eigen::LDLT<MatX> factor;
    solve_symmetric(a, factor, x);
}

void solve_symmetric(const Eigen::Ref<const MatX>& a, Eigen::LDLT<MatX>& scratch, Eigen::Ref<MatX> x) {
    scratch.compute(a);
    scratch.solveInPlace(x);
}

void solve_symmetric(const SmallBlock& a, SmallBlock& x) { Eigen::LDLT<SmallBlock>(a).solveInPlace(x); }

} // namespace sinew
