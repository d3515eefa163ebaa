// Candidates of surfaces against looking at every pair of elements.
#include "collision/box_scenes.h"
#include "collision/candidates.h"
#include "collision/pair_rules.h"
#include "core/random.h"
#include <gtest/gtest.h>
#include <set>

using namespace sinew;

namespace {

// two crumpled sheets, a rod through them, and loose points
struct Surface {
    std::vector<Real3> x, x_end;
    std::vector<std::array<int, 2>> edges;
    std::vector<std::array<int, 3>> triangles;
    std::vector<Real> thickness;
    std::vector<int> object;
    std::vector<std::uint32_t> group, mask;
};

void add_vertex(const Vec3& p, int object, Rng& r, Surface& s) {
    s.x.push_back(real3(p));
    const Vec3 move = 0.1 * Vec3(draw_normal(r), draw_normal(r), draw_normal(r));
    s.x_end.push_back(real3(p + move));
    s.thickness.push_back(0.01 + 0.02 * draw_uniform(r));
    s.object.push_back(object);
}
void add_crumpled_sheet(int n, Real height, int object, Rng& r, Surface& s) {
    const int first = int(s.x.size());
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            add_vertex({Real(i) / n, height + 0.05 * draw_normal(r), Real(j) / n}, object, r, s);
    std::set<std::array<int, 2>> edges;
    const auto at = [&](int i, int j) { return first + i * n + j; };
    for (int i = 0; i + 1 < n; ++i)
        for (int j = 0; j + 1 < n; ++j)
            for (std::array<int, 3> t : {std::array<int, 3>{at(i, j), at(i, j + 1), at(i + 1, j)},
                                         std::array<int, 3>{at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)}}) {
                s.triangles.push_back(t);
                for (int k = 0; k < 3; ++k)
                    edges.insert({std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])});
            }
    s.edges.insert(s.edges.end(), edges.begin(), edges.end());
}
Surface make_surface(int seed, int n) {
    Rng r{std::uint64_t(seed)};
    Surface s;
    add_crumpled_sheet(n, 0, 0, r, s);
    add_crumpled_sheet(n, 0.1, 1, r, s);
    for (int k = 0; k < n; ++k) {
        add_vertex({0.4, Real(k) / n - 0.5, 0.4}, 2, r, s);
        if (k) s.edges.push_back({int(s.x.size()) - 2, int(s.x.size()) - 1});
    }
    for (int k = 0; k < 3 * n; ++k)
        add_vertex({draw_uniform(r), draw_uniform(r, -0.3, 0.3), draw_uniform(r)}, 3, r, s);
    return s;
}
SurfaceTopology topology_of(const Surface& s) {
    SurfaceTopology t;
    t.vertex_count = int(s.x.size());
    t.edges = s.edges, t.triangles = s.triangles, t.thickness = s.thickness, t.object = s.object;
    t.group = s.group, t.mask = s.mask;
    return t;
}

