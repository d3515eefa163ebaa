// Singular values and polar factors of 3 x 3 matrices with rotations on both sides.
//
//   F = U diag(sigma) V^T,  det U = det V = +1,  sigma_0 >= sigma_1 >= |sigma_2|,  sign(sigma_2) = sign(det
//   F) F = R S,  R = U V^T the rotation nearest to F, S = V diag(sigma) V^T symmetric
//
// The signed convention is that of invertible elasticity (Irving, Teran and Fedkiw 2004): an inverted element
// is inverted along its shortest axis. Method: one-sided Jacobi rotations (Hestenes 1958) on F scaled by a
// power of two. Against an eigensolver on F^T F it keeps the digits of small singular values and has no
// trouble with singular or reflected F, repeated values or extreme scales.
#pragma once
#include "core/math.h"

namespace sinew {

struct Svd3 {
    Mat3 U, V;  // rotations
    Vec3 sigma; // NaN if F is not finite; U and V are then the identity
};
Svd3 compute_svd(const Mat3& F);

struct Polar3 {
    Mat3 R, S; // rotation and symmetric stretch
};
Polar3 compute_polar(const Mat3& F);

} // namespace sinew
