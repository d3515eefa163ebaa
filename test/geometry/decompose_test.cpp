#include "geometry/decompose.h"
#include "core/math.h"
#include "data_path.h"
#include "geometry/decompose_part.h"
#include "geometry/generate.h"
#include "geometry/read_mesh.h"
#include "geometry/triangle_shape.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace sinew;

// coarse: these shapes have no detail
static const DecomposeSettings kCoarse{.resolution = 40, .spacing = 0.01};

// a polygon in the xy-plane, counter-clockwise, from z = 0 to depth
static TriangleShape prism(const std::vector<std::array<Real, 2>>& outline, Real depth) {
    PolygonMesh m;
    const int n = int(outline.size());
    for (Real z : {0.0, depth})
        for (const auto& p : outline) m.positions.push_back({p[0], p[1], z});
    std::vector<int> front, back;
    for (int i = 0; i < n; ++i) front.push_back(n + i), back.push_back(n - 1 - i);
    add_polygon(m, front);
    add_polygon(m, back);
    for (int i = 0; i < n; ++i) add_polygon(m, {i, (i + 1) % n, n + (i + 1) % n, n + i});
    return shape_of(m);
}

static TriangleShape torus(Real major, Real minor, int n, int k) {
    PolygonMesh m;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < k; ++j) {
            const Real u = 2 * kPi * i / n, v = 2 * kPi * j / k, r = major + minor * std::cos(v);
            m.positions.push_back({r * std::cos(u), minor * std::sin(v), -r * std::sin(u)});
        }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < k; ++j) {
            const int i2 = (i + 1) % n, j2 = (j + 1) % k;
            add_polygon(m, {i * k + j, i2 * k + j, i2 * k + j2, i * k + j2});
        }
    return shape_of(m);
}

// Everything that is promised: count, concavity measured by the judge, and that the hulls cover the surface.
static void expect_good(const TriangleShape& m, const Decomposition& d, const DecomposeSettings& s) {
    ASSERT_FALSE(d.hulls.empty());
    EXPECT_LE(int(d.hulls.size()), s.max_hulls);
    EXPECT_TRUE(d.within_limit);
    for (std::size_t i = 0; i < d.hulls.size(); ++i) {
        const Concavity c = measure_concavity(m, d.hulls[i], s.spacing * 0.7 * d.diagonal);
        EXPECT_LE(c.excess, s.concavity * d.diagonal) << i;
        EXPECT_LE(c.depth, s.concavity * d.diagonal) << i;
    }
    // every vertex of the mesh lies in a hull; hulls leave out points within 1e-10 of their extent
    for (const Real3& v : m.vertices) {
        Real best = -1e300;
        for (const HullShape& h : d.hulls) best = std::max(best, depth_in_hull(h, vec(v), -1e300));
        ASSERT_GE(best, -1e-8 * d.diagonal);
    }
}

TEST(decompose, a_convex_mesh_is_one_hull) {
    const ParallelPtr p = make_parallel({.threads = 2});
    for (const TriangleShape& m : {shape_of(make_box({1, 2, 3})), shape_of(make_icosphere(1, 3)), shape_of(make_cone(1, 2, 24))}) {
        const auto d = decompose_mesh(*p, m, kCoarse);
        ASSERT_TRUE(d);
        EXPECT_EQ(d.value->hulls.size(), 1u);
        EXPECT_EQ(d.value->cuts, 0);
        expect_good(m, *d.value, {});
    }
}

TEST(decompose, an_l_shape_is_exactly_two_boxes) {
    const ParallelPtr p = make_parallel({.threads = 2});
    const TriangleShape m = prism({{0, 0}, {2, 0}, {2, 0.7}, {0.9, 0.7}, {0.9, 3}, {0, 3}}, 1);
    const auto d = decompose_mesh(*p, m, kCoarse);
    ASSERT_TRUE(d);
    ASSERT_EQ(d.value->hulls.size(), 2u);
    EXPECT_NEAR(hull_volume(d.value->hulls[0]) + hull_volume(d.value->hulls[1]), 2 * 0.7 + 0.9 * 2.3, 1e-12);
    for (Real c : d.value->concavity) EXPECT_NEAR(c, 0, 1e-12);
    expect_good(m, *d.value, {});
}

