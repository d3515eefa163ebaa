#include "dense.h"
#include "linalg/small.h"
#include "random_matrix.h"
#include <Eigen/LU>
#include <gtest/gtest.h>

using namespace sinew;

TEST(small, cholesky_inverse_and_spd_inverse_agree_with_eigen) {
    std::mt19937 rng(1);
    for (int k = 0; k < 500; ++k) {
        const Mat3 g = Mat3::NullaryExpr([&] { return random_real(rng); });
        const Mat3 A = std::pow(10.0, 8 * random_real(rng)) * (g * g.transpose() + 0.01 * Mat3::Identity());
        Mat3 m, inverse;
        ASSERT_TRUE(invert_cholesky_factor(A.data(), 3, 0, m.data()));
        const Mat3 expected = Mat3(cholesky_factor(A)).inverse();
        EXPECT_LE((m - expected).norm(), 1e-12 * expected.norm()); // sqrt of cond(A) < 1e4, times rounding
        ASSERT_TRUE(invert_spd(A.data(), 3, inverse.data()));
        EXPECT_LE((inverse * A - Mat3::Identity()).norm(), 1e-11);
        EXPECT_EQ(inverse, inverse.transpose());
    }
    Real four = 4, out = 0;
    EXPECT_TRUE(invert_cholesky_factor(&four, 1, 0, &out));
    EXPECT_EQ(out, 0.5);
    EXPECT_TRUE(invert_spd(&four, 1, &out));
    EXPECT_EQ(out, 0.25);
}

TEST(small, blocks_that_are_not_definite_are_refused) {
    std::mt19937 rng(2);
    Mat3 out;
    for (int k = 0; k < 3; ++k) {
        Vec3 d(3, 2, 1);
        d[k] = -0.1;
        const Mat3 R = exp_rotation(Vec3(1, 2, random_real(rng))).toRotationMatrix();
        for (const Mat3& A : {Mat3(d.asDiagonal()), Mat3(R * d.asDiagonal() * R.transpose())}) {
            EXPECT_FALSE(invert_cholesky_factor(A.data(), 3, 0, out.data()));
            EXPECT_FALSE(invert_spd(A.data(), 3, out.data()));
        }
        Mat3 nan = Mat3::Identity();
        nan(k, k) = std::numeric_limits<Real>::quiet_NaN();
        EXPECT_FALSE(invert_spd(nan.data(), 3, out.data()));
    }
    const Real zero = 0;
    EXPECT_FALSE(invert_spd(&zero, 1, out.data()));
    const Mat3 tiny = 1e-3 * Mat3::Identity();
    EXPECT_FALSE(invert_cholesky_factor(tiny.data(), 3, 1e-2, out.data())); // below the least pivot
}

TEST(small, cofactor_is_the_derivative_of_the_determinant) {
    std::mt19937 rng(3);
    for (int k = 0; k < 100; ++k) {
        Mat3 F = Mat3::NullaryExpr([&] { return random_real(rng); });
        if (k % 4 == 0) F.col(2) = F.col(0); // singular
        const Mat3 c = cofactor(F);
        // the determinant is linear in each entry: the difference quotient is exact up to rounding
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                Mat3 a = F, b = F;
                a(i, j) += 1, b(i, j) -= 1;
                EXPECT_NEAR(c(i, j), (a.determinant() - b.determinant()) / 2, 1e-14);
            }
    }
}
