// Cloth of links at rest: position projection against Newton's method on the same model.
#include "core/random.h"
#include "position/position_fixture.h"
#include "solver/newton.h"

using namespace sinew;

namespace {

// both come to rest, where nothing is left of how they got there
void hang(const ModelBuilder& b) {
    constexpr int kSteps = 300;
    constexpr Real kStep = 0.02;
    NewtonSettings exact;
    exact.tolerance = 1e-9;
    State now = b.state, next;
    const auto newton = make_newton({.threads = 1}, b.model, now, &exact);
    for (int k = 0; k < kSteps; ++k) {
        ASSERT_EQ(newton->step(b.model, {}, now, next, kStep).status, Status::ok);
        std::swap(now, next);
    }
    PositionSettings s = plain_settings();
    s.iterations = 100, s.substeps = 4;
    PositionRun run(b, s);
    run.steps(kSteps, kStep);
    Real worst = 0, speed = 0, stretched = 0;
    for (int i = 0; i < point_count(b.model); ++i) {
        worst = std::max(worst, (run.x(i) - vec(now.point.x[i])).norm());
        speed = std::max({speed, run.v(i).norm(), vec(now.point.v[i]).norm()});
        stretched = std::max(stretched, (run.x(i) - vec(b.model.point.rest[i])).norm());
    }
    EXPECT_LT(speed, 1e-5);
    // multipliers keep the directions of earlier iterations: up to 15 % of the way of a sub-step (docs/theory/position.md)
    const Real h = kStep / s.substeps;
    EXPECT_LT(worst, 0.15 * h * h * 9.81);
    EXPECT_GT(stretched, 0.01);
}

constexpr int kSide = 6;

// points in a vertical plane, the first row fixed
ModelBuilder begin_cloth(Real uneven) {
    ModelBuilder b;
    begin_object(b, "cloth", "cloth");
    Rng rng{3, 5, 0};
    std::vector<Real3> x;
    for (int r = 0; r < kSide; ++r)
        for (int c = 0; c < kSide; ++c)
            x.push_back({0.1 * c + draw_uniform(rng, -uneven, uneven), -0.1 * r + draw_uniform(rng, -uneven, uneven), 0});
    add_points(b, x, std::vector<Real>(x.size(), 0.01));
    for (int c = 0; c < kSide; ++c) b.model.point.flags[c] = kFixed;
    return b;
}
void finish_cloth(ModelBuilder& b) {
    add_gravity(b, 0, kSide * kSide);
    finish_model(b);
}

} // namespace

TEST(position_cloth, a_grid_of_stretch_shear_and_bend_links_hangs_as_by_newton) {
    ModelBuilder b = begin_cloth(0);
    const auto link = [&](int r, int c, int down, int right, Real k) {
        const int to_c = c + right;
        if (r + down < kSide && to_c >= 0 && to_c < kSide) add_spring(b, r * kSide + c, (r + down) * kSide + to_c, k, 0.5);
    };
    for (int r = 0; r < kSide; ++r)
        for (int c = 0; c < kSide; ++c)
            link(r, c, 0, 1, 50), link(r, c, 1, 0, 50), link(r, c, 1, 1, 10), link(r, c, 1, -1, 10), link(r, c, 0, 2, 5), link(r, c, 2, 0, 5);
    finish_cloth(b);
    hang(b);
}

TEST(position_cloth, triangles_with_soft_edges_hang_as_by_newton) {
    constexpr int n = kSide;
    ModelBuilder b = begin_cloth(0.02);
    for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c) {
            const int a = r * n + c;
            const bool right = c + 1 < n, down = r + 1 < n;
            if (right) add_spring(b, a, a + 1, 50, 0.5);
            if (down) add_spring(b, a, a + n, 50, 0.5);
            if (right && down) add_spring(b, a, a + n + 1, 50, 0.5); // the edge both triangles of a cell share
            // bending: opposite corners of every edge with two triangles
            if (right && down) add_spring(b, a + 1, a + n, 2, 0.5);
            if (right && down && r > 0) add_spring(b, a - n, a + n + 1, 2, 0.5);
            if (right && down && c > 0) add_spring(b, a - 1, a + n + 1, 2, 0.5);
        }
    finish_cloth(b);
    hang(b);
}
