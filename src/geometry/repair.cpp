#include "geometry/repair.h"
#include "core/math.h"
#include "geometry/repair_mesh.h"
#include "geometry/topology.h"
#include "geometry/triangulate.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace sinew {

namespace {
RepairWork take_apart(const PolygonMesh& m) {
    RepairWork w;
    w.rest = m;
    w.rest.polygon_begin.assign(1, 0);
    w.rest.polygon_vertex.clear();
    w.rest.polygon_uv.clear();
    for (int p = 0; p < polygon_count(m); ++p) {
        RepairFace f;
        f.source = p;
        for (int c = m.polygon_begin[p]; c < m.polygon_begin[p + 1]; ++c) {
            f.vertex.push_back(m.polygon_vertex[c]);
            f.uv.push_back(m.polygon_uv.empty() ? -1 : m.polygon_uv[c]);
        }
        w.faces.push_back(std::move(f));
    }
    w.vertex_source.resize(m.positions.size());
    std::iota(w.vertex_source.begin(), w.vertex_source.end(), 0);
    return w;
}

// Which vertices stay, and what becomes of each.
struct Renumbering {
    std::vector<int> keep;   // old vertices, ascending
    std::vector<int> index;  // per old vertex its new number, -1 = gone
    std::vector<int> target; // the same, but of one that is gone the first one left of its cluster; -1 = none
};
Renumbering renumber(const RepairOptions& o, RepairWork& w) {
    const int n = vertex_count(w.rest);
    std::vector<char> used(n, 0);
    for (const RepairFace& f : w.faces)
        for (int v : f.vertex)
            if (f.alive) used[v] = 1;
    for (const auto& s : w.rest.segments) used[s[0]] = used[s[1]] = 1;
    Renumbering r{{}, std::vector<int>(n, -1), std::vector<int>(n, -1)};
    for (int v = 0; v < n; ++v) {
        const bool welded = !used[v] && w.cluster[v] != v;
        if (!used[v] && !welded && o.remove_unused) w.report.unused.push_back(w.vertex_source[v]);
        if (!used[v] && (welded || o.remove_unused)) continue;
        r.index[v] = int(r.keep.size());
        r.keep.push_back(v);
    }
    std::map<int, int> first;
    for (int v : r.keep) first.try_emplace(w.cluster[v], v);
    for (int v = 0; v < n; ++v) {
        if (r.index[v] >= 0) r.target[v] = r.index[v];
        else if (const auto it = first.find(w.cluster[v]); it != first.end()) {
            r.target[v] = r.index[it->second];
            w.report.welded.push_back(w.vertex_source[v]);
        } else if (w.cluster[v] != v) {
            w.report.unused.push_back(w.vertex_source[v]);
        }
    }
    return r;
}

// Drops vertices nothing refers to and renumbers; the ones welded away go in any case.
std::vector<int> compact_vertices(const RepairOptions& o, RepairWork& w) {
    const Renumbering r = renumber(o, w);
    PolygonMesh& m = w.rest;
    const PolygonMesh old = m;
    m.positions.clear();
    for (int v : r.keep) m.positions.push_back(old.positions[v]);
    for (std::size_t a = 0; a < m.attributes.size(); ++a) {
        m.attributes[a].values.clear();
        const int c = m.attributes[a].components;
        for (int v : r.keep)
            for (int k = 0; k < c; ++k) m.attributes[a].values.push_back(old.attributes[a].values[std::size_t(v) * c + k]);
    }
    for (auto& s : m.segments) s = {r.target[s[0]], r.target[s[1]]};
    for (auto& [name, members] : m.vertex_groups) {
        for (int& v : members) v = r.target[v];
        std::erase(members, -1);
        std::sort(members.begin(), members.end());
        members.erase(std::unique(members.begin(), members.end()), members.end());
    }
    std::vector<int> source;
    for (int v : r.keep) source.push_back(w.vertex_source[v]);
    for (RepairFace& f : w.faces)
        for (int& v : f.vertex) v = f.alive ? r.index[v] : -1;
    w.vertex_source = std::move(source);
    return r.target;
}

void put_together(RepairWork& w, const PolygonMesh& before, RepairedMesh& out) {
    PolygonMesh& m = w.rest;
    std::vector<std::vector<int>> made(polygon_count(before)); // polygons by source
    bool has_uv = false;
    for (const RepairFace& f : w.faces) {
        if (!f.alive) continue;
        made[f.source].push_back(add_polygon(m, f.vertex));
        m.polygon_uv.insert(m.polygon_uv.end(), f.uv.begin(), f.uv.end());
        for (int uv : f.uv) has_uv = has_uv || uv >= 0;
        out.polygon_source.push_back(f.source);
    }
    if (!has_uv) m.polygon_uv.clear();
    for (PolygonGroup& g : m.polygon_groups) {
        std::vector<int> polygons;
        for (int p : g.polygons) polygons.insert(polygons.end(), made[p].begin(), made[p].end());
        std::sort(polygons.begin(), polygons.end());
        g.polygons = std::move(polygons);
    }
    out.vertex_source = w.vertex_source;
    out.mesh = std::move(m);
}

template <class T> void sort_unique(std::vector<T>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
}

RepairedMesh repair_once(const PolygonMesh& m, const RepairOptions& o) {
    RepairedMesh r;
    RepairWork w = take_apart(m);
    find_clusters(o, w);
    clean_faces(o, w);
    if (flip_thin_faces(o, w)) clean_faces(o, w);
    connect_faces(o, w);
    compact_vertices(o, w);
    r.report = std::move(w.report);
    put_together(w, m, r);
    return r;
}

// Indices of a later round in terms of the first mesh.
void add_report(RepairReport& to, const RepairReport& from, const std::vector<int>& vertex, const std::vector<int>& polygon) {
    const auto add = [](std::vector<int>& a, const std::vector<int>& b, const std::vector<int>& source) {
        for (int i : b) a.push_back(source[i]);
    };
    const auto add_edges = [&](auto& a, const auto& b) {
        for (auto e : b) a.push_back({std::min(vertex[e[0]], vertex[e[1]]), std::max(vertex[e[0]], vertex[e[1]])});
    };
    add(to.welded, from.welded, vertex);
    add(to.repeated_corners, from.repeated_corners, polygon);
    add(to.degenerate, from.degenerate, polygon);
    add(to.flipped, from.flipped, polygon);
    add(to.duplicate, from.duplicate, polygon);
    add(to.reversed, from.reversed, polygon);
    add_edges(to.split_edges, from.split_edges);
    add(to.split_vertices, from.split_vertices, vertex);
    add(to.unused, from.unused, vertex);
    to.unorientable_edges.clear();
    to.thin_left.clear();
    add_edges(to.unorientable_edges, from.unorientable_edges);
    add(to.thin_left, from.thin_left, polygon);
}

template <class T> void add_line(std::vector<std::string>& out, const std::vector<T>& list, const char* one, const char* many) {
    constexpr std::size_t kShown = 8;
    if (list.empty()) return;
    std::string s = std::to_string(list.size()) + " " + (list.size() == 1 ? one : many) + ": ";
    for (std::size_t i = 0; i < list.size() && i < kShown; ++i) s += (i ? ", " : "") + index_text(list[i]);
    out.push_back(s + (list.size() > kShown ? ", ..." : ""));
}
} // namespace

