// Rows of one element: values C, from order 1 the Jacobian J, from order 2 the Hessian of each row.
#pragma once
#include "core/math.h"
#include <array>

namespace sinew {

template <int R, int N, int Order> struct LocalRows;
template <int R, int N> struct LocalRows<R, N, 0> {
    VecN<R> c = VecN<R>::Zero();
};
template <int R, int N> struct LocalRows<R, N, 1> : LocalRows<R, N, 0> {
    MatN<R, N> jacobian = MatN<R, N>::Zero();
};
template <int R, int N> struct LocalRows<R, N, 2> : LocalRows<R, N, 1> {
    std::array<MatN<N>, R> hessian;
    LocalRows() { hessian.fill(MatN<N>::Zero()); }
};

} // namespace sinew