// boxes and rules written down plainly, one pair at a time
struct Oracle {
    const Surface& s;
    const SurfaceTopology& t;
    std::span<const Real3> end;
    Real margin;
    int rings;
    std::vector<std::set<int>> links;
};
std::set<int> ring_of(const Oracle& o, int v) {
    std::set<int> reached{v};
    for (int k = 1; k < o.rings; ++k) {
        std::set<int> more = reached;
        for (int w : reached) more.insert(o.links[w].begin(), o.links[w].end());
        reached = more;
    }
    return reached;
}
Real gap_of(const Oracle& o, std::vector<int> a, std::vector<int> b) {
    Real gap = -1e300, thick[2] = {0, 0};
    for (int k = 0; k < 2; ++k)
        for (int v : k ? b : a) thick[k] = std::max(thick[k], o.s.thickness[v]);
    for (int c = 0; c < 3; ++c) {
        Real lo[2] = {1e300, 1e300}, hi[2] = {-1e300, -1e300};
        for (int k = 0; k < 2; ++k)
            for (int v : k ? b : a)
                for (Real x : {o.s.x[v][c], o.end[v][c]})
                    lo[k] = std::min(lo[k], x), hi[k] = std::max(hi[k], x);
        gap = std::max({gap, lo[0] - hi[1], lo[1] - hi[0]});
    }
    return gap - thick[0] - thick[1] - o.margin;
}
bool allowed(const Oracle& o, const std::vector<int>& a, const std::vector<int>& b) {
    for (int v : a)
        for (int w : b)
            if (ring_of(o, v).count(w)) return false;
    if (o.t.group.size() && !((o.s.group[a[0]] & o.s.mask[b[0]]) && (o.s.group[b[0]] & o.s.mask[a[0]])))
        return false;
    for (const Pair& p : o.t.excluded)
        if ((p == Pair{o.s.object[a[0]], o.s.object[b[0]]}) ||
            (p == Pair{o.s.object[b[0]], o.s.object[a[0]]}))
            return false;
    return true;
}
template <class A, class B>
void compare(const Oracle& o, const A& a, const B& b, bool self, const std::vector<Pair>& found) {
    const std::set<Pair> set(found.begin(), found.end());
    ASSERT_EQ(set.size(), found.size());
    ASSERT_TRUE(std::is_sorted(found.begin(), found.end()));
    for (int i = 0; i < int(a.size()); ++i)
        for (int j = self ? i + 1 : 0; j < int(b.size()); ++j) {
            const std::vector<int> va(a[i].begin(), a[i].end()), vb(b[j].begin(), b[j].end());
            const Real gap = gap_of(o, va, vb);
            const bool is_found = set.count({i, j}) != 0;
            if (gap > 0 && gap <= 1e-12) continue; // rounding of the growth
            ASSERT_EQ(is_found, gap <= 0 && allowed(o, va, vb)) << i << " " << j;
        }
}
void check_against_oracle(const Surface& s, const SurfaceTopology& t, std::span<const Real3> end, int rings, Real margin) {
    Oracle o{s, t, end, margin, rings, std::vector<std::set<int>>(s.x.size())};
    const auto link = [&](int a, int b) { o.links[a].insert(b), o.links[b].insert(a); };
    for (const auto& e : s.edges) link(e[0], e[1]);
    SurfaceNeighbors n;
    ASSERT_TRUE(build_neighbors(t, rings, n));
    CandidateScratch scratch;
    Candidates found;
    ASSERT_TRUE(find_candidates(*kOneThread, t, n, s.x, end, margin, scratch, found));
    std::vector<std::array<int, 1>> vertices, points;
    std::set<int> used;
    for (const auto& e : s.edges) used.insert(e.begin(), e.end());
    for (int v = 0; v < int(s.x.size()); ++v) vertices.push_back({v});
    compare(o, vertices, s.triangles, false, found.vertex_triangle);
    compare(o, s.edges, s.edges, true, found.edge_edge);
    // loose points only, and the edges of the rod only
    for (const Pair& p : found.vertex_vertex) ASSERT_FALSE(used.count(p[0]) || used.count(p[1]));
    for (const Pair& p : found.vertex_edge) ASSERT_TRUE(!used.count(p[0]) && s.object[s.edges[p[1]][0]] == 2);
    std::vector<Pair> kept;
    const int first = int(s.x.size()) - int(n.free_vertices.size());
    for (const Pair& p : found.vertex_vertex) kept.push_back({p[0] - first, p[1] - first});
    for (int v : n.free_vertices) points.push_back({v});
    compare(o, points, points, true, kept);
    std::vector<std::array<int, 2>> rod;
    for (int e : n.free_edges) rod.push_back(s.edges[e]);
    kept.clear();
    for (const Pair& p : found.vertex_edge) kept.push_back({p[0] - first, p[1] - n.free_edges[0]});
    compare(o, points, rod, false, kept);
    EXPECT_FALSE(found.vertex_triangle.empty() || found.edge_edge.empty());
}

} // namespace

TEST(candidates, at_rest_are_the_pairs_within_reach) {
    for (int seed = 0; seed < 3; ++seed) {
        const Surface s = make_surface(seed, 6);
        check_against_oracle(s, topology_of(s), s.x, 1, 0.02 * seed);
    }
}
TEST(candidates, swept_are_the_pairs_within_reach_on_the_way) {
    for (int seed = 0; seed < 3; ++seed) {
        const Surface s = make_surface(seed, 6);
        check_against_oracle(s, topology_of(s), s.x_end, 1, 0.02 * seed);
    }
}
TEST(candidates, leave_out_neighbours_up_to_the_given_ring) {
    const Surface s = make_surface(1, 6);
    for (int rings : {2, 3}) check_against_oracle(s, topology_of(s), s.x_end, rings, 0.01);
}
TEST(candidates, obey_groups_masks_and_exclusions) {
    Surface s = make_surface(2, 6);
    for (int v = 0; v < int(s.x.size()); ++v) {
        s.group.push_back(1u << s.object[v]);
        s.mask.push_back(s.object[v] == 2 ? 0b1001 : 0b1111); // the rod meets the first sheet and the points
    }
    std::vector<Pair> excluded{{3, 0}, {1, 1}, {3, 3}};
    sort_exclusions(excluded);
    SurfaceTopology t = topology_of(s);
    t.excluded = excluded;
    check_against_oracle(s, t, s.x_end, 1, 0);
}
// sheets that meet points alone: their edges meet no edge and their vertices no triangle, and are not looked at
TEST(candidates, of_elements_that_can_meet_nobody_are_not_looked_for) {
    Surface s = make_surface(3, 6);
    for (std::size_t v = 0; v < s.x.size(); ++v) {
        const bool point = s.object[v] == 3;
        s.group.push_back(point ? 1 : 2);
        s.mask.push_back(point ? 3 : 1);
    }
    const SurfaceTopology t = topology_of(s);
    Oracle o{s, t, s.x, 0.05, 1, std::vector<std::set<int>>(s.x.size())};
    SurfaceNeighbors n;
    ASSERT_TRUE(build_neighbors(t, 1, n));
    CandidateScratch scratch;
    Candidates found;
    ASSERT_TRUE(find_candidates(*kOneThread, t, n, s.x, 0.05, scratch, found));
    EXPECT_GT(found.vertex_triangle.size(), 10u);
    EXPECT_GT(found.vertex_edge.size() + found.vertex_vertex.size(), 0u); // points against the rod and each other
    std::vector<std::array<int, 1>> vertices;
    for (int v = 0; v < int(s.x.size()); ++v) vertices.push_back({v});
    compare(o, vertices, s.triangles, false, found.vertex_triangle);
    EXPECT_EQ(found.edge_edge.size(), 0u);
    for (const Aabb& b : scratch.boxes[1]) EXPECT_TRUE(is_empty(b));
    for (std::size_t v = 0; v < s.x.size(); ++v) EXPECT_EQ(is_empty(scratch.boxes[0][v]), s.object[v] != 3);
    s.x[0].x = std::numeric_limits<Real>::quiet_NaN(); // and yet refused
    EXPECT_FALSE(find_candidates(*kOneThread, t, n, s.x, 0.05, scratch, found));
}