TEST(decompose, a_cross_is_three_boxes_and_a_comb_one_for_each_tooth_and_the_back) {
    const ParallelPtr p = make_parallel({.threads = 2});
    const TriangleShape cross = prism({{1, 0}, {2, 0}, {2, 1}, {3, 1}, {3, 2}, {2, 2}, {2, 3}, {1, 3}, {1, 2}, {0, 2}, {0, 1}, {1, 1}}, 1);
    const auto d = decompose_mesh(*p, cross, kCoarse);
    ASSERT_TRUE(d);
    EXPECT_EQ(d.value->hulls.size(), 3u);
    expect_good(cross, *d.value, {});
    const TriangleShape comb = prism({{0, 0}, {5, 0}, {5, 3}, {4, 3}, {4, 1}, {3, 1}, {3, 3}, {2, 3}, {2, 1}, {1, 1}, {1, 3}, {0, 3}}, 1);
    const auto e = decompose_mesh(*p, comb, kCoarse);
    ASSERT_TRUE(e);
    EXPECT_EQ(e.value->hulls.size(), 4u);
    Real volume = 0;
    for (const HullShape& h : e.value->hulls) volume += hull_volume(h);
    EXPECT_NEAR(volume, 5 + 3 * 2, 0.3); // a tooth may keep a slope of 2 % of the diagonal at its foot
    expect_good(comb, *e.value, {});
}

TEST(decompose, a_torus_stays_within_the_limit) {
    const ParallelPtr p = make_parallel({.threads = 2});
    const TriangleShape m = torus(1, 0.35, 32, 16);
    const DecomposeSettings s{.concavity = 0.03, .resolution = 40, .spacing = 0.01};
    const auto d = decompose_mesh(*p, m, s);
    ASSERT_TRUE(d);
    EXPECT_GE(d.value->hulls.size(), 5u);
    EXPECT_LE(d.value->hulls.size(), 20u);
    expect_good(m, *d.value, s);
    // the same for any number of threads
    const auto e = decompose_mesh(*make_parallel({.threads = 3}), m, s);
    ASSERT_EQ(e.value->hulls.size(), d.value->hulls.size());
    for (std::size_t i = 0; i < d.value->hulls.size(); ++i) EXPECT_EQ(e.value->hulls[i].vertices, d.value->hulls[i].vertices);
}

TEST(decompose, too_few_hulls_are_kept_to_and_said) {
    const ParallelPtr p = make_parallel({.threads = 2});
    const auto d = decompose_mesh(*p, torus(1, 0.35, 24, 12), {.max_hulls = 3, .resolution = 32, .spacing = 0.02});
    ASSERT_TRUE(d);
    EXPECT_LE(d.value->hulls.size(), 3u);
    EXPECT_FALSE(d.value->within_limit);
}

TEST(decompose, open_meshes_and_senseless_settings_are_refused) {
    const ParallelPtr p = make_parallel({.threads = 1});
    EXPECT_FALSE(decompose_mesh(*p, shape_of(make_grid(2, 2, 1, 1)), {}));
    EXPECT_FALSE(decompose_mesh(*p, {}, {}));
    EXPECT_FALSE(decompose_mesh(*p, shape_of(make_box({1, 1, 1})), {.max_hulls = 0}));
    EXPECT_FALSE(decompose_mesh(*p, shape_of(make_box({1, 1, 1})), {.concavity = 0}));
}

static void decompose_file(const char* name, const DecomposeSettings& settings) {
    const std::string path = find_data(name);
    if (path.empty()) GTEST_SKIP() << name << " is neither in $SINEW_DATA nor in shared/data beside the sources";
    const TriangleShape m = shape_of(*read_mesh(path).value);
    const auto d = decompose_mesh(*make_parallel({.threads = 2}), m, settings);
    ASSERT_TRUE(d);
    std::printf("%s: %zu hulls, %d cuts, concavity %.4f of the diagonal\n", name, d.value->hulls.size(), d.value->cuts,
                *std::max_element(d.value->concavity.begin(), d.value->concavity.end()) / d.value->diagonal);
    expect_good(m, *d.value, settings);
}
// coarser samples than the settings' own, the same limits: concavity is judged at 0.7 of their spacing
TEST(decompose, the_cow_needs_at_most_64_hulls_of_2_percent) {
    decompose_file("meshes/spot.obj", {.resolution = 40, .spacing = 0.015});
}
TEST(soak_decompose, the_cow_needs_at_most_64_hulls_of_2_percent) { decompose_file("meshes/spot.obj", {}); }
TEST(soak_decompose, the_dragon_needs_at_most_64_hulls_of_2_percent) { decompose_file("meshes/dragon_50k.obj", {}); }
