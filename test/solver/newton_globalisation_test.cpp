// Every way to keep Newton's steps safe ends in the same state; what tells them apart shows where Hessians are
// indefinite, and where linear systems are solved loosely.
#include "newton_fixture.h"
#include "physics/simulation.h"
#include "solver/measure.h"

using namespace sinew;

namespace {

State run_pendulum(const NewtonSettings& s, int steps, int* iterations = nullptr, int* linear = nullptr) {
    const ModelBuilder b = make_pendulum(0.2);
    NewtonRun run(b, s);
    for (int i = 0; i < steps; ++i) {
        run.step(0.02);
        if (iterations) *iterations += run.report.iterations;
        if (linear) *linear += run.report.linear_iterations;
    }
    return run.now;
}

// a column of springs pushed together far beyond buckling, nearly straight: the Hessian is indefinite
ModelBuilder make_crushed_column() {
    ModelBuilder b;
    begin_object(b, "column", "chain");
    const int n = 9;
    std::vector<Real3> x;
    for (int i = 0; i < n; ++i) x.push_back({1e-4 * std::sin(2.0 * i), 0.1 * i, 1e-4 * std::cos(3.0 * i)});
    add_points(b, x, std::vector<Real>(n, 0.01));
    b.model.point.flags[0] = b.model.point.flags[n - 1] = kFixed;
    for (int i = 0; i + 1 < n; ++i) add_spring(b, i, i + 1, 500, 0);
    finish_model(b);
    // after the rest lengths are known
    for (int i = 0; i < n; ++i) b.state.point.x[i].y *= 0.6;
    return b;
}

} // namespace

TEST(newton_globalisation, every_choice_ends_in_the_same_state) {
    const State expected = run_pendulum(exact_settings("implicit_euler"), 25);
    for (const char* globalisation : {"line_search", "trust_region"})
        for (const char* search : {"armijo", "strong_wolfe", "approximate_wolfe", "none"})
            for (const char* projection : {"on_demand", "clamp", "eigen", "absolute", "gauss_newton"}) {
                NewtonSettings s = exact_settings("implicit_euler");
                s.globalisation = globalisation, s.line_search = search, s.projection = projection;
                s.max_iterations = 400; // gauss_newton converges linearly
                if (s.globalisation == "trust_region" && s.projection != "on_demand") continue; // not used there
                // 25 steps, each exact to 1e-12 m/s; the error is carried on and grows like that of a pendulum
                EXPECT_LT(distance_between(run_pendulum(s, 25), expected), 1e-9)
                    << globalisation << ' ' << search << ' ' << projection;
            }
    NewtonSettings residual = exact_settings("implicit_euler");
    residual.merit = "residual";
    EXPECT_LT(distance_between(run_pendulum(residual, 25), expected), 1e-9);
}

TEST(newton_globalisation, steps_over_an_indefinite_hessian_lower_the_potential_every_time) {
    for (const char* globalisation : {"line_search", "trust_region"})
        for (const char* search : {"armijo", "strong_wolfe", "approximate_wolfe"}) {
            NewtonSettings s = exact_settings("implicit_euler");
            s.globalisation = globalisation, s.line_search = search;
            s.force_tolerance = 1e-10, s.max_iterations = 200;
            const ModelBuilder b = make_crushed_column();
            NewtonRun run(b, s);
            Trace trace;
            run.step(0.05, &trace);
            EXPECT_LE(run.report.residual, 1e-10) << globalisation << ' ' << search;
            ASSERT_GE(trace.iterations.size(), 2u);
            for (std::size_t k = 1; k < trace.iterations.size(); ++k) {
                const Real before = trace.iterations[k - 1].objective, now = trace.iterations[k].objective;
                // 1e-13 of the sum of magnitudes, which the column's 500 J/m^2 springs keep below 10 J
                EXPECT_LE(now, before + 1e-12) << globalisation << ' ' << search << ' ' << k;
            }
            // it has buckled: the middle is far from the axis
            const Vec3 middle = run.x(4);
            EXPECT_GT(std::hypot(middle.x(), middle.z()), 0.01) << globalisation << ' ' << search;
        }
}

