// Triangles at the edges of the collision surface.
#include "collision/collision.h"
#include <algorithm>

namespace sinew {

static bool is_surface(const Model& m) {
    const int n = int(m.surface.vertices.size());
    const auto valid = [&](int v) { return v >= 0 && v < n; };
    if (m.surface.thickness.size() != m.surface.vertices.size() || m.surface.object.size() != m.surface.vertices.size()) return false;
    return std::all_of(m.surface.edges.begin(), m.surface.edges.end(), [&](auto& e) { return valid(e[0]) && valid(e[1]); }) &&
           std::all_of(m.surface.triangles.begin(), m.surface.triangles.end(),
                       [&](auto& t) { return valid(t[0]) && valid(t[1]) && valid(t[2]); });
}

bool update_edge_triangles(const Model& m, EdgeTriangles& s) {
    const auto &edges = m.surface.edges;
    const auto &triangles = m.surface.triangles;
    const bool same = s.topology == m.topology_revision && s.owner == m.elements.get() && s.vertices == m.surface.vertices.size() &&
                      s.of_triangle.size() == triangles.size() && s.begin.size() == edges.size() + 1;
    if (same) return true;
    if (!is_surface(m)) return false;
    const auto pair = [](int a, int b) { return std::array{std::min(a, b), std::max(a, b)}; };
    std::vector<std::pair<std::array<int, 2>, int>> sorted;
    for (std::size_t k = 0; k < edges.size(); ++k) sorted.push_back({pair(edges[k][0], edges[k][1]), int(k)});
    std::sort(sorted.begin(), sorted.end());
    s.of_triangle.assign(triangles.size(), {-1, -1, -1});
    s.begin.assign(edges.size() + 1, 0);
    for (std::size_t t = 0; t < triangles.size(); ++t)
        for (int k = 0; k < 3; ++k) {
            const auto e = pair(triangles[t][k], triangles[t][(k + 1) % 3]);
            const auto at = std::lower_bound(sorted.begin(), sorted.end(), std::pair(e, 0));
            if (at == sorted.end() || at->first != e) return false;
            s.of_triangle[t][k] = at->second;
            ++s.begin[at->second + 1];
        }
    for (std::size_t k = 0; k < edges.size(); ++k) s.begin[k + 1] += s.begin[k];
    s.across.resize(s.begin.back());
    std::vector<int> next(s.begin.begin(), s.begin.end() - 1);
    for (std::size_t t = 0; t < triangles.size(); ++t)
        for (int k = 0; k < 3; ++k) s.across[next[s.of_triangle[t][k]]++] = triangles[t][(k + 2) % 3];
    s.topology = m.topology_revision, s.owner = m.elements.get(), s.vertices = m.surface.vertices.size();
    return true;
}

} // namespace sinew
