#include "collision/intersections.h"
#include "geometry/exact.h"
#include <algorithm>

namespace sinew {

namespace {

struct Problem {
    TriangleSet a, b;
    std::span<const std::array<int, 2>> edges;
};

Triangle3 corners(const TriangleSet& s, const std::array<int, 3>& t) {
    return {vec(s.x[t[0]]), vec(s.x[t[1]]), vec(s.x[t[2]])};
}

// the same triangle, beginning with corner k
Triangle3 begin_with(const Triangle3& t, int k) { return {t[k], t[(k + 1) % 3], t[(k + 2) % 3]}; }

bool meet_in_mesh(const TriangleSet& s, int i, int j) {
    const std::array<int, 3>&a = s.triangles[i], &b = s.triangles[j];
    int common = 0, at_a[3], at_b[3];
    for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l)
            if (a[k] == b[l] && common < 3) at_a[common] = k, at_b[common++] = l;
    const Triangle3 x = corners(s, a), y = corners(s, b);
    if (common == 0) return triangles_intersect(x, y);
    if (common == 1) return triangles_intersect_beyond_corner(begin_with(x, at_a[0]), begin_with(y, at_b[0]));
    if (common > 2) return true;
    const int rest_a = 3 - at_a[0] - at_a[1], rest_b = 3 - at_b[0] - at_b[1];
    return triangles_intersect_beyond_edge(begin_with(x, (rest_a + 1) % 3), begin_with(y, (rest_b + 1) % 3));
}

std::size_t keep_self(const void* data, Pair* pair, std::size_t count) {
    const Problem& p = *static_cast<const Problem*>(data);
    return std::remove_if(pair, pair + count, [&](const Pair& q) { return !meet_in_mesh(p.a, q[0], q[1]); }) -
           pair;
}
std::size_t keep_two(const void* data, Pair* pair, std::size_t count) {
    const Problem& p = *static_cast<const Problem*>(data);
    return std::remove_if(pair, pair + count,
                          [&](const Pair& q) {
                              return !triangles_intersect(corners(p.a, p.a.triangles[q[0]]),
                                                          corners(p.b, p.b.triangles[q[1]]));
                          }) -
           pair;
}
std::size_t keep_edges(const void* data, Pair* pair, std::size_t count) {
    const Problem& p = *static_cast<const Problem*>(data);
    return std::remove_if(pair, pair + count,
                          [&](const Pair& q) {
                              const std::array<int, 2>& e = p.edges[q[0]];
                              const std::array<int, 3>& t = p.b.triangles[q[1]];
                              for (int k : t)
                                  if (k == e[0] || k == e[1]) return true;
                              return !segment_intersects_triangle(vec(p.b.x[e[0]]), vec(p.b.x[e[1]]),
                                                                  corners(p.b, t));
                          }) -
           pair;
}

template <std::size_t N>
void fill_boxes(std::span<const Real3> x, std::span<const std::array<int, N>> elements,
                std::vector<Aabb>& out) {
    out.clear();
    for (const std::array<int, N>& e : elements) {
        Aabb box;
        for (int v : e) box = merge(box, vec(x[v]));
        out.push_back(box);
    }
}

bool all_finite(std::span<const Real3> x) {
    return std::all_of(x.begin(), x.end(), [](const Real3& p) { return vec(p).allFinite(); });
}

} // namespace

bool find_self_intersections(const Parallel& parallel, const TriangleSet& s, IntersectScratch& scratch,
                             std::vector<Pair>& out) {
    out.clear();
    if (!all_finite(s.x)) return false;
    fill_boxes(s.x, s.triangles, scratch.boxes[0]);
    if (!build_tree(parallel, scratch.boxes[0], scratch.tree, scratch.trees[0])) return false;
    const Problem p{s, s, {}};
    find_self_pairs(parallel, scratch.trees[0], {keep_self, &p}, scratch.pairs, out);
    return true;
}

static bool find_two(const Parallel& parallel, const PairFilter& filter, IntersectScratch& scratch,
                     std::vector<Pair>& out) {
    const Vec3 origin = scratch.boxes[0].empty() ? Vec3(Vec3::Zero()) : choose_origin(scratch.boxes[0]);
    for (int k = 0; k < 2; ++k)
        if (!build_tree(parallel, scratch.boxes[k], scratch.tree, scratch.trees[k], &origin)) return false;
    find_tree_pairs(parallel, scratch.trees[0], scratch.trees[1], filter, scratch.pairs, out);
    return true;
}

bool find_intersections(const Parallel& parallel, const TriangleSet& a, const TriangleSet& b,
                        IntersectScratch& scratch, std::vector<Pair>& out) {
    out.clear();
    if (!all_finite(a.x) || !all_finite(b.x)) return false;
    fill_boxes(a.x, a.triangles, scratch.boxes[0]);
    fill_boxes(b.x, b.triangles, scratch.boxes[1]);
    const Problem p{a, b, {}};
    return find_two(parallel, {keep_two, &p}, scratch, out);
}

bool find_edge_intersections(const Parallel& parallel, const TriangleSet& s,
                             std::span<const std::array<int, 2>> edges, IntersectScratch& scratch,
                             std::vector<Pair>& out) {
    out.clear();
    if (!all_finite(s.x)) return false;
    fill_boxes(s.x, edges, scratch.boxes[0]);
    fill_boxes(s.x, s.triangles, scratch.boxes[1]);
    const Problem p{s, s, edges};
    return find_two(parallel, {keep_edges, &p}, scratch, out);
}

} // namespace sinew
