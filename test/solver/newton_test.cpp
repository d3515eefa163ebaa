// Newton's method and its linearisations: equality where they must agree, other solvers, trouble.
#include "energy/attach.h"
#include "energy/drag.h"
#include "simulate.h"
#include "solver/newton_fixture.h"
#include <cmath>
#include <limits>

using namespace sinew;

TEST(newton, linearly_implicit_equals_newton_in_one_iteration_for_linear_forces) {
    const ModelBuilder b = make_linear_net();
    for (const char* scheme : {"implicit_euler", "implicit_midpoint", "bdf2", "newmark"}) {
        NewtonSettings one;
        one.scheme = scheme;
        NewtonRun full(b, one);
        one.linearisation = "linearly_implicit";
        NewtonRun linear(b, one);
        one.linearisation = "baraff_witkin";
        NewtonRun baraff(b, one);
        for (NewtonRun* r : {&full, &linear, &baraff}) {
            r->input.points = {{0, {0.1, 0.2, -0.1}}}; // a moving fixed point
            r->steps(5, 0.03);
            EXPECT_EQ(r->report.iterations, 1);
            EXPECT_LT(r->report.residual, 1e-12);
        }
        // rounding of a linear system of condition below 1e3, five steps
        EXPECT_LT(distance_between(full.now, linear.now), 1e-13) << scheme;
        EXPECT_LT(distance_between(full.now, baraff.now), 1e-13) << scheme;
        EXPECT_LT(velocity_distance(full.now, baraff.now), 1e-11) << scheme;
    }
}

// (M - h df/dv - h^2 df/dx) dv = h (f + h df/dx v) for quadratic drag and a spring in one dimension
TEST(newton, baraff_witkin_linearises_about_the_velocity_of_the_start) {
    const Real m = 2, k = 30, c = 0.8, h = 0.05, x = 0.4, v = 3;
    ModelBuilder b = one_point(m, {x, 0, 0}, {v, 0, 0});
    Attach::Params pin;
    pin.stiffness = k, pin.to = Real3{};
    add_energy(b, *find_energy("attach"), &pin, std::array<int, 1>{0});
    const Drag::Params drag{0, c, -1};
    add_energy(b, *find_energy("drag"), &drag, std::array<int, 1>{0});
    finish_model(b);
    NewtonSettings s;
    s.linearisation = "baraff_witkin";
    for (const char* solver : {"default", "cg"})
        for (const char* projection : {"clamp", "none"}) {
            s.linear_solver = solver, s.projection = projection, s.cg_tolerance = 1e-14;
            NewtonRun r(b, s);
            r.step(h);
            const Real f = -k * x - c * v * v;
            const Real dv = h * (f - h * k * v) / (m + h * 2 * c * v + h * h * k);
            EXPECT_NEAR(r.v(0).x(), v + dv, 1e-14);
            EXPECT_NEAR(r.x(0).x(), x + h * (v + dv), 1e-15);
        }
    // one Newton step about rest instead: drag vanishes there, and with it its damping
    s.linearisation = "linearly_implicit";
    NewtonRun r(b, s);
    r.step(h);
    EXPECT_NEAR(r.v(0).x(), (m * v - h * k * x) / (m + h * h * k), 1e-14);
}

// spec C 3.2 and 4.9-T5: two masses on a rigid rod, spinning; implicit Euler damps the rotation by an exact
// recursion
TEST(newton, implicit_euler_damps_a_spinning_rod_by_the_exact_recursion) {
    ModelBuilder b;
    begin_object(b, "rod", "particles");
    add_points(b, std::vector<Real3>{{-1, 0, 0}, {1, 0, 0}}, std::vector<Real>{3, 3});
    const Real omega = 20, h = 0.01, k = 1e11;
    b.state.point.v = {{0, -omega, 0}, {0, omega, 0}};
    add_spring(b, 0, 1, k);
    finish_model(b);
    NewtonRun r(b, exact_settings("implicit_euler"));
    const std::array<Real, 5> printed{.197395559850, .190058248197, .183487195424, .177557268502,
                                      .172170254301};
    Real theta = 0, before = 0;
    for (int i = 0; i < 20; ++i) {
        theta = i == 0 ? std::atan(h * omega) : std::atan(std::sin(theta) / (2 - std::cos(theta)));
        r.step(h);
        const Real angle = std::atan2(r.x(1).y(), r.x(1).x());
        // the spring gives by m omega^2 r / k = 1e-8
        EXPECT_NEAR(std::remainder(angle - before, 2 * kPi), theta, 2e-8) << i;
        if (i < 5) {
            EXPECT_NEAR(theta, printed[i], 1e-12);
        }
        before = angle;
        const Vec3 momentum = 3 * (r.x(0).cross(r.v(0)) + r.x(1).cross(r.v(1)));
        EXPECT_NEAR(momentum.z(), 2 * 3 * std::sin(theta) / h, 1e-5) << i;
        EXPECT_NEAR((r.x(0) + r.x(1)).norm(), 0, 1e-7); // linear momentum stays to eps k h^2/m per step
    }
}

