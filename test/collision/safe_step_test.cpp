// Steps along a direction: nothing intersects up to them, and they are not much shorter than need be.
#include "collision/intersections.h"
#include "collision/safe_step.h"
#include "collision/swept_sphere.h"
#include "core/random.h"
#include "geometry/distance_closest.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

struct Sheets {
    std::vector<Real3> x;
    std::vector<std::array<int, 3>> triangles;
    std::vector<std::array<int, 2>> edges;
    SurfaceTopology topology() const { return {int(x.size()), edges, triangles}; }
};

// two wrinkled n x n sheets, the second above
Sheets make_sheets(int n, Real gap) {
    Sheets s;
    Rng g{71, 0, 0};
    for (int sheet = 0; sheet < 2; ++sheet) {
        const int base = int(s.x.size());
        const auto at = [&](int i, int k) { return base + k * n + i; };
        for (int k = 0; k < n; ++k)
            for (int i = 0; i < n; ++i)
                s.x.push_back({(i + 0.2 * draw_uniform(g)) / n, sheet * gap + 0.3 / n * draw_uniform(g),
                               (k + 0.2 * draw_uniform(g)) / n});
        for (int k = 0; k < n; ++k)
            for (int i = 0; i < n; ++i) {
                if (i + 1 < n) s.edges.push_back({at(i, k), at(i + 1, k)});
                if (k + 1 < n) s.edges.push_back({at(i, k), at(i, k + 1)});
                if (i + 1 == n || k + 1 == n) continue;
                s.edges.push_back({at(i + 1, k), at(i, k + 1)});
                s.triangles.push_back({at(i, k), at(i, k + 1), at(i + 1, k)});
                s.triangles.push_back({at(i + 1, k), at(i, k + 1), at(i + 1, k + 1)});
            }
    }
    return s;
}
std::vector<Real3> pushed_down(const Sheets& s, Real by) {
    std::vector<Real3> x = s.x;
    Rng g{72, 0, 0};
    for (std::size_t i = x.size() / 2; i < x.size(); ++i)
        vec(x[i]) += Vec3(0.1, -by * (1 + draw_uniform(g)), 0.05);
    return x;
}
std::vector<Real3> between(const std::vector<Real3>& a, const std::vector<Real3>& b, Real t) {
    std::vector<Real3> x = a;
    for (std::size_t i = 0; i < x.size(); ++i) vec(x[i]) = (1 - t) * vec(a[i]) + t * vec(b[i]);
    return x;
}

struct Found {
    SafeStep step;
    Candidates candidates;
};
Found find_step_of_sheets(const Sheets& s, const std::vector<Real3>& x1, const SafeStepOptions& o, int threads) {
    const auto parallel = make_parallel({.threads = threads});
    SurfaceNeighbors neighbors;
    EXPECT_TRUE(build_neighbors(s.topology(), 1, neighbors));
    CandidateScratch scratch;
    SafeStepScratch step;
    Found f;
    EXPECT_TRUE(find_candidates(*parallel, s.topology(), neighbors, s.x, x1, 2 * o.separation, scratch,
                                f.candidates));
    f.step = find_safe_step(*parallel, s.topology(), f.candidates, s.x, x1, o, step);
    return f;
}
std::size_t intersection_count(const Sheets& s, const std::vector<Real3>& x) {
    const auto parallel = make_parallel({.threads = 2});
    IntersectScratch scratch;
    std::vector<Pair> out;
    EXPECT_TRUE(find_self_intersections(*parallel, {x, s.triangles}, scratch, out));
    return out.size();
}

} // namespace

