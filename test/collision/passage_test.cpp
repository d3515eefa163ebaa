// Shapes that go through others within a step, against a dense search along the way.
#include "../geometry/convex_cases.h"
#include "collision/passage.h"
#include "geometry/convex_distance.h"
#include <gtest/gtest.h>
#include <random>

using namespace sinew;

namespace {

// flat plates, needles and lopsided cones of points among the hulls
std::shared_ptr<const ShapeStore> passage_store() {
    static const std::shared_ptr<const ShapeStore> made = [] {
        auto s = std::make_shared<ShapeStore>();
        std::mt19937_64 random(3);
        const auto in = [&](Real lo, Real hi) { return std::uniform_real_distribution<Real>(lo, hi)(random); };
        for (const Vec3& half : {Vec3(0.3, 0.01, 0.4), Vec3(0.01, 0.5, 0.02), Vec3(0.1, 0.1, 0.1), Vec3(0.005, 0.3, 0.3)})
            for (int k = 0; k < 3; ++k) {
                std::vector<Real3> points;
                for (int i = 0; i < 12 + 10 * k; ++i) points.push_back({half.x() * in(-1, 1), half.y() * in(-1, 1), half.z() * in(-1, 1)});
                s->hulls.push_back(*make_hull(points).value);
            }
        std::vector<Real3> cone{{0, 0.4, 0}};
        for (int i = 0; i < 32; ++i) cone.push_back({0.1 * std::cos(i * kPi / 16), 0, 0.1 * std::sin(i * kPi / 16)});
        s->hulls.push_back(*make_hull(cone).value);
        return s;
    }();
    return made;
}
const ShapeCache& passage_cache() {
    static const ShapeCache cache = [] {
        ShapeCache c;
        update_shape_cache(passage_store(), c);
        return c;
    }();
    return cache;
}

Followed follow(const Shape& s) { return followed_of(passage_cache(), s, make_convex(*passage_store(), s)); }

struct Draw {
    std::mt19937_64 random{7};
    Real in(Real lo, Real hi) { return std::uniform_real_distribution<Real>(lo, hi)(random); }
    Vec3 direction() {
        for (;;)
            if (const Vec3 x(in(-1, 1), in(-1, 1), in(-1, 1)); x.norm() < 1 && x.norm() > 0.1) return x.normalized();
    }
    Shape thin() {
        switch (int(in(0, 8))) {
        case 0: return {Shape::capsule, {in(0.005, 0.05), in(0, 0.5), 0}};
        case 1: return {Shape::box, {in(0.005, 0.3), in(0.005, 0.3), in(0.005, 0.3)}};
        case 2: return {Shape::cylinder, {in(0.01, 0.3), in(0.01, 0.3), 0}};
        case 3: return {Shape::sphere, {in(0.01, 0.1), 0, 0}};
        case 4: return {Shape::cone, {in(0.01, 0.3), in(0.01, 0.3), 0}, in(0, 1) < 0.5 ? 0 : 0.004};
        case 5:
        case 6: return {Shape::hull, {}, in(0, 1) < 0.5 ? 0 : 0.004, int(in(0, Real(passage_store()->hulls.size())))};
        default: return {Shape::box, {in(0.005, 0.05), in(0.005, 0.05), in(0.1, 0.5)}, 0.004};
        }
    }
};

MovingShape moving(const Convex& c, const RigidMotion& m, Real until = 1) { return {{}, c, m, until}; }

Placement place_of(const RigidMotion& m, Real until, Real t) { return place_at(m, std::min(t, until)); }
Placement core_place(const Followed& f, const Placement& p) { return {p.R, at(p, f.core_at)}; }

} // namespace

TEST(passage, cores_have_half_of_the_half_thickness_taken_off_all_around) {
    Draw draw;
    std::vector<Shape> shapes{{Shape::cone, {0.4, 0.3, 0}}, {Shape::cone, {0.1, 0.6, 0}, 0.01}, {Shape::cone, {0.5, 0.02, 0}}};
    for (int k = 0; k < int(passage_store()->hulls.size()); ++k) shapes.push_back({Shape::hull, {}, k % 2 ? 0.0 : 0.02, k});
    for (int k = 0; k < 100; ++k) shapes.push_back(draw.thin());
    for (const Shape& s : shapes) {
        const Followed f = follow(s);
        ASSERT_GT(f.inner, 0);
        const Real depth = kCoreDepth * f.inner;
        const auto by = [&](const Vec3& d) { return d.dot(support_grown(f.shape, d) - f.core_at - support_grown(f.core, d)); };
        for (int i = 0; i < 200; ++i) EXPECT_GE(by(draw.direction()), depth * (1 - 1e-9)) << s.kind << " " << s.data;
        // no more than that: each side comes in by the depth. Of hulls some sides are gone.
        if (s.kind == Shape::cone) {
            EXPECT_NEAR(by(-Vec3::UnitY()), depth, 1e-12);
            EXPECT_NEAR(by(Vec3(2 * s.size.y, s.size.x, 0).normalized()), depth, 1e-12);
        }
        if (s.kind == Shape::hull) {
            const HullShape& h = passage_store()->hulls[s.data];
            Real least = 1e9;
            for (const Real3& n : h.face_normal) {
                EXPECT_GE(by(vec(n)), depth - 1e-9 * 0.5) << s.data; // the hull's own tolerance, 1e-9 of its size
                least = std::min(least, by(vec(n)));
            }
            EXPECT_NEAR(least, depth, 1e-9) << s.data;
        }
    }
    // by another way: of the plates and needles every point of the core is that far from every face's plane, and every vertex lies on three
    for (const HullShape& h : passage_store()->hulls) {
        const Real inner = inner_ball(h).radius, off = kCoreDepth * inner;
        const auto core = shrink_hull(h, off);
        ASSERT_TRUE(core);
        for (const Real3& x : core->vertices) {
            int on = 0;
            for (std::size_t k = 0; k < h.face_normal.size(); ++k) {
                const Real inside = h.face_offset[k] - vec(h.face_normal[k]).dot(vec(x));
                EXPECT_GE(inside, off - 1e-9);
                on += inside < off + 1e-8;
            }
            EXPECT_GE(on, 3);
        }
    }
}

