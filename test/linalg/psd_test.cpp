#include "dense.h"
#include "linalg/psd.h"
#include "random_matrix.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace sinew;

static const int kSizes[] = {1, 2, 3, 6, 9, 12, 24, 48};

static MatX random_symmetric(std::mt19937& rng, int n) {
    const MatX g = MatX::NullaryExpr(n, n, [&] { return random_real(rng); });
    return g + g.transpose();
}

static bool same_matrix_bits(const MatX& a, const MatX& b) {
    return std::memcmp(a.data(), b.data(), std::size_t(a.size()) * sizeof(Real)) == 0;
}

TEST(psd, clamp_removes_the_negative_part_and_is_nearest_in_the_frobenius_norm) {
    std::mt19937 rng(1);
    for (const int n : kSizes)
        for (int k = 0; k < 20; ++k) {
            const MatX A = random_symmetric(rng, n);
            MatX B = A;
            const bool changed = project_psd(B.data(), n, PsdMode::clamp);
            const VecX d = eigenvalues_of(A);
            EXPECT_EQ(changed, d.minCoeff() < 0);
            EXPECT_GE(eigenvalues_of(B).minCoeff(), -1e-14 * A.norm() * n); // rounding of the product W W^T
            EXPECT_TRUE(same_matrix_bits(B, B.transpose()));
            // eigenvalues are the positive ones of A, the distance is the norm of the negative ones
            EXPECT_LE((eigenvalues_of(B) - d.cwiseMax(0)).norm(), 1e-13 * A.norm());
            const Real distance = (A - B).norm();
            EXPECT_NEAR(distance, d.cwiseMin(0).norm(), 1e-13 * A.norm());
            // no other positive semi-definite matrix is nearer
            const MatX G = 0.1 * MatX::NullaryExpr(n, n, [&] { return random_real(rng); });
            const MatX other = (MatX::Identity(n, n) + G) * B * (MatX::Identity(n, n) + G).transpose();
            EXPECT_GE((A - other).norm(), distance * (1 - 1e-12));
        }
}

TEST(psd, absolute_turns_the_negative_eigenvalues_round) {
    std::mt19937 rng(2);
    for (const int n : kSizes)
        for (int k = 0; k < 20; ++k) {
            const MatX A = random_symmetric(rng, n);
            MatX B = A;
            project_psd(B.data(), n, PsdMode::absolute);
            // |A| = (A A)^(1/2)
            EXPECT_LE((B * B - A * A).norm(), 1e-12 * A.squaredNorm());
            EXPECT_GE(eigenvalues_of(B).minCoeff(), -1e-13 * A.norm());
        }
}

TEST(psd, a_matrix_that_is_psd_already_keeps_its_bits) {
    std::mt19937 rng(3);
    for (const int n : kSizes)
        for (int rank = 0; rank <= n; ++rank) {
            const MatX G = MatX::NullaryExpr(n, rank, [&] { return random_real(rng); });
            const MatX A = G * G.transpose();
            for (const auto mode : {PsdMode::clamp, PsdMode::absolute}) {
                MatX B = A;
                EXPECT_FALSE(project_psd(B.data(), n, mode)) << n << " rank " << rank;
                EXPECT_TRUE(same_matrix_bits(A, B)) << n << " rank " << rank;
            }
        }
    // Hessian of a stretched spring: k (n n^T + (1 - L / l)(I - n n^T)) with signs, singular by translation
    for (int k = 0; k < 200; ++k) {
        Vec3 d(random_real(rng), random_real(rng), random_real(rng));
        d.normalize();
        const Real stiffness = std::pow(10.0, 6 * random_real(rng)), stretch = (k % 5) * 0.1;
        const Mat3 K = stiffness * (d * d.transpose() + stretch * (Mat3::Identity() - d * d.transpose()));
        MatX A(6, 6);
        A << K, -K, -K, K;
        const MatX before = A;
        EXPECT_FALSE(project_psd(A.data(), 6, PsdMode::clamp)) << k;
        EXPECT_TRUE(same_matrix_bits(A, before));
    }
}

TEST(psd, a_compressed_spring_is_projected_onto_its_axis) {
    // (1 - L / l) < 0: the nearest matrix keeps k n n^T only
    const Vec3 d = Vec3(1, 2, 2) / 3;
    const Mat3 axial = 100 * d * d.transpose(), K = axial - 40 * (Mat3::Identity() - d * d.transpose());
    MatX A(6, 6), expected(6, 6);
    A << K, -K, -K, K;
    expected << axial, -axial, -axial, axial;
    EXPECT_TRUE(project_psd(A.data(), 6, PsdMode::clamp));
    EXPECT_LE((A - expected).norm(), 1e-13 * expected.norm());
}

TEST(psd, projecting_twice_changes_nothing_more) {
    std::mt19937 rng(4);
    int repeated = 0;
    for (int k = 0; k < 200; ++k) {
        const int n = kSizes[k % 8];
        MatX A = random_symmetric(rng, n);
        project_psd(A.data(), n, PsdMode::clamp);
        repeated += project_psd(A.data(), n, PsdMode::clamp);
    }
    EXPECT_EQ(repeated, 0);
}

TEST(psd, small_negative_eigenvalues_are_found_at_every_scale) {
    std::mt19937 rng(5);
    for (const Real scale : {1e-300, 1e-150, 1e-20, 1.0, 1e20, 1e150, 1e300}) {
        // a large positive part with one eigenvalue of -1e-9 of it
        const MatX q = random_symmetric(rng, 9);
        VecX d = VecX::Constant(9, 1.0);
        d[4] = -1e-9;
        const MatX A = scale * eigen_system(q).with(d);
        MatX B = A;
        EXPECT_TRUE(project_psd(B.data(), 9, PsdMode::clamp)) << scale;
        EXPECT_GE(eigenvalues_of(B / scale).minCoeff(), -1e-14);
        EXPECT_NEAR((A / scale - B / scale).norm(), 1e-9, 1e-13); // rounding of the eigenvectors
    }
}

TEST(psd, zero_diagonal_with_entries_beside_it_is_not_psd) {
    Mat2 A;
    A << 0, 1, 1, 0;
    EXPECT_FALSE(is_psd(A.data(), 2));
    EXPECT_TRUE(project_psd(A.data(), 2, PsdMode::clamp));
    EXPECT_LE((A - Mat2::Constant(0.5)).norm(), 1e-15);
    Mat3 zero = Mat3::Zero();
    EXPECT_TRUE(is_psd(zero.data(), 3));
    EXPECT_TRUE(is_psd(nullptr, 0));
}

TEST(psd, none_and_non_finite_matrices_are_left_alone) {
    std::mt19937 rng(6);
    const MatX A = random_symmetric(rng, 6);
    MatX B = A;
    EXPECT_FALSE(project_psd(B.data(), 6, PsdMode::none));
    EXPECT_TRUE(same_matrix_bits(A, B));
    for (const Real wrong : {std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity()}) {
        MatX C = A;
        C(2, 3) = C(3, 2) = wrong;
        const MatX before = C;
        EXPECT_FALSE(project_psd(C.data(), 6, PsdMode::clamp));
        EXPECT_TRUE(same_matrix_bits(C, before));
    }
}
