// Velocity fields: gradients against differences, turbulence without sources, gates.
#include "core/random.h"
#include "model/field.h"
#include <gtest/gtest.h>

using namespace sinew;

static VelocityField make_flow() {
    VelocityField f;
    f.turbulence_speed = 1.5;
    f.turbulence_size = 0.4;
    f.turbulence_rate = 0.3;
    f.seed = 11;
    return f;
}

TEST(velocity_field, the_gradient_of_turbulence_is_that_of_differences_and_has_no_divergence) {
    const VelocityField f = make_flow();
    Rng rng{1, 2, 0};
    for (int k = 0; k < 50; ++k) {
        const Vec3 x(draw_uniform(rng, -3, 3), draw_uniform(rng, -3, 3), draw_uniform(rng, -3, 3));
        const Real t = draw_uniform(rng, 0, 5);
        Mat3 g;
        const Vec3 u = velocity_at(f, x, t, &g);
        EXPECT_EQ((u - velocity_at(f, x, t)).norm(), 0);
        constexpr Real h = 1e-5; // error h^2 speed (2 pi / size)^3 / 6, about 1e-6 of the gradient
        for (int j = 0; j < 3; ++j) {
            const Vec3 e = h * Vec3::Unit(j);
            const Vec3 d = (velocity_at(f, x + e, t) - velocity_at(f, x - e, t)) / (2 * h);
            EXPECT_NEAR((d - g.col(j)).norm(), 0, 1e-5);
        }
        EXPECT_NEAR(g.trace(), 0, 1e-12); // each wave is transverse; rounding of twelve
        EXPECT_GT(g.norm(), 0.1);
    }
}

TEST(velocity_field, turbulence_has_the_asked_root_mean_square_speed) {
    const VelocityField f = make_flow();
    Rng rng{2, 2, 0};
    Real sum = 0;
    constexpr int n = 20000;
    for (int k = 0; k < n; ++k) {
        const Vec3 x(draw_uniform(rng, -50, 50), draw_uniform(rng, -50, 50), draw_uniform(rng, -50, 50));
        sum += velocity_at(f, x, 0).squaredNorm();
    }
    // twelve waves: u^2 varies by about its own size, its mean over n places by 1/sqrt(n) = 0.7 %; four of those
    EXPECT_NEAR(std::sqrt(sum / n), 1.5, 0.03 * 1.5);
}

TEST(velocity_field, a_gate_opens_and_closes_smoothly_and_scale_switches) {
    VelocityField f = make_flow();
    f.from = 1, f.until = 3, f.ease = 0.5;
    EXPECT_EQ(velocity_at(f, Vec3::Zero(), 0.99).norm(), 0);
    EXPECT_EQ(velocity_at(f, Vec3::Zero(), 3.01).norm(), 0);
    EXPECT_GT(velocity_at(f, Vec3::Zero(), 2).norm(), 0);
    EXPECT_DOUBLE_EQ(gate(1.25, 1, 3, 0.5), 0.5);
    EXPECT_DOUBLE_EQ(gate(2, 1, 3, 0.5), 1);
    f.scale = make_signal(0);
    EXPECT_EQ(velocity_at(f, Vec3::Zero(), 2).norm(), 0);
}

TEST(velocity_field, a_scale_of_place_and_of_a_gauge_has_the_gradient_of_differences) {
    VelocityField f = make_flow();
    Symbols symbols;
    add_slot(symbols, "x", 2), add_slot(symbols, "y", 3), add_slot(symbols, "ball.y", kFirstGauge + 1);
    f.scale.expression = *compile_expression("x*y + ball.y", symbols).value;
    const std::vector<double> gauges{7, 0.5};
    const Vec3 x(0.3, -0.2, 0.7);
    Mat3 g;
    const Vec3 u = velocity_at(f, x, 0.4, &g, gauges);
    EXPECT_NEAR((u - (0.5 - 0.06) * velocity_at(make_flow(), x, 0.4)).norm(), 0, 1e-14);
    constexpr Real h = 1e-5; // as above
    for (int j = 0; j < 3; ++j) {
        const Vec3 e = h * Vec3::Unit(j);
        const Vec3 d = (velocity_at(f, x + e, 0.4, nullptr, gauges) - velocity_at(f, x - e, 0.4, nullptr, gauges)) / (2 * h);
        EXPECT_NEAR((d - g.col(j)).norm(), 0, 1e-5);
    }
}

TEST(velocity_field, the_flow_is_one_field_the_sum_of_winds_or_still_air) {
    FieldSet set;
    for (bool wind : {true, false, true}) {
        set.velocity.push_back(make_flow());
        set.velocity.back().seed = 3 + set.velocity.size();
        set.velocity.back().is_wind = wind;
    }
    const Vec3 x(0.3, -0.2, 0.7);
    Mat3 a, b, both, none;
    const Vec3 u = velocity_at(set.velocity[0], x, 0.4, &a) + velocity_at(set.velocity[2], x, 0.4, &b);
    EXPECT_EQ(flow_at(&set, kAllWinds, x, 0.4, &both), u);
    EXPECT_EQ(both, a + b);
    EXPECT_EQ(flow_at(&set, 1, x, 0.4), velocity_at(set.velocity[1], x, 0.4));
    EXPECT_EQ(flow_at(&set, -1, x, 0.4, &none), Vec3(Vec3::Zero()));
    EXPECT_EQ(none, Mat3(Mat3::Zero()));
    EXPECT_EQ(flow_at(nullptr, kAllWinds, x, 0.4), Vec3(Vec3::Zero()));
}
