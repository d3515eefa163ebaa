// Candidates by trees: one over vertices, one over edges, one over triangles, each grown and swept; see
// candidates.h.
#include "collision/candidates.h"
#include "collision/pair_rules.h"
#include <cmath>

namespace sinew {

namespace {

// positions of start and end; `radius` as in the header
struct SweptSurface {
    const SurfaceTopology& surface;
    std::span<const Real3> x_t0, x_t1;
    Real margin;
};

Real thickness_of(const SurfaceTopology& s, const int* v, int n) {
    if (s.thickness.empty()) return 0;
    Real t = s.thickness[v[0]];
    for (int k = 1; k < n; ++k) t = std::max(t, s.thickness[v[k]]);
    return t;
}

// grown by r, and by the rounding of that: never less than asked
void grow_safely(Real r, Aabb& b) {
    for (int k = 0; k < 3; ++k) {
        b.lo[k] -= r + 4e-16 * (std::abs(b.lo[k]) + r);
        b.hi[k] += r + 4e-16 * (std::abs(b.hi[k]) + r);
    }
}

// box of one element with vertices v[0..N); NaN stays NaN, to be refused by the tree
template <int N> Aabb element_box(const SweptSurface& m, const int* v) {
    Aabb b;
    if (!m.surface.alive.empty())
        for (int k = 0; k < N; ++k)
            if (!m.surface.alive[v[k]]) return b;
    const Real3& first = m.x_t0[v[0]];
    Real lo[3] = {first.x, first.y, first.z}, hi[3] = {first.x, first.y, first.z};
    for (int k = 0; k < N; ++k)
        for (const Real3* x : {&m.x_t0[v[k]], &m.x_t1[v[k]]})
            for (int c = 0; c < 3; ++c) {
                const Real value = (*x)[c];
                lo[c] = value >= lo[c] ? lo[c] : value;
                hi[c] = value <= hi[c] ? hi[c] : value;
                if (value != value) lo[c] = hi[c] = value;
            }
    for (int c = 0; c < 3; ++c) b.lo[c] = lo[c], b.hi[c] = hi[c];
    const Real r = thickness_of(m.surface, v, N) + 0.5 * m.margin;
    if (r > 0) grow_safely(r, b);
    return b;
}

template <std::size_t N>
void make_boxes(const Parallel& parallel, const SweptSurface& m, std::span<const std::array<int, N>> elements,
                std::vector<Aabb>& out) {
    out.resize(elements.size());
    parallel_for(parallel, int(elements.size()), 4 * kGrain, [&](int b, int e) {
        for (int i = b; i < e; ++i) out[i] = element_box<int(N)>(m, elements[i].data());
    });
}
void make_vertex_boxes(const Parallel& parallel, const SweptSurface& m, std::vector<Aabb>& out) {
    out.resize(m.surface.vertex_count);
    parallel_for(parallel, m.surface.vertex_count, 4 * kGrain, [&](int b, int e) {
        for (int i = b; i < e; ++i) out[i] = element_box<1>(m, &i);
    });
}
void pick_boxes(std::span<const Aabb> all, std::span<const int> chosen, std::vector<Aabb>& out) {
    out.resize(chosen.size());
    for (std::size_t i = 0; i < chosen.size(); ++i) out[i] = all[chosen[i]];
}

// groups of the elements with these first vertices
template <std::size_t N> std::uint32_t groups_of(const SurfaceTopology& s, std::span<const std::array<int, N>> elements) {
    std::uint32_t all = 0;
    for (const auto& e : elements) all |= s.group[e[0]];
    return all;
}

// Edges that can meet no edge, and vertices that can meet no triangle, whatever their place, get empty boxes: a heap of bodies among
// grains must not list the pairs of their own edges only to drop them. What is not a number stays, to be refused.
void leave_out_unmet(const Parallel& parallel, const SurfaceTopology& s, CandidateScratch& scratch) {
    if (s.group.empty()) return;
    const auto leave_out = [&](int v, std::uint32_t met, Aabb& box) {
        if (!(s.mask[v] & met) && box.lo.allFinite() && box.hi.allFinite()) box = Aabb{};
    };
    const std::uint32_t edges = groups_of(s, s.edges), triangles = groups_of(s, s.triangles);
    parallel_for(parallel, int(s.edges.size()), 4 * kGrain, [&](int b, int e) {
        for (int i = b; i < e; ++i) leave_out(s.edges[i][0], edges, scratch.boxes[1][i]);
    });
    parallel_for(parallel, s.vertex_count, 4 * kGrain, [&](int b, int e) {
        for (int i = b; i < e; ++i) leave_out(i, triangles, scratch.boxes[0][i]);
    });
}

// Vertices of the elements on the two sides of a list, and the numbers the trees know them by.
struct Elements {
    const int* vertices; // size per element, null = the element is a vertex
    int size;
    const int* number; // of the tree's i-th element, null = i
};
struct FilterData {
    const SurfaceTopology& surface;
    const SurfaceNeighbors& neighbors;
    Elements a, b;
};

struct Corners {
    const int* v;
    int size;
};
Corners corners_of(const Elements& e, const int& i) {
    return e.vertices ? Corners{e.vertices + std::ptrdiff_t(e.size) * i, e.size} : Corners{&i, 1};
}

bool are_neighbors(const SurfaceNeighbors& n, int v, int w) {
    if (v == w) return true;
    if (n.near.empty()) return false;
    return std::binary_search(n.near.begin() + n.near_begin[v], n.near.begin() + n.near_begin[v + 1], w);
}

bool keep_pair(const FilterData& f, int i, int j) {
    const Corners a = corners_of(f.a, i), b = corners_of(f.b, j);
    const SurfaceTopology& s = f.surface;
    const int v = a.v[0], w = b.v[0];
    if (!s.group.empty() && !groups_meet(s.group[v], s.mask[v], s.group[w], s.mask[w])) return false;
    for (int k = 0; k < a.size; ++k)
        for (int l = 0; l < b.size; ++l)
            if (are_neighbors(f.neighbors, a.v[k], b.v[l])) return false;
    return s.excluded.empty() ||
           !is_excluded(s.excluded, s.object.empty() ? 0 : s.object[v], s.object.empty() ? 0 : s.object[w]);
}

std::size_t keep_pairs(const void* data, Pair* pair, std::size_t count) {
    const FilterData& f = *static_cast<const FilterData*>(data);
    Pair* to = pair;
    for (std::size_t k = 0; k < count; ++k) {
        const int i = f.a.number ? f.a.number[pair[k][0]] : pair[k][0];
        const int j = f.b.number ? f.b.number[pair[k][1]] : pair[k][1];
        if (keep_pair(f, i, j)) *to++ = pair[k];
    }
    return std::size_t(to - pair);
}

void renumber(std::span<const int> a, std::span<const int> b, std::vector<Pair>& pairs) {
    for (Pair& p : pairs) p = {a[p[0]], b[p[1]]};
}

// particles among themselves and against rods
void find_free(const Parallel& parallel, const SurfaceTopology& surface, const SurfaceNeighbors& n, CandidateScratch& s,
               Candidates& out) {
    const Elements vertices{nullptr, 1, n.free_vertices.data()};
    const Elements edges{surface.edges.empty() ? nullptr : surface.edges[0].data(), 2, n.free_edges.data()};
    const FilterData to_edges{surface, n, vertices, edges}, to_vertices{surface, n, vertices, vertices};
    find_tree_pairs(parallel, s.free_trees[0], s.free_trees[1], {keep_pairs, &to_edges}, s.pairs, out.vertex_edge);
    find_self_pairs(parallel, s.free_trees[0], {keep_pairs, &to_vertices}, s.pairs, out.vertex_vertex);
    renumber(n.free_vertices, n.free_edges, out.vertex_edge);
    renumber(n.free_vertices, n.free_vertices, out.vertex_vertex);
}

void clear(Candidates& c) {
    for (auto* list : {&c.vertex_triangle, &c.edge_edge, &c.vertex_edge, &c.vertex_vertex}) list->clear();
}

} // namespace

bool update_candidate_trees(const Parallel& parallel, const SurfaceTopology& surface, const SurfaceNeighbors& n,
                            std::span<const Real3> x_t0, std::span<const Real3> x_t1, Real margin,
                            CandidateScratch& s) {
    const auto vertices = std::size_t(surface.vertex_count);
    if (x_t0.size() != vertices || x_t1.size() != vertices || margin != margin) return false;
    const SweptSurface m{surface, x_t0, x_t1, margin};
    make_vertex_boxes(parallel, m, s.boxes[0]);
    make_boxes(parallel, m, surface.edges, s.boxes[1]);
    make_boxes(parallel, m, surface.triangles, s.boxes[2]);
    pick_boxes(s.boxes[0], n.free_vertices, s.free_boxes[0]);
    pick_boxes(s.boxes[1], n.free_vertices.empty() ? std::span<const int>() : n.free_edges, s.free_boxes[1]);
    // one origin for all, kept while the trees are
    const bool same = vertices && s.trees[0].count == surface.vertex_count;
    const Vec3 origin = same ? s.trees[0].origin : choose_origin(s.boxes[0]);
    if (!origin.allFinite()) return false;
    leave_out_unmet(parallel, surface, s);
    for (int k = 0; k < 3; ++k)
        if (!update_tree(parallel, s.boxes[k], s.tree, s.trees[k], &origin)) return false;
    for (int k = 0; k < 2; ++k)
        if (!update_tree(parallel, s.free_boxes[k], s.tree, s.free_trees[k], &origin)) return false;
    return true;
}

void search_candidates(const Parallel& parallel, const SurfaceTopology& surface, const SurfaceNeighbors& n,
                       CandidateScratch& s, Candidates& out) {
    clear(out);
    const Elements vertices{nullptr, 1, nullptr};
    if (surface.triangles.size()) {
        const Elements triangles{surface.triangles[0].data(), 3, nullptr};
        const FilterData f{surface, n, vertices, triangles};
        find_tree_pairs(parallel, s.trees[0], s.trees[2], {keep_pairs, &f}, s.pairs, out.vertex_triangle);
    }
    if (surface.edges.size()) {
        const Elements edges{surface.edges[0].data(), 2, nullptr};
        const FilterData f{surface, n, edges, edges};
        find_self_pairs(parallel, s.trees[1], {keep_pairs, &f}, s.pairs, out.edge_edge);
    }
    if (!n.free_vertices.empty()) find_free(parallel, surface, n, s, out);
}

bool find_candidates(const Parallel& parallel, const SurfaceTopology& surface, const SurfaceNeighbors& n,
                     std::span<const Real3> x_t0, std::span<const Real3> x_t1, Real margin, CandidateScratch& s,
                     Candidates& out) {
    clear(out);
    if (!update_candidate_trees(parallel, surface, n, x_t0, x_t1, margin, s)) return false;
    search_candidates(parallel, surface, n, s, out);
    return true;
}

bool find_candidates(const Parallel& parallel, const SurfaceTopology& surface, const SurfaceNeighbors& n,
                     std::span<const Real3> x, Real margin, CandidateScratch& s, Candidates& out) {
    return find_candidates(parallel, surface, n, x, x, margin, s, out);
}

} // namespace sinew
