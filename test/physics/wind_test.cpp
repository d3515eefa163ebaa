// Wind on triangles by their normal: drag and lift of a tilted plate in closed form, and derivatives through the field.
#include "energy/tri_wind.h"
#include "physics/simulation.h"
#include <cmath>
#include <fmt/format.h>

using namespace sinew;

// A plate of area A at the angle a to a flow U along x: n = (sin a, cos a, 0) looks downwind and up, n . w = U sin a, so that
//   drag  rho A/2 C_D U^2 sin a           along the flow
//   lift  rho A/2 C_L U^2 sin a cos a     across it, to the side that n looks to
// An explicit step from rest without gravity has the momentum F dt. Turning the plate over (a + 180 degrees) changes nothing.
TEST(wind, drag_and_lift_of_a_tilted_plate_are_those_of_the_closed_form) {
    const double U = 5, rho = 1.2, drag = 1.1, lift = 0.7, area = 0.5 * 0.3, dt = 1e-3;
    for (double degrees : {0.0, 20.0, 45.0, 70.0, 90.0, 120.0, 200.0, 315.0}) {
        // the plate's normal is y; turned about z by -t it is (sin t, cos t, 0)
        std::optional<Simulation> s = start(fmt::format(R"({{ "sinew": 1, "gravity": 0, "time": {{ "dt": {}, "substeps": 1, "frames": 1 }},
            "fields": {{ "w": {{ "kind": "wind", "velocity": [{}, 0, 0] }} }},
            "objects": {{ "plate": {{ "kind": "cloth_grid", "size": [0.5, 0.3], "edge": 0.1, "rotate": {{ "axis": [0, 0, 1], "angle": "{} deg" }},
                "material": {{ "density": 0.2 }}, "air": {{ "pressure": {}, "lift": {}, "density": {} }} }} }},
            "solver": "explicit", "solvers": {{ "explicit": {{ "scheme": "symplectic_euler" }} }} }})", dt, U, -degrees, drag, lift, rho));
        ASSERT_TRUE(s);
        ASSERT_NE(simulate_step(*s), Status::failed) << s->report.message;
        const double a = degrees * kPi / 180, scale = 0.5 * rho * area * U * U;
        const Vec3 force = vec(s->report.momentum) / dt;
        const Vec3 expected(scale * drag * std::abs(std::sin(a)), scale * lift * std::sin(a) * std::cos(a), 0);
        // rounding of sums over 30 triangles; at rest the elements of the sheet are without force up to 1e-11 N
        EXPECT_LT((force - expected).norm(), 1e-9 * scale) << degrees << ": " << force.transpose() << " for " << expected.transpose();
    }
}

// what moves with the wind feels none, and what moves against it feels both speeds
TEST(wind, only_the_speed_past_the_triangle_counts) {
    const TriWind::Data d{0.6 * 1.1, 0.6 * 0.7, -1};
    Rng rng{7, 1, 0};
    for (int k = 0; k < 20; ++k) {
        Stencil<3> at = TriWind::sample(rng, 0).at;
        const Vec3 u = draw_vec(rng, -3, 3);
        at.v = {-u, -u, -u};
        const Vec3 f = TriWind::force<0>(d, {}, at).force.head<3>() * 3;
        const Vec3 a = 0.5 * (at.x[1] - at.x[0]).cross(at.x[2] - at.x[0]), n = a.normalized();
        const Real along = f.dot(u) / u.norm(), sine = n.dot(u) / u.norm();
        EXPECT_NEAR(along, 0.66 * a.norm() * std::abs(sine) * u.squaredNorm(), 1e-12);
        const Vec3 across = f - along * u / u.norm();
        EXPECT_NEAR(across.norm(), 0.42 * a.norm() * std::abs(sine) * std::sqrt(1 - sine * sine) * u.squaredNorm(), 1e-12);
        EXPECT_GE(across.dot(n) * sine, 0); // to the side that looks downwind
    }
}

// The samples of the list-driven tests are in still air: here the flow changes from place to place, by an expression and by
// turbulence, alone and as the sum of two winds, so that du/dx counts.
TEST(wind, derivatives_go_through_a_turbulent_field) {
    std::optional<Compiled> c = compile_text(R"json({ "sinew": 1, "fields": {
        "gust": { "kind": "wind", "velocity": ["4 + 2*y*z", "sin(3*x)", "x*y"], "turbulence": { "speed": "1.5 m/s", "size": "50 cm", "rate": 2, "seed": 5 } },
        "draught": { "kind": "wind", "velocity": [0, "1 + z", 0] } },
        "objects": { "one": { "kind": "particles", "positions": [[0, 0, 0]], "mass": 1 } } })json");
    ASSERT_TRUE(c);
    ASSERT_EQ(c->model.fields->velocity.size(), 2u);
    StepContext context;
    context.fields = c->model.fields.get(), context.t = 0.3;
    Rng rng{3, 2, 0};
    Real felt = 0; // by how much the matrix would be wrong without du/dx
    for (std::int64_t field : {std::int64_t(0), std::int64_t(1), std::int64_t(kAllWinds)})
        for (int k = 0; k < 20; ++k) {
            const TriWind::Data d{draw_uniform(rng, 0.1, 1), draw_uniform(rng, 0.1, 1), field};
            Stencil<3> at = TriWind::sample(rng, 0).at;
            for (Vec3& v : at.v) v = draw_vec(rng, -2, 2);
            Vec3 w = flow_at(context.fields, field, (at.x[0] + at.x[1] + at.x[2]) / 3, context.t) - (at.v[0] + at.v[1] + at.v[2]) / 3;
            const Vec3 n = (at.x[1] - at.x[0]).cross(at.x[2] - at.x[0]).normalized();
            if (std::abs(n.dot(w)) < 0.05 * w.norm()) continue; // the kink
            const auto exact = TriWind::force<1>(d, context, at);
            Eigen::Matrix<Real, 9, 9> dx, dv;
            const Real h = 1e-5;
            for (int j = 0; j < 9; ++j) {
                const auto moved = [&](Real by, bool velocity) {
                    Stencil<3> s = at;
                    (velocity ? s.v : s.x)[j / 3][j % 3] += by;
                    return TriWind::force<0>(d, context, s).force;
                };
                dx.col(j) = (moved(h, false) - moved(-h, false)) / (2 * h);
                dv.col(j) = (moved(h, true) - moved(-h, true)) / (2 * h);
            }
            // differences of second order: h^2 times third derivatives, which are some hundred times the first with eddies of 0.5 m
            EXPECT_LT((exact.dfdx - dx).norm(), 1e-7 * exact.dfdx.norm()) << field << ' ' << k;
            EXPECT_LT((exact.dfdv - dv).norm(), 1e-7 * exact.dfdv.norm()) << field << ' ' << k;
            // the same flow without its changes, as a motion of the triangle in still air
            Stencil<3> frozen = at;
            for (Vec3& v : frozen.v) v = -w;
            felt = std::max(felt, (TriWind::force<1>({d.drag, d.lift, -1}, {}, frozen).dfdx - dx).norm() / dx.norm());
        }
    EXPECT_GT(felt, 0.1);
}
