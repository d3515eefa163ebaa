// Spec V28, the bound of P149: a particle of 100 m/s and a cloth of 1 mm.
#include "collision/speed_limit.h"
#include "collision/detect.h"
#include "model/builder.h"
#include <gtest/gtest.h>

namespace sinew {
namespace {

ModelBuilder make_shot(Real speed) {
    ModelBuilder b;
    begin_object(b, "sheet", "test");
    add_points(b, std::vector<Real3>{{-1, 0, -1}, {1, 0, -1}, {0, 0, 1}}, std::vector<Real>(3, 1.0));
    add_surface_points(b, {0, 3}, 1e-3);
    add_surface_triangles(b, 0, std::vector<std::array<int, 3>>{{0, 1, 2}});
    begin_object(b, "shot", "test");
    add_points(b, std::vector<Real3>{{0, 0.5, 0}}, std::vector<Real>{1.0}, kFree, {0, -speed, 0});
    add_surface_points(b, {3, 4}, 0);
    finish_model(b);
    return b;
}

// looks at the ends of steps only
bool is_caught(ModelBuilder b, Real dt) {
    const auto parallel = make_parallel(Context{1, {}, {}});
    SurfaceScratch scratch;
    Contacts out;
    for (; b.state.point.x[3].y > -0.5; b.state.point.x[3].y += dt * b.state.point.v[3].y) {
        EXPECT_TRUE(detect_surface(*parallel, b.model, b.state.point.x, {}, {}, scratch, out));
        if (!out.vertex_triangle.empty()) return true;
    }
    return false;
}

TEST(speed_limit, is_the_thickness_over_the_speed_and_what_keeps_it_is_caught) {
    const ModelBuilder b = make_shot(100);
    const auto parallel = make_parallel(Context{1, {}, {}});
    const Real limit = find_speed_limit(*parallel, b.model, b.state);
    EXPECT_NEAR(limit, 1e-5, 1e-15); // rounding
    EXPECT_TRUE(is_caught(b, limit));
    EXPECT_FALSE(is_caught(b, 1e-2)); // the step of the specification: discrete detection misses
}

TEST(speed_limit, does_not_bind_what_rests_or_does_not_meet) {
    const auto parallel = make_parallel(Context{1, {}, {}});
    EXPECT_EQ(find_speed_limit(*parallel, make_shot(0).model, make_shot(0).state), std::numeric_limits<Real>::infinity());
    ModelBuilder b = make_shot(100);
    b.model.contact_rules.push_back({0, 1, true, -1, -1});
    EXPECT_EQ(find_speed_limit(*parallel, b.model, b.state), std::numeric_limits<Real>::infinity());
    b.state.point.v[3].y = std::numeric_limits<Real>::quiet_NaN();
    EXPECT_TRUE(std::isnan(find_speed_limit(*parallel, b.model, b.state)));
}

// a thin box must not be jumped over either
TEST(speed_limit, counts_the_width_of_obstacles) {
    ModelBuilder b = make_shot(10);
    b.model.contact_rules.push_back({0, 1, true, -1, -1});
    begin_object(b, "wall", "test");
    Obstacle o;
    o.shape = Obstacle::box, o.size = {1, 0.01, 1};
    o.frame = add_frame(b, {}, 0, {}, kFixed);
    o.object = 2;
    b.model.obstacles.push_back(o);
    const auto parallel = make_parallel(Context{1, {}, {}});
    EXPECT_NEAR(find_speed_limit(*parallel, b.model, b.state), 0.02 / 10, 1e-15);
}

} // namespace
} // namespace sinew
