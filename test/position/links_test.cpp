// Packed links against the local solve of any element.
#include "position/position_fixture.h"
#include "solver/position_links.h"
#include "solver/position_problem.h"

using namespace sinew;

TEST(position_links, sweeps_over_packed_links_are_those_over_elements) {
    for (Real damping : {0.0, 0.05})
        for (Softness softness : {Softness::feedback, Softness::printed, Softness::factor}) {
            const ModelBuilder b = make_spring_cloth(9, 11, damping);
            const ParallelPtr parallel = make_parallel({.threads = 2});
            State packed = b.state, plain = b.state;
            PositionProblem p;
            refresh_masses(b.model, packed, p);
            refresh_tables(b.model, p);
            const auto sweep = [&](State& s) {
                Sweep w;
                w.to.x = s.point.x.data(), w.to.v = s.point.v.data(), w.to.point_inverse = p.point_inverse.data();
                w.h = 0.01, w.reach = 1e-4, w.kick = 0.01, w.relaxation = 1.1, w.stiffness = 0.7, w.softness = softness;
                return w;
            };
            ASSERT_EQ(p.tables.size(), 2u);
            for (int k = 0; k < 3; ++k)
                for (DualTable& t : p.tables) {
                    ASSERT_TRUE(t.packed);
                    project_links(*parallel, sweep(packed), true, t.links);
                    Sweep w = sweep(plain);
                    w.lambda = t.lambda.data();
                    Evaluation ev;
                    ev.x = plain.point.x.data(), ev.v = plain.point.v.data(), ev.x_now = b.state.point.x.data();
                    for (int c = 0; c < t.colours.count(); ++c)
                        t.view->project(*t.table, ev, std::span(t.colours.order).subspan(t.colours.begin[c], t.colours.begin[c + 1] - t.colours.begin[c]), w);
                    std::vector<Real> lambda(t.lambda.size());
                    store_multipliers(t.links, lambda);
                    for (std::size_t i = 0; i < lambda.size(); ++i) EXPECT_NEAR(lambda[i], t.lambda[i], 1e-9 * (1 + std::abs(t.lambda[i])));
                }
            for (int i = 0; i < point_count(b.model); ++i) { // rounding of another order of the same operations
                EXPECT_LT((vec(packed.point.x[i]) - vec(plain.point.x[i])).norm(), 1e-13);
                EXPECT_LT((vec(packed.point.v[i]) - vec(plain.point.v[i])).norm(), 1e-11);
            }
        }
}

TEST(position_links, velocities_made_up_at_the_end_are_those_of_the_loop) {
    const ModelBuilder still = make_spring_cloth(9, 11, 0);
    ModelBuilder damped = make_spring_cloth(9, 11, 1e-12); // too little to matter, but the velocities take part in the loop
    PositionSettings s = plain_settings();
    PositionRun a(still, s), b(damped, s);
    a.steps(5, 0.01), b.steps(5, 0.01);
    for (int i = 0; i < point_count(still.model); ++i) {
        EXPECT_LT((a.x(i) - b.x(i)).norm(), 1e-10);
        EXPECT_LT((a.v(i) - b.v(i)).norm(), 1e-8); // (x - x~)/h: rounding of x over h
    }
}
