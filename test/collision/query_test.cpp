// Rays, casts, overlaps and nearest points against closed forms and against trying every triangle.
#include "sinew/query.h"
#include "core/math.h"
#include "core/random.h"
#include "geometry/triangle.h"
#include "model/builder.h"
#include "model/stencil.h"
#include <gtest/gtest.h>

namespace sinew {
namespace {

int add_still_body(ModelBuilder& b, const char* name, const Shape& shape, const Pose& pose) {
    const int object = begin_object(b, name, "test");
    add_collider(b, shape, add_frame(b, pose, 1, {}));
    return object;
}

// a floor, a ball, a box, a sheet of two triangles at y = 3, a rod of one edge, a grain
ModelBuilder make_objects_of_each_kind() {
    ModelBuilder b;
    add_still_body(b, "floor", {Shape::half_space, {}}, {});
    add_still_body(b, "ball", {Shape::sphere, {0.5, 0, 0}}, {{0, 1, 0}, {}});
    add_still_body(b, "box", {Shape::box, {0.5, 0.25, 0.5}}, {{3, 1, 0}, real4(exp_rotation(Vec3(0, kPi / 4, 0)))});
    begin_object(b, "sheet", "test");
    const std::vector<Real3> x{{-1, 3, -1}, {1, 3, -1}, {1, 3, 1}, {-1, 3, 1}, {-4, 1, 0}, {-4, 2, 0}, {-6, 1, 0}};
    add_points(b, std::span(x).first(4), std::vector<Real>(4, 1.0));
    const std::vector<std::array<int, 3>> faces{{0, 2, 1}, {0, 3, 2}};
    add_surface_triangles(b, add_surface_points(b, {0, 4}, 0.1), faces);
    begin_object(b, "rod", "test");
    add_points(b, std::span(x).subspan(4, 2), std::vector<Real>(2, 1.0));
    add_surface_edges(b, add_surface_points(b, {4, 6}, 0.2), std::vector<std::array<int, 2>>{{0, 1}});
    begin_object(b, "grain", "test");
    add_points(b, std::span(x).subspan(6, 1), std::vector<Real>(1, 1.0));
    add_surface_points(b, {6, 7}, 0.3);
    finish_model(b);
    return b;
}

struct Asked {
    ModelBuilder b = make_objects_of_each_kind();
    QueryPtr q = make_query(Context{1, {}, {}});
    Asked() { EXPECT_TRUE(update(*q, b.model, b.state)); }
    std::string name(const std::optional<QueryHit>& h) const { return h ? b.model.objects[h->object.index].name : "none"; }
};

constexpr Real kClose = 1e-8; // conservative advance ends within 1e-10 of the touch

TEST(query, rays_hit_what_they_should_where_they_should) {
    const Asked a;
    struct Case {
        Real3 from, direction;
        const char* object;
        Real distance;
        Real3 normal;
    };
    const Real r = std::sqrt(0.5);
    const Case cases[] = {
        {{0, 10, 0}, {0, -2, 0}, "sheet", 7, {0, 1, 0}},
        {{0, 2, 0}, {0, -1, 0}, "ball", 0.5, {0, 1, 0}},
        {{0, 2, 0}, {0, 1, 0}, "sheet", 1, {0, -1, 0}},
        {{2, 5, 5}, {0, -1, 0}, "floor", 5, {0, 1, 0}},
        {{3, 1, 5}, {0, 0, -1}, "box", 5 - std::sqrt(0.5), {0, 0, 0}}, // the edge towards +z
        {{3.1, 5, 0}, {0, -1, 0}, "box", 3.75, {0, 1, 0}},
        {{-4, 1.5, 5}, {0, 0, -3}, "rod", 4.8, {0, 0, 1}},
        {{-6, 1, 5}, {0, 0, -1}, "grain", 4.7, {0, 0, 1}},
        {{-2, 1, 0}, {1, 0, 0}, "ball", 1.5, {-1, 0, 0}},
        {{0, 5, 0}, {1, 0, 0}, "none", 0, {}},
        {{-1, 1 + 0.5 * r, 0}, {1, 0, 0}, "ball", 1 - 0.5 * r, {-r, r, 0}},
    };
    for (const Case& c : cases) {
        const auto hit = cast_ray(*a.q, c.from, c.direction);
        ASSERT_EQ(a.name(hit), c.object) << c.object << " " << c.distance;
        if (!hit) continue;
        EXPECT_NEAR(hit->distance, c.distance, kClose) << c.object;
        EXPECT_LT((vec(hit->position) - (vec(c.from) + hit->distance * vec(c.direction).normalized())).norm(), kClose);
        if (vec(c.normal).norm() > 0) { EXPECT_LT((vec(hit->normal) - vec(c.normal)).norm(), 1e-6) << c.object; }
    }
    EXPECT_EQ(a.name(cast_ray(*a.q, {0, 10, 0}, {0, -1, 0}, 6.9)), "none");
    EXPECT_FALSE(cast_ray(*a.q, {0, 10, 0}, {0, 0, 0}));
    EXPECT_FALSE(cast_ray(*a.q, {std::numeric_limits<Real>::quiet_NaN(), 0, 0}, {0, 1, 0}));
}

// A line from one triangle to another of the same object is no side of either: it is hit as a line.
TEST(query, a_line_between_triangles_is_hit) {
    ModelBuilder b;
    begin_object(b, "two", "test");
    add_points(b, std::vector<Real3>{{-2, 0, 0}, {-1, 0, 0}, {-2, 0, 1}, {2, 0, 0}, {1, 0, 0}, {2, 0, 1}}, std::vector<Real>(6, 1.0));
    const int first = add_surface_points(b, {0, 6}, 0.1);
    add_surface_triangles(b, first, std::vector<std::array<int, 3>>{{0, 2, 1}, {3, 4, 5}});
    add_surface_edges(b, first, std::vector<std::array<int, 2>>{{1, 4}});
    finish_model(b);
    const QueryPtr q = make_query(Context{1, {}, {}});
    ASSERT_TRUE(update(*q, b.model, b.state));
    const std::optional<QueryHit> hit = cast_ray(*q, {0, 1, 0}, {0, -1, 0}, 10);
    ASSERT_TRUE(hit);
    EXPECT_NEAR(hit->distance, 0.9, kClose);
}

TEST(query, filters_leave_objects_and_groups_out) {
    Asked a;
    QueryFilter without;
    without.ignore = find(a.b.model, "sheet");
    EXPECT_EQ(a.name(cast_ray(*a.q, {0, 10, 0}, {0, -1, 0}, 100, without)), "ball");
    a.b.model.objects[1].groups = 4;
    EXPECT_TRUE(update(*a.q, a.b.model, a.b.state));
    without.groups = ~4u;
    EXPECT_EQ(a.name(cast_ray(*a.q, {0, 10, 0}, {0, -1, 0}, 100, without)), "floor");
    a.b.model.objects[3].alive = false; // removed
    EXPECT_TRUE(update(*a.q, a.b.model, a.b.state));
    EXPECT_EQ(a.name(cast_ray(*a.q, {0, 10, 0}, {0, -1, 0})), "ball");
}

TEST(query, a_moved_shape_stops_at_the_touch) {
    const Asked a;
    const Shape ball{Shape::sphere, {0.25, 0, 0}}, crate{Shape::box, {0.1, 0.1, 0.1}};
    auto hit = cast_shape(*a.q, ball, {{5, 4, 5}, {}}, {0, -10, 0});
    ASSERT_EQ(a.name(hit), "floor");
    EXPECT_NEAR(hit->distance, 3.75, kClose);
    EXPECT_NEAR(hit->position.y, 0, kClose);
    EXPECT_NEAR(hit->normal.y, 1, kClose);
    hit = cast_shape(*a.q, ball, {{-3, 1, 0}, {}}, {10, 0, 0});
    ASSERT_EQ(a.name(hit), "ball");
    EXPECT_NEAR(hit->distance, 2.25, kClose);
    hit = cast_shape(*a.q, crate, {{0.5, 4, 0.5}, {}}, {0, -5, 0});
    ASSERT_EQ(a.name(hit), "sheet");
    EXPECT_NEAR(hit->distance, 0.9, kClose);
    EXPECT_EQ(hit->part, QueryHit::triangle);
    EXPECT_EQ(a.name(cast_shape(*a.q, ball, {{5, 4, 5}, {}}, {0, -3.7, 0})), "none");
    hit = cast_shape(*a.q, crate, {{0, 1, 0}, {}}, {1, 0, 0}); // inside the ball already
    ASSERT_EQ(a.name(hit), "ball");
    EXPECT_EQ(hit->distance, 0);
    EXPECT_FALSE(cast_shape(*a.q, {Shape::mesh, {}, 0, 0}, {}, {0, 1, 0})); // not convex
}

TEST(query, overlaps_are_all_that_is_within_the_margin_in_order) {
    const Asked a;
    const Shape ball{Shape::sphere, {1, 0, 0}};
    const auto near = find_overlaps(*a.q, ball, {{0, 2.2, 0}, {}});
    ASSERT_EQ(near.size(), 3u); // the ball, two triangles
    EXPECT_EQ(a.name(near[0]), "ball");
    EXPECT_NEAR(near[0].distance, -0.3, kClose);
    EXPECT_EQ(near[1].index, 0);
    EXPECT_EQ(near[2].index, 1);
    EXPECT_NEAR(near[1].distance, -0.2, kClose);
    EXPECT_EQ(find_overlaps(*a.q, ball, {{0, 5, 0}, {}}).size(), 0u);
    EXPECT_EQ(find_overlaps(*a.q, ball, {{0, 5, 0}, {}}, 1.1).size(), 2u);
}

// A dumb-bell of two balls is asked as a whole: its parts answer, of what both overlap the deeper.
TEST(query, a_compound_is_cast_and_overlaps_by_its_parts) {
    const Asked a;
    ShapeStore store;
    store.compounds.push_back({{{Shape::sphere, {0.25, 0, 0}}, {Shape::sphere, {0.5, 0, 0}}}, {{{0, 1, 0}, {}}, {{0, -1, 0}, {}}}});
    const Shape bell{Shape::compound, {}, 0.1, 0};
    // upright over the floor: the lower ball, 0.6 with the rounding, has 3.4 to go; on its side the larger one is first as well
    auto hit = cast_shape(*a.q, bell, {{5, 5, 5}, {}}, {0, -10, 0}, {}, &store);
    ASSERT_EQ(a.name(hit), "floor");
    EXPECT_NEAR(hit->distance, 3.4, kClose);
    hit = cast_shape(*a.q, bell, {{5, 5, 5}, real4(exp_rotation(Vec3(0, 0, kPi / 2)))}, {0, -10, 0}, {}, &store);
    ASSERT_EQ(a.name(hit), "floor");
    EXPECT_NEAR(hit->distance, 4.4, kClose);
    // both parts meet the floor: one answer, the deeper
    const auto near = find_overlaps(*a.q, bell, {{8, 0.2, 8}, real4(exp_rotation(Vec3(0, 0, kPi / 2)))}, 0, {}, &store);
    ASSERT_EQ(near.size(), 1u);
    EXPECT_NEAR(near[0].distance, -0.4, kClose);
    store.compounds[0].parts[0] = {Shape::mesh, {}, 0, 0}; // a part that cannot be asked: none can
    EXPECT_FALSE(cast_shape(*a.q, bell, {{5, 5, 5}, {}}, {0, -10, 0}, {}, &store));
}

TEST(query, the_closest_point_is_signed_for_solids) {
    const Asked a;
    auto hit = find_closest(*a.q, {0, 1.9, 0});
    ASSERT_EQ(a.name(hit), "ball");
    EXPECT_NEAR(hit->distance, 0.4, kClose);
    EXPECT_NEAR(hit->position.y, 1.5, kClose);
    hit = find_closest(*a.q, {0.1, 1, 0});
    ASSERT_EQ(a.name(hit), "ball");
    EXPECT_NEAR(hit->distance, -0.4, kClose);
    hit = find_closest(*a.q, {0.2, 2.5, 0.4});
    ASSERT_EQ(a.name(hit), "sheet");
    EXPECT_NEAR(hit->distance, 0.5, kClose);
    EXPECT_NEAR(hit->normal.y, -1, kClose);
    EXPECT_EQ(a.name(find_closest(*a.q, {20, 9, 20}, 8)), "none");
    EXPECT_EQ(a.name(find_closest(*a.q, {20, 9, 20}, 9.1)), "floor");
}

// a soup of triangles: the nearest of all, ray by ray and point by point; shared edges let nothing through
TEST(query, equals_trying_every_triangle_of_a_soup) {
    Rng rng{77, 0, 0};
    ModelBuilder b;
    begin_object(b, "soup", "test");
    std::vector<Real3> x;
    std::vector<std::array<int, 3>> faces;
    for (int k = 0; k < 300; ++k) {
        const Vec3 c = draw_vec(rng, -1, 1);
        for (int i = 0; i < 3; ++i) x.push_back(real3(c + 0.2 * draw_vec(rng, -1, 1)));
        faces.push_back({3 * k, 3 * k + 1, 3 * k + 2});
    }
    add_points(b, x, std::vector<Real>(x.size(), 1.0));
    add_surface_triangles(b, add_surface_points(b, {0, 900}, 0), faces);
    finish_model(b);
    const QueryPtr q = make_query(Context{2, {}, {}});
    ASSERT_TRUE(update(*q, b.model, b.state));
    int hits = 0;
    for (int trial = 0; trial < 400; ++trial) {
        const Vec3 from = draw_vec(rng, -2, 2), u = (draw_vec(rng, -1, 1) - from).normalized();
        Real best = std::numeric_limits<Real>::infinity(), nearest = best;
        for (const auto& f : faces) {
            const Vec3 p0 = vec(x[f[0]]), p1 = vec(x[f[1]]), p2 = vec(x[f[2]]), n = (p1 - p0).cross(p2 - p0);
            nearest = std::min(nearest, (closest_on_triangle(from, p0, p1, p2).point - from).norm());
            const Real t = n.dot(p0 - from) / n.dot(u);
            const Vec3 at = from + t * u;
            const bool in = n.dot((p1 - p0).cross(at - p0)) > 0 && n.dot((p2 - p1).cross(at - p1)) > 0 && n.dot((p0 - p2).cross(at - p2)) > 0;
            if (in && t >= 0) best = std::min(best, t);
        }
        const auto hit = cast_ray(*q, real3(from), real3(u));
        ASSERT_EQ(bool(hit), std::isfinite(best)) << trial;
        if (hit) { EXPECT_NEAR(hit->distance, best, 1e-12); } // rounding
        hits += bool(hit);
        const auto close = find_closest(*q, real3(from));
        ASSERT_TRUE(close);
        EXPECT_NEAR(close->distance, nearest, 1e-13);
    }
    EXPECT_GT(hits, 100);
    // NaN in the state is refused
    b.state.point.x[5].x = std::numeric_limits<Real>::quiet_NaN();
    EXPECT_FALSE(update(*q, b.model, b.state));
    EXPECT_FALSE(cast_ray(*q, {0, 0, 0}, {1, 0, 0}));
}

// the tree is refitted from step to step: what is found is what a new query finds
TEST(query, updated_again_and_again_answers_as_a_new_one) {
    ModelBuilder b = make_objects_of_each_kind();
    b.state.point.alive.assign(b.state.point.x.size(), 1);
    const QueryPtr kept = make_query(Context{1, {}, {}});
    Rng rng{21};
    int hits = 0;
    for (int step = 0; step < 40; ++step) {
        for (Real3& x : b.state.point.x) x = real3(vec(x) + 0.3 * draw_vec(rng, -1, 1));
        for (int f = 1; f < 3; ++f) b.state.frame.p[f] = real3(vec(b.state.frame.p[f]) + 0.3 * draw_vec(rng, -1, 1));
        b.state.point.alive.back() = step % 5 != 0; // items come and go
        ASSERT_TRUE(update(*kept, b.model, b.state));
        const QueryPtr fresh = make_query(Context{1, {}, {}});
        ASSERT_TRUE(update(*fresh, b.model, b.state));
        for (int k = 0; k < 30; ++k) {
            const Real3 from = real3(draw_vec(rng, -6, 6)), way = real3(draw_vec(rng, -1, 1));
            const auto same = [&](const std::optional<QueryHit>& x, const std::optional<QueryHit>& y) {
                ASSERT_EQ(x.has_value(), y.has_value());
                if (!x) return;
                ++hits;
                EXPECT_EQ(x->object.index, y->object.index);
                EXPECT_EQ(x->index, y->index);
                EXPECT_EQ(x->distance, y->distance);
            };
            same(cast_ray(*kept, from, way), cast_ray(*fresh, from, way));
            same(find_closest(*kept, from), find_closest(*fresh, from));
            const Shape ball{Shape::sphere, {0.2, 0, 0}};
            same(cast_shape(*kept, ball, {from, {}}, way), cast_shape(*fresh, ball, {from, {}}, way));
        }
    }
    EXPECT_GT(hits, 1500);
    b.state.point.x[0].x = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(update(*kept, b.model, b.state));
    EXPECT_FALSE(cast_ray(*kept, {0, 5, 0}, {0, -1, 0}));
    b.state.point.x[0].x = 0;
    EXPECT_TRUE(update(*kept, b.model, b.state));
    EXPECT_TRUE(cast_ray(*kept, {0, 5, 0}, {0, -1, 0}));
}

TEST(query, no_ray_slips_through_shared_edges_and_corners) {
    Rng rng{78, 0, 0};
    ModelBuilder b;
    begin_object(b, "sheet", "test");
    std::vector<Real3> x;
    std::vector<std::array<int, 3>> faces;
    const int n = 8;
    for (int j = 0; j <= n; ++j)
        for (int i = 0; i <= n; ++i) x.push_back({i + 0.3 * draw_uniform(rng), draw_uniform(rng), j + 0.3 * draw_uniform(rng)});
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            const int a = i + (n + 1) * j;
            faces.push_back({a, a + n + 2, a + 1});
            faces.push_back({a, a + n + 1, a + n + 2});
        }
    add_points(b, x, std::vector<Real>(x.size(), 1.0));
    add_surface_triangles(b, add_surface_points(b, {0, int(x.size())}, 0), faces);
    finish_model(b);
    const QueryPtr q = make_query(Context{1, {}, {}});
    ASSERT_TRUE(update(*q, b.model, b.state));
    for (int trial = 0; trial < 2000; ++trial) {
        // through a point of an inner edge, or a corner
        const int i = 1 + draw_int(rng, n - 2), j = 1 + draw_int(rng, n - 2), a = i + (n + 1) * j;
        const int other = a + std::array{1, n + 1, n + 2}[std::size_t(draw_int(rng, 3))];
        const Real s = trial % 3 == 0 ? 0 : draw_uniform(rng);
        const Vec3 on = vec(x[a]) + s * (vec(x[other]) - vec(x[a]));
        const Vec3 from = on + Vec3(0.3 * draw_uniform(rng, -1, 1), 9, 0.3 * draw_uniform(rng, -1, 1));
        EXPECT_TRUE(cast_ray(*q, real3(from), real3(on - from))) << trial;
    }
}

} // namespace
} // namespace sinew
