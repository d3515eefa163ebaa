// The incremental potential, its gradient and its matrix against finite differences.
#include "core/random.h"
#include "energy/pressure_volume.h"
#include "geometry/generate.h"
#include "geometry/triangulate.h"
#include "newton_fixture.h"
#include "solver/linear_step.h"

using namespace sinew;

namespace {

struct Probe {
    const ModelBuilder& b;
    ParallelPtr parallel = make_parallel({.threads = 1});
    Input input;
    State now;
    Objective o;
    Real dt;

    Probe(const ModelBuilder& model, const char* scheme, Real step) : b(model), now(model.state), dt(step) {
        const SchemeSettings settings{find_scheme(scheme), 0.25, 0.5};
        register_memory(settings, b.model, now);
        begin_objective(problem(), settings, o);
    }
    StepProblem problem() const { return {*parallel, b.model, input, now, dt}; }
    std::vector<Real> random_displacement(Real size) const {
        Rng rng{11, 0, 0};
        std::vector<Real> d(o.mass.size());
        for (Real& a : d) a = draw_uniform(rng, -size, size);
        set_given(problem(), o, d);
        return d;
    }
};

// a ball of springs with a sealed gas inside, one point held
ModelBuilder make_balloon() {
    ModelBuilder b;
    begin_object(b, "balloon", "particles");
    const PolygonMesh mesh = make_icosphere(1, 1);
    const auto triangles = triangulate(mesh).triangles;
    add_points(b, mesh.positions, std::vector<Real>(mesh.positions.size(), 0.02));
    b.model.point.flags[0] = kFixed;
    PressureVolume::Params p;
    p.pressure = 3000, p.outside = 1e4, p.gas = true, p.volume = 0;
    const auto at = [&](int i) { return vec(mesh.positions[i]); };
    for (const auto& t : triangles) p.volume += PressureVolume::triangle_volume(at(t[0]), at(t[1]), at(t[2]));
    p.weight = 1.0 / triangles.size();
    for (const auto& t : triangles) {
        add_energy(b, *find_energy("pressure_volume"), &p, t);
        for (int k = 0; k < 3; ++k)
            if (t[k] < t[(k + 1) % 3]) add_spring(b, t[k], t[(k + 1) % 3], 2000);
    }
    finish_model(b);
    return b;
}

} // namespace

TEST(objective, residual_is_the_gradient_of_the_incremental_potential_in_every_scheme) {
    const ModelBuilder b = make_pendulum();
    for (const char* scheme : {"implicit_euler", "implicit_midpoint", "bdf2", "newmark", "quasi_static"}) {
        Probe s(b, scheme, 0.02);
        std::vector<Real> d = s.random_displacement(0.02);
        compute_residual(s.problem(), d, s.o);
        const std::vector<Real> residual = s.o.residual;
        for (std::size_t i = 0; i < d.size(); ++i) {
            if (i < 3) continue; // held
            const Real h = 1e-6, kept = d[i];
            d[i] = kept + h;
            const Real high = compute_merit(s.problem(), d, s.o).value;
            d[i] = kept - h;
            const Real low = compute_merit(s.problem(), d, s.o).value;
            d[i] = kept;
            // values of some 10 J: rounding 1e-15/1e-6, truncation h^2
            EXPECT_NEAR((high - low) / (2 * h), residual[i], 1e-6 * (1 + s.o.force_scale)) << scheme << " " << i;
        }
    }
}

TEST(objective, newton_direction_of_a_sealed_gas_solves_with_the_dense_matrix) {
    const ModelBuilder b = make_balloon();
    Probe s(b, "implicit_euler", 0.002);
    std::vector<Real> d = s.random_displacement(0.01);
    const int n = int(d.size());
    // dense matrix by differences of the residual
    MatX dense(n, n);
    for (int j = 0; j < n; ++j) {
        const Real h = 1e-5, kept = d[j];
        d[j] = kept + h;
        compute_residual(s.problem(), d, s.o);
        const std::vector<Real> high = s.o.residual;
        d[j] = kept - h;
        compute_residual(s.problem(), d, s.o);
        d[j] = kept;
        for (int i = 0; i < n; ++i) dense(i, j) = (high[i] - s.o.residual[i]) / (2 * h);
    }
    Real error[2];
    for (bool apart : {false, true}) {
        compute_residual(s.problem(), d, s.o);
        s.o.gas_apart = apart;
        HessianTerms terms;
        terms.projection = Projection::none, terms.force_x = 1, terms.force_v = s.o.stage.rate;
        ASSERT_TRUE(compute_matrix(s.problem(), terms, s.o));
        EXPECT_EQ(s.o.gas.size(), apart ? 1u : 0u);
        LinearStep linear;
        linear.solver = std::move(*make_linear_solver("ldlt", {}).value);
        s.o.is_analysed = false;
        std::vector<Real> rhs(n), x(n);
        for (int i = 0; i < n; ++i) rhs[i] = -s.o.residual[i];
        Report report;
        ASSERT_EQ(solve_linear(s.problem(), s.o, rhs, false, linear, x, report), LinearOutcome::solved);
        const Eigen::Map<const VecX> right(rhs.data(), n);
        error[apart] = (dense * Eigen::Map<const VecX>(x.data(), n) - right).norm() / right.norm();
    }
    EXPECT_LT(error[1], 1e-6); // differences: h^2 and rounding 1e-12/1e-5 of the largest force
    EXPECT_GT(error[0], 1e-2); // the bound of the elements is another matrix
}

// residuals r_k of one step: with the dense term r_k+1 < C r_k^2, with the bound of the elements a constant ratio
TEST(objective, newton_on_a_sealed_gas_is_quadratic) {
    const ModelBuilder b = make_balloon();
    int count[2] = {};
    std::vector<double> residual;
    for (const char* projection : {"clamp", "on_demand"}) {
        NewtonSettings settings = exact_settings("implicit_euler");
        settings.projection = projection, settings.max_iterations = 200, settings.force_tolerance = 1e-11;
        NewtonRun run(b, settings);
        for (std::size_t i = 0; i < run.now.point.v.size(); ++i)
            run.now.point.v[i] = {0.5 * run.now.point.x[i].x, -0.8 * run.now.point.x[i].y, 1.5 * run.now.point.x[i].z};
        Trace trace;
        run.step(0.1, &trace);
        count[std::string(projection) == "on_demand"] = run.report.iterations;
        residual.clear();
        for (const TraceEntry& e : trace.iterations) residual.push_back(e.residual);
        residual.push_back(run.report.residual);
    }
    EXPECT_LT(10 * count[1], count[0]);
    // 8.9e-4, 2.5e-5, 1.7e-7, 8e-13: twice the digits in every iteration, with a constant of some 300
    int seen = 0;
    for (std::size_t k = 0; k + 1 < residual.size(); ++k)
        if (residual[k] < 1e-3) {
            EXPECT_LT(residual[k + 1], std::max(1000 * residual[k] * residual[k], 1e-12)) << k;
            ++seen;
        }
    EXPECT_GE(seen, 2);
}
