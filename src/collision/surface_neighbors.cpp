// Vertices and edges that stand alone, and neighbourhoods of vertices by edges; see candidates.h.
#include "collision/candidates.h"
#include <algorithm>

namespace sinew {

namespace {

template <class T> bool has_length(std::span<const T> s, int n) { return s.empty() || int(s.size()) == n; }

bool is_valid(const SurfaceTopology& s) {
    const auto inside = [&](int v) { return v >= 0 && v < s.vertex_count; };
    for (const auto& e : s.edges)
        if (!inside(e[0]) || !inside(e[1])) return false;
    for (const auto& t : s.triangles)
        if (!inside(t[0]) || !inside(t[1]) || !inside(t[2])) return false;
    const int n = s.vertex_count;
    return has_length(s.thickness, n) && has_length(s.object, n) && has_length(s.group, n) &&
           has_length(s.mask, n) && s.group.size() == s.mask.size() && has_length(s.alive, n) &&
           std::is_sorted(s.excluded.begin(), s.excluded.end());
}

// links a -> b of edges and sides of triangles, sorted, each once
std::vector<Pair> make_links(const SurfaceTopology& s) {
    std::vector<Pair> links;
    const auto add = [&](int a, int b) {
        if (a == b) return;
        links.push_back({a, b});
        links.push_back({b, a});
    };
    for (const auto& e : s.edges) add(e[0], e[1]);
    for (const auto& t : s.triangles)
        for (int k = 0; k < 3; ++k) add(t[k], t[(k + 1) % 3]);
    std::sort(links.begin(), links.end());
    links.erase(std::unique(links.begin(), links.end()), links.end());
    return links;
}

void find_free_parts(const SurfaceTopology& s, SurfaceNeighbors& out) {
    std::vector<std::uint8_t> used(s.vertex_count, 0);
    for (const auto& e : s.edges) used[e[0]] = used[e[1]] = 1;
    std::vector<Pair> sides;
    for (const auto& t : s.triangles)
        for (int k = 0; k < 3; ++k) {
            used[t[k]] = 1;
            sides.push_back({std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])});
        }
    std::sort(sides.begin(), sides.end());
    for (int v = 0; v < s.vertex_count; ++v)
        if (!used[v]) out.free_vertices.push_back(v);
    for (int e = 0; e < int(s.edges.size()); ++e) {
        const Pair side{std::min(s.edges[e][0], s.edges[e][1]), std::max(s.edges[e][0], s.edges[e][1])};
        if (!std::binary_search(sides.begin(), sides.end(), side)) out.free_edges.push_back(e);
    }
}

// breadth first from every vertex
void find_rings(const SurfaceTopology& s, SurfaceNeighbors& out) {
    const std::vector<Pair> links = make_links(s);
    std::vector<int> begin(s.vertex_count + 1, 0), seen(s.vertex_count, -1), reached;
    for (const Pair& l : links) ++begin[l[0] + 1];
    for (int v = 0; v < s.vertex_count; ++v) begin[v + 1] += begin[v];
    out.near_begin.assign(1, 0);
    for (int v = 0; v < s.vertex_count; ++v) {
        reached.assign(1, v);
        seen[v] = v;
        std::size_t from = 0;
        for (int ring = 1; ring < out.rings; ++ring)
            for (const std::size_t end = reached.size(); from < end; ++from)
                for (int l = begin[reached[from]]; l < begin[reached[from] + 1]; ++l)
                    if (seen[links[l][1]] != v) {
                        seen[links[l][1]] = v;
                        reached.push_back(links[l][1]);
                    }
        std::sort(reached.begin(), reached.end());
        out.near.insert(out.near.end(), reached.begin(), reached.end());
        out.near_begin.push_back(int(out.near.size()));
    }
}

} // namespace

bool build_neighbors(const SurfaceTopology& s, int rings, SurfaceNeighbors& out) {
    out = {};
    out.rings = rings;
    if (s.vertex_count < 0 || rings < 1 || !is_valid(s)) return false;
    find_free_parts(s, out);
    if (rings > 1) find_rings(s, out);
    return true;
}

} // namespace sinew