TEST(newton, agrees_with_runge_kutta_when_both_are_converged) {
    const ModelBuilder b = make_pendulum(0.3);
    const State exact = reference_state(b, 0.5, 5000);
    NewtonRun r(b, exact_settings("implicit_midpoint"));
    r.steps(8000, 0.5 / 8000);
    // second order: error constant of the test of orders is below 20, so 20 h^2
    EXPECT_LT(distance_between(r.now, exact), 1e-7);
    EXPECT_GT(distance_between(b.state, exact), 0.5);
}

TEST(newton, equilibrium_is_the_limit_of_damped_motion) {
    for (const bool chain : {true, false}) {
        const ModelBuilder b = chain ? make_pendulum(3) : make_spring_cloth(8, 8, 0.5);
        NewtonSettings s = exact_settings("quasi_static");
        s.max_iterations = 300, s.force_tolerance = 1e-12;
        NewtonRun still(b, s);
        still.step(0.1);
        EXPECT_LT(still.report.residual, 1e-12);
        EXPECT_TRUE(still.report.warnings.empty());
        for (int i = 0; i < point_count(b.model); ++i) EXPECT_EQ(still.v(i).norm(), 0);
        NewtonSettings dynamic;
        dynamic.tolerance = 1e-10;
        NewtonRun moving(b, dynamic);
        moving.steps(3000, 0.05);
        // the slowest mode decays like a pendulum of 1 s under implicit Euler: by h omega^2/2 per second
        EXPECT_LT(velocity_distance(moving.now, still.now), 1e-7);
        EXPECT_LT(distance_between(moving.now, still.now), 1e-6);
    }
}

TEST(newton, linear_solvers_and_projections_agree) {
    const ModelBuilder b = make_spring_cloth(12, 10, 0.05);
    const auto run = [&](const char* linear, const char* preconditioner, const char* projection) {
        NewtonSettings s = exact_settings("implicit_euler");
        s.linear_solver = linear, s.preconditioner = preconditioner, s.projection = projection;
        s.force_tolerance = 1e-12, s.tolerance = 1e-11, s.cg_tolerance = 1e-10, s.max_iterations = 500;
        NewtonRun r(b, s);
        r.steps(5, 0.01);
        EXPECT_TRUE(r.report.warnings.empty() || std::string_view(projection) == "none");
        EXPECT_EQ(r.report.linear_iterations > 0, std::string_view(linear) == "cg");
        return r.now;
    };
    const State first = run("default", "jacobi", "on_demand");
    // each run is within 1e-12 of the largest force (a few N) of balance; masses of 0.01 kg, h = 0.01
    for (const auto& [linear, preconditioner, projection] : {std::array{"ldlt", "jacobi", "clamp"},
                                                             {"cg", "jacobi", "on_demand"},
                                                             {"cg", "ic0", "clamp"},
                                                             {"cg", "none", "absolute"},
                                                             {"default", "jacobi", "none"},
                                                             {"default", "jacobi", "absolute"}})
        EXPECT_LT(distance_between(run(linear, preconditioner, projection), first), 1e-9)
            << linear << projection;
}

