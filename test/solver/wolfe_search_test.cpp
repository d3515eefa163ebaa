// Line searches with slopes: the conditions hold at the length they return, on functions that need growing,
// shrinking, zooming, and where values are lost in rounding.
#include "solver/wolfe_search.h"
#include <cmath>
#include <functional>
#include <gtest/gtest.h>

using namespace sinew;

namespace {

struct Curve {
    const char* name;
    std::function<Real(Real)> value, slope;
};
const Curve kCurves[] = {
    {"quadratic at 1", [](Real a) { return 0.5 * (a - 1) * (a - 1); }, [](Real a) { return a - 1; }},
    {"far minimum", [](Real a) { return 0.5 * (a - 37) * (a - 37); }, [](Real a) { return a - 37; }},
    {"near minimum", [](Real a) { return 0.5 * (a - 1e-3) * (a - 1e-3); }, [](Real a) { return a - 1e-3; }},
    {"steep wall", [](Real a) { return -a + 1e6 * std::pow(a, 4); }, [](Real a) { return -1 + 4e6 * std::pow(a, 3); }},
    {"waves", [](Real a) { return -a + 0.3 * std::cos(9 * a) + 0.2 * a * a; },
     [](Real a) { return -1 - 2.7 * std::sin(9 * a) + 0.4 * a; }},
    // More and Thuente (1994), (5.1) with beta = 2
    {"rational", [](Real a) { return -a / (a * a + 2); }, [](Real a) { return (a * a - 2) / ((a * a + 2) * (a * a + 2)); }},
};

SlopedFunction sloped(const Curve& c) {
    return {const_cast<Curve*>(&c), [](void* d, Real a) { return Merit{static_cast<Curve*>(d)->value(a), 0}; },
            [](void* d, Real a) { return static_cast<Curve*>(d)->slope(a); }};
}

} // namespace

TEST(wolfe_search, strong_conditions_hold_on_every_curve) {
    for (const Curve& c : kCurves)
        for (Real c2 : {0.9, 0.1}) {
            const Real slope = c.slope(0);
            if (slope >= 0) continue;
            const SearchResult r = search_strong_wolfe(sloped(c), {c.value(0), 0}, slope, c2);
            ASSERT_TRUE(r.found) << c.name;
            EXPECT_LE(c.value(r.length), c.value(0) + 1e-4 * r.length * slope) << c.name;
            EXPECT_LE(std::abs(c.slope(r.length)), c2 * std::abs(slope)) << c.name;
            EXPECT_EQ(r.merit.value, c.value(r.length)) << c.name;
        }
}

TEST(wolfe_search, approximate_conditions_hold_on_every_curve) {
    for (const Curve& c : kCurves) {
        const Real slope = c.slope(0);
        if (slope >= 0) continue;
        const SearchResult r = search_approximate_wolfe(sloped(c), {c.value(0), 0}, slope);
        ASSERT_TRUE(r.found) << c.name;
        const Real s = c.slope(r.length), rise = c.value(r.length) - c.value(0);
        EXPECT_GE(s, 0.9 * slope) << c.name;
        EXPECT_TRUE(rise <= 0.1 * r.length * slope || (rise <= 0 && s <= -0.8 * slope)) << c.name;
    }
}

TEST(wolfe_search, quadratics_take_the_newton_step_at_once) {
    for (auto* search : {search_strong_wolfe, search_approximate_wolfe}) {
        const SearchResult r = search(sloped(kCurves[0]), {0.5, 0}, -1, 0.9);
        EXPECT_EQ(r.length, 1);
        EXPECT_EQ(r.evaluations, 1);
    }
}

TEST(wolfe_search, goes_back_from_where_the_value_is_not_finite) {
    const Curve c{"log", [](Real a) { return -a - 0.01 * std::log(0.05 - a); },
                  [](Real a) { return -1 + 0.01 / (0.05 - a); }}; // NaN beyond 0.05, minimum at 0.04
    for (auto* search : {search_strong_wolfe, search_approximate_wolfe}) {
        const SearchResult r = search(sloped(c), {c.value(0), 0}, c.slope(0), 0.1);
        EXPECT_TRUE(r.found);
        // |slope| <= 0.1 |slope(0)| = 0.08, so 0.01/(0.05 - a) in [0.92, 1.08]
        EXPECT_NEAR(r.length, 0.04, 0.001);
    }
}

// The 1D trap of spec T 6.7: next to the minimum the decrease of 1e-18 is far below the last digit of the value
// 1e6 (1e-10). Values are noise; slopes still see the minimum at 0.37.
TEST(wolfe_search, approximate_search_sees_a_minimum_below_the_last_digit_of_the_value) {
    struct Noisy {
        static Merit at(void*, Real a) {
            const Real noise = 1e-10 * std::sin(1e4 * a); // of the sum
            return {1e6 + noise + 1e-18 * (a - 0.37) * (a - 0.37), 1e6};
        }
        static Real slope(void*, Real a) { return 2e-18 * (a - 0.37); }
    };
    const SearchResult r = search_approximate_wolfe({nullptr, Noisy::at, Noisy::slope}, Noisy::at(nullptr, 0),
                                                    Noisy::slope(nullptr, 0), 0.1);
    EXPECT_TRUE(r.found);
    EXPECT_NEAR(r.length, 0.37, 0.1 * 0.37 + 1e-12); // sigma = 0.1
}

TEST(wolfe_search, refuses_directions_that_do_not_go_down) {
    for (auto* search : {search_strong_wolfe, search_approximate_wolfe}) {
        EXPECT_FALSE(search(sloped(kCurves[0]), {0.5, 0}, 1, 0.9).found);
        EXPECT_FALSE(search(sloped(kCurves[0]), {0.5, 0}, 0, 0.9).found);
        EXPECT_FALSE(search(sloped(kCurves[0]), {0.5, 0}, std::nan(""), 0.9).found);
    }
}

// Spec T 6.4, X3: W = x^4 - 6x^2 - 72x from x = 0. Descent on W reaches the minimum 3; descent on 1/2 W'^2 runs the
// other way and is trapped at -1, where W'' = 0 and |W'| = 64.
TEST(wolfe_search, residual_as_merit_is_trapped_where_the_energy_is_not) {
    struct Line {
        bool residual;
        Real x, direction;
        static Real slope_of_w(Real x) { return 4 * x * x * x - 12 * x - 72; }
        Merit merit(Real at) const {
            const Real w = at * at * at * at - 6 * at * at - 72 * at, s = slope_of_w(at);
            return {residual ? 0.5 * s * s : w, 0};
        }
        Real derivative(Real at) const { return residual ? slope_of_w(at) * (12 * at * at - 12) : slope_of_w(at); }
    };
    for (bool residual : {false, true}) {
        Line line{residual, 0, 0};
        for (int k = 0; k < 500; ++k) {
            line.direction = -line.derivative(line.x) / 1000; // short enough not to jump over hills
            const MeritFunction phi{&line, [](void* data, Real a) {
                                        const Line& l = *static_cast<Line*>(data);
                                        return l.merit(l.x + a * l.direction);
                                    }};
            const SearchResult r = search_line(phi, line.merit(line.x), line.derivative(line.x) * line.direction);
            line.x += r.length * line.direction;
        }
        EXPECT_NEAR(line.x, residual ? -1 : 3, 1e-6) << residual;
    }
}
