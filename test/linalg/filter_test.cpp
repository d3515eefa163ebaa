#include "dense.h"
#include "linalg/filter.h"
#include "random_matrix.h"
#include <gtest/gtest.h>

using namespace sinew;

struct Filtered {
    BlockSparse A;
    std::vector<unsigned char> fixed;
    std::vector<BlockProjector> projectors;
    MatX S; // dense projector
};

static Filtered random_filtered(int seed) {
    std::mt19937 rng(seed);
    Filtered f;
    f.A = random_spd(rng, 25);
    const BlockLayout& l = f.A.pattern.layout;
    f.S = MatX::Identity(scalar_count(l), scalar_count(l));
    f.fixed.assign(block_count(l), 0);
    for (int b = 0; b < block_count(l); ++b) {
        const int kind = random_int(rng, 4), first = l.begin[b], size = block_size(l, b);
        if (kind <= 1 && size == 3) {
            // some of them are fixed as well: fixed wins
            const Vec3 n(random_real(rng), random_real(rng), random_real(rng));
            f.projectors.push_back(make_plane_projector(b, real3(n)));
            f.S.block(first, first, 3, 3) -= n * n.transpose() / n.squaredNorm();
        }
        if (kind == 1 || kind == 2) {
            f.fixed[b] = 1;
            f.S.block(first, first, size, size).setZero();
        }
    }
    return f;
}

TEST(filter, filtered_matrix_is_s_a_s_plus_the_complement) {
    for (int seed = 0; seed < 10; ++seed) {
        const Filtered f = random_filtered(seed);
        BlockSparse out = f.A;
        filter_matrix(*make_parallel({.threads = 2}), f.A, f.fixed, f.projectors, out);
        const MatX A = dense_matrix(f.A), B = dense_matrix(out);
        const Real tolerance = 1e-14 * A.norm(); // a few roundings per entry
        EXPECT_LE((f.S * B * f.S - f.S * A * f.S).norm(), tolerance);
        const MatX I = MatX::Identity(A.rows(), A.cols());
        EXPECT_LE((f.S * B * (I - f.S)).norm(), tolerance);
        // the complement is positive and of the size of the matrix: 1 or the diagonal block
        EXPECT_TRUE(is_definite(B));
    }
}

TEST(filter, filtered_vector_is_s_x) {
    const Filtered f = random_filtered(3);
    std::mt19937 rng(1);
    std::vector<Real> x = random_vector(rng, int(f.S.rows()));
    const VecX expected = f.S * as_eigen(x);
    apply_filter(f.A.pattern.layout, f.fixed, f.projectors, x);
    EXPECT_LE((as_eigen(x) - expected).norm(), 1e-15 * expected.norm() * 4);
}

TEST(filter, prescribed_values_move_to_the_right_hand_side) {
    const Filtered f = random_filtered(4);
    const BlockLayout& l = f.A.pattern.layout;
    std::mt19937 rng(2);
    const std::vector<Real> x = random_vector(rng, scalar_count(l));
    std::vector<Real> b = random_vector(rng, scalar_count(l));
    VecX expected = as_eigen(b), x_fixed = as_eigen(x);
    for (int k = 0; k < block_count(l); ++k)
        if (!f.fixed[k]) x_fixed.segment(l.begin[k], block_size(l, k)).setZero();
    const VecX moved = dense_matrix(f.A) * x_fixed;
    for (int k = 0; k < block_count(l); ++k)
        if (!f.fixed[k])
            expected.segment(l.begin[k], block_size(l, k)) -= moved.segment(l.begin[k], block_size(l, k));
    move_fixed_to_rhs(f.A, f.fixed, x, b);
    EXPECT_LE((as_eigen(b) - expected).norm(), 1e-14 * expected.norm()); // order of a few products
}

TEST(filter, a_zero_normal_restricts_nothing) {
    const BlockProjector p = make_plane_projector(2, {0, 0, 0});
    EXPECT_EQ(p.S, BlockProjector{}.S);
    const BlockProjector tiny = make_plane_projector(2, {0, 1e-200, 0});
    EXPECT_EQ(tiny.S, (std::array<Real, 9>{1, 0, 0, 0, 0, 0, 0, 0, 1}));
}