TEST(newton_globalisation, forcing_terms_save_linear_iterations_and_change_no_result) {
    NewtonSettings fixed = exact_settings("implicit_euler"), loose = fixed;
    fixed.linear_solver = loose.linear_solver = "cg";
    fixed.cg_tolerance = 1e-10;
    loose.forcing = "eisenstat_walker";
    fixed.tolerance = loose.tolerance = 1e-10;
    int fixed_count = 0, loose_count = 0;
    const State a = run_pendulum(fixed, 25, nullptr, &fixed_count);
    const State b = run_pendulum(loose, 25, nullptr, &loose_count);
    EXPECT_LT(distance_between(a, b), 1e-7); // corrections of 1e-10 m/s over 25 steps, grown
    EXPECT_LT(loose_count, fixed_count);
}

TEST(newton_globalisation, gauss_newton_leaves_the_curvature_of_lengths_out) {
    // a spring at twice its rest length: along it k, across it k (1 - L/l) = k/2, which Gauss-Newton leaves out
    const ElementRow& row = *find_energy("spring");
    ModelBuilder b;
    begin_object(b, "s", "particles");
    add_points(b, std::vector<Real3>{{0, 0, 0}, {1, 0, 0}}, std::vector<Real>{1, 1});
    add_spring(b, 0, 1, 10, 0);
    finish_model(b);
    b.state.point.x[1].x = 2;
    Evaluation ev = evaluation_of(b.model, b.state, 0.01);
    Real k[9];
    for (const Table& t : b.model.elements->energies)
        if (t.row == &row) t.row->hessian(t, ev, 0, 1, Projection::gauss_newton, k);
    EXPECT_DOUBLE_EQ(k[0], 10);
    for (int i = 1; i < 9; ++i) EXPECT_EQ(k[i], 0);
}

// A rod that stands on its clamp, four times as long as one that would stay upright (Greenhill 1881: rho g A L^3 = 7.84 EI): straight is
// still an equilibrium, with an indefinite matrix. Root finding goes there, by LU with row exchanges and nothing added; LL^T does not
// exist and the matrix is regularised.
TEST(newton_globalisation, root_finding_of_rods_takes_the_indefinite_matrix_as_it_is) {
    const Real length = 0.4, density = 1000, young = 1e6, radius = 1e-3, g = 9.81;
    const Real critical = std::cbrt(7.84 * young * radius * radius / (4 * density * g));
    ASSERT_GT(length, 4 * critical);
    for (const char* linear : {"default", "banded"}) {
        std::optional<Simulation> s = start(std::string(R"({ "sinew": 1, "time": { "fps": 10, "substeps": 1, "seconds": 1 },
            "objects": { "r": { "kind": "rod", "from": [0, 0, 0], "to": [0, 0.4, 0], "count": 20, "radius": 0.001, "density": 1000,
                                "young": 1e6, "clamp": "first" } },
            "solver": "newton", "solvers": { "newton": { "scheme": "quasi_static", "merit": "residual", "projection": "none",
                                                         "force_tolerance": 1e-9, "linear_solver": ")") + linear + R"(" } } })");
        ASSERT_TRUE(s);
        ASSERT_EQ(simulate_step(*s), Status::ok) << s->report.message;
        const bool regularised = std::any_of(s->report.warnings.begin(), s->report.warnings.end(),
                                             [](const std::string& w) { return w.find("regularised") != std::string::npos; });
        EXPECT_EQ(regularised, std::string_view(linear) == "banded");
        if (std::string_view(linear) == "banded") continue;
        // shorter by rho g L^2/(2E), of which the lumped masses give 1 + O(1/n)
        const Real3 tip = s->now.point.x.back();
        EXPECT_NEAR(length - tip.y, density * g * length * length / (2 * young), 0.1 * density * g * length * length / (2 * young));
        EXPECT_LT(std::hypot(tip.x, tip.z), 1e-6);
    }
}
