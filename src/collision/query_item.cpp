#include "collision/query_item.h"
#include "collision/convex_query.h"
#include "collision/mesh_feature.h"
#include "collision/surface_distance.h"
#include "geometry/convex_distance.h"
#include "geometry/height_field.h"
#include "geometry/shape_bounds.h"
#include "geometry/triangle.h"
#include <cmath>

namespace sinew {

namespace {
bool is_convex(const QueryItem& i) { return !i.surface && !i.field; }

// Where an inside point is nearest to the surface, own axes; false for points outside and for what has no
// inside.
bool find_inside(const QueryItem& i, const Vec3& p, SurfaceDistance& d) {
    if (!i.grid && !i.field) return false;
    const SurfaceSide side{i.surface, i.grid, i.field, i.box, {}, 0};
    return find_distance(side, p, 0, d) && d.distance < 0;
}

ItemHit inside_hit(const QueryItem& i, const SurfaceDistance& d, Real distance) {
    return {distance, at(i.place, d.closest), i.place.R * d.normal, QueryHit::shape, -1};
}

void find_near(const QueryItem& i, const Aabb& box, std::vector<int>& near) {
    if (i.field)
        find_triangles(*i.field, box, near);
    else
        find_triangles(i.surface->tree, *i.surface->shape, box, false, near);
}

Convex triangle_of(const QueryItem& i, int t) {
    if (i.field) {
        const std::array<Vec3, 3> x = height_field_triangle(*i.field, t);
        return make_triangle(x[0], x[1], x[2], 0);
    }
    const TriangleShape& m = *i.surface->shape;
    return make_triangle(corner(m, t, 0), corner(m, t, 1), corner(m, t, 2), 0);
}

// Separation of a convex shape whose middle is inside, along the normal found there
Real separation(const SurfaceDistance& d, const Convex& c, const Placement& local) {
    const Vec3 n = d.normal;
    return n.dot(at(local, support(c, -(local.R.transpose() * n)).x) - d.closest) - c.radius;
}
} // namespace

Aabb bounds_of(const QueryItem& i) {
    if (is_convex(i)) return shape_bounds(i.convex, i.place);
    Aabb box = i.box;
    if (i.field) box.lo.y() = -kEndless;
    return oriented_bounds(box, i.place);
}

bool cast_ray(const QueryItem& i, const Vec3& origin, const Vec3& u, Real far, ItemHit& out) {
    if (is_convex(i) && i.convex.core != Convex::triangle) {
        RayHit hit;
        if (!cast_ray(i.convex, i.place, origin, u, far, hit)) return false;
        out = {hit.time, hit.point, hit.normal, i.part, i.index};
        return true;
    }
    const Vec3 o = from(i.place, origin), d = i.place.R.transpose() * u;
    RayPoint r;
    if (is_convex(i)) {
        r = cast_ray_triangle(i.convex.corner, o, d, far);
    } else {
        if (SurfaceDistance inside; find_inside(i, o, inside)) {
            out = {0, origin, i.place.R * inside.normal, QueryHit::shape, -1};
            return true;
        }
        r = i.field ? cast_ray(*i.field, o, d, far) : cast_ray(i.surface->tree, *i.surface->shape, o, d, far);
    }
    if (r.triangle < 0) return false;
    const Vec3 n = i.place.R * r.normal;
    out = {r.t, origin + r.t * u, n.dot(u) > 0 ? Vec3(-n) : n, QueryHit::triangle,
           is_convex(i) ? i.index : r.triangle};
    return true;
}

bool cast_convex(const QueryItem& i, const Convex& c, const Placement& f, const Vec3& u, Real far,
                 std::vector<int>& near, ItemHit& out) {
    const RigidMotion motion = straight(f, far * u);
    CastHit hit;
    if (is_convex(i)) {
        if (!cast_convex(c, motion, i.convex, resting(i.place), 0, hit)) return false;
        out = {hit.time * far, hit.on_b, -hit.normal, i.part, i.index};
        return true;
    }
    const Placement local = relative(i.place, f);
    if (SurfaceDistance d; is_bounded(c) && find_inside(i, at(local, center_of(c)), d)) {
        out = inside_hit(i, d, 0);
        return true;
    }
    Placement end = local;
    end.p += far * (i.place.R.transpose() * u);
    find_near(i, merge(shape_bounds(c, local), shape_bounds(c, end)), near);
    bool found = false;
    Real limit = far;
    for (int t : near) {
        // no further than the best so far
        if (!cast_convex(c, straight(f, limit * u), triangle_of(i, t), resting(i.place), 0, hit)) continue;
        const Real distance = hit.time * limit;
        if (found && distance >= out.distance) continue;
        out = {distance, hit.on_b, -hit.normal, QueryHit::triangle, t};
        found = true, limit = distance;
        if (distance == 0) break;
    }
    return found;
}

void find_overlaps(const QueryItem& i, const Convex& c, const Placement& f, Real margin,
                   std::vector<int>& near, std::vector<ItemHit>& out) {
    if (is_convex(i)) {
        const ConvexDistance d = convex_distance(c, f, i.convex, i.place);
        if (d.distance <= margin) out.push_back({d.distance, d.on_b, -d.normal, i.part, i.index});
        return;
    }
    const Placement local = relative(i.place, f);
    const std::size_t before = out.size();
    find_near(i, grow(shape_bounds(c, local), std::max(margin, 0.0)), near);
    for (int t : near) {
        const ConvexDistance d = convex_distance(c, f, triangle_of(i, t), i.place, margin);
        if (d.distance <= margin) out.push_back({d.distance, d.on_b, -d.normal, QueryHit::triangle, t});
    }
    if (out.size() > before || !is_bounded(c)) return;
    if (SurfaceDistance d; find_inside(i, at(local, center_of(c)), d))
        out.push_back(inside_hit(i, d, separation(d, c, local)));
}

bool find_closest(const QueryItem& i, const Vec3& p, Real within, ItemHit& out) {
    if (is_convex(i) && i.convex.core != Convex::triangle) {
        const ClosestPoint c = closest_point(i.convex, i.place, p);
        out = {c.distance, c.closest, c.normal, i.part, i.index};
        return c.distance <= within;
    }
    const Vec3 q = from(i.place, p);
    if (SurfaceDistance d; find_inside(i, q, d)) {
        out = inside_hit(i, d, d.distance);
        return true;
    }
    SurfacePoint s;
    Vec3 normal = i.convex.normal;
    if (is_convex(i)) {
        const auto& x = i.convex.corner;
        s.at = closest_on_triangle(q, x[0], x[1], x[2]);
        s.distance = (q - s.at.point).norm();
        s.triangle = i.index;
    } else {
        s = i.field ? find_closest(*i.field, q, within)
                    : find_closest(i.surface->tree, *i.surface->shape, q, within);
        if (s.triangle >= 0) normal = triangle_of(i, s.triangle).normal;
    }
    if (s.triangle < 0 || !(s.distance <= within)) return false;
    const Vec3 way = q - s.at.point;
    out = {s.distance, at(i.place, s.at.point),
           i.place.R * (s.distance > 0 ? Vec3(way / s.distance) : normal), QueryHit::triangle, s.triangle};
    return true;
}

} // namespace sinew
