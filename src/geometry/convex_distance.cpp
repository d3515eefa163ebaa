// Distance of convex shapes, geometry/convex_distance.h: closed forms where there are any (a point against
// everything, two segments, half-space and plane), GJK for the rest, and where the cores overlap the
// separating axes of polytopes or the expanding polytope.
#include "geometry/convex_distance.h"
#include "geometry/bounds.h"
#include "geometry/convex_closest.h"
#include "geometry/epa.h"
#include "geometry/polytope.h"
#include "geometry/sat.h"
#include <cmath>

namespace sinew {

namespace {

// the pair the other way round, and its answer in the axes of the first
ConvexPair swapped(const ConvexPair& p) {
    const Placement& f = p.b_in_a;
    return {p.b, p.a, {f.R.transpose(), -(f.R.transpose() * f.p)}};
}
ConvexDistance swapped(const ConvexDistance& r, const Placement& f) {
    ConvexDistance s = r;
    s.normal = -(f.R * r.normal);
    s.on_a = at(f, r.on_b);
    s.on_b = at(f, r.on_a);
    s.vertex_a = r.vertex_b;
    s.vertex_b = r.vertex_a;
    return s;
}

ConvexDistance from_plane(const ConvexPair& pair) {
    ConvexDistance r;
    if (!is_bounded(*pair.b)) {
        r.distance = kEndless;
        return r;
    }
    const Placement& f = pair.b_in_a;
    const Vec3 up = f.R.row(1); // the plane's normal in the axes of b
    const Vec3 low = at(f, support(*pair.b, -up).x), high = at(f, support(*pair.b, up).x);
    const bool below = pair.a->core == Convex::plane && low.y() + high.y() < 0;
    r.on_b = below ? high : low;
    r.normal = below ? Vec3(-Vec3::UnitY()) : Vec3(Vec3::UnitY());
    r.distance = r.normal.y() * r.on_b.y();
    r.on_a = Vec3(r.on_b.x(), 0, r.on_b.z());
    return r;
}

ConvexDistance from_segments(const ConvexPair& pair) {
    const Vec3 e = Vec3::UnitY(), g = pair.b_in_a.R.col(1), q = pair.b_in_a.p;
    const Real ha = pair.a->size.y(), hb = pair.b->size.y(), c = e.dot(g), det = 1 - c * c;
    const auto clamp = [](Real x, Real h) { return std::min(std::max(x, -h), h); };
    // s e nearest to q + t g: the unconstrained minimum, then clamped one after the other
    Real s = det > 1e-14 ? clamp((q.dot(e) - c * q.dot(g)) / det, ha) : clamp(q.dot(e), ha);
    const Real t = clamp(s * c - q.dot(g), hb);
    s = clamp(q.dot(e) + t * c, ha);
    ConvexDistance r;
    r.on_a = s * e;
    r.on_b = q + t * g;
    const Vec3 d = r.on_b - r.on_a;
    r.distance = d.norm();
    if (r.distance > 1e-14 * (ha + hb)) {
        r.normal = d / r.distance;
    } else { // they cross
        const Vec3 cross = e.cross(g);
        r.distance = 0;
        r.normal = cross.norm() > 1e-8 ? Vec3(cross.normalized()) : perpendicular(e);
    }
    return r;
}

ConvexDistance make_distance(Real distance, const Vec3& normal, const Vec3& on_a, const Vec3& on_b, int iterations = 0) {
    ConvexDistance r;
    r.distance = distance, r.normal = normal, r.on_a = on_a, r.on_b = on_b, r.iterations = iterations;
    return r;
}
ConvexDistance from_axis(const SeparatingAxis& x) { return make_distance(x.separation, x.normal, x.on_a, x.on_b); }
ConvexDistance from_penetration(const Penetration& p) { return make_distance(-p.depth, p.normal, p.on_a, p.on_b, p.iterations); }

ConvexDistance from_point_b(const ConvexPair& pair) {
    const ClosestPoint c = closest_on_core(*pair.a, pair.b_in_a.p);
    return make_distance(c.distance, c.normal, c.closest, pair.b_in_a.p);
}

bool has_faces(const Convex& c) {
    return c.core == Convex::triangle || c.core == Convex::box ||
           (c.core == Convex::hull && !c.hull_data->face_normal.empty());
}
// separating axes describe the pair completely: a solid difference with known faces
bool has_axes(const ConvexPair& p) {
    const bool a = has_faces(*p.a), b = has_faces(*p.b);
    // every pair of edges is looked at: above some 400 pairs the expanding polytope is faster and as exact
    if (std::int64_t(edge_count(*p.a)) * edge_count(*p.b) > 400) return false;
    return (a && b) || (a && p.b->core == Convex::segment) || (b && p.a->core == Convex::segment);
}

ConvexDistance from_gjk(const ConvexPair& pair, Real limit) {
    Simplex s;
    const GjkResult g = run_gjk(pair, limit, s);
    if (g.state == GjkResult::overlapping) {
        ConvexDistance r =
            has_axes(pair) ? from_axis(find_separating_axis(pair, kEndless)) : from_penetration(run_epa(pair, s));
        r.iterations += g.iterations;
        return r;
    }
    ConvexDistance r;
    r.distance = g.distance;
    r.normal = -g.v.normalized();
    // weights of a thin triangle are less exact than v: share the difference
    const Vec3 middle = (g.on_a + g.on_b) / 2, half = r.distance / 2 * r.normal;
    r.on_a = middle - half;
    r.on_b = middle + half;
    r.iterations = g.iterations;
    r.vertex_count = std::min(s.count, 3);
    for (int i = 0; i < r.vertex_count; ++i) r.vertex_a[i] = s.point[i].id_a, r.vertex_b[i] = s.point[i].id_b;
    return r;
}

} // namespace

ConvexDistance core_distance(const ConvexPair& pair, Real limit) {
    const Convex &a = *pair.a, &b = *pair.b;
    if (!(pair.b_in_a.p.cwiseAbs().maxCoeff() < 1e140) ||
        !pair.b_in_a.p.allFinite()) { // squares would overflow
        ConvexDistance r;
        r.distance = kEndless;
        return r;
    }
    if (!is_bounded(a)) return from_plane(pair);
    if (!is_bounded(b)) return swapped(from_plane(swapped(pair)), pair.b_in_a);
    if (b.core == Convex::point) return from_point_b(pair);
    if (a.core == Convex::point) return swapped(from_point_b(swapped(pair)), pair.b_in_a);
    if (a.core == Convex::segment && b.core == Convex::segment) return from_segments(pair);
    if (a.core == Convex::box && b.core == Convex::box) {
        const SeparatingAxis axis = find_box_axis(pair, std::max(limit, Real(0)));
        if (axis.separation <= 0 || axis.separation > limit) return from_axis(axis);
    }
    return from_gjk(pair, limit);
}

ConvexDistance convex_distance(const Convex& a, const Placement& fa, const Convex& b, const Placement& fb,
                               Real limit) {
    ConvexDistance r = core_distance(make_pair(a, fa, b, fb), limit + a.radius + b.radius);
    r.distance -= a.radius + b.radius;
    const Vec3 on_a = r.on_a + a.radius * r.normal, on_b = r.on_b - b.radius * r.normal;
    r.on_a = at(fa, on_a);
    r.on_b = at(fa, on_b);
    r.normal = fa.R * r.normal;
    return r;
}

void contact_frame(const Vec3& n, Vec3& s, Vec3& t) {
    s = perpendicular(n);
    t = n.cross(s);
}

} // namespace sinew
