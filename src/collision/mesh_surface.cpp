// Neighbours of the triangles of a mesh, for collision/mesh_convex.h.
#include "collision/mesh_feature.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {
using Edge = MeshNeighborScratch::Edge;

// bent by more than kSnap, and outwards where only one side counts; borders always
bool is_sharp(const MeshSurface& s, int t, int k) {
    if (s.opposite[t][k] < 0) return true;
    const MeshFace f = face_of(s, t);
    const Vec3 across = normal_across(f, k);
    if (is_near(f.normal, across)) return false;
    return !s.one_sided || f.normal.dot(Vec3(vec(s.shape->vertices[s.opposite[t][k]])) - f.x[k]) < 0;
}

void build_normals(MeshSurface& s, std::vector<Edge>& edges) {
    const TriangleShape& m = *s.shape;
    edges.clear();
    for (int t = 0; t < int(m.triangles.size()); ++t) {
        const Vec3 x[3] = {corner(m, t, 0), corner(m, t, 1), corner(m, t, 2)};
        const Vec3 area = (x[1] - x[0]).cross(x[2] - x[0]);
        const Real length = area.norm();
        s.normal[t] = length > 0 ? Vec3(area / length) : Vec3(Vec3::Zero());
        for (int k = 0; k < 3; ++k) {
            const int a = m.triangles[t][k], b = m.triangles[t][(k + 1) % 3];
            const Vec3 u = x[(k + 1) % 3] - x[k], v = x[(k + 2) % 3] - x[k];
            s.vertex_normal[a] += std::atan2(u.cross(v).norm(), u.dot(v)) * s.normal[t];
            if (length > 0) edges.push_back({std::min(a, b), std::max(a, b), t, k});
        }
    }
    std::sort(edges.begin(), edges.end(), [](const Edge& p, const Edge& q) { return std::tie(p.a, p.b, p.triangle) < std::tie(q.a, q.b, q.triangle); });
}
} // namespace

void build_mesh_neighbors(MeshSurface& s, MeshNeighborScratch& scratch) {
    const TriangleShape& m = *s.shape;
    const int n = int(m.triangles.size()), vertices = int(m.vertices.size());
    s.normal.resize(n);
    s.opposite.assign(n, {-1, -1, -1});
    s.sharp.assign(n, 0);
    s.vertex_normal.assign(vertices, Vec3::Zero());
    std::vector<Edge>& edges = scratch.edges;
    build_normals(s, edges);
    // two triangles at an edge know each other; where more meet, each pair of successive ones
    s.end_begin.assign(vertices + 1, 0);
    for (std::size_t i = 0, j = 0; i < edges.size(); i = j) {
        for (j = i; j < edges.size() && edges[j].a == edges[i].a && edges[j].b == edges[i].b;) ++j;
        for (std::size_t k = i; j - i > 1 && k < j; ++k) {
            const Edge& other = edges[k + 1 < j ? k + 1 : i];
            s.opposite[edges[k].triangle][edges[k].k] = m.triangles[other.triangle][(other.k + 2) % 3];
        }
        if (is_sharp(s, edges[i].triangle, edges[i].k)) s.sharp[edges[i].triangle] |= std::uint8_t(1 << edges[i].k);
        ++s.end_begin[edges[i].a + 1], ++s.end_begin[edges[i].b + 1];
    }
    for (int v = 0; v < vertices; ++v) s.end_begin[v + 1] += s.end_begin[v];
    s.end.resize(s.end_begin[vertices]);
    scratch.at.assign(s.end_begin.begin(), s.end_begin.end() - 1);
    for (std::size_t i = 0; i < edges.size(); ++i) {
        if (i > 0 && edges[i].a == edges[i - 1].a && edges[i].b == edges[i - 1].b) continue;
        s.end[scratch.at[edges[i].a]++] = edges[i].b;
        s.end[scratch.at[edges[i].b]++] = edges[i].a;
    }
}

} // namespace sinew