bool changed_anything(const RepairReport& r) {
    return !(r.welded.empty() && r.repeated_corners.empty() && r.degenerate.empty() && r.flipped.empty() && r.duplicate.empty() &&
             r.reversed.empty() && r.split_edges.empty() && r.split_vertices.empty() && r.unused.empty());
}

std::vector<std::string> describe(const RepairReport& r) {
    std::vector<std::string> s;
    add_line(s, r.welded, "vertex welded to an earlier one", "vertices welded to earlier ones");
    add_line(s, r.repeated_corners, "polygon with a repeated corner, removed", "polygons with repeated corners, removed");
    add_line(s, r.degenerate, "polygon without area dropped", "polygons without area dropped");
    add_line(s, r.flipped, "triangle without area removed by flipping its longest edge",
             "triangles without area removed by flipping their longest edges");
    add_line(s, r.duplicate, "repeated polygon dropped", "repeated polygons dropped");
    add_line(s, r.reversed, "polygon turned over", "polygons turned over");
    add_line(s, r.split_edges, "edge with more than two polygons cut", "edges with more than two polygons cut");
    add_line(s, r.split_vertices, "vertex of several fans cut", "vertices of several fans cut");
    add_line(s, r.unused, "unused vertex removed", "unused vertices removed");
    add_line(s, r.unorientable_edges, "edge left whose polygons cannot agree on a side",
             "edges left whose polygons cannot agree on a side");
    add_line(s, r.thin_left, "polygon without area left", "polygons without area left");
    return s;
}

// Exponent s such that coordinates times 2^s have volumes that neither overflow nor vanish: the largest is then near 2^100, so
// that products of up to six are numbers. 0 for meshes of any common size.
static int find_work_scale(const PolygonMesh& m) {
    Real most = 0;
    for (const Real3& x : m.positions) most = std::max(most, vec(x).cwiseAbs().maxCoeff());
    if (!(most > 0) || (most > 1e-30 && most < 1e45)) return 0;
    int exponent = 0;
    std::frexp(most, &exponent);
    return 100 - exponent;
}