TEST(safe_step, stops_before_the_first_intersection_and_not_long_before) {
    const Sheets s = make_sheets(30, 0.1);
    const std::vector<Real3> x1 = pushed_down(s, 0.2);
    const Found f = find_step_of_sheets(s, x1, {}, 1);
    ASSERT_GT(f.candidates.edge_edge.size(), 1000u);
    EXPECT_GT(f.step.step, 0);
    EXPECT_LT(f.step.step, 1);
    EXPECT_NE(f.step.kind, SafeStep::none);
    EXPECT_EQ(intersection_count(s, s.x), 0u);
    EXPECT_EQ(intersection_count(s, between(s.x, x1, f.step.step * (1 - 1e-9))), 0u);
    EXPECT_GT(intersection_count(s, between(s.x, x1, f.step.step * (1 + 1e-6))), 0u);
}

TEST(safe_step, is_the_same_for_any_thread_count) {
    const Sheets s = make_sheets(24, 0.08);
    const std::vector<Real3> x1 = pushed_down(s, 0.15);
    for (Real separation : {0.0, 1e-3}) {
        const Found one = find_step_of_sheets(s, x1, {separation}, 1);
        for (int threads : {2, 3, 8}) {
            const Found f = find_step_of_sheets(s, x1, {separation}, threads);
            EXPECT_EQ(f.step.step, one.step.step);
            EXPECT_EQ(f.step.kind, one.step.kind);
            EXPECT_EQ(f.step.pair, one.step.pair);
        }
    }
}

TEST(safe_step, keeps_the_separation_and_part_of_smaller_distances) {
    const Sheets s = make_sheets(14, 0.1);
    const std::vector<Real3> x1 = pushed_down(s, 0.2);
    for (Real separation : {1e-4, 1e-2, 0.5}) {
        const Found f = find_step_of_sheets(s, x1, {separation, 0.5}, 1);
        const std::vector<Real3> x = between(s.x, x1, f.step.step);
        Real smallest_ratio = 1e9;
        const auto look = [&](const Closest& now, const Closest& start) {
            const Real need = std::min(separation, 0.5 * std::sqrt(start.squared));
            smallest_ratio = std::min(smallest_ratio, std::sqrt(now.squared) / need);
        };
        for (const Pair& p : f.candidates.vertex_triangle) {
            const auto& t = s.triangles[p[1]];
            const auto at = [&](const std::vector<Real3>& y) {
                return closest_vertex_triangle(vec(y[p[0]]), vec(y[t[0]]), vec(y[t[1]]), vec(y[t[2]]));
            };
            look(at(x), at(s.x));
        }
        for (const Pair& p : f.candidates.edge_edge) {
            const auto &a = s.edges[p[0]], &b = s.edges[p[1]];
            const auto at = [&](const std::vector<Real3>& y) {
                return closest_edge_edge(vec(y[a[0]]), vec(y[a[1]]), vec(y[b[0]]), vec(y[b[1]]));
            };
            look(at(x), at(s.x));
        }
        EXPECT_GE(smallest_ratio, 1 - 1e-9) << separation; // rounding of the positions at the step
        EXPECT_LE(smallest_ratio, 1 + 1e-3) << separation; // someone arrives there
        EXPECT_GT(f.step.step, 0);
    }
}

TEST(safe_step, is_one_without_contact_and_zero_when_touching) {
    Sheets s = make_sheets(5, 0.5);
    EXPECT_EQ(find_step_of_sheets(s, pushed_down(s, 0.01), {}, 1).step.step, 1);
    EXPECT_EQ(find_step_of_sheets(s, pushed_down(s, 0.01), {}, 1).step.kind, SafeStep::none);
    s.x[30] = s.x[3];
    EXPECT_EQ(find_step_of_sheets(s, pushed_down(s, 0.01), {}, 1).step.step, 0);
}

