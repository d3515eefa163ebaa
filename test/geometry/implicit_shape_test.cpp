#include "core/random.h"
#include "geometry/generate.h"
#include "geometry/implicit_shape.h"
#include "geometry/triangulate.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace sinew;

struct Case {
    const char* name;
    ImplicitShape shape;
    PolygonMesh mesh; // of the same surface
    Real chord;       // [m] how far the mesh lies inside the shape at most
};
static std::vector<Case> cases() {
    const Real r = 0.7, across = 1 - std::cos(kPi / 96) * std::cos(kPi / 96);
    return {{"plane", {ImplicitShape::plane, {}}, make_quad(8, 8), 0},
            {"sphere", {ImplicitShape::sphere, {r, 0, 0}}, make_uv_sphere(r, 96, 48), r * across},
            {"capsule", {ImplicitShape::capsule, {r, 0.9, 0}}, make_capsule(r, 1.8, 96, 24), r * across},
            {"box", {ImplicitShape::box, {0.5, 0.8, 1.1}}, make_box({1, 1.6, 2.2}), 0}};
}

static Vec3 draw_point(Rng& rng, Real size) {
    return {draw_uniform(rng, -size, size), draw_uniform(rng, -size, size), draw_uniform(rng, -size, size)};
}

// Points on the mesh so close that every point of it is within h of one.
static std::vector<Vec3> cover(const PolygonMesh& m, Real h) {
    std::vector<Vec3> points;
    for (const auto& t : triangulate(m).triangles) {
        const Vec3 a = vec(m.positions[t[0]]), e = vec(m.positions[t[1]]) - a, f = vec(m.positions[t[2]]) - a;
        const int n = int(std::ceil(std::max({e.norm(), f.norm(), (e - f).norm()}) / h));
        for (int i = 0; i <= n; ++i)
            for (int j = 0; i + j <= n; ++j) points.push_back(a + e * i / n + f * j / n);
    }
    return points;
}

TEST(implicit_shape, distance_agrees_with_a_search_over_the_generated_surface) {
    const Real h = 0.04;
    Rng rng{1};
    for (const Case& c : cases()) {
        const std::vector<Vec3> surface = cover(c.mesh, h);
        for (int trial = 0; trial < 150; ++trial) {
            const Vec3 p = draw_point(rng, 1.8);
            Real least = 1e9;
            for (const Vec3& x : surface) least = std::min(least, (x - p).norm());
            const Real d = std::abs(evaluate_shape(c.shape, p).distance);
            EXPECT_GE(least, d - c.chord - 1e-12) << c.name;
            EXPECT_LE(least, d + c.chord + h) << c.name;
        }
    }
}

TEST(implicit_shape, the_sign_is_negative_inside_only) {
    Rng rng{2};
    const std::vector<Case> list = cases();
    for (int trial = 0; trial < 2000; ++trial) {
        const Vec3 p = draw_point(rng, 1.8);
        const auto inside = [&](int i) { return evaluate_shape(list[i].shape, p).distance < 0; };
        EXPECT_EQ(inside(0), p.y() < 0);
        EXPECT_EQ(inside(1), p.norm() < 0.7);
        EXPECT_EQ(inside(2), (p - Vec3(0, std::clamp(p.y(), -0.9, 0.9), 0)).norm() < 0.7);
        EXPECT_EQ(inside(3), std::abs(p.x()) < 0.5 && std::abs(p.y()) < 0.8 && std::abs(p.z()) < 1.1);
    }
}

TEST(implicit_shape, normal_and_closest_point_belong_to_the_distance) {
    Rng rng{3};
    for (const Case& c : cases())
        for (int trial = 0; trial < 2000; ++trial) {
            const Vec3 p = draw_point(rng, 1.8);
            const ImplicitHit s = evaluate_shape(c.shape, p);
            EXPECT_NEAR(s.normal.norm(), 1, 1e-15 * 4) << c.name;
            EXPECT_NEAR((p - s.distance * s.normal - s.closest).norm(), 0, 1e-14) << c.name;
            EXPECT_NEAR(evaluate_shape(c.shape, s.closest).distance, 0, 1e-15 * 4) << c.name;
        }
}

