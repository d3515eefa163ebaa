#include "collision/surface_distance.h"
#include "collision/mesh_feature.h"
#include "geometry/distance_grid.h"
#include "geometry/height_field.h"
#include <cmath>
#include <utility>

namespace sinew {

namespace {
// Normal of the feature that holds the closest point, not unit.
Vec3 feature_normal(const MeshSurface& s, int t, TriangleFeature feature) {
    const int f = int(feature);
    if (f == 0) return s.normal[t];
    if (f <= 3) return s.normal[t] + normal_across(face_of(s, t), f - 1);
    return s.vertex_normal[s.shape->triangles[t][f - 4]];
}

// From the closest point, the normal of the surface there and the sign.
void set_distance(const Vec3& p, const Vec3& closest, const Vec3& face, const Vec3& feature, Real sign,
                  SurfaceDistance& out) {
    const Vec3 way = p - closest;
    const Real length = way.norm();
    // on the surface the direction is rounding
    const bool touching = !(length > 1e-9 * (p.cwiseAbs().maxCoeff() + closest.cwiseAbs().maxCoeff()));
    out.normal = touching ? (feature.squaredNorm() > 0 ? Vec3(feature.normalized()) : face)
                          : Vec3(sign / length * way);
    if (is_near(out.normal, face)) out.normal = face;
    if (is_near(out.normal, -face)) out.normal = -face;
    if (!(out.normal.squaredNorm() > 0.5)) out.normal = Vec3::UnitY(); // on a triangle without area
    out.distance = out.normal.dot(way);
    out.closest = p - out.distance * out.normal;
}

bool find_mesh_distance(const MeshSurface& s, const Vec3& p, Real limit, Real within, SurfaceDistance& out) {
    const SurfacePoint near = find_closest(s.tree, *s.shape, p, within);
    if (near.triangle < 0) return false;
    const Vec3 feature = feature_normal(s, near.triangle, near.at.feature);
    const Real sign = s.one_sided && feature.dot(p - near.at.point) < 0 ? -1 : 1;
    if (sign > 0 && near.distance > limit) return false;
    set_distance(p, near.at.point, s.normal[near.triangle], feature, sign, out);
    return true;
}

bool find_solid_distance(const SurfaceSide& s, const Vec3& p, Real limit, SurfaceDistance& out) {
    const Real error = 0.87 * s.grid->cell; // sqrt(3)/2 cell: geometry/distance_grid.h
    const DistanceSample d = sample_distance(*s.grid, p);
    if (d.distance > limit + error) return false;
    // where several faces are as near, the gradient is not unit and its direction that of none of them
    if (d.distance < -2 * s.grid->cell && std::abs(d.gradient.squaredNorm() - 1) < 0.05) {
        out = {d.distance, d.normal, p - d.distance * d.normal};
        return true;
    }
    return find_mesh_distance(*s.surface, p, limit, std::abs(d.distance) + 2 * error, out);
}

} // namespace

bool find_field_distance(const HeightFieldShape& f, const Vec3& p, Real limit, SurfaceDistance& out) {
    const HeightSample under = sample_height(f, p.x(), p.z());
    const bool below = under.inside && p.y() < under.height;
    const SurfacePoint near = find_closest(f, p, below ? kEndless : limit);
    if (near.triangle < 0) return false;
    const std::array<Vec3, 3> x = height_field_triangle(f, near.triangle);
    const Vec3 face = (x[1] - x[0]).cross(x[2] - x[0]).normalized();
    set_distance(p, near.at.point, face, face, below ? -1 : 1, out);
    return below || out.normal.y() > 0; // beside the field nothing is kept away sideways or from below
}

bool has_inside(const SurfaceSide& s) { return s.field || s.grid || s.surface->one_sided; }

bool find_distance(const SurfaceSide& s, const Vec3& p, Real limit, SurfaceDistance& out) {
    if (s.field) return p.y() <= s.box.hi.y() + limit && find_field_distance(*s.field, p, limit, out);
    if (!contains(grow(s.box, limit), p)) return false;
    if (s.grid) return find_solid_distance(s, p, limit, out);
    return find_mesh_distance(*s.surface, p, limit, s.surface->one_sided ? kEndless : limit, out);
}

bool leave_along(const SurfaceSide& s, const Vec3& p, const Vec3& u, SurfaceDistance& out) {
    RayPoint r;
    if (s.field)
        r = cast_ray(*s.field, p, u, kEndless);
    else
        r = cast_ray(s.surface->tree, *s.surface->shape, p, u, kEndless);
    if (r.triangle < 0 || !(r.normal.dot(u) > 0)) return false;
    out.normal = r.normal;
    out.distance = -r.t * r.normal.dot(u);
    out.closest = p - out.distance * out.normal;
    return true;
}

bool find_allowed_face(const SurfaceSide& s, const Vec3& p, const MeshSurface& own, int vertex, const Mat3& R,
                       SurfaceDistance& out) {
    const TriangleTree& tree = s.surface->tree;
    const TriangleShape& mesh = *s.surface->shape;
    int best = -1;
    Real least = kEndless; // squared
    const auto look_at = [&](int t) {
        const Vec3 &n = s.surface->normal[t], x = corner(mesh, t, 0);
        const Vec3 way = p - closest_on_triangle(p, x, corner(mesh, t, 1), corner(mesh, t, 2)).point;
        const Real d = way.squaredNorm();
        if (d > least || (d == least && t > best) || n.squaredNorm() == 0) return;
        if (!vertex_allows(own, vertex, -(R.transpose() * n), kSnap)) return;
        least = d, best = t;
        out.normal = n, out.distance = n.dot(p - x);
    };
    TriangleNodeStack stack;
    push(stack, 0, squared_distance(tree.nodes[0].box, p));
    while (stack.size > 0) {
        const auto [index, bound] = pop(stack);
        if (bound > least) continue;
        const TriangleTree::Node& node = tree.nodes[index];
        for (int i = node.first; i < node.first + node.count; ++i) look_at(tree.order[i]);
        if (node.count) continue;
        const int a = node.first, b = node.first + 1;
        const Real da = squared_distance(tree.nodes[a].box, p), db = squared_distance(tree.nodes[b].box, p);
        push_nearer_last(stack, a, da, b, db);
    }
    out.closest = p - out.distance * out.normal;
    return best >= 0;
}

Real depth_inside(const SurfaceSide& s, const Vec3& p) {
    SurfaceDistance d;
    if (!find_distance(s, p, 0, d) || d.distance >= 0) return 0;
    if (!s.grid) return -d.distance;
    // the grid cuts corners where several faces are as near
    return find_closest(s.surface->tree, *s.surface->shape, p, -d.distance + 2 * s.grid->cell).distance;
}

Real rounding_of(const SurfaceSide& s) {
    return 3e-9 * s.box.lo.cwiseAbs().cwiseMax(s.box.hi.cwiseAbs()).maxCoeff(); // above that of set_distance
}

} // namespace sinew
