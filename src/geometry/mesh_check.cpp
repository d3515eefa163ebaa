// Closed, oriented, manifold? With the indices of what is wrong. An edge is balanced when as many polygons
// run through it forwards as backwards; a mesh with only balanced edges has an empty boundary as an oriented
// chain, which is exactly what the divergence theorem asks for (touching edges with four polygons are
// allowed).
#include "geometry/topology.h"
#include <algorithm>
#include <numeric>

namespace sinew {

namespace {
// Lists polygons with a repeated vertex; flags those with fewer than three different ones.
std::vector<char> find_collapsed(const PolygonMesh& m, std::vector<int>& degenerate) {
    std::vector<char> collapsed(polygon_count(m), 0);
    std::vector<int> last(m.positions.size(), -1);
    for (int p = 0; p < polygon_count(m); ++p) {
        int different = 0;
        for (int c = m.polygon_begin[p]; c < m.polygon_begin[p + 1]; ++c) {
            int& seen = last[m.polygon_vertex[c]];
            different += seen != p;
            seen = p;
        }
        if (different < polygon_size(m, p)) degenerate.push_back(p);
        collapsed[p] = different < 3;
    }
    return collapsed;
}

void check_edges(const PolygonMesh& m, const EdgeTable& t, const std::vector<char>& collapsed, MeshCheck& r) {
    for (int e = 0; e < int(t.edges.size()); ++e) {
        int forward = 0, backward = 0;
        for (int i = t.corners.begin[e]; i < t.corners.begin[e + 1]; ++i) {
            const int c = t.corners.index[i];
            if (collapsed[t.corner_polygon[c]]) continue;
            (m.polygon_vertex[c] == t.edges[e][0] ? forward : backward)++;
        }
        const int uses = forward + backward, odd = uses % 2;
        if (odd) r.open_edges.push_back(t.edges[e]);
        if (std::abs(forward - backward) != odd) r.misoriented_edges.push_back(t.edges[e]);
        if (uses > 2) r.nonmanifold_edges.push_back(t.edges[e]);
    }
}

// Corners at a vertex that share an edge belong to one fan; a vertex with several fans is not manifold.
void check_fans(const PolygonMesh& m, const EdgeTable& t, const std::vector<char>& collapsed, MeshCheck& r) {
    std::vector<int> fan(m.polygon_vertex.size());
    std::iota(fan.begin(), fan.end(), 0);
    for (int e = 0; e < int(t.edges.size()); ++e) {
        int first[2] = {-1, -1};
        for (int i = t.corners.begin[e]; i < t.corners.begin[e + 1]; ++i) {
            const int c = t.corners.index[i], p = t.corner_polygon[c];
            if (collapsed[p]) continue;
            const int n = c + 1 < m.polygon_begin[p + 1] ? c + 1 : m.polygon_begin[p];
            for (int corner : {c, n}) {
                int& f = first[m.polygon_vertex[corner] == t.edges[e][1]];
                if (f < 0) f = corner;
                fan[find_root(fan, corner)] = find_root(fan, f);
            }
        }
    }
    // a polygon's consecutive corners at the same vertex are one corner
    for (int c = 0; c < int(fan.size()); ++c)
        if (t.corner_edge[c] < 0) {
            const int p = t.corner_polygon[c];
            const int n = c + 1 < m.polygon_begin[p + 1] ? c + 1 : m.polygon_begin[p];
            fan[find_root(fan, c)] = find_root(fan, n);
        }
    std::vector<int> root(m.positions.size(), -1);
    for (int c = 0; c < int(fan.size()); ++c) {
        if (collapsed[t.corner_polygon[c]]) continue;
        const int v = m.polygon_vertex[c], f = find_root(fan, c);
        if (root[v] >= 0 && root[v] != f) r.nonmanifold_vertices.push_back(v);
        root[v] = f;
    }
    auto& list = r.nonmanifold_vertices;
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
}

template <class T>
void add_sentence(std::string& out, const std::vector<T>& list, const char* one, const char* many) {
    constexpr std::size_t kShown = 5;
    if (list.empty()) return;
    if (!out.empty()) out += "; ";
    out += std::to_string(list.size()) + " " + (list.size() == 1 ? one : many) + " (";
    for (std::size_t i = 0; i < list.size() && i < kShown; ++i) out += (i ? ", " : "") + index_text(list[i]);
    out += list.size() > kShown ? ", ...)" : ")";
}
} // namespace

MeshCheck check_mesh(const PolygonMesh& m) {
    MeshCheck r;
    const EdgeTable t = build_edges(m);
    const std::vector<char> collapsed = find_collapsed(m, r.degenerate_polygons);
    check_edges(m, t, collapsed, r);
    check_fans(m, t, collapsed, r);
    std::vector<char> used(m.positions.size(), 0);
    for (int v : m.polygon_vertex) used[v] = 1;
    for (const auto& s : m.segments) used[s[0]] = used[s[1]] = 1;
    for (int v = 0; v < vertex_count(m); ++v)
        if (!used[v]) r.unused_vertices.push_back(v);
    const bool any = std::find(collapsed.begin(), collapsed.end(), 0) != collapsed.end();
    r.closed = any && r.open_edges.empty();
    r.oriented = r.misoriented_edges.empty();
    r.manifold = r.nonmanifold_edges.empty() && r.nonmanifold_vertices.empty();
    return r;
}

std::string describe(const MeshCheck& c) {
    std::string s;
    add_sentence(s, c.open_edges, "open edge", "open edges");
    add_sentence(s, c.misoriented_edges, "edge between polygons of opposite orientation",
                 "edges between polygons of opposite orientation");
    add_sentence(s, c.nonmanifold_edges, "edge with more than two polygons",
                 "edges with more than two polygons");
    add_sentence(s, c.nonmanifold_vertices, "vertex where several fans meet",
                 "vertices where several fans meet");
    add_sentence(s, c.degenerate_polygons, "polygon with a repeated vertex",
                 "polygons with a repeated vertex");
    add_sentence(s, c.unused_vertices, "unused vertex", "unused vertices");
    return s;
}

} // namespace sinew
