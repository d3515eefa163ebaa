// Random layouts, elements and matrices for the tests of linalg/. Fixed seeds, so that a failure repeats.
#pragma once
#include "core/math.h"
#include "linalg/block_sparse.h"
#include <algorithm>
#include <cstring>
#include <random>

namespace sinew {

struct RandomElements {
    std::vector<std::vector<int>> stencil;
    std::vector<ElementBlocks> elements;
    std::vector<Real> values; // element-major dense matrices, one after the other
};

Real random_real(std::mt19937& rng);
inline int random_int(std::mt19937& rng, int n) { return int(rng() % unsigned(n)); } // 0 .. n - 1

// Points, frames (two blocks of 3) and scalars in random order.
BlockLayout random_layout(std::mt19937& rng, int count);

// Elements of 1 to 5 random blocks, some absent and some repeated. With `spd` the matrices are G G^T + 0.1 I
// over the members present; otherwise plain noise, not even symmetric in the last bit.
RandomElements random_elements(std::mt19937& rng, const BlockLayout& layout, int count, bool spd);

// The oracle: triplets added one by one in element order into a dense matrix, lower triangle of blocks
// mirrored.
void add_triplets(const BlockLayout& layout, const RandomElements& r, MatX& dense);

// Copies the lower triangle of blocks to the upper one.
void mirror_blocks(const BlockLayout& layout, MatX& dense);

MatX dense_matrix(const BlockSparse& A);

std::vector<Real> random_vector(std::mt19937& rng, int n);

inline Mat3 random_matrix3(std::mt19937& rng) {
    return Mat3::NullaryExpr([&] { return random_real(rng); });
}
inline Mat3 random_rotation(std::mt19937& rng) {
    return exp_rotation(4 * Vec3(random_real(rng), random_real(rng), random_real(rng))).toRotationMatrix();
}

inline bool same_bits(const std::vector<Real>& a, const std::vector<Real>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)) == 0;
}

inline Eigen::Map<const VecX> as_eigen(const std::vector<Real>& x) {
    return {x.data(), Eigen::Index(x.size())};
}

// Symmetric positive definite, from random elements plus a diagonal of about `shift`.
BlockSparse random_spd(std::mt19937& rng, int count, Real shift = 0.1);

} // namespace sinew
