// Small dense systems with a symmetric positive semi-definite matrix, by LDL^T.
#pragma once
#include "core/math.h"

namespace sinew {

// x: right-hand sides in columns, then solutions of a x = b; directions in which a is zero get whatever the
// factorisation leaves finite
void solve_symmetric(const Eigen::Ref<const MatX>& a, Eigen::Ref<MatX> x);

} // namespace sinew
