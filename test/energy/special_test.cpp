// Cases that the list-driven tests cannot draw: drag in a field, springs without a direction.

#include "core/random.h"
#include "energy/drag.h"
#include "energy/spring.h"
#include "energy/spring_strain.h"
#include <gtest/gtest.h>

using namespace sinew;

TEST(drag, in_a_turbulent_field_has_the_derivatives_of_differences) {
    FieldSet fields;
    VelocityField flow;
    flow.turbulence_speed = 1.5;
    flow.turbulence_size = 0.8;
    flow.seed = 5;
    fields.velocity.push_back(flow);
    StepContext c;
    c.t = 0.7;
    c.fields = &fields;
    Rng rng{3, 1, 0};
    for (int k = 0; k < 50; ++k) {
        const Drag::Data d{draw_uniform(rng, 0, 2), draw_uniform(rng, 0, 2), 0};
        Stencil<1> s;
        s.x[0] = draw_vec(rng, -2, 2);
        s.v[0] = draw_vec(rng, -3, 3);
        const LocalForce<3, 1> f = Drag::force<1>(d, c, s);
        constexpr Real h = 1e-5; // error h^2 f'''/6 with f''' ~ c_2 |w|^2 (2 pi/size)^3 ~ 1e4: 2e-7, and rounding 1e-10
        for (int j = 0; j < 3; ++j) {
            Stencil<1> a = s, b = s;
            a.x[0][j] += h, b.x[0][j] -= h;
            EXPECT_NEAR((f.dfdx.col(j) - (Drag::force<0>(d, c, a).force - Drag::force<0>(d, c, b).force) / (2 * h)).norm(), 0, 1e-5);
            a = b = s;
            a.v[0][j] += h, b.v[0][j] -= h;
            EXPECT_NEAR((f.dfdv.col(j) - (Drag::force<0>(d, c, a).force - Drag::force<0>(d, c, b).force) / (2 * h)).norm(), 0, 1e-5);
        }
        EXPECT_GT(f.dfdx.norm(), 0);
    }
}

TEST(springs, without_a_direction_push_nowhere_and_stay_finite) {
    Stencil<2> s;
    s.x[0] = s.x[1] = Vec3(1, 2, 3);
    s.v[0] = Vec3(1, 0, 0), s.v[1] = Vec3(0, 1, 0);
    const Spring::Data d{100, 3, 0.5};
    const auto e = Spring::eval<2>(d, {}, s);
    EXPECT_DOUBLE_EQ(e.value, 0.5 * 100 * 0.25);
    EXPECT_EQ(e.gradient.norm(), 0);
    EXPECT_TRUE(e.hessian.allFinite());
    EXPECT_TRUE(Spring::hessian_psd(d, {}, s).allFinite());
    EXPECT_TRUE(Spring::force<1>(d, {}, s).force.allFinite());
    EXPECT_TRUE(Spring::force<1>(d, {}, s).dfdv.allFinite());
}