// Central differences with step 1e-5: error of the order 1e-10 * third derivative, plus rounding 1e-16 /
// 1e-5. Points whose neighbours see another feature (medial surface, borders between face, edge and corner of
// the box) are left out.
TEST(implicit_shape, gradient_and_hessian_agree_with_finite_differences) {
    const Real h = 1e-5;
    Rng rng{4};
    for (const Case& c : cases()) {
        int tested = 0;
        for (int trial = 0; trial < 3000; ++trial) {
            const Vec3 p = draw_point(rng, 1.8);
            const ImplicitHit s = evaluate_shape(c.shape, p);
            Vec3 gradient;
            Mat3 hessian;
            bool smooth = true;
            for (int k = 0; k < 3; ++k) {
                const ImplicitHit a = evaluate_shape(c.shape, p + h * Vec3::Unit(k)),
                                  b = evaluate_shape(c.shape, p - h * Vec3::Unit(k));
                gradient[k] = (a.distance - b.distance) / (2 * h);
                hessian.col(k) = (a.normal - b.normal) / (2 * h);
                // on one side of a border the one-sided slopes differ
                const Vec3 bend = (a.normal - s.normal) - (s.normal - b.normal);
                smooth = smooth && bend.norm() < 1e-7;
            }
            if (!smooth || (p - Vec3(0, p.y(), 0)).norm() < 0.05) continue;
            ++tested;
            EXPECT_NEAR((gradient - s.normal).norm(), 0, 1e-7) << c.name << " " << p.transpose();
            EXPECT_NEAR((hessian - shape_hessian(c.shape, p)).norm(), 0, 1e-4)
                << c.name << " " << p.transpose();
        }
        EXPECT_GT(tested, 2500) << c.name;
    }
}

TEST(implicit_shape, every_special_place_has_a_unit_normal_and_a_point_on_the_surface) {
    const Real tiny = 1e-300, huge = 1e200;
    for (const Case& c : cases()) {
        std::vector<Vec3> places{Vec3::Zero(), {0, 0.9, 0}, {0, -0.9, 0},
                                 {0, 0.3, 0},  {0, 1.6, 0}, {0, -1.6, 0}};
        // centre, faces, edges and corners of the box, the surface itself and just off it
        for (int i = -1; i <= 1; ++i)
            for (int j = -1; j <= 1; ++j)
                for (int k = -1; k <= 1; ++k) {
                    const Vec3 x(0.5 * i, 0.8 * j, 1.1 * k);
                    for (Real s : {tiny, 0.5, 1.0, 1 + 1e-15, 2.0}) places.push_back(s * x);
                }
        for (const Vec3& p : places) {
            const ImplicitHit s = evaluate_shape(c.shape, p);
            EXPECT_NEAR(s.normal.norm(), 1, 1e-15 * 4) << c.name << " " << p.transpose();
            EXPECT_NEAR((p - s.distance * s.normal - s.closest).norm(), 0, 1e-14)
                << c.name << " " << p.transpose();
            EXPECT_TRUE(shape_hessian(c.shape, p).allFinite());
            // a step along the normal leads away from the surface point by as much
            const Vec3 out = s.closest + 0.25 * s.normal;
            EXPECT_NEAR(evaluate_shape(c.shape, out).distance, 0.25, 1e-14) << c.name << " " << p.transpose();
        }
        const ImplicitHit far = evaluate_shape(c.shape, Vec3(huge, huge, huge));
        EXPECT_TRUE(std::isfinite(far.distance) && far.distance > 0);
        EXPECT_NEAR(far.normal.norm(), 1, 1e-15 * 4);
    }
}

TEST(implicit_shape, bounds_hold_the_generated_surface_tightly) {
    for (const Case& c : cases()) {
        Vec3 min, max;
        shape_bounds(c.shape, min, max);
        if (c.shape.kind == ImplicitShape::plane) {
            EXPECT_EQ(max.y(), 0);
            continue;
        }
        const Bounds b = compute_bounds(c.mesh);
        EXPECT_NEAR((vec(b.max) - max).norm(), 0, 1e-14) << c.name;
        EXPECT_NEAR((vec(b.min) - min).norm(), 0, 1e-14) << c.name;
    }
}

TEST(implicit_shape, shapes_without_size_are_points_segments_and_plates) {
    EXPECT_EQ(evaluate_shape({ImplicitShape::sphere, {0, 0, 0}}, {0, 3, 4}).distance, 5);
    EXPECT_EQ(evaluate_shape({ImplicitShape::capsule, {0, 1, 0}}, {0, 1, 0}).distance, 0);
    const ImplicitHit plate = evaluate_shape({ImplicitShape::box, {1, 0, 1}}, {0.2, 0, 0.3});
    EXPECT_EQ(plate.distance, 0);
    EXPECT_EQ(plate.normal, Vec3(Vec3::UnitY()));
}

TEST(implicit_shape, a_point_that_is_not_a_number_is_not_taken_for_a_contact) {
    for (const Case& c : cases())
        EXPECT_FALSE(evaluate_shape(c.shape, Vec3::Constant(std::nan(""))).distance < 1) << c.name;
}
