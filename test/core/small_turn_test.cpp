// Turns of time steps (core/small_turn.h).
#include "core/random.h"
#include "core/small_turn.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace sinew;

TEST(small_turn, is_the_exponential) {
    Rng rng{9, 0, 0};
    for (int k = 0; k < 1000; ++k) {
        const Vec3 w = std::pow(10.0, draw_uniform(rng, -9, 0.3)) * Vec3(draw_uniform(rng, -1, 1), draw_uniform(rng, -1, 1), draw_uniform(rng, -1, 1));
        const Quat a = exp_turn(w), b = exp_rotation(w);
        EXPECT_LT((a.coeffs() - b.coeffs()).lpNorm<Eigen::Infinity>(), 4e-16); // two roundings of numbers below 1
        EXPECT_LT(std::abs(turned(a, b).norm() - 1), 4e-16);
    }
}
