// How fast the methods get there (spec U 3.6), and waves in threads (V9).
#include "energy/gravity.h"
#include "position/position_fixture.h"
#include <cmath>

using namespace sinew;

namespace {

// n x n points of unit mass, rigid structural links of 0.1 m, two corners held, let go flat
ModelBuilder hanging_cloth(int n) {
    ModelBuilder b;
    b.model.gravity = {0, -9.8, 0};
    begin_object(b, "cloth", "cloth_grid");
    std::vector<Real3> x;
    for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c) x.push_back({0.1 * c, 0, 0.1 * r});
    add_points(b, x, std::vector<Real>(x.size(), 1));
    b.model.point.flags[0] = b.model.point.flags[n - 1] = kFixed;
    for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c) {
            if (c + 1 < n) add_link(b, r * n + c, r * n + c + 1, 0);
            if (r + 1 < n) add_link(b, r * n + c, (r + 1) * n + c, 0);
        }
    const Gravity::Params g{Real3{0, -9.8, 0}};
    for (int i = 0; i < n * n; ++i)
        if (!(b.model.point.flags[i] & kFixed)) add_energy(b, *find_energy("gravity"), &g, std::array<int, 1>{i});
    finish_model(b);
    return b;
}

// sum of |c| over all links
Real link_errors(const PositionRun& run, int n) {
    Real sum = 0;
    for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c) {
            if (c + 1 < n) sum += std::abs((run.x(r * n + c) - run.x(r * n + c + 1)).norm() - 0.1);
            if (r + 1 < n) sum += std::abs((run.x(r * n + c) - run.x((r + 1) * n + c)).norm() - 0.1);
        }
    return sum;
}
// after 400 steps of 8 ms, and its mean over the last 200 of them
struct LinkErrors {
    Real last = 0, mean = 0;
};
LinkErrors errors_of(const ModelBuilder& b, int n, const char* method, int iterations, Real relaxation = 0, Real largest = 0) {
    PositionSettings s = plain_settings();
    s.chains = false; // as the source sweeps
    s.method = method, s.iterations = iterations, s.relaxation = relaxation, s.largest_step = largest;
    PositionRun run(b, s);
    run.steps(200, 0.008);
    LinkErrors out;
    for (int k = 0; k < 200; ++k) {
        run.step(0.008);
        out.last = link_errors(run, n), out.mean += out.last / 200;
    }
    return out;
}
Real error_of(const ModelBuilder& b, int n, const char* method, int iterations, Real relaxation = 0) { return errors_of(b, n, method, iterations, relaxation).last; }

} // namespace

TEST(position_convergence, methods_come_in_the_order_of_the_source) {
    // table of spec U 3.6 at 15 iterations: CR 0.109, SOR 0.174, power law 0.182, GS 0.245, accelerated 0.361, improved 0.376,
    // MINRES 0.889, Jacobi 1.024. The cloth still swings then: factors of two between neighbours are chance, orders are not.
    const int n = 16;
    const ModelBuilder b = hanging_cloth(n);
    const LinkErrors residuals = errors_of(b, n, "conjugate_residuals", 15);
    const Real cr = residuals.last, gs = error_of(b, n, "gauss_seidel", 15),
               sor = error_of(b, n, "gauss_seidel", 15, 1.2), power = error_of(b, n, "power_residuals", 15),
               accelerated = error_of(b, n, "accelerated_jacobi", 15), improved = error_of(b, n, "improved_jacobi", 15),
               minres = error_of(b, n, "minres", 15), jacobi = error_of(b, n, "jacobi", 15);
    EXPECT_LT(cr, gs);
    EXPECT_LT(sor, 1.2 * gs); // by colours its lead is smaller than along the rows of the cloth
    EXPECT_LT(power, minres);
    EXPECT_LT(gs, minres);
    EXPECT_LT(accelerated, jacobi);
    EXPECT_LT(improved, jacobi);
    EXPECT_LT(minres, jacobi * 1.05);
    // each within a factor of two of the table
    EXPECT_NEAR(std::log2(cr / 0.109), 0, 1.2);
    EXPECT_NEAR(std::log2(gs / 0.245), 0, 1);
    EXPECT_NEAR(std::log2(sor / 0.174), 0, 1);
    EXPECT_NEAR(std::log2(minres / 0.889), 0, 1);
    EXPECT_NEAR(std::log2(jacobi / 1.024), 0, 1);
    // conjugate residuals: the error of 35 sweeps in at most 15 iterations (spec U 8), at the end and in the mean of the steps, and
    // safeguarded by rho(A) still converging
    const LinkErrors sweeps = errors_of(b, n, "gauss_seidel", 35);
    EXPECT_LE(residuals.last, sweeps.last);
    EXPECT_LE(residuals.mean, sweeps.mean);
    EXPECT_LT(errors_of(b, n, "conjugate_residuals", 15, 0, 1).last, jacobi);
}

TEST(position_convergence, waves_run_along_a_thread_at_the_speed_of_its_material) {
    // V9: N links, EA and line density fixed: c = sqrt(EA/(M/L)) whatever N
    const Real length = 1, mass = 0.1, ea = 1000, speed = std::sqrt(ea / (mass / length));
    for (int n : {20, 40, 80}) {
        ModelBuilder b;
        begin_object(b, "thread", "chain");
        std::vector<Real3> x;
        for (int i = 0; i <= n; ++i) x.push_back({length * i / n, 0, 0});
        add_points(b, x, std::vector<Real>(n + 1, mass / n));
        b.model.point.flags[0] = kFixed;
        for (int i = 0; i < n; ++i) add_strain_spring(b, i, i + 1, ea);
        finish_model(b);
        // the first mode of n equal masses, the last one free: u_i = sin(i pi/(2 n + 1)), w = 2 sqrt(k/m) sin(pi/(2 (2 n + 1))); Newmark, so that it lasts
        const Real part = kPi / (2 * n + 1), w = 2 * std::sqrt(ea * n / length / (mass / n)) * std::sin(part / 2);
        for (int i = 1; i <= n; ++i) b.state.point.v[i].x = 0.01 * std::sin(part * i);
        PositionSettings s = plain_settings();
        s.scheme = "newmark", s.iterations = 400, s.tolerance = 1e-10;
        PositionRun run(b, s);
        const Real dt = 4 * length / speed / 200;
        Real last = 0, crossed = 0;
        for (int k = 0; k < 300 && crossed == 0; ++k) {
            run.step(dt);
            const Real u = run.x(n).x() - length;
            if (last > 0 && u <= 0) crossed = dt * (k + last / (last - u)); // back at rest after half a period
            last = u;
        }
        // w dt = 2 pi/200 of a step: the scheme is slower by some (w dt)^2/6 = 2e-4
        EXPECT_NEAR(crossed, kPi / w, 2e-3 * crossed) << n;
        // the speed, once the half mass too much at the end is counted as the half cell it is: dispersion (pi/4n)^2/6 is 3e-4 at n = 20
        EXPECT_NEAR(2 * (length + 0.5 * length / n) / crossed, speed, 3e-3 * speed) << n;
    }
}
