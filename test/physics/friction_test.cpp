// Friction of points on obstacles under `newton`: Coulomb's law on a slope, and what it does to energy.
#include "physics/simulation.h"
#include <cmath>
#include <fmt/format.h>

using namespace sinew;

namespace {

constexpr double kDegree = 3.14159265358979323846 / 180;

// a particle of 1 kg on a plane turned about z, at the depth where k depth = m g cos(angle); what is along the slope goes down it
std::optional<Simulation> on_slope(double degrees, double friction, const char* scheme = "implicit_euler", double speed = 0) {
    const double a = degrees * kDegree, depth = 9.81 * std::cos(a) / 1e5;
    return start(fmt::format(R"({{ "sinew": 1, "time": {{ "dt": 0.01, "substeps": 1, "seconds": 1 }},
        "objects": {{ "slope": {{ "kind": "plane", "stiffness": 1e5, "friction": {}, "rotate": {{ "axis": [0, 0, 1], "angle": "{} deg" }} }},
            "p": {{ "kind": "particles", "positions": [[{}, {}, 0]], "masses": [1], "material": {{ "friction": {} }}, "thickness": 0,
                    "velocity": [{}, {}, 0] }} }},
        "solver": "newton", "solvers": {{ "newton": {{ "scheme": "{}", "tolerance": 1e-9, "force_tolerance": 1e-10 }} }} }})",
        friction, degrees, depth * std::sin(a), -depth * std::cos(a), friction, -speed * std::cos(a), -speed * std::sin(a), scheme));
}
double speed_along(double degrees, const Real3& v) {
    return -(v.x * std::cos(degrees * kDegree) + v.y * std::sin(degrees * kDegree));
}

} // namespace

TEST(friction, holds_below_the_angle_whose_tangent_is_the_coefficient_and_slides_at_coulombs_acceleration_above) {
    for (const double mu : {0.2, 0.5, 1.0})
        for (const double by : {0.8, 0.95, 1.05, 1.5}) {
            const double degrees = std::atan(by * mu) / kDegree;
            std::optional<Simulation> s = on_slope(degrees, mu);
            ASSERT_TRUE(s);
            while (!is_finished(*s)) ASSERT_EQ(simulate_step(*s), Status::ok) << s->report.message;
            const double v = speed_along(degrees, s->now.point.v[0]), a = 9.81 * (std::sin(degrees * kDegree) - mu * std::cos(degrees * kDegree));
            // what sticks creeps below the speed of the smooth law, 1 mm/s
            if (by < 1) {
                EXPECT_LT(std::abs(v), 1e-3) << mu << " " << by;
            } else {
                EXPECT_NEAR(v, a, 0.02 * a + 1e-3) << mu << " " << by;
            }
        }
}

TEST(friction, stops_a_sliding_particle_after_the_distance_of_coulombs_law_in_every_scheme) {
    for (const char* scheme : {"implicit_euler", "implicit_midpoint", "bdf2", "newmark"}) {
        std::optional<Simulation> s = on_slope(0, 0.5, scheme, 2);
        ASSERT_TRUE(s);
        const double start_energy = energy_total(s->report);
        double lost = 0;
        while (!is_finished(*s)) {
            ASSERT_EQ(simulate_step(*s), Status::ok) << scheme << ": " << s->report.message;
            EXPECT_LE(s->report.work_friction, 1e-12) << scheme;
            lost -= s->report.work_friction;
        }
        // v^2/(2 mu g) = 0.4077 m; the last step of 10 ms ends at rest: h v = 2 cm at most, and first order schemes move v h/2 less
        EXPECT_NEAR(-s->now.point.x[0].x, 4 / (2 * 0.5 * 9.81), 0.012) << scheme;
        EXPECT_LT(std::abs(s->now.point.v[0].x), 2e-3) << scheme; // newmark's velocity swings about the speed of sticking
        // all of the kinetic energy; schemes with their own damping take a part of it themselves, and the work of newmark is the
        // force at the end of the step times the way of the whole: 3 % in steps of a fortieth of the slide
        EXPECT_LE(lost, 2.06) << scheme;
        EXPECT_GT(lost, std::string_view(scheme) == "implicit_midpoint" ? 1.98 : 1.5) << scheme;
        EXPECT_LT(energy_total(s->report), start_energy) << scheme;
    }
}

TEST(friction, a_moving_obstacle_takes_things_along_and_its_work_is_in_the_balance) {
    // a plate that starts to move under a particle: dragged at mu g until it has the plate's speed
    std::optional<Simulation> s = start(R"({ "sinew": 1, "time": { "dt": 0.005, "substeps": 1, "seconds": 1 },
        "objects": { "plate": { "kind": "plane", "stiffness": 1e5, "friction": 0.4, "motion": { "slide": { "velocity": [1.5, 0, 0] } } },
            "p": { "kind": "particles", "positions": [[0, -9.81e-5, 0]], "masses": [1], "material": { "friction": 0.4 }, "thickness": 0 } },
        "solver": "newton", "solvers": { "newton": { "tolerance": 1e-9, "force_tolerance": 1e-10 } } })");
    ASSERT_TRUE(s);
    const double before = energy_total(s->report);
    double friction = 0, external = 0;
    while (s->now.time < 0.25) {
        ASSERT_EQ(simulate_step(*s), Status::ok) << s->report.message;
        EXPECT_LE(s->report.work_friction, 1e-12);
        friction += s->report.work_friction, external += s->report.work_external;
    }
    EXPECT_NEAR(s->now.point.v[0].x, 0.4 * 9.81 * s->now.time, 0.02);
    // implicit Euler takes m (h a)^2/2 of each of the 50 steps itself: 0.5 (0.005 * 3.924)^2 * 50 = 0.0096 J
    EXPECT_NEAR(energy_total(s->report) - before, friction + external - 0.0096, 1e-3);
    while (!is_finished(*s)) ASSERT_EQ(simulate_step(*s), Status::ok);
    EXPECT_NEAR(s->now.point.v[0].x, 1.5, 1e-3);
}