// First time at which the core is in b, by small steps: never after the time found, and no deep meeting is missed.
TEST(passage, stops_before_the_core_meets_for_random_motions_with_turns) {
    Draw draw;
    const ShapeCache& cache = passage_cache();
    std::vector<int> room;
    std::array<int, Shape::compound> stopped_of{};
    int stopped = 0, free = 0, stopped_again = 0;
    for (int k = 0; k < 900; ++k) {
        const Shape shape = draw.thin();
        const Followed a = follow(shape);
        const Convex wall = case_shape(Shape::box, {0.01, 2, 2});
        RigidMotion ma{{exp_rotation(draw.in(0, 3) * draw.direction()).toRotationMatrix(), Vec3(draw.in(-4, -0.6), draw.in(-1, 1), draw.in(-1, 1))},
                       draw.in(0, 0.1) * draw.direction(), Vec3(draw.in(0, 8), draw.in(-1, 1), draw.in(-1, 1)), draw.in(0, 7) * draw.direction()};
        RigidMotion mb{Placement{}, Vec3::Zero(), Vec3(draw.in(-0.5, 0.5), 0, 0), k % 3 ? Vec3(Vec3::Zero()) : Vec3(draw.in(0, 0.5) * draw.direction())};
        const Real ua = k % 5 ? 1 : draw.in(0.2, 1);
        const MovingShape sb = moving(wall, mb, k % 7 ? 1 : draw.in(0.2, 1));
        const Real near = 0.05 * a.inner;
        const Real t = find_passage(cache, a, ma, ua, sb, near, room);
        const auto core_distance = [&](Real time) {
            return convex_distance(a.core, core_place(a, place_of(ma, ua, time)), wall, place_of(mb, sb.until, time)).distance;
        };
        constexpr int kSteps = 1500;
        Real deep = 2;
        for (int i = 0; i <= kSteps && deep > 1; ++i)
            if (core_distance(Real(i) / kSteps) <= 0) deep = Real(i) / kSteps;
        if (deep == 0) continue; // not judged
        if (deep <= 1) {
            ASSERT_LT(t, deep) << k;
        }
        if (t > 1) {
            ++free;
            continue;
        }
        ++stopped;
        ++stopped_of[shape.kind];
        // apart by `near` at that time, and not much more: it has touched, unless it was as near from the start
        const Real then = convex_distance(a.shape, place_of(ma, ua, t), wall, place_of(mb, sb.until, t)).distance;
        const Real start = convex_distance(a.shape, place_of(ma, ua, 0), wall, place_of(mb, sb.until, 0)).distance;
        if (start > 2 * near) {
            EXPECT_NEAR(then, near, 1e-7) << k; // the tolerance of the cast, 1e-8 of the sizes
        }
        ASSERT_LT(deep, 2) << k; // what is stopped would have been deep
        // From where it has stopped it goes on, with the rest of its motion or all of it again: time 0 would hold it for ever.
        for (const Real part : {1 - t, 1.0}) {
            const RigidMotion next_a{place_of(ma, ua, t), ma.center, part * ma.shift, part * ma.turn};
            const MovingShape next_b = moving(wall, {place_of(mb, sb.until, t), mb.center, part * mb.shift, part * mb.turn});
            const Real again = find_passage(cache, a, next_a, 1, next_b, near, room);
            ASSERT_GT(again, 0) << k;
            stopped_again += again <= 1;
            if (again > 1) continue;
            EXPECT_GT(convex_distance(a.core, core_place(a, place_at(next_a, again)), wall, place_at(next_b.motion, again)).distance, 0) << k;
        }
    }
    EXPECT_GT(stopped, 200);
    EXPECT_GT(stopped_again, 100);
    EXPECT_GT(free, 100);
    for (const Shape::Kind kind : {Shape::capsule, Shape::box, Shape::cylinder, Shape::sphere, Shape::cone, Shape::hull}) EXPECT_GT(stopped_of[kind], 20) << kind;
}

