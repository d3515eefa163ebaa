#include "collision/mesh_feature.h"
#include <algorithm>

namespace sinew {

Vec3 inward(const Vec3& a, const Vec3& b, const Vec3& third) {
    const Vec3 e = (b - a).normalized(), r = third - a;
    return (r - r.dot(e) * e).stableNormalized();
}

Vec3 normal_across(const MeshFace& f, int k) {
    const int o = f.s.opposite[f.t][k];
    if (o < 0) return f.normal;
    const Vec3 &a = f.x[k], &b = f.x[(k + 1) % 3];
    const Vec3 n = (a - b).cross(Vec3(vec(f.s.shape->vertices[o])) - b);
    return n.squaredNorm() > 0 ? Vec3(n.normalized()) : f.normal;
}

bool edge_allows(const MeshFace& f, int k, const Vec3& n, Real tolerance) {
    const Vec3 &a = f.x[k], &b = f.x[(k + 1) % 3];
    if (n.dot(inward(a, b, f.x[(k + 2) % 3])) > tolerance) return false;
    const int o = f.s.opposite[f.t][k];
    if (o >= 0 && n.dot(inward(a, b, vec(f.s.shape->vertices[o]))) > tolerance) return false;
    return !f.s.one_sided || n.dot(f.normal + normal_across(f, k)) > 0;
}

bool vertex_allows(const MeshSurface& s, int v, const Vec3& n, Real tolerance) {
    const Vec3 x = vec(s.shape->vertices[v]);
    for (int i = s.end_begin[v]; i < s.end_begin[v + 1]; ++i) {
        const Vec3 e = Vec3(vec(s.shape->vertices[s.end[i]])) - x;
        if (n.dot(e) > tolerance * e.norm()) return false;
    }
    return !s.one_sided || n.dot(s.vertex_normal[v]) > 0;
}

bool allows(const MeshFace& f, Vec3& n) {
    if (is_near(n, f.normal)) return n = f.normal, true;
    if (is_near(n, -f.normal)) return n = -f.normal, !f.s.one_sided;
    const Real h[3] = {n.dot(f.x[0]), n.dot(f.x[1]), n.dot(f.x[2])};
    const Real top = std::max({h[0], h[1], h[2]});
    for (int k = 0; k < 3; ++k) {
        const int j = (k + 1) % 3;
        const Real length = (f.x[j] - f.x[k]).norm();
        if (h[k] < top - kPolar * length || h[j] < top - kPolar * length) continue;
        if (!edge_allows(f, k, n)) return false;
        const Vec3 across = normal_across(f, k);
        if (is_near(n, across)) n = across;
        return true;
    }
    for (int k = 0; k < 3; ++k)
        if (h[k] == top) return vertex_allows(f.s, f.s.shape->triangles[f.t][k], n);
    return false;
}

} // namespace sinew
