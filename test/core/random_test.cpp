#include "core/random.h"
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace sinew;

TEST(random, numbers_are_the_same_on_every_machine) {
    Rng r{7, 3, 0};
    EXPECT_EQ(random_bits(7, 3, 0), 0x9c1b0b5b3e06cf11ull); // from an independent version in Python
    EXPECT_EQ(draw_bits(r), random_bits(7, 3, 0));
    EXPECT_EQ(r.index, 1u);
    Rng n{1, 0, 0};
    const double frozen[] = {0x1.bd752d0afb23ep+0, -0x1.1533d2ab1664dp-5,
                             0x1.82c1e85a544c4p-4}; // from an independent version in Python
    for (double f : frozen) EXPECT_EQ(draw_normal(n), f);
}

TEST(random, uniform_numbers_fill_the_unit_interval_evenly) {
    const int n = 200000, bins = 20;
    std::vector<int> count(bins, 0);
    Rng r{42, 1, 0};
    double sum = 0, product = 0, last = 0.5;
    for (int i = 0; i < n; ++i) {
        const double u = draw_uniform(r);
        ASSERT_GE(u, 0.0);
        ASSERT_LT(u, 1.0);
        count[int(u * bins)]++;
        sum += u;
        product += (u - 0.5) * (last - 0.5);
        last = u;
    }
    double chi2 = 0;
    for (int c : count) chi2 += (c - n / bins) * double(c - n / bins) / (n / bins);
    EXPECT_LT(chi2, 43.8); // 99.9 % point of chi-squared with 19 degrees of freedom
    EXPECT_NEAR(sum / n, 0.5, 4 * std::sqrt(1 / 12.0 / n)); // four standard errors
    EXPECT_NEAR(product / n, 0, 4.0 / 12 / std::sqrt(n)); // neighbours are uncorrelated, four standard errors
}

TEST(random, streams_and_seeds_are_independent) {
    const int n = 100000;
    double a = 0, b = 0, c = 0;
    for (int i = 0; i < n; ++i) {
        const double u = random_uniform(1, 1, i) - 0.5;
        a += u * (random_uniform(1, 2, i) - 0.5);
        b += u * (random_uniform(2, 1, i) - 0.5);
        c += u * (random_uniform(1, 1, i + 1) - 0.5);
    }
    const double four_sigma = 4.0 / 12 * std::sqrt(n);
    EXPECT_LT(std::abs(a), four_sigma);
    EXPECT_LT(std::abs(b), four_sigma);
    EXPECT_LT(std::abs(c), four_sigma);
}

TEST(random, normal_numbers_have_the_moments_of_the_normal_distribution) {
    const int n = 200000;
    Rng r{5, 0, 0};
    double m1 = 0, m2 = 0, m4 = 0;
    for (int i = 0; i < n; ++i) {
        const double x = draw_normal(r);
        m1 += x;
        m2 += x * x;
        m4 += x * x * x * x;
    }
    // four standard errors: variances of x, x^2, x^4 are 1, 2, 96
    EXPECT_NEAR(m1 / n, 0, 4 / std::sqrt(n));
    EXPECT_NEAR(m2 / n, 1, 4 * std::sqrt(2.0 / n));
    EXPECT_NEAR(m4 / n, 3, 4 * std::sqrt(96.0 / n));
}

TEST(random, unit_vectors_and_rotations_have_length_one_and_no_preferred_direction) {
    const int n = 50000;
    Rng r{9, 0, 0};
    Real3 mean;
    double zz = 0;
    for (int i = 0; i < n; ++i) {
        const Real3 v = draw_unit_vector(r);
        ASSERT_NEAR(v.x * v.x + v.y * v.y + v.z * v.z, 1, 1e-15); // three roundings
        for (int k = 0; k < 3; ++k) mean[k] += v[k] / n;
        zz += v.z * v.z / n;
        const Real4 q = draw_rotation(r);
        ASSERT_NEAR(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, 2e-15);
    }
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(mean[k], 0, 4 / std::sqrt(3.0 * n));
    EXPECT_NEAR(zz, 1.0 / 3, 4 * std::sqrt(4.0 / 45 / n)); // variance of z^2 on the sphere is 4/45
}

TEST(random, draw_int_reaches_every_number_equally) {
    Rng r{11, 0, 0};
    std::vector<int> count(7, 0);
    for (int i = 0; i < 70000; ++i) count[draw_int(r, 7)]++;
    for (int c : count) EXPECT_NEAR(c, 10000, 4 * std::sqrt(10000.0 * 6 / 7));
}