TEST(passage, what_touches_from_the_start_stops_with_its_core_and_what_stays_beside_goes_on) {
    ShapeCache cache;
    std::vector<int> room;
    const Followed rod = follow({Shape::capsule, {0.01, 0.2, 0}});
    const Convex wall = case_shape(Shape::box, {0.01, 2, 2});
    // along y, its axis at x = -0.02: touches. Turned half about z its ends pass through the wall.
    const Placement at{Mat3::Identity(), Vec3(-0.02, 0, 0)};
    const MovingShape held = moving(wall, resting({}));
    const RigidMotion turns{at, Vec3::Zero(), Vec3::Zero(), Vec3(0, 0, kPi)};
    const Real t = find_passage(cache, rod, turns, 1, held, 0.0005, room);
    // the core is 0.005 from the wall, and half of it is left where the end of its axis has come by 0.2 sin(pi t) = 0.0025
    EXPECT_NEAR(t, std::asin(0.0025 / 0.2) / kPi, 1e-6);
    const RigidMotion slides{at, Vec3::Zero(), Vec3(0.004, 5, 3), Vec3(9, 0, 0)};
    EXPECT_GT(find_passage(cache, rod, slides, 1, held, 0.0005, room), 1);
}

// A triangle that is not met, but always near, counts.
TEST(passage, triangles_beside_the_way_count_as_near) {
    auto store = std::make_shared<ShapeStore>();
    TriangleShape sheets; // across the way at x = 1, and along it at y = 0.0106: 0.0006 from the ball of 0.01, 0.0056 from its core
    sheets.vertices = {{1, -2, -2}, {1, 2, -2}, {1, 0, 2}, {-3, 0.0106, -3}, {5, 0.0106, -3}, {1, 0.0106, 3}};
    sheets.triangles = {{0, 1, 2}, {3, 4, 5}};
    store->meshes.push_back(sheets);
    ShapeCache cache;
    update_shape_cache(store, cache);
    std::vector<int> room;
    const Followed ball = follow({Shape::sphere, {0.01, 0, 0}});
    const MovingShape mesh{{Shape::mesh, {}, 0, 0}, std::nullopt, resting({}), 1};
    const Real t = find_passage(cache, ball, {{}, Vec3::Zero(), Vec3(2, 0, 0), Vec3::Zero()}, 1, mesh, 0.0005, room);
    // near from the start: its core stops where half of 0.0056 is left, before the sheet at x = 1
    EXPECT_NEAR(t, (1 - 0.005 - 0.0028) / 2, 1e-6);
}

TEST(passage, meshes_and_height_fields_stop_what_boxes_stop) {
    auto store = std::make_shared<ShapeStore>();
    TriangleShape sheet;
    sheet.vertices = {{0, -2, -2}, {0, 2, -2}, {0, 2, 2}, {0, -2, 2}};
    sheet.triangles = {{0, 1, 2}, {0, 2, 3}};
    store->meshes.push_back(sheet);
    HeightFieldShape ground;
    ground.nx = ground.nz = 9, ground.dx = ground.dz = 0.5;
    ground.height.assign(81, 0.0);
    store->height_fields.push_back(ground);
    ShapeCache cache;
    update_shape_cache(store, cache);
    std::vector<int> room;
    Draw draw;
    for (int k = 0; k < 100; ++k) {
        const Followed rod = follow({Shape::capsule, {draw.in(0.005, 0.03), draw.in(0.05, 0.3), 0}});
        RigidMotion m{{exp_rotation(draw.in(0, 3) * draw.direction()).toRotationMatrix(), Vec3(draw.in(-2, -0.5), 0, 0)}, Vec3::Zero(), Vec3(draw.in(0, 4), 0, 0),
                      draw.in(0, 5) * draw.direction()};
        const Real near = 0.05 * rod.inner;
        const Real exact = find_passage(cache, rod, m, 1, moving(case_shape(Shape::box, {1e-9, 2, 2}), resting({})), near, room);
        const MovingShape mesh{{Shape::mesh, {}, 0, 0}, std::nullopt, resting({}), 1};
        EXPECT_NEAR(find_passage(cache, rod, m, 1, mesh, near, room), exact, 1e-6) << k;
        // the ground lies in xz and its normal is y: x of the motion becomes -y
        const Mat3 turn = exp_rotation(Vec3(0, 0, -kPi / 2)).toRotationMatrix();
        const RigidMotion down{{turn * m.start.R, turn * m.start.p + Vec3(2, 0, 2)}, m.center, turn * m.shift, turn * m.turn};
        const MovingShape field{{Shape::height_field, {}, 0, 0}, std::nullopt, resting({}), 1};
        EXPECT_NEAR(find_passage(cache, rod, down, 1, field, near, room), exact, 1e-6) << k;
    }
}
