// Euler angles, matrix, rotation vector and Rodrigues' vector against the quaternion (core/rotation.h).
#include "core/random.h"
#include "core/rotation.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

// q and -q turn alike
Real turns_apart(const Quat& a, const Quat& b) { return std::min((a.coeffs() - b.coeffs()).norm(), (a.coeffs() + b.coeffs()).norm()); }
Vec3 draw_numbers(Rng& rng, Real a, Real b) {
    Vec3 out;
    for (Real& x : out) x = draw_uniform(rng, a, b);
    return out;
}
Quat draw_turn(Rng& rng) { return quat(draw_rotation(rng)); }

} // namespace

// some ten roundings of numbers below 1, here and below
TEST(rotation, euler_angles_turn_about_the_fixed_axes_one_after_another) {
    Rng rng{31, 0, 0};
    for (int k = 0; k < 1000; ++k) {
        const Vec3 e = draw_numbers(rng, -3, 3), x = draw_numbers(rng, -1, 1);
        Vec3 turned = x;
        for (int i = 0; i < 3; ++i) { // in the plane across axis i
            const int a = (i + 1) % 3, b = (i + 2) % 3;
            const Real c = std::cos(e[i]), s = std::sin(e[i]), ya = turned[a], yb = turned[b];
            turned[a] = c * ya - s * yb, turned[b] = s * ya + c * yb;
        }
        EXPECT_LT((rotation_from_euler(e) * x - turned).norm(), 4e-15);
    }
}

TEST(rotation, every_parametrisation_gives_the_rotation_of_its_quaternion_back) {
    Rng rng{31, 1, 0};
    for (int k = 0; k < 1000; ++k) {
        const Quat q = draw_turn(rng);
        EXPECT_LT(turns_apart(rotation_from_euler(euler_angles(q)), q), 1e-13); // cos y divides: 1e-3 and less is as rare
        EXPECT_LT(turns_apart(Quat(q.toRotationMatrix()), q), 4e-15);
        EXPECT_LT(turns_apart(exp_rotation(log_rotation(q)), q), 4e-15);
        EXPECT_LT((rotation_matrix(log_rotation(q)) - q.toRotationMatrix()).norm(), 8e-15);
        const Vec3 g = rodrigues_vector(q);
        EXPECT_LT(turns_apart(rotation_from_rodrigues(g), q), 4e-15);
        // tan(angle/2) axis; the angle's rounding grows towards half a turn
        const Vec3 w = log_rotation(q);
        EXPECT_LT((g - std::tan(w.norm() / 2) * w.normalized()).norm(), 1e-14 * (1 + g.squaredNorm()));
    }
}

// the other way: numbers to a rotation to numbers
TEST(rotation, every_parametrisation_gives_its_numbers_back) {
    Rng rng{31, 2, 0};
    for (int k = 0; k < 1000; ++k) {
        const Vec3 e(draw_uniform(rng, -3.1, 3.1), draw_uniform(rng, -1.5, 1.5), draw_uniform(rng, -3.1, 3.1));
        EXPECT_LT((euler_angles(rotation_from_euler(e)) - e).norm(), 1e-13); // over cos y > 0.07
        const Vec3 g = draw_numbers(rng, -5, 5);
        EXPECT_LT((rodrigues_vector(rotation_from_rodrigues(g)) - g).norm(), 1e-14);
        const Vec3 w = draw_uniform(rng, 0, 3.1) * draw_numbers(rng, -1, 1).normalized();
        EXPECT_LT((log_rotation(Quat(rotation_matrix(w))) - w).norm(), 1e-13); // near half a turn the matrix knows its axis by the square root
    }
}

// (a + b + a x b)/(1 - a . b) for the quaternions' product a b, which turns by b first
TEST(rotation, vectors_of_rodrigues_compose_by_their_rule) {
    Rng rng{31, 3, 0};
    for (int k = 0; k < 1000; ++k) {
        const Vec3 a = draw_numbers(rng, -1, 1), b = draw_numbers(rng, -1, 1);
        if (std::abs(1 - a.dot(b)) < 0.05) continue;
        const Vec3 both = (a + b + a.cross(b)) / (1 - a.dot(b));
        EXPECT_LT((rodrigues_vector(rotation_from_rodrigues(a) * rotation_from_rodrigues(b)) - both).norm(), 1e-12); // over 0.05 squared
    }
}

TEST(rotation, euler_angles_at_the_poles_and_small_turns_are_well_behaved) {
    for (const Real y : {kPi / 2, -kPi / 2})
        for (const Real x : {-1.0, 0.3}) {
            const Quat q = rotation_from_euler(Vec3(x, y, 0.7));
            const Vec3 e = euler_angles(q);
            EXPECT_EQ(e.z(), 0);
            EXPECT_NEAR(e.y(), y, 1e-12);
            EXPECT_LT(turns_apart(rotation_from_euler(e), q), 1e-12); // the bound of cos y
        }
    for (const Real size : {0.0, 1e-12, 1e-7, 1e-4}) {
        const Vec3 w = size * Vec3(0.6, 0, -0.8);
        EXPECT_LT((rotation_matrix(w) - exp_rotation(w).toRotationMatrix()).norm(), 4e-16);
    }
}
