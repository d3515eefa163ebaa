// What a trace of position projection says (spec U184): the numbers of the rows themselves, before the first iteration and after each.
#include "model/visit.h"
#include "physics/simulation.h"
#include "position/position_fixture.h"
#include <cmath>

using namespace sinew;

namespace {

// sums over the links of a chain at the state of a run
struct Links {
    Real sum = 0, squares = 0, largest = 0, rate = 0;
};
Links sum_links(const PositionRun& run, int links, Real length) {
    Links out;
    for (int i = 0; i < links; ++i) {
        const Vec3 d = run.x(i + 1) - run.x(i);
        const Real c = std::abs(d.norm() - length);
        out.sum += c, out.squares += c * c, out.largest = std::max(out.largest, c);
        out.rate += std::abs(d.normalized().dot(run.v(i + 1) - run.v(i)));
    }
    return out;
}

} // namespace

TEST(position_trace, its_last_entry_is_the_state_the_step_ends_with) {
    const int links = 8;
    const Real length = 0.1;
    for (const char* method : {"gauss_seidel", "jacobi", "improved_jacobi", "accelerated_jacobi", "minres", "conjugate_residuals"}) {
        ModelBuilder b = make_chain({1, 0, 0}, links, length, 0.2, 0, 9.8); // rigid, let go horizontally
        PositionSettings s = plain_settings();
        s.method = method, s.iterations = 7, s.chains = false;
        PositionRun run(b, s);
        run.steps(5, 1.0 / 60);
        Trace trace;
        run.step(1.0 / 60, &trace);
        ASSERT_EQ(trace.iterations.size(), 8u) << method; // before the first iteration, and after each
        const TraceEntry& e = trace.iterations.back();
        const Links want = sum_links(run, links, length);
        EXPECT_EQ(e.iteration, 7);
        EXPECT_GT(want.sum, 1e-6) << method; // seven iterations do not get there
        // the same numbers by another order of sums; velocities of links are those along their new directions
        EXPECT_NEAR(e.residual_sum, want.sum, 1e-12) << method;
        EXPECT_NEAR(e.residual_norm, std::sqrt(want.squares), 1e-12) << method;
        EXPECT_NEAR(e.residual, want.largest, 1e-12) << method;
        EXPECT_LT(e.residual_sum, trace.iterations[0].residual_sum) << method;
    }
}

TEST(position_trace, rates_are_those_of_the_velocities_the_step_ends_with) {
    const int links = 8;
    ModelBuilder b = make_chain({1, 0, 0}, links, 0.1, 0.2, 0, 9.8);
    PositionSettings s = plain_settings();
    s.iterations = 7;
    PositionRun run(b, s);
    run.steps(5, 1.0 / 60);
    Trace trace;
    run.step(1.0 / 60, &trace);
    // sweeps make up velocities at the end: the trace has to have done so as well
    EXPECT_NEAR(trace.iterations.back().rate_sum, sum_links(run, links, 0.1).rate, 1e-9); // velocities of 1 m/s by differences over 1/60 s
}

TEST(position_trace, tells_momentum_and_changes_nothing) {
    for (const char* method : {"gauss_seidel", "improved_jacobi", "accelerated_jacobi", "conjugate_residuals", "power_residuals"}) {
        ModelBuilder b = make_chain({1, 0, 0}, 8, 0.1, 0.2, 0, 9.8);
        PositionSettings s = plain_settings();
        s.method = method, s.iterations = 10;
        PositionRun plain(b, s), traced(b, s);
        Trace trace;
        for (int k = 0; k < 5; ++k) {
            trace.iterations.clear();
            plain.step(1.0 / 60);
            traced.step(1.0 / 60, &trace);
        }
        EXPECT_EQ(hash(plain.now), hash(traced.now)) << method;
        if (std::string(method) == "gauss_seidel") continue;
        EXPECT_EQ(trace.iterations[0].momentum, 0) << method;
        EXPECT_EQ(trace.iterations[1].momentum, 0) << method; // the first iteration has nothing to repeat
        EXPECT_GT(trace.iterations[6].momentum, 0) << method;
        if (std::string(method) == "power_residuals" || std::string(method) == "improved_jacobi") {
            EXPECT_NEAR(trace.iterations[6].momentum, std::pow(0.5, 0.6), 1e-15) << method; // a (k/n)^b with k = 5, which led to the sixth entry
        }
    }
}

TEST(position_trace, a_contact_counts_by_its_depth) {
    // a grain 5 mm over the ground falls at 1 m/s: the prediction is some 14 mm deep, after a sweep nothing is
    auto s = start(R"({ "sinew": 1, "gravity": 9.8, "time": { "fps": 60, "substeps": 1, "frames": 1 },
        "objects": { "floor": { "kind": "plane" },
                     "grain": { "kind": "particles", "positions": [[0, 0.105, 0]], "radius": 0.1, "thickness": 0.1, "mass": 1, "velocity": [0, -1, 0] } },
        "solver": "position", "solvers": { "position": { "substeps": 1, "iterations": 2 } } })");
    ASSERT_TRUE(s);
    const Real h = 1.0 / 60;
    Trace trace;
    s->solver->step(s->compiled.model, s->input, s->now, s->spare, h, &trace);
    ASSERT_EQ(trace.iterations.size(), 3u); // a second sweep is made as without a trace, with nothing left to do
    EXPECT_NEAR(trace.iterations[0].residual_sum, h * (1 + 9.8 * h) - 0.005, 1e-12);
    EXPECT_NEAR(trace.iterations[0].rate_sum, 1 + 9.8 * h, 1e-12);
    EXPECT_NEAR(trace.iterations[1].residual_sum, 0, 1e-12);
    EXPECT_NEAR(trace.iterations[2].residual_sum, 0, 1e-12);
}
