#include "dense.h"
#include "linalg/svd3.h"
#include "random_matrix.h"
#include <Eigen/LU>
#include <gtest/gtest.h>

using namespace sinew;

// Every promise of svd3.h; tolerances are a few tens of roundings.
static void check(const Mat3& F, const char* what) {
    const Svd3 s = compute_svd(F);
    const Real norm = F.cwiseAbs().maxCoeff(), scale = norm > 0 ? norm : 1;
    EXPECT_LE((s.U * (s.sigma / scale).asDiagonal() * s.V.transpose() - F / scale).norm(), 1e-14)
        << what << "\n"
        << F;
    EXPECT_LE((s.U.transpose() * s.U - Mat3::Identity()).norm(), 4e-15) << what;
    EXPECT_LE((s.V.transpose() * s.V - Mat3::Identity()).norm(), 4e-15) << what;
    EXPECT_NEAR(s.U.determinant(), 1, 4e-15) << what;
    EXPECT_NEAR(s.V.determinant(), 1, 4e-15) << what;
    EXPECT_GE(s.sigma[0], s.sigma[1]) << what;
    EXPECT_GE(s.sigma[1], std::abs(s.sigma[2])) << what;
    EXPECT_LE((s.sigma.cwiseAbs() / scale - singular_values(F / scale)).norm(), 1e-14) << what;

    const Polar3 p = compute_polar(F);
    EXPECT_LE((p.R * (p.S / scale) - F / scale).norm(), 2e-14) << what;
    EXPECT_EQ(p.S, p.S.transpose()) << what;
    EXPECT_LE((p.R.transpose() * p.R - Mat3::Identity()).norm(), 1e-14) << what;
    EXPECT_NEAR(p.R.determinant(), 1, 1e-14) << what;
}

TEST(svd3, random_matrices_of_all_scales_and_both_orientations) {
    std::mt19937 rng(1);
    for (int k = 0; k < 3000; ++k) {
        const Mat3 F = random_matrix3(rng);
        check(F, "random");
        check(F * std::pow(10.0, random_int(rng, 590) - 295), "scaled");
        const Real det = F.determinant();
        EXPECT_TRUE(std::abs(det) < 1e-12 || compute_svd(F).sigma[2] * det > 0);
    }
}

TEST(svd3, prescribed_singular_values) {
    std::mt19937 rng(2);
    const Vec3 values[] = {
        {1, 1, 1},         {1, 1, -1},          {2, 1, 1},       {2, 2, 1},      {2, 1, -1},
        {1, 0, 0},         {1, 1, 0},           {0, 0, 0},       {1, 1e-8, 0},   {1, 1e-8, -1e-8},
        {1, 1e-16, 1e-17}, {1, 1e-30, 0},       {1, 1, 1e-20},   {1e8, 1, 1e-8}, {1, 1 - 1e-15, 1 - 2e-15},
        {1, 1e-160, 0},    {1, 1e-100, 1e-200}, {3, 1e-5, -1e-5}};
    for (const Vec3& sigma : values)
        for (int k = 0; k < 300; ++k) {
            const Mat3 U = random_rotation(rng), V = random_rotation(rng);
            const Mat3 F = U * sigma.asDiagonal() * V.transpose();
            check(F, "prescribed");
            check(sigma.asDiagonal() * V.transpose(), "prescribed");
            EXPECT_LE((compute_svd(F).sigma - sigma).norm(), 2e-15 * 8 * sigma.norm()) << sigma.transpose();
        }
}

TEST(svd3, exact_cases) {
    check(Mat3::Identity(), "identity");
    check(-Mat3::Identity(), "reflection");
    check(Vec3(-1, 2, 3).asDiagonal(), "diagonal");
    check(Vec3(0, 0, 5).asDiagonal(), "rank one");
    check(Vec3(1, 2, 3) * Vec3(3, -1, 2).transpose(), "outer product");
    check(Mat3::Constant(1), "ones");
    Mat3 shear = Mat3::Identity();
    shear(0, 1) = 1e10;
    check(shear, "shear");
    Mat3 permutation;
    permutation << 0, 1, 0, 0, 0, 1, 1, 0, 0;
    check(permutation, "permutation");
    EXPECT_TRUE(compute_svd(Mat3::Identity()).U.isIdentity(0));
    EXPECT_TRUE(compute_polar(Mat3::Zero()).R.isIdentity(0));
    EXPECT_EQ(compute_svd(-Mat3::Identity()).sigma, Vec3(1, 1, -1));
}

TEST(svd3, subnormal_matrices_keep_their_rotations) {
    std::mt19937 rng(3);
    for (int k = 0; k < 200; ++k) {
        const Svd3 s = compute_svd(random_matrix3(rng) * 1e-315);
        EXPECT_LE((s.U.transpose() * s.U - Mat3::Identity()).norm(), 4e-15);
        EXPECT_LE((s.V.transpose() * s.V - Mat3::Identity()).norm(), 4e-15);
        EXPECT_TRUE(s.sigma.allFinite());
    }
}

TEST(svd3, small_singular_values_keep_their_digits) {
    // columns of very different length, but far from parallel: singular values have small relative error
    std::mt19937 rng(4);
    for (int k = 0; k < 500; ++k) {
        const Mat3 U = random_rotation(rng);
        const Mat3 F = U * Vec3(1, 1e-9, 1e-15).asDiagonal();
        const Svd3 s = compute_svd(F);
        EXPECT_NEAR(s.sigma[1] / 1e-9, 1, 1e-14);
        EXPECT_NEAR(s.sigma[2] / 1e-15, 1, 1e-14);
    }
}

TEST(svd3, polar_rotation_is_the_nearest_rotation) {
    std::mt19937 rng(5);
    for (int k = 0; k < 200; ++k) {
        const Mat3 F = random_matrix3(rng), R = compute_polar(F).R;
        for (int j = 0; j < 20; ++j) {
            const Mat3 other =
                R * exp_rotation(0.3 * Vec3(random_real(rng), random_real(rng), random_real(rng)))
                        .toRotationMatrix();
            EXPECT_GE((F - other).norm(), (F - R).norm() - 1e-14);
        }
    }
}

TEST(svd3, matrices_that_are_not_finite_give_nan_values_and_no_hang) {
    Mat3 F = Mat3::Identity();
    F(1, 2) = std::numeric_limits<Real>::quiet_NaN();
    EXPECT_TRUE(std::isnan(compute_svd(F).sigma[0]));
    F(1, 2) = std::numeric_limits<Real>::infinity();
    EXPECT_TRUE(std::isnan(compute_svd(F).sigma[0]));
}
