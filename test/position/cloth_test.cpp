// Cloth of links at rest: position projection against Newton's method on the same model.
#include "position/position_fixture.h"
#include "solver/newton.h"

using namespace sinew;

namespace {

// both come to rest, where nothing is left of how they got there
void hang(const ModelBuilder& b) {
    constexpr int kSteps = 600;
    constexpr Real kStep = 0.02;
    NewtonSettings exact;
    exact.tolerance = 1e-12;
    State now = b.state, next;
    const auto newton = make_newton({.threads = 1}, b.model, now, &exact);
    for (int k = 0; k < kSteps; ++k) {
        ASSERT_EQ(newton->step(b.model, {}, now, next, kStep).status, Status::ok);
        std::swap(now, next);
    }
    PositionSettings s = plain_settings();
    s.iterations = 200;
    PositionRun run(b, s);
    run.steps(kSteps, kStep);
    Real worst = 0, speed = 0, stretched = 0;
    for (int i = 0; i < point_count(b.model); ++i) {
        worst = std::max(worst, (run.x(i) - vec(now.point.x[i])).norm());
        speed = std::max({speed, run.v(i).norm(), vec(now.point.v[i]).norm()});
        stretched = std::max(stretched, (run.x(i) - vec(b.model.point.rest[i])).norm());
    }
    EXPECT_LT(speed, 1e-3);
    EXPECT_LT(worst, 1e-4); // what is left of the swinging, and of 200 sweeps
    EXPECT_GT(stretched, 0.05);
}

} // namespace

TEST(position_cloth, a_grid_of_stretch_shear_and_bend_links_hangs_as_by_newton) { hang(make_spring_cloth(6, 7, 1)); }

TEST(position_cloth, triangles_with_soft_edges_hang_as_by_newton) {
    constexpr int n = 6;
    ModelBuilder b;
    begin_object(b, "cloth", "cloth");
    Rng rng{3, 5, 0};
    std::vector<Real3> x;
    for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c) x.push_back({0.1 * c + draw_uniform(rng, -0.02, 0.02), 0.01 * std::sin(3.0 * r + c), 0.1 * r + draw_uniform(rng, -0.02, 0.02)});
    add_points(b, x, std::vector<Real>(x.size(), 0.01));
    b.model.point.flags[0] = b.model.point.flags[n - 1] = kFixed;
    for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c) {
            const int a = r * n + c;
            if (c + 1 < n) add_spring(b, a, a + 1, 100, 1);
            if (r + 1 < n) add_spring(b, a, a + n, 100, 1);
            if (c + 1 < n && r + 1 < n) add_spring(b, a, a + n + 1, 100, 1); // the edge both triangles of a cell share
            // bending: opposite corners of every edge with two triangles
            if (c + 1 < n && r + 1 < n) add_spring(b, a + 1, a + n, 5, 1);
            if (c + 1 < n && r > 0 && r + 1 < n) add_spring(b, a - n, a + n + 1, 5, 1);
            if (r + 1 < n && c > 0 && c + 1 < n) add_spring(b, a - 1, a + n + 1, 5, 1);
        }
    add_gravity(b, 0, n * n);
    finish_model(b);
    hang(b);
}
