// What acts on an implicit step: forces, wind, fixed and grabbed points, contacts, newly born particles.
#include "energy/drag.h"
#include "solver/kinematics.h"
#include "solver/measure.h"
#include "solver/newton_fixture.h"
#include <cmath>

using namespace sinew;

static Real energy_of(const ModelBuilder& b, const State& s) {
    MeasureScratch scratch;
    Report r;
    measure(*make_parallel({.threads = 1}), b.model, s, scratch, r);
    return energy_total(r);
}

// potential and kinetic energy change by what dampers take and hands give, exactly where the scheme conserves
TEST(newton_input, work_of_dampers_forces_and_moved_points_balances_the_energy_under_the_midpoint_rule) {
    const ModelBuilder b = make_linear_net();
    NewtonRun r(b, exact_settings("implicit_midpoint"));
    r.input.point_forces = {{3, {1, 2, -1}}};
    for (int i = 0; i < 20; ++i) {
        const Real before = energy_of(b, r.now);
        const Vec3 x = r.x(0);
        r.input.points = {{0, {x.x() + 0.01, x.y(), x.z() - 0.02}}};
        r.step(0.02);
        // the fixed point's own kinetic energy is prescribed, not worked for; its velocity is constant after
        // one step
        if (i == 0) continue;
        EXPECT_NEAR(energy_of(b, r.now) - before, r.report.work_damping + r.report.work_external, 1e-10);
        EXPECT_LT(r.report.work_damping, 0);
    }
}

TEST(newton_input, quadratic_drag_leads_to_the_terminal_velocity) {
    // terminal velocity: m g = c v^2
    ModelBuilder b = one_point(2, {0, 0, 0}, {0, 0, 0});
    add_gravity(b, 0, 1);
    const Drag::Params drag{0, 0.5, -1};
    add_energy(b, *find_energy("drag"), &drag, std::array<int, 1>{0});
    finish_model(b);
    for (const char* scheme : {"implicit_euler", "implicit_midpoint", "bdf2", "newmark"}) {
        NewtonRun r(b, exact_settings(scheme));
        r.steps(300, 0.1);
        EXPECT_NEAR(r.v(0).y(), -std::sqrt(2 * 9.81 / 0.5), 1e-10) << scheme;
        EXPECT_LE(r.report.iterations, 6) << scheme;
    }
}

// the field is taken at the time of the stage: otherwise order 2 would be lost
TEST(newton_input, wind_that_depends_on_place_and_time_keeps_the_order) {
    ModelBuilder b = one_point(0.5, {0, 0.3, 0}, {0, 1, 0});
    Symbols symbols;
    for (int i = 0; i < 4; ++i) add_slot(symbols, std::string_view("xyzt").substr(i, 1), i);
    VelocityField wind;
    const std::array<const char*, 3> text{"2 * y + sin(5 * t)", "x - z", "cos(3 * t) * x"};
    for (int i = 0; i < 3; ++i) wind.base[i] = *compile_expression(text[i], symbols).value;
    b.fields.velocity.push_back(wind);
    const Drag::Params drag{1, 0.3, 0};
    add_energy(b, *find_energy("drag"), &drag, std::array<int, 1>{0});
    finish_model(b);
    const State exact = reference_state(b, 1, 4000);
    for (const char* scheme : {"implicit_midpoint", "bdf2", "newmark"}) {
        std::array<Real, 2> error;
        for (int k = 0; k < 2; ++k) {
            NewtonRun r(b, exact_settings(scheme));
            r.steps(100 << (2 * k), 0.01 / (1 << (2 * k)));
            error[k] = distance_between(r.now, exact);
        }
        EXPECT_NEAR(std::log2(error[0] / error[1]) / 2, 2, 0.06) << scheme;
    }
}

TEST(newton_input, fixed_points_reach_their_targets_and_stop) {
    const ModelBuilder b = make_pendulum(0.3);
    NewtonRun r(b, {});
    r.input.points = {
        {0, {0.1, 0.2, 0.3}}, {2, {5, 5, 5}}, {-1, {}}}; // a free point and none at all are ignored
    r.step(0.02);
    EXPECT_NEAR((r.x(0) - Vec3(0.1, 0.2, 0.3)).norm(), 0, 1e-16);
    EXPECT_NEAR((r.v(0) - Vec3(5, 10, 15)).norm(), 0, 1e-13);
    EXPECT_LT(r.x(2).norm(), 2);
    r.input.points.clear();
    r.step(0.02);
    EXPECT_EQ(r.v(0).norm(), 0);
    EXPECT_NEAR((r.x(0) - Vec3(0.1, 0.2, 0.3)).norm(), 0, 1e-16);
}

TEST(newton_input, a_grab_pulls_like_a_spring_to_its_target) {
    ModelBuilder b = one_point(2, {0, 0, 0}, {0, 0, 0});
    add_gravity(b, 0, 1);
    finish_model(b);
    NewtonSettings s = exact_settings("quasi_static");
    NewtonRun r(b, s);
    r.input.grabs = {{0, {1, 1, 1}, 400}, {9, {}, 1}};
    r.step(0.1);
    EXPECT_NEAR((r.x(0) - Vec3(1, 1 - 2 * 9.81 / 400, 1)).norm(), 0, 1e-12);
}

