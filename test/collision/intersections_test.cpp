#include "collision/intersections.h"
#include "core/random.h"
#include "geometry/exact.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

struct Mesh {
    std::vector<Real3> x;
    std::vector<std::array<int, 3>> triangles;
    TriangleSet set() const { return {x, triangles}; }
};

// n x n quads in the xz-plane
Mesh make_sheet(int n, Real height) {
    Mesh m;
    for (int k = 0; k <= n; ++k)
        for (int i = 0; i <= n; ++i) m.x.push_back({Real(i) / n, height, Real(k) / n});
    for (int k = 0; k < n; ++k)
        for (int i = 0; i < n; ++i) {
            const int a = k * (n + 1) + i, b = a + 1, c = a + n + 1, d = c + 1;
            m.triangles.push_back({a, c, b});
            m.triangles.push_back({b, c, d});
        }
    return m;
}

std::vector<Pair> self(const Mesh& m, int threads = 1) {
    const auto parallel = make_parallel({.threads = threads});
    IntersectScratch scratch;
    std::vector<Pair> out;
    EXPECT_TRUE(find_self_intersections(*parallel, m.set(), scratch, out));
    return out;
}
std::vector<Pair> two(const Mesh& a, const Mesh& b) {
    const auto parallel = make_parallel({.threads = 1});
    IntersectScratch scratch;
    std::vector<Pair> out;
    EXPECT_TRUE(find_intersections(*parallel, a.set(), b.set(), scratch, out));
    return out;
}
Triangle3 corners_of(const Mesh& m, int t) {
    return {vec(m.x[m.triangles[t][0]]), vec(m.x[m.triangles[t][1]]), vec(m.x[m.triangles[t][2]])};
}

} // namespace

TEST(intersections, a_sheet_and_a_bent_sheet_have_none) {
    Mesh m = make_sheet(20, 0);
    EXPECT_TRUE(self(m).empty());
    for (Real3& p : m.x) p.y = 0.3 * std::sin(7 * p.x) * std::cos(5 * p.z);
    EXPECT_TRUE(self(m).empty());
    Mesh above = m;
    for (Real3& p : above.x) p.y += 1e-15;
    EXPECT_FALSE(m.x[50].y == above.x[50].y);
    EXPECT_TRUE(self(above).empty());
}

TEST(intersections, folded_neighbours_and_pierced_triangles_are_found) {
    Mesh m{{{0, 0, 0}, {1, 0, 0}, {0.3, 0, 1}, {0.4, 0, 0.8}}, {{0, 1, 2}, {1, 0, 3}}};
    EXPECT_EQ(self(m), (std::vector<Pair>{{0, 1}}));
    m.x[3] = {0.4, 0, -0.8};
    EXPECT_TRUE(self(m).empty());
    // a fin that stands on one corner and leans through its neighbour
    m = {{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0.5, 0.5, 0.4}, {0.4, -0.5, 0.4}}, {{0, 2, 1}, {0, 3, 4}}};
    EXPECT_EQ(self(m), (std::vector<Pair>{{0, 1}}));
    m.x[4].y = 0.1;
    EXPECT_TRUE(self(m).empty());
    // the same triangle twice
    m = {{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}, {{0, 1, 2}, {2, 1, 0}}};
    EXPECT_EQ(self(m), (std::vector<Pair>{{0, 1}}));
}

TEST(intersections, touching_counts_and_the_last_bit_decides) {
    const Mesh floor = make_sheet(3, 0);
    Mesh tip{{{0.4, 0, 0.45}, {0.4, 1, 0.3}, {0.6, 1, 0.3}}, {{0, 1, 2}}};
    EXPECT_EQ(two(tip, floor).size(), 1u);
    tip.x[0].y = 5e-324;
    EXPECT_TRUE(two(tip, floor).empty());
}

TEST(intersections, equal_the_test_of_all_pairs_for_any_thread_count) {
    Rng g{61, 0, 0};
    Mesh m;
    for (int i = 0; i < 400; ++i) {
        const Vec3 at(draw_uniform(g), draw_uniform(g), draw_uniform(g));
        for (int k = 0; k < 3; ++k) m.x.push_back(real3(at + 0.1 * vec(draw_in_ball(g))));
        m.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
    }
    std::vector<Pair> expected;
    for (int i = 0; i < 400; ++i)
        for (int j = i + 1; j < 400; ++j)
            if (triangles_intersect(corners_of(m, i), corners_of(m, j))) expected.push_back({i, j});
    EXPECT_GT(expected.size(), 50u);
    for (int threads : {1, 2, 3, 8}) EXPECT_EQ(self(m, threads), expected);
    // the pairs of the edges alone are the same triangles
    std::vector<std::array<int, 2>> edges;
    for (const auto& t : m.triangles)
        for (int k = 0; k < 3; ++k) edges.push_back({t[k], t[(k + 1) % 3]});
    const auto parallel = make_parallel({.threads = 2});
    IntersectScratch scratch;
    std::vector<Pair> found, triangles;
    EXPECT_TRUE(find_edge_intersections(*parallel, m.set(), edges, scratch, found));
    for (const Pair& p : found) triangles.push_back({std::min(p[0] / 3, p[1]), std::max(p[0] / 3, p[1])});
    std::sort(triangles.begin(), triangles.end());
    triangles.erase(std::unique(triangles.begin(), triangles.end()), triangles.end());
    EXPECT_EQ(triangles, expected);
}

TEST(intersections, refuse_coordinates_that_are_not_finite) {
    Mesh m = make_sheet(2, 0);
    m.x[3].y = std::nan("");
    const auto parallel = make_parallel({.threads = 1});
    IntersectScratch scratch;
    std::vector<Pair> out;
    EXPECT_FALSE(find_self_intersections(*parallel, m.set(), scratch, out));
    EXPECT_TRUE(find_self_intersections(*parallel, {}, scratch, out));
    EXPECT_TRUE(out.empty());
}
