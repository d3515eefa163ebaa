#include "geometry/writhe.h"
#include <gtest/gtest.h>

using namespace sinew;

// a figure of eight whose crossing is `gap` high, and its mirror image
static std::vector<Real3> figure_of_eight(Real gap, int n, Real mirror = 1) {
    std::vector<Real3> x;
    for (int i = 0; i < n; ++i) {
        const Real t = 2 * kPi * (i + 0.5) / n;
        x.push_back({std::sin(t), std::sin(2 * t), mirror * gap * std::cos(t)});
    }
    return x;
}

TEST(writhe, of_plane_curves_is_zero) {
    EXPECT_EQ(compute_writhe(figure_of_eight(0, 60), true), 0);
    std::vector<Real3> arc;
    for (int i = 0; i <= 30; ++i) arc.push_back({std::cos(0.1 * i), 0, std::sin(0.1 * i)});
    EXPECT_NEAR(compute_writhe(arc, false), 0, 1e-12); // rounding of the plane
}

TEST(writhe, of_a_figure_of_eight_that_nearly_touches_is_one_and_turns_round_in_a_mirror) {
    // seen from all directions but a band of width ~ gap about the plane there is one crossing: 1 - O(gap)
    for (Real gap : {1e-2, 1e-3}) {
        const Real writhe = compute_writhe(figure_of_eight(gap, 400), true);
        EXPECT_NEAR(std::abs(writhe), 1, 3 * gap);
        EXPECT_NEAR(compute_writhe(figure_of_eight(gap, 400, -1), true), -writhe, 1e-12);
    }
}

TEST(writhe, of_a_long_helix_is_that_of_its_turns) {
    // Fuller 1978: a helix of pitch angle a, tan a = rise/(2 pi r) per turn, has 1 - sin a per turn, ends aside; right-handed > 0.
    // Between 10 and 20 turns the ends are the same: what they add cancels to some 1e-2 of a turn
    const Real rise = 1.5;
    const auto helix = [&](int turns) {
        std::vector<Real3> x;
        for (int i = 0; i <= 60 * turns; ++i) x.push_back({std::cos(2 * kPi * i / 60), std::sin(2 * kPi * i / 60), rise * i / 60});
        return compute_writhe(x, false);
    };
    const Real pitch = std::atan(rise / (2 * kPi));
    EXPECT_NEAR((helix(20) - helix(10)) / 10, 1 - std::sin(pitch), 0.01);
}
