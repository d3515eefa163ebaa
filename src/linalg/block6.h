// Dense kernels on blocks of at most six unknowns, kept in the top left corner of a Mat6.
#pragma once
#include "core/math.h"

namespace sinew {

using SmallBlock = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>; // of any size up to six, no heap

// In place. False if the n x n block is not positive definite.
bool invert_positive(Mat6&, int n);
// In place, for a block that is definite of either sign. False if it is singular.
bool invert_definite(Mat6&, int n);
// 6 - n orthonormal columns perpendicular to the first n columns of a, which are independent
Mat6 complement(const Mat6& a, int n);

} // namespace sinew