// quadratic equation |c + t v| = r
TEST(swept_sphere, meets_a_sphere_at_the_root_of_the_quadratic) {
    Rng g{73, 0, 0};
    int hits = 0;
    for (int k = 0; k < 5000; ++k) {
        CcdPoints a, b;
        for (int i = 0; i < 2; ++i) a[i] = 2 * vec(draw_in_ball(g)), b[i] = 2 * vec(draw_in_ball(g));
        const Real r = draw_uniform(g, 0.05, 0.5);
        const Vec3 c = a[0] - a[1], v = b[0] - b[1] - c;
        const SphereImpact s = find_impact_sphere_sphere(a, b, r);
        const Real p = c.dot(v) / v.squaredNorm(), q = (c.squaredNorm() - r * r) / v.squaredNorm(),
                   d = p * p - q;
        const Real root = q <= 0 ? 0 : d >= 0 && -p - std::sqrt(d) >= 0 ? -p - std::sqrt(d) : 2;
        if (std::abs(d) < 1e-6 || std::abs(root - 1) < 1e-6) continue; // rounding of the formula decides
        EXPECT_EQ(s.time != kNoImpact, root <= 1);
        if (root > 1) continue;
        EXPECT_LE(s.time, root + 1e-9); // rounding of the formula
        EXPECT_GE(s.time, root - 1e-6);
        if (root > 0) {
            EXPECT_LE((s.normal - (c + root * v).normalized()).norm(), 1e-4);
        }
        ++hits;
    }
    EXPECT_GT(hits, 150);
}

TEST(swept_sphere, meets_a_triangle_and_an_edge_at_its_radius) {
    Rng g{74, 0, 0};
    int hits[2] = {};
    for (int k = 0; k < 4000; ++k) {
        CcdPoints a, b;
        for (int i = 0; i < 4; ++i) a[i] = vec(draw_in_ball(g)), b[i] = vec(draw_in_ball(g));
        const Real r = 0.1;
        const auto distance = [&](Real t, bool edge) {
            CcdPoints x;
            for (int i = 0; i < 4; ++i) x[i] = (1 - t) * a[i] + t * b[i];
            return std::sqrt(edge ? closest_vertex_edge(x[0], x[1], x[2]).squared
                                  : closest_vertex_triangle(x[0], x[1], x[2], x[3]).squared);
        };
        for (bool edge : {false, true}) {
            const SphereImpact s =
                edge ? find_impact_sphere_edge(a, b, r) : find_impact_sphere_triangle(a, b, r);
            Real smallest = 1;
            const int samples = 200;
            const Real end = std::min(s.time, 1.0);
            for (int i = 0; i < samples; ++i)
                smallest = std::min(smallest, distance(end * i / samples, edge));
            if (s.time == 0) {
                EXPECT_LE(distance(0, edge), r * (1 + 1e-12));
            } else {
                EXPECT_GT(smallest, r) << edge;
                if (s.time != kNoImpact) {
                    EXPECT_NEAR(distance(s.time, edge), r, 1e-8);
                    ++hits[edge];
                }
            }
        }
    }
    EXPECT_GT(hits[0], 400);
    EXPECT_GT(hits[1], 150);
}

// spec P V28: a particle at 100 m/s through a cloth of 1 mm within 0.01 s; ends alone see nothing
TEST(swept_sphere, catches_a_bullet_that_the_ends_of_the_step_miss) {
    const Real dt = 0.01, thickness = 1e-3, speed = 100;
    const CcdPoints a{Vec3(0.1, 0.4, 0.1), Vec3(-1, 0, -1), Vec3(1, 0, -1), Vec3(0, 0, 1)};
    CcdPoints b = a;
    b[0].y() -= speed * dt;
    EXPECT_GT(std::sqrt(closest_vertex_triangle(a[0], a[1], a[2], a[3]).squared), thickness);
    EXPECT_GT(std::sqrt(closest_vertex_triangle(b[0], b[1], b[2], b[3]).squared), thickness);
    EXPECT_NEAR(find_impact_sphere_triangle(a, b, thickness).time, 0.4 - thickness, 1e-9);
    // the alternative, a step so short that nothing moves by more than its thickness: dt < 1e-5 s
    EXPECT_EQ(largest_step_without_tunnelling(speed, thickness), 1e-5);
}