TEST(newton, threads_and_dropped_caches_do_not_change_a_bit) {
    const ModelBuilder cloth = make_spring_cloth(40, 35, 0.05);
    for (const char* scheme : {"implicit_euler", "bdf2", "newmark", "quasi_static"})
        for (const char* linear : {"default", "cg"}) {
            if (std::string_view(scheme) != "implicit_euler" && std::string_view(linear) == "cg") continue;
            NewtonSettings s;
            s.scheme = scheme, s.linear_solver = linear, s.max_iterations = 8;
            std::uint64_t first = 0;
            for (int threads : {1, 2, 3, 8}) {
                NewtonRun r(cloth, s, threads);
                r.drop = threads == 3;
                r.steps(2, 0.004);
                if (threads == 1) first = hash(r.now);
                EXPECT_EQ(hash(r.now), first) << scheme << " " << linear << " threads " << threads;
            }
        }
}

// everything that a step needs from the ones before is in the state
TEST(newton, a_new_solver_goes_on_from_a_state_with_the_same_bits) {
    const ModelBuilder b = make_pendulum(0.2);
    for (const char* scheme : {"implicit_euler", "implicit_midpoint", "bdf2", "newmark", "quasi_static"}) {
        NewtonSettings s;
        s.scheme = scheme;
        NewtonRun whole(b, s), first(b, s), second(b, s);
        whole.steps(6, 0.01);
        first.steps(3, 0.01);
        second.now = first.now;
        second.steps(3, 0.01);
        EXPECT_EQ(hash(second.now), hash(whole.now)) << scheme;
    }
}

TEST(newton, an_indefinite_matrix_is_regularised_and_the_step_still_goes_down) {
    // a strongly compressed column of springs at a large step: the unprojected Hessian is indefinite
    ModelBuilder b;
    begin_object(b, "column", "chain");
    std::vector<Real3> x;
    for (int i = 0; i < 6; ++i) x.push_back({0, 0.1 * i, 0});
    add_points(b, x, std::vector<Real>(6, 0.1));
    b.model.point.flags[0] = kFixed;
    for (int i = 0; i < 5; ++i) add_spring(b, i, i + 1, 1000);
    finish_model(b);
    for (int i = 1; i < 6; ++i) b.state.point.x[i] = {1e-3 * i, 0.03 * i, 0};
    for (const char* projection : {"none", "on_demand", "clamp"}) {
        NewtonSettings s;
        s.projection = projection, s.max_iterations = 200;
        NewtonRun r(b, s);
        Trace trace;
        r.step(0.1, &trace);
        EXPECT_EQ(r.report.warnings.size(), std::string_view(projection) == "none" ? 1u : 0u) << projection;
        ASSERT_EQ(int(trace.iterations.size()), r.report.iterations);
        for (std::size_t i = 1; i < trace.iterations.size(); ++i)
            EXPECT_LE(trace.iterations[i].objective, trace.iterations[i - 1].objective * (1 + 1e-12))
                << projection;
        EXPECT_LT(r.report.residual, 1e-4);
    }
}

TEST(newton, numbers_that_are_not_finite_fail_and_name_the_object) {
    const ModelBuilder b = make_pendulum();
    NewtonRun r(b, {});
    r.now.point.v[2].y = std::numeric_limits<Real>::quiet_NaN();
    const Report report = r.solver->step(b.model, {}, r.now, r.spare, 0.01);
    EXPECT_EQ(report.status, Status::failed);
    EXPECT_EQ(report.failed_object, "pendulum");
    EXPECT_GE(report.failed_index, 1);
    EXPECT_FALSE(report.message.empty());
    // and the next step from a good state works
    State good = b.state;
    EXPECT_EQ(r.solver->step(b.model, {}, good, r.spare, 0.01).status, Status::ok);
}

TEST(newton, too_few_iterations_fail_when_far_off_and_warn_when_near) {
    const ModelBuilder b = make_pendulum();
    NewtonSettings s;
    s.max_iterations = 1, s.tolerance = 1e-9, s.force_tolerance = 1e-15;
    NewtonRun far(b, s);
    const Report report = far.solver->step(b.model, {}, far.now, far.spare, 0.3);
    EXPECT_EQ(report.status, Status::failed);
    EXPECT_NE(report.message.find("not converged"), std::string::npos);
    NewtonRun near(b, s);
    near.step(1e-4);
    EXPECT_EQ(near.report.warnings.size(), 1u);
}