TEST(candidates, leave_out_dead_vertices) {
    const Surface s = make_surface(3, 6);
    SurfaceTopology t = topology_of(s);
    std::vector<std::uint8_t> alive(s.x.size(), 1);
    for (std::size_t v = 0; v < alive.size(); v += 3) alive[v] = 0;
    t.alive = alive;
    SurfaceNeighbors n;
    CandidateScratch scratch;
    Candidates all, some;
    ASSERT_TRUE(build_neighbors(t, 1, n));
    ASSERT_TRUE(find_candidates(*kOneThread, t, n, s.x, 0, scratch, some));
    t.alive = {};
    ASSERT_TRUE(find_candidates(*kOneThread, t, n, s.x, 0, scratch, all));
    std::erase_if(all.edge_edge, [&](Pair p) {
        for (int e : p)
            for (int v : s.edges[e])
                if (!alive[v]) return true;
        return false;
    });
    EXPECT_EQ(some.edge_edge, all.edge_edge);
    std::erase_if(all.vertex_vertex, [&](Pair p) { return !alive[p[0]] || !alive[p[1]]; });
    EXPECT_EQ(some.vertex_vertex, all.vertex_vertex);
}
TEST(candidates, do_not_depend_on_threads_or_on_what_was_found_before) {
    const Surface s = make_surface(4, 16);
    const SurfaceTopology t = topology_of(s);
    SurfaceNeighbors n;
    ASSERT_TRUE(build_neighbors(t, 1, n));
    Candidates first;
    for (int threads : {1, 2, 3, 8}) {
        const auto parallel = make_parallel({.threads = threads});
        CandidateScratch scratch;
        Candidates found;
        if (threads > 1) {
            ASSERT_TRUE(find_candidates(*parallel, t, n, s.x, 0, scratch, found));
        }
        ASSERT_TRUE(find_candidates(*parallel, t, n, s.x, s.x_end, 0.01, scratch, found));
        if (threads == 1) first = found;
        EXPECT_EQ(found.vertex_triangle, first.vertex_triangle);
        EXPECT_EQ(found.edge_edge, first.edge_edge);
        EXPECT_EQ(found.vertex_edge, first.vertex_edge);
        EXPECT_EQ(found.vertex_vertex, first.vertex_vertex);
    }
    EXPECT_GT(first.edge_edge.size(), 10000u);
}
TEST(candidates, refuse_bad_input) {
    Surface s = make_surface(5, 4);
    SurfaceTopology t = topology_of(s);
    SurfaceNeighbors n;
    CandidateScratch scratch;
    Candidates found;
    ASSERT_TRUE(build_neighbors(t, 1, n));
    EXPECT_FALSE(find_candidates(*kOneThread, t, n, std::span(s.x).first(3), 0, scratch, found));
    EXPECT_FALSE(find_candidates(*kOneThread, t, n, s.x, std::nan(""), scratch, found));
    s.x.back().y = std::nan("");
    EXPECT_FALSE(find_candidates(*kOneThread, t, n, s.x, 0, scratch, found));
    EXPECT_TRUE(found.edge_edge.empty());
    EXPECT_FALSE(find_candidates(*kOneThread, t, n, s.x_end, s.x, 0, scratch, found));
    s.edges.push_back({0, int(s.x.size())});
    t.edges = s.edges;
    EXPECT_FALSE(build_neighbors(t, 1, n));
    EXPECT_FALSE(build_neighbors(topology_of(make_surface(5, 4)), 0, n));
    t = {};
    ASSERT_TRUE(build_neighbors(t, 2, n));
    EXPECT_TRUE(find_candidates(*kOneThread, t, n, {}, 0.1, scratch, found));
}
