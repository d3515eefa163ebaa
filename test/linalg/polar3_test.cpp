#include "linalg/polar3.h"
#include "random_matrix.h"
#include <Eigen/LU>
#include <gtest/gtest.h>

using namespace sinew;

// fourth-order central difference: truncation h^4 times the fifth derivative, about (h/gap)^4 with gap >= 0.3
static void check_rates(const Mat3& F, const Mat3& dF, const Vec3& sigma) {
    const PolarRates rates = compute_polar_rates(compute_svd(F), dF);
    const Real h = 1e-3;
    const auto at = [&](Real t) { return compute_polar(F + t * dF); };
    const Mat3 dR = (8 * (at(h).R - at(-h).R) - (at(2 * h).R - at(-2 * h).R)) / (12 * h);
    const Mat3 dS = (8 * (at(h).S - at(-h).S) - (at(2 * h).S - at(-2 * h).S)) / (12 * h);
    EXPECT_LT((rates.dR - dR).norm(), 1e-8) << sigma.transpose();
    EXPECT_LT((rates.dS - dS).norm(), 1e-8) << sigma.transpose();
    const Polar3 p = compute_polar(F);
    EXPECT_LT((rates.dR * p.S + p.R * rates.dS - dF).norm(), 1e-13);
    EXPECT_LT((rates.dS - rates.dS.transpose()).norm(), 1e-14);
    EXPECT_LT((p.R.transpose() * rates.dR + rates.dR.transpose() * p.R).norm(), 1e-13);
}

TEST(polar3, rates_match_finite_differences_also_for_repeated_zero_and_negative_singular_values) {
    std::mt19937 rng(11);
    for (const Vec3& sigma : {Vec3(1.5, 1, 0.7), Vec3(1, 1, 1), Vec3(2, 2, 0.5), Vec3(2, 0.5, 0.5), Vec3(1.2, 0.9, 0),
                              Vec3(1.2, 0.9, -0.4), Vec3(3, 1, -0.6)})
        for (int k = 0; k < 50; ++k)
            check_rates(random_rotation(rng) * sigma.asDiagonal() * random_rotation(rng).transpose(),
                        0.5 * random_matrix3(rng), sigma);
}

TEST(polar3, rotation_rate_solves_the_linear_system_of_the_axial_vector) {
    std::mt19937 rng(12);
    for (int k = 0; k < 100; ++k) {
        const Mat3 F = Mat3::Identity() + 0.3 * random_matrix3(rng), dF = random_matrix3(rng);
        const Polar3 p = compute_polar(F);
        const Mat3 B = p.R.transpose() * dF - dF.transpose() * p.R;
        const Vec3 w = (p.S.trace() * Mat3::Identity() - p.S).inverse() * Vec3(B(2, 1), B(0, 2), B(1, 0));
        Mat3 skew;
        skew << 0, -w.z(), w.y(), w.z(), 0, -w.x(), -w.y(), w.x(), 0;
        EXPECT_LT((compute_polar_rates(compute_svd(F), dF).dR - p.R * skew).norm(), 1e-12);
    }
}

TEST(polar3, singular_value_rates_are_those_of_distinct_values) {
    std::mt19937 rng(13);
    for (int k = 0; k < 100; ++k) {
        const Mat3 F = random_rotation(rng) * Vec3(2, 1, -0.3).asDiagonal() * random_rotation(rng);
        const Mat3 dF = random_matrix3(rng);
        const Real h = 1e-5;
        const Vec3 fd = (compute_svd(F + h * dF).sigma - compute_svd(F - h * dF).sigma) / (2 * h);
        EXPECT_LT((compute_polar_rates(compute_svd(F), dF).dsigma - fd).norm(), 1e-8); // h^2
    }
}

TEST(polar3, the_jump_of_the_rotation_gives_finite_rates) {
    const Mat3 F = Vec3(1, 0.5, -0.5).asDiagonal();
    const PolarRates rates = compute_polar_rates(compute_svd(F), Mat3::Constant(1));
    EXPECT_TRUE(rates.dR.allFinite() && rates.dS.allFinite());
    EXPECT_TRUE(compute_polar_rates(compute_svd(Mat3::Zero()), Mat3::Identity()).dR.isZero(0));
}
