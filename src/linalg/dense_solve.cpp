#include "linalg/dense_solve.h"
#include <Eigen/Cholesky>

namespace sinew {

void solve_symmetric(const Eigen::Ref<const MatX>& a, Eigen::Ref<MatX> x) {
    const Eigen::LDLT<MatX> factor(a);
    x = factor.solve(MatX(x));
}

} // namespace sinew