TEST(newton_input, a_point_comes_to_rest_on_an_obstacle_at_the_depth_of_its_weight) {
    for (Obstacle::Shape shape : {Obstacle::plane, Obstacle::sphere})
        for (const char* scheme : {"implicit_euler", "bdf2"}) {
            const ModelBuilder b = falling_on_floor(40, shape);
            NewtonSettings s;
            s.scheme = scheme, s.tolerance = 1e-10;
            NewtonRun r(b, s);
            Real deepest = 0;
            for (int i = 0; i < 1500; ++i) {
                r.step(0.01);
                deepest = std::min(deepest, r.x(0).y() - 0.02);
                EXPECT_LT(r.report.iterations, 20);
            }
            EXPECT_NEAR(r.x(0).y(), 0.02 - 2 * 9.81 / 5000, 1e-8) << scheme;
            // energy of the fall in the penalty: 1/2 k d^2 <= m (v^2/2 + g height)
            EXPECT_GT(deepest, -std::sqrt(2 * 2 * (0.5 + 9.81 * 0.3) / 5000) * 1.1);
        }
}

TEST(newton_input, contacts_have_the_same_bits_for_any_thread_count_and_without_caches) {
    ModelBuilder b = make_spring_cloth(45, 30, 0.05);
    const int cloth = point_count(b.model);
    begin_object(b, "ball", "obstacle");
    Obstacle o;
    o.shape = Obstacle::sphere, o.size = {1, 0, 0};
    o.frame = add_frame(b, {{1.5, -1, 2}, {}}, 1, {}, kFixed), o.object = 1, o.stiffness = 500, o.damping = 1;
    b.model.obstacles.push_back(o);
    add_surface_points(b, {0, cloth}, 0.05);
    finish_model(b);
    std::uint64_t first = 0;
    for (int threads : {1, 2, 3, 8}) {
        NewtonRun r(b, {}, threads);
        r.drop = threads == 2;
        // the ball rises
        const Id ball = find(b.model, "ball");
        for (int i = 1; i <= 3; ++i) {
            r.input.targets = {{ball, {{1.5, -1 + 0.01 * i, 2}, {}}}};
            r.step(0.01);
        }
        EXPECT_NEAR(r.now.frame.p[0].y, -0.97, 1e-15);
        if (threads == 1) first = hash(r.now);
        EXPECT_EQ(hash(r.now), first) << threads;
    }
}

TEST(newton_input, dead_and_passive_points_are_left_alone) {
    ModelBuilder b = make_spring_cloth(5, 5);
    begin_object(b, "smoke", "particles");
    const int first = add_points(b, std::vector<Real3>(3, {1, 2, 3}), std::vector<Real>(3, 0.0), kPassive);
    b.fields.velocity.emplace_back();
    b.fields.velocity.back().turbulence_speed = 1;
    for (int i = first; i < first + 3; ++i) b.model.point.field[i] = 0;
    finish_model(b);
    b.state.point.alive.assign(b.state.point.x.size(), 1);
    b.state.point.alive[12] = 0;
    for (const char* scheme : {"implicit_euler", "implicit_midpoint", "bdf2", "newmark", "quasi_static"})
        for (const char* linearisation : {"full", "linearly_implicit", "baraff_witkin"}) {
            NewtonSettings s;
            s.scheme = scheme, s.linearisation = linearisation;
            NewtonRun r(b, s);
            r.steps(2, 0.01);
            EXPECT_EQ(r.now.point.x[12], b.state.point.x[12]) << scheme;
            // the same path as with any other solver: two RK2 midpoint steps
            State expected = b.state, from = b.state;
            for (int k = 0; k < 2; ++k) {
                from.point = expected.point;
                from.time = 0.01 * k;
                advect_passive(*make_parallel({.threads = 1}), b.model, from, 0.01, expected.point);
            }
            EXPECT_EQ(r.now.point.x[first], expected.point.x[first]) << scheme;
            EXPECT_NE(r.now.point.x[first], b.state.point.x[first]);
        }
}

TEST(newton_input, newly_born_particles_start_without_the_history_of_their_slot) {
    // slot 1 dies and is born again at another place with another velocity: it must fly as if it had no past
    ModelBuilder b;
    begin_object(b, "pool", "emitter");
    add_points(b, std::vector<Real3>(2), std::vector<Real>(2, 1.0), kPooled);
    add_gravity(b, 0, 2);
    finish_model(b);
    b.state.point.alive = {1, 1};
    b.state.point.age = {1, 1};
    b.state.point.v = {{1, 0, 0}, {1, 0, 0}};
    const Real h = 0.01;
    for (const char* scheme : {"bdf2", "newmark"}) {
        NewtonRun r(b, exact_settings(scheme));
        r.steps(4, h);
        r.now.point.x[1] = {100, 50, 0};
        r.now.point.v[1] = {0, 7, 3};
        r.now.point.age[1] = 0;
        r.step(h);
        const Vec3 start(100, 50, 0), v(0, 7, 3), g(0, -9.81, 0);
        EXPECT_NEAR((r.v(1) - (v + h * g)).norm(), 0, 1e-11) << scheme;
        EXPECT_NEAR((r.x(1) - (start + h * v + 0.5 * h * h * g)).norm(), 0, 0.1 * h * h * 9.81) << scheme;
        EXPECT_NEAR((r.v(0) - (Vec3(1, 0, 0) + 5 * h * g)).norm(), 0, 1e-11) << scheme;
    }
}
