// Polygons of a hull, geometry/hull_faces.h. Regions grow from the largest triangle down, so that the plane
// of a region is that of its best conditioned member; a region whose border is not one simple loop stays in
// triangles.
#include "geometry/hull_faces.h"
#include "geometry/convex.h"
#include <algorithm>
#include <map>

namespace sinew {

namespace {

struct Regions {
    std::vector<int> region;             // per triangle, -1 = none yet
    std::vector<std::vector<int>> loops; // per region its corners
};

// Corners around the triangles of one region; empty unless they form one loop that visits each corner once
std::vector<int> border_loop(const std::vector<HullTriangle>& t, const Regions& r,
                             const std::vector<int>& members) {
    std::map<int, int> next;
    std::size_t edges = 0;
    for (int f : members)
        for (int e = 0; e < 3; ++e)
            if (r.region[t[f].next[e]] != r.region[f]) {
                next[t[f].v[e]] = t[f].v[(e + 1) % 3];
                ++edges;
            }
    if (edges < 3 || next.size() != edges) return {};
    std::vector<int> loop;
    int at = next.begin()->first;
    for (std::size_t i = 0; i < edges; ++i) {
        loop.push_back(at);
        const auto it = next.find(at);
        if (it == next.end()) return {};
        at = it->second;
        if (at == loop[0]) break;
    }
    return loop.size() == edges ? loop : std::vector<int>{};
}

// Three corners almost on a line: any plane through the line is its plane
bool is_sliver(const HullTriangle& t, const std::vector<Vec3>& x, Real tolerance) {
    Real longest = 0;
    for (int e = 0; e < 3; ++e) longest = std::max(longest, (x[t.v[e]] - x[t.v[(e + 1) % 3]]).norm());
    return 2 * t.area <= tolerance * longest;
}

void grow_region(const std::vector<HullTriangle>& t, const std::vector<Vec3>& x, Real tolerance, int seed,
                 Regions& r) {
    const int id = int(r.loops.size());
    const Vec3 n = t[seed].normal, o = x[t[seed].v[0]];
    std::vector<int> members{seed};
    r.region[seed] = id;
    for (std::size_t i = 0; i < members.size(); ++i)
        for (int f : t[members[i]].next) {
            if (r.region[f] >= 0) continue;
            bool flat = n.dot(t[f].normal) > 0 || is_sliver(t[f], x, tolerance);
            for (int v : t[f].v) flat = flat && std::abs(n.dot(x[v] - o)) <= tolerance;
            if (!flat) continue;
            r.region[f] = id;
            members.push_back(f);
        }
    std::vector<int> loop = border_loop(t, r, members);
    if (loop.empty()) {
        for (int f : members) r.region[f] = -1;
        r.region[seed] = id;
        loop.assign(t[seed].v.begin(), t[seed].v.end());
    }
    r.loops.push_back(std::move(loop));
}

// Corners with two faces lie on an edge: the two polygons go past them. None is left with fewer than 3
// corners.
void drop_straight_corners(std::vector<std::vector<int>>& loops) {
    std::map<int, std::vector<int>> faces;
    for (std::size_t f = 0; f < loops.size(); ++f)
        for (int v : loops[f]) faces[v].push_back(int(f));
    for (const auto& [v, at] : faces) {
        if (at.size() != 2 || loops[at[0]].size() < 4 || loops[at[1]].size() < 4) continue;
        for (int f : at) loops[f].erase(std::find(loops[f].begin(), loops[f].end(), v));
    }
}

void copy_polygons(const std::vector<std::vector<int>>& loops, std::span<const Real3> points, HullShape& h) {
    std::map<int, int> renamed;
    for (const auto& loop : loops)
        for (int v : loop) renamed[v] = 0;
    for (auto& [v, id] : renamed) {
        id = int(h.vertices.size());
        h.vertices.push_back(points[v]);
    }
    for (const auto& loop : loops) {
        for (int v : loop) h.face_vertex.push_back(renamed[v]);
        h.face_begin.push_back(int(h.face_vertex.size()));
    }
}

} // namespace

bool fill_adjacency(HullShape& h) {
    std::map<std::array<int, 2>, std::array<int, 2>> edges;
    const int faces = int(h.face_begin.size()) - 1;
    for (int f = 0; f < faces; ++f)
        for (int k = h.face_begin[f]; k < h.face_begin[f + 1]; ++k) {
            const int a = h.face_vertex[k],
                      b = h.face_vertex[k + 1 < h.face_begin[f + 1] ? k + 1 : h.face_begin[f]];
            auto& sides =
                edges.try_emplace({std::min(a, b), std::max(a, b)}, std::array<int, 2>{-1, -1}).first->second;
            int& side = sides[a < b ? 0 : 1];
            if (side >= 0) return false;
            side = f;
        }
    h.edges.clear();
    h.edge_faces.clear();
    std::vector<std::vector<int>> neighbors(h.vertices.size());
    for (const auto& [edge, sides] : edges) {
        if (sides[0] < 0 || sides[1] < 0) return false;
        h.edges.push_back(edge);
        h.edge_faces.push_back(sides);
        neighbors[edge[0]].push_back(edge[1]);
        neighbors[edge[1]].push_back(edge[0]);
    }
    h.neighbor_begin.assign(1, 0);
    h.neighbor.clear();
    for (auto& list : neighbors) {
        std::sort(list.begin(), list.end());
        h.neighbor.insert(h.neighbor.end(), list.begin(), list.end());
        h.neighbor_begin.push_back(int(h.neighbor.size()));
    }
    return true;
}

// Newell's area vector for the normal; the offset of the supporting plane with that normal
static bool set_planes(HullShape& h) {
    Convex c;
    c.core = Convex::hull;
    c.hull_data = &h;
    h.face_normal.clear();
    h.face_offset.clear();
    for (std::size_t f = 0; f + 1 < h.face_begin.size(); ++f) {
        const int begin = h.face_begin[f], end = h.face_begin[f + 1];
        const Vec3 o = vec(h.vertices[h.face_vertex[begin]]);
        Real size = 0; // scaled, so that tiny and huge hulls neither under- nor overflow
        for (int k = begin; k < end; ++k)
            size = std::max(size, (vec(h.vertices[h.face_vertex[k]]) - o).cwiseAbs().maxCoeff());
        Vec3 area = Vec3::Zero();
        for (int k = begin + 1; k + 1 < end; ++k)
            area += ((vec(h.vertices[h.face_vertex[k]]) - o) / size)
                        .cross((vec(h.vertices[h.face_vertex[k + 1]]) - o) / size);
        const Real norm = area.norm();
        if (!(norm > 0)) return false;
        const Vec3 n = area / norm;
        h.face_normal.push_back(real3(n));
        h.face_offset.push_back(n.dot(support(c, n, h.face_vertex[begin]).x));
    }
    return true;
}

bool build_polygons(const std::vector<HullTriangle>& t, const std::vector<Vec3>& grid,
                    std::span<const Real3> points, Real tolerance, HullShape& h) {
    std::vector<int> order;
    for (std::size_t f = 0; f < t.size(); ++f)
        if (t[f].alive) order.push_back(int(f));
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return t[a].area > t[b].area; });
    Regions r;
    r.region.assign(t.size(), -1);
    for (int f : order)
        if (r.region[f] < 0) grow_region(t, grid, tolerance, f, r);
    drop_straight_corners(r.loops);
    copy_polygons(r.loops, points, h);
    return fill_adjacency(h) && set_planes(h);
}

HullShape make_box_hull(const Real3& half) {
    HullShape h;
    for (int i = 0; i < 8; ++i)
        h.vertices.push_back({i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z});
    h.face_vertex = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
    for (int f = 0; f < 6; ++f) {
        h.face_begin.push_back(4 * f + 4);
        Real3 n;
        n[f / 2] = f % 2 ? 1 : -1;
        h.face_normal.push_back(n);
        h.face_offset.push_back(half[f / 2]);
    }
    fill_adjacency(h);
    return h;
}

PolygonMesh mesh_of(const HullShape& h) {
    PolygonMesh m;
    m.positions = h.vertices;
    m.polygon_begin = h.face_begin;
    m.polygon_vertex = h.face_vertex;
    return m;
}

} // namespace sinew
