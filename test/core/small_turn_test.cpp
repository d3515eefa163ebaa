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

TEST(rotation_between, carries_one_direction_to_the_other_by_the_shortest_arc) {
    Rng rng{9, 1, 0};
    for (int k = 0; k < 1000; ++k) {
        const Vec3 a = Vec3(draw_uniform(rng, -1, 1), draw_uniform(rng, -1, 1), draw_uniform(rng, -1, 1)).normalized();
        // anywhere, near, and near the opposite, where the axis is lost by cancellation: some units of 1e-16 over the distance from it
        const Vec3 away = std::pow(10.0, draw_uniform(rng, -6, 0.3)) * Vec3(draw_uniform(rng, -1, 1), draw_uniform(rng, -1, 1), draw_uniform(rng, -1, 1));
        const Vec3 b = ((k % 2 ? 1 : -1) * a + away).normalized();
        const Quat q = rotation_between(2 * a, 3 * b);
        EXPECT_LT((q * a - b).norm(), 1e-15 + 1e-15 / (a + b).norm());
        EXPECT_LT(std::abs(q.vec().dot(a)), 1e-15 + 1e-15 / (a + b).norm()); // across both: no twist
    }
    EXPECT_LT((rotation_between(Vec3::UnitX(), -Vec3::UnitX()) * Vec3::UnitX() + Vec3::UnitX()).norm(), 1e-15);
    EXPECT_LT((rotation_between(Vec3::UnitX(), Vec3::UnitX()).coeffs() - Quat::Identity().coeffs()).norm(), 1e-15);
}
