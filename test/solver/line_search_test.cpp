#include "solver/line_search.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace sinew;

namespace {

// f along the line, with the magnitude of an added constant for rounding
template <class F> SearchResult search(F f, Real slope, Real size = 0) {
    const MeritFunction phi{&f, [](void* data, Real a) { return Merit{(*static_cast<F*>(data))(a), 0}; }};
    return search_line(phi, {f(0), size}, slope);
}

} // namespace

TEST(line_search, takes_the_full_step_of_a_quadratic_at_its_minimum) {
    const SearchResult r = search([](Real a) { return 0.5 * (a - 1) * (a - 1); }, -1);
    EXPECT_TRUE(r.found);
    EXPECT_EQ(r.length, 1);
    EXPECT_EQ(r.evaluations, 1);
    EXPECT_EQ(r.merit.value, 0);
}

TEST(line_search, finds_the_minimum_of_a_parabola_that_it_overshoots) {
    // minimum at 0.3: the parabola through value, slope and the first try is exact
    const SearchResult r = search([](Real a) { return (a - 0.3) * (a - 0.3); }, -0.6);
    EXPECT_TRUE(r.found);
    EXPECT_NEAR(r.length, 0.3, 1e-15);
    EXPECT_EQ(r.evaluations, 2);
}

TEST(line_search, shrinks_at_most_to_a_tenth_at_a_time_and_ends_with_sufficient_decrease) {
    // steep wall: phi = -a + 1e6 a^4
    const auto wall = [](Real a) { return -a + 1e6 * a * a * a * a; };
    const SearchResult r = search(wall, -1);
    EXPECT_TRUE(r.found);
    EXPECT_LE(wall(r.length), -1e-4 * r.length);
    EXPECT_GE(r.evaluations, 3);
}

TEST(line_search, goes_back_from_where_the_value_is_not_finite) {
    for (Real bad : {std::numeric_limits<Real>::infinity(), std::numeric_limits<Real>::quiet_NaN()}) {
        const SearchResult r = search([bad](Real a) { return a > 0.05 ? bad : -a; }, -1);
        EXPECT_TRUE(r.found);
        EXPECT_NEAR(r.length, 0.01, 1e-15);
    }
}

TEST(line_search, refuses_directions_that_do_not_go_down) {
    EXPECT_FALSE(search([](Real a) { return a; }, 1).found);
    EXPECT_FALSE(search([](Real) { return 0.0; }, 0).found);
    EXPECT_FALSE(search([](Real a) { return a; }, std::numeric_limits<Real>::quiet_NaN()).found);
    // a slope that promises what the function does not hold: every length is tried, none is found
    const SearchResult r = search([](Real a) { return a; }, -1);
    EXPECT_FALSE(r.found);
    EXPECT_EQ(r.length, 0);
}

TEST(line_search, a_rise_within_rounding_of_large_parts_is_no_rise) {
    const auto noisy = [](Real a) { return a > 0 ? 1e-10 : 0.0; };
    EXPECT_FALSE(search(noisy, -1e-20).found);
    const SearchResult r = search(noisy, -1e-20, 1e4); // 1e-13 of 1e4
    EXPECT_TRUE(r.found);
    EXPECT_EQ(r.length, 1);
}