TEST(newton, the_main_loop_repeats_a_failed_step_in_shorter_parts) {
    const ModelBuilder b = make_pendulum(0.2);
    NewtonSettings s;
    s.scheme = "bdf2", s.max_iterations = 2, s.tolerance = 1e-9, s.force_tolerance = 1e-15;
    NewtonRun r(b, s);
    Report report;
    for (int i = 0; i < 5; ++i)
        ASSERT_EQ(advance_step(*r.solver, b.model, {}, r.now, r.spare, 0.2, report, 20), Status::ok);
    EXPECT_GT(report.retries, 0);
    EXPECT_EQ(r.now.time, 0.2 + 0.2 + 0.2 + 0.2 + 0.2);
    EXPECT_EQ(r.now.step, 5); // its parts count as one
}

TEST(newton, a_step_without_length_fails) {
    const ModelBuilder b = make_pendulum(0.2);
    for (const char* scheme : {"implicit_euler", "implicit_midpoint", "bdf2", "newmark"}) {
        NewtonRun r(b, exact_settings(scheme));
        EXPECT_EQ(r.solver->step(b.model, {}, r.now, r.spare, 0).status, Status::failed) << scheme;
    }
}

TEST(newton, reports_iterations_residual_stages_and_trace) {
    const ModelBuilder b = make_pendulum();
    NewtonRun r(b, {});
    Trace trace;
    r.step(0.05, &trace);
    EXPECT_GT(r.report.iterations, 1);
    EXPECT_EQ(int(trace.iterations.size()), r.report.iterations);
    EXPECT_GT(trace.iterations[0].residual, r.report.residual);
    EXPECT_EQ(trace.iterations.back().step_length, r.report.step_length);
    EXPECT_EQ(r.report.dt, 0.05);
    EXPECT_EQ(r.now.time, 0.05);
    EXPECT_EQ(r.now.step, 1);
    std::string names;
    for (const StageTime& t : r.report.stages) {
        names += std::string(t.name) + " ";
        EXPECT_GE(t.seconds, 0);
    }
    EXPECT_EQ(names, "predict detect residual assemble solve search finish ");
}

TEST(newton, refuses_free_rigid_bodies_and_takes_obstacles) {
    const ModelBuilder ok = falling_on_floor(0);
    ModelBuilder bad = falling_on_floor(0);
    begin_object(bad, "crate", "box");
    add_frame(bad, {}, 1, {});
    for (const char* name : {"newton", "linearly_implicit", "baraff_witkin"}) {
        const SolverEntry* e = find_solver(name);
        ASSERT_NE(e, nullptr);
        EXPECT_EQ(e->base, std::string_view(name) == "newton" ? "" : "newton");
        EXPECT_TRUE(find_unsupported(*e, ok.model).empty());
        const auto reasons = find_unsupported(*e, bad.model);
        ASSERT_EQ(reasons.size(), 1u);
        EXPECT_NE(reasons[0].find("crate"), std::string::npos);
        // presets make solvers of their own
        State s = ok.state, next;
        const auto settings = e->make_settings();
        EXPECT_EQ(
            e->make({.threads = 1}, ok.model, s, settings.get())->step(ok.model, {}, s, next, 0.01).status,
            Status::ok);
        FieldList fields;
        e->describe(settings.get(), fields);
        for (const FieldRef& f : fields.fields) EXPECT_FALSE(f.info.doc.empty()) << f.name;
    }
}

TEST(newton, an_empty_model_and_one_without_unknowns_step) {
    ModelBuilder empty;
    finish_model(empty);
    ModelBuilder fixed = make_pendulum();
    fixed.model.point.flags.assign(4, kFixed);
    for (const ModelBuilder* b : {&empty, &fixed})
        for (const char* scheme : {"implicit_euler", "bdf2", "newmark", "quasi_static"}) {
            NewtonSettings s;
            s.scheme = scheme;
            NewtonRun r(*b, s);
            r.steps(2, 0.1);
            EXPECT_EQ(r.now.point.x, b->state.point.x);
        }
}