TEST(friction, a_sheet_hangs_over_a_ball_that_it_slips_off_without) {
    const auto lowest = [](double mu) {
        std::optional<Simulation> s = start(fmt::format(R"({{ "sinew": 1, "time": {{ "fps": 24, "seconds": 1.5, "substeps": 4 }},
            "objects": {{ "ball": {{ "kind": "sphere", "radius": 0.3, "stiffness": 400, "damping": 0.4, "friction": {} }},
                "cloth": {{ "kind": "cloth_grid", "size": [1.0, 1.0], "edge": 0.1, "at": [0.1, 0.32, 0], "model": "shell",
                            "material": "cotton", "thickness": 0.004 }} }},
            "solver": "newton", "solvers": {{ "newton": {{ "tolerance": 5e-3, "max_iterations": 200 }} }} }})", mu));
        if (!s) return 0.0;
        while (!is_finished(*s))
            if (simulate_step(*s) == Status::failed) ADD_FAILURE() << s->report.message;
        double y = 1e9;
        for (const Real3& x : s->now.point.x) y = std::min(y, x.y);
        return y;
    };
    const double rough = lowest(0.8), smooth = lowest(0);
    EXPECT_GT(rough, -0.6); // half of the sheet's diagonal hangs down at most: it is where it fell
    EXPECT_LT(smooth, rough - 0.2);
}

// A particle on a bar that leans at 70 degrees, pushed across the bar into a plane. Friction holds against the slip and so lifts it out of the
// plane: with the displacement u across the bar, k the plane's stiffness, m/h^2 the inertia of one implicit step,
//   m/h^2 u = m g - k u cos^2 a - mu k u cos a sin a
// Taken by turns, friction from the depth and depth from the friction, this is an iteration of the slope
// -mu k cos a sin a/(m/h^2 + k cos^2 a) = -2.2, which jumps between touching and not touching for ever.
TEST(friction, that_lifts_what_it_rubs_on_converges) {
    const double a = 70 * kDegree, c = std::cos(a), s = std::sin(a), mu = 1.5, k = 1e5, h = 0.01;
    std::optional<Simulation> sim = start(fmt::format(R"({{ "sinew": 1, "gravity": [{}, {}, 0], "time": {{ "dt": 0.01, "substeps": 1, "frames": 1 }},
        "objects": {{ "floor": {{ "kind": "plane", "stiffness": 1e5, "friction": 1.5 }},
            "p": {{ "kind": "particles", "positions": [[0, 0, 0]], "masses": [1], "material": {{ "friction": 1.5 }}, "thickness": 0,
                    "anchors": [ {{ "point": 0, "to": [{}, {}, 0], "stiffness": 1e10, "length": 1 }} ] }} }},
        "solver": "newton", "solvers": {{ "newton": {{ "tolerance": 1e-8, "force_tolerance": 0 }} }} }})", 10 * s, -10 * c, c, s));
    ASSERT_TRUE(sim);
    ASSERT_EQ(simulate_step(*sim), Status::ok) << sim->report.message;
    EXPECT_TRUE(sim->report.warnings.empty());
    EXPECT_LE(sim->report.iterations, 30);
    const double u = 10 / (1 / (h * h) + k * c * c + mu * k * c * s);
    // the bar turns by 1.4e-4 rad; the force along it stretches it by less
    EXPECT_NEAR(sim->now.point.x[0].x, u * s, 1e-3 * u);
    EXPECT_NEAR(sim->now.point.x[0].y, -u * c, 1e-3 * u);
}

// Particles of different masses that lie on a stiff floor: with what they touch in it the block diagonal is the whole matrix, and one direction
// solves the step, a second one confirms it. Without, conjugate gradients would need as many as there are different masses.
TEST(contact, conjugate_gradients_are_preconditioned_by_what_is_touched) {
    std::string objects;
    for (int i = 0; i < 6; ++i)
        objects += fmt::format(R"(, "p{}": {{ "kind": "particles", "positions": [[{}, -1e-4, 0]], "mass": {}, "thickness": 0, "radius": 1e-6 }})", i, i,
                               0.01 * (1 << (2 * i)));
    std::optional<Simulation> s = start(fmt::format(R"({{ "sinew": 1, "time": {{ "dt": 0.01, "substeps": 1, "frames": 1 }},
        "objects": {{ "floor": {{ "kind": "plane", "stiffness": 1e5, "friction": 0 }}{} }},
        "solver": "nonlinear_cg", "solvers": {{ "nonlinear_cg": {{ "tolerance": 1e-9, "force_tolerance": 1e-12 }} }} }})", objects));
    ASSERT_TRUE(s);
    ASSERT_NE(simulate_step(*s), Status::failed) << s->report.message;
    EXPECT_EQ(s->report.contact_count, 6);
    EXPECT_LE(s->report.iterations, 2);
}