static RepairedMesh repair_rounds(const PolygonMesh&, const RepairOptions&);

RepairedMesh repair_mesh(const PolygonMesh& m, const RepairOptions& o) {
    const int scale = find_work_scale(m);
    if (scale == 0) return repair_rounds(m, o);
    PolygonMesh scaled = m;
    for (Real3& x : scaled.positions) x = {std::ldexp(x.x, scale), std::ldexp(x.y, scale), std::ldexp(x.z, scale)};
    RepairOptions options = o;
    options.weld = std::ldexp(o.weld, scale);
    RepairedMesh r = repair_rounds(scaled, options);
    for (int v = 0; v < vertex_count(r.mesh); ++v) r.mesh.positions[v] = m.positions[r.vertex_source[v]]; // to the last bit
    return r;
}

static RepairedMesh repair_rounds(const PolygonMesh& m, const RepairOptions& o) {
    constexpr int kRounds = 16; // a turned part can repeat another one, a flip can make a neighbour thin; 3 suffice in practice
    RepairedMesh r = repair_once(m, o);
    for (int i = 1; i < kRounds && changed_anything(i == 1 ? r.report : RepairReport{.welded = {0}}); ++i) {
        RepairedMesh next = repair_once(r.mesh, o);
        const bool more = changed_anything(next.report);
        if (!more) break;
        add_report(r.report, next.report, r.vertex_source, r.polygon_source);
        for (int& v : next.vertex_source) v = r.vertex_source[v];
        for (int& p : next.polygon_source) p = r.polygon_source[p];
        r.mesh = std::move(next.mesh);
        r.vertex_source = std::move(next.vertex_source);
        r.polygon_source = std::move(next.polygon_source);
    }
    RepairReport& t = r.report;
    for (auto* list : {&t.welded, &t.repeated_corners, &t.degenerate, &t.flipped, &t.duplicate, &t.reversed, &t.split_vertices,
                       &t.unused, &t.thin_left})
        sort_unique(*list);
    sort_unique(t.split_edges);
    sort_unique(t.unorientable_edges);
    return r;
}

bool has_no_area(const PolygonMesh& m, int polygon, Real thin) {
    const int *v = m.polygon_vertex.data() + m.polygon_begin[polygon], n = polygon_size(m, polygon);
    // its corners alone, at a size whose area is a number
    PolygonMesh own;
    std::vector<int> corners(n);
    std::iota(corners.begin(), corners.end(), 0);
    for (int i = 0; i < n; ++i) own.positions.push_back(m.positions[v[i]]);
    if (const int scale = find_work_scale(own))
        for (Real3& x : own.positions) x = {std::ldexp(x.x, scale), std::ldexp(x.y, scale), std::ldexp(x.z, scale)};
    const auto at = [&](int i) { return Vec3(vec(own.positions[i])); };
    if (n == 3) return thinness(at(0), at(1), at(2)) <= thin;
    Real longest = 0;
    for (int i = 0; i < n; ++i) longest = std::max(longest, (at(i) - at((i + 1) % n)).norm());
    return fan_area(own.positions, corners) <= thin * longest * longest;
}

std::vector<int> find_duplicate_polygons(const PolygonMesh& m) {
    std::map<std::vector<int>, int> seen;
    std::vector<int> out;
    for (int p = 0; p < polygon_count(m); ++p) {
        std::vector<int> cycle(m.polygon_vertex.begin() + m.polygon_begin[p], m.polygon_vertex.begin() + m.polygon_begin[p + 1]);
        std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
        if (!seen.try_emplace(std::move(cycle), p).second) out.push_back(p);
    }
    return out;
}

std::vector<int> find_inverted_tetrahedra(const std::vector<Real3>& points, const std::vector<std::array<int, 4>>& tetrahedra,
                                          Real tolerance) {
    std::vector<int> out;
    for (int t = 0; t < int(tetrahedra.size()); ++t) {
        Vec3 x[4];
        for (int k = 0; k < 4; ++k) x[k] = vec(points[tetrahedra[t][k]]);
        Real longest = 0;
        for (int i = 0; i < 4; ++i)
            for (int j = i + 1; j < 4; ++j) longest = std::max(longest, (x[i] - x[j]).norm());
        const Real det = (x[1] - x[0]).dot((x[2] - x[0]).cross(x[3] - x[0]));
        if (!(det > tolerance * longest * longest * longest)) out.push_back(t);
    }
    return out;
}

} // namespace sinew
