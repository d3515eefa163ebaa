#include "geometry/topology.h"
#include <algorithm>
#include <cstdint>

namespace sinew {

namespace {
int next_corner(const PolygonMesh& m, int polygon, int corner) {
    return corner + 1 < m.polygon_begin[polygon + 1] ? corner + 1 : m.polygon_begin[polygon];
}

// Rows from (row, value) pairs given in the order of the values: counting sort, which keeps that order.
IndexRows gather_rows(int row_count, const std::vector<int>& row, const std::vector<int>& value) {
    IndexRows r;
    r.begin.assign(row_count + 1, 0);
    for (int i : row) r.begin[i + 1]++;
    for (int i = 0; i < row_count; ++i) r.begin[i + 1] += r.begin[i];
    r.index.resize(value.size());
    std::vector<int> at(r.begin.begin(), r.begin.end() - 1);
    for (std::size_t i = 0; i < row.size(); ++i) r.index[at[row[i]]++] = value[i];
    return r;
}

struct HalfEdge {
    std::array<int, 2> ends; // a < b
    int corner;              // -1 for a segment
};
} // namespace

EdgeTable build_edges(const PolygonMesh& m) {
    EdgeTable t;
    const int corner_count = int(m.polygon_vertex.size());
    t.corner_edge.assign(corner_count, -1);
    t.corner_polygon.resize(corner_count);
    std::vector<HalfEdge> half;
    half.reserve(corner_count + m.segments.size());
    for (int p = 0; p < polygon_count(m); ++p)
        for (int c = m.polygon_begin[p]; c < m.polygon_begin[p + 1]; ++c) {
            t.corner_polygon[c] = p;
            const int a = m.polygon_vertex[c], b = m.polygon_vertex[next_corner(m, p, c)];
            if (a != b) half.push_back({{std::min(a, b), std::max(a, b)}, c});
        }
    for (const auto& s : m.segments)
        if (s[0] != s[1]) half.push_back({{std::min(s[0], s[1]), std::max(s[0], s[1])}, -1});
    std::sort(half.begin(), half.end(), [](const HalfEdge& a, const HalfEdge& b) {
        const auto key = [](const HalfEdge& h) { return std::uint64_t(std::uint32_t(h.ends[0])) << 32 | std::uint32_t(h.ends[1]); }; // indices are not negative
        return key(a) != key(b) ? key(a) < key(b) : a.corner < b.corner;
    });
    // one edge per run of equal ends
    for (const HalfEdge& h : half) {
        if (t.edges.empty() || t.edges.back() != h.ends) {
            t.edges.push_back(h.ends);
            t.corners.begin.push_back(t.corners.begin.back());
        }
        if (h.corner < 0) continue;
        t.corner_edge[h.corner] = int(t.edges.size()) - 1;
        t.corners.index.push_back(h.corner);
        t.corners.begin.back()++;
    }
    return t;
}

std::vector<std::array<int, 2>> unique_edges(const PolygonMesh& m) { return build_edges(m).edges; }

IndexRows edge_polygons(const EdgeTable& t) {
    IndexRows r = t.corners;
    for (int& i : r.index) i = t.corner_polygon[i];
    return r;
}

IndexRows vertex_polygons(const PolygonMesh& m) {
    std::vector<int> row, value, last(m.positions.size(), -1);
    for (int p = 0; p < polygon_count(m); ++p)
        for (int c = m.polygon_begin[p]; c < m.polygon_begin[p + 1]; ++c) {
            const int v = m.polygon_vertex[c];
            if (last[v] == p) continue;
            last[v] = p;
            row.push_back(v);
            value.push_back(p);
        }
    return gather_rows(vertex_count(m), row, value);
}

IndexRows vertex_neighbors(const EdgeTable& t, int vertex_count) {
    // edges are sorted by (a, b): pass 1 gives each b its smaller neighbours, pass 2 each a its larger ones
    std::vector<int> row, value;
    for (const auto& e : t.edges) row.push_back(e[1]), value.push_back(e[0]);
    for (const auto& e : t.edges) row.push_back(e[0]), value.push_back(e[1]);
    return gather_rows(vertex_count, row, value);
}

std::vector<int> boundary_edges(const EdgeTable& t) {
    std::vector<int> r;
    for (int e = 0; e < int(t.edges.size()); ++e)
        if (t.corners.begin[e + 1] - t.corners.begin[e] == 1) r.push_back(e);
    return r;
}

std::vector<int> boundary_vertices(const PolygonMesh& m, const EdgeTable& t) {
    std::vector<char> in_polygon(m.positions.size(), 0), boundary(m.positions.size(), 0);
    std::vector<int> degree(m.positions.size(), 0);
    for (int v : m.polygon_vertex) in_polygon[v] = 1;
    for (const auto& e : t.edges) degree[e[0]]++, degree[e[1]]++;
    for (int e : boundary_edges(t)) boundary[t.edges[e][0]] = boundary[t.edges[e][1]] = 1;
    std::vector<int> r;
    for (int v = 0; v < vertex_count(m); ++v)
        if (boundary[v] || (!in_polygon[v] && degree[v] == 1)) r.push_back(v);
    return r;
}

} // namespace sinew
