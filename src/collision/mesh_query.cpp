#include "collision/mesh_query.h"
#include "geometry/shape_bounds.h"

namespace sinew {

bool cast_ray_mesh(const TriangleTree& tree, const TriangleShape& m, const Placement& f, const Vec3& origin, const Vec3& direction,
                   Real longest, MeshRayHit& out) {
    const RayPoint r = cast_ray(tree, m, from(f, origin), f.R.transpose() * direction, longest);
    out.triangle = r.triangle;
    if (r.triangle < 0) return false;
    const Vec3 n = f.R * r.normal;
    out.hit = {r.t, origin + r.t * direction, n.dot(direction) > 0 ? Vec3(-n) : n};
    return true;
}

bool closest_point_mesh(const TriangleTree& tree, const TriangleShape& m, const Placement& f, const Vec3& p, Real within, MeshPoint& out) {
    const SurfacePoint s = find_closest(tree, m, from(f, p), within);
    out.triangle = s.triangle;
    if (s.triangle < 0) return false;
    out.distance = s.distance;
    out.closest = at(f, s.at.point);
    return true;
}

bool overlap_mesh(const TriangleTree& tree, const TriangleShape& m, const Placement& f, const Convex& c, const Placement& fc,
                  std::vector<int>& triangles) {
    triangles.clear();
    if (!is_bounded(c)) return false;
    const Placement local = relative(f, fc);
    std::vector<int> near;
    find_triangles(tree, m, shape_bounds(c, local), false, near);
    for (int t : near) {
        const auto x = [&](int k) { return Vec3(vec(m.vertices[m.triangles[t][k]])); };
        if (overlap_convex(make_triangle(x(0), x(1), x(2), 0), {}, c, local)) triangles.push_back(t);
    }
    return !triangles.empty();
}

} // namespace sinew
