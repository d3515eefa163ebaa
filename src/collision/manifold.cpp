// Manifolds of convex shapes, collision/manifold.h: normal and nearest points from core_distance, then the
// facing features of both cores clipped against each other. The nearest points join where no corner is as
// deep: rims of discs, crossing lines, single points.
#include "collision/manifold.h"
#include "collision/box_pair.h"
#include "collision/manifold_clip.h"
#include "geometry/convex_closest.h"
#include "geometry/convex_distance.h"
#include <cmath>

namespace sinew {

namespace {

// Corners of b's feature over the flat side of a, in the axes of a
void drop_on_plane(const ContactFace& f, const Vec3& n, bool plane_is_a, ClipPoints& out) {
    for (int i = 0; i < f.count; ++i) {
        const Vec3 foot(f.x[i].x(), 0, f.x[i].z());
        const auto id = std::uint64_t(f.id[i]);
        const Real gap = plane_is_a ? n.dot(f.x[i] - foot) : n.dot(foot - f.x[i]);
        out.point[out.count++] = {plane_is_a ? foot : f.x[i], plane_is_a ? f.x[i] : foot, gap,
                                  contact_key(plane_is_a ? 1 : 0, plane_is_a ? 0 : id, plane_is_a ? id : 0)};
    }
}

// All candidate points of the cores in the axes of a
void find_points(const ConvexPair& pair, const ConvexDistance& nearest, ClipPoints& out) {
    const Convex &a = *pair.a, &b = *pair.b;
    const Vec3& n = nearest.normal;
    ContactFace fa, fb;
    if (is_bounded(b)) {
        find_contact_face(b, -(pair.b_in_a.R.transpose() * n), fb);
        place_face(pair.b_in_a, fb);
    }
    if (!is_bounded(a)) {
        drop_on_plane(fb, n, true, out);
    } else if (!is_bounded(b)) {
        find_contact_face(a, n, fa);
        // in the axes of the plane, and back
        const Placement to_b{pair.b_in_a.R.transpose(), -(pair.b_in_a.R.transpose() * pair.b_in_a.p)};
        place_face(to_b, fa);
        drop_on_plane(fa, to_b.R * n, false, out);
        for (int i = 0; i < out.count; ++i) {
            out.point[i].on_a = at(pair.b_in_a, out.point[i].on_a);
            out.point[i].on_b = at(pair.b_in_a, out.point[i].on_b);
        }
    } else {
        find_contact_face(a, n, fa);
        clip_faces(fa, fb, n, roundness(a) + roundness(b), out);
    }
    add_nearest(nearest.on_a, nearest.on_b, nearest.distance, out);
}

// A ball against a bounded shape: the one nearest point. `ball` is a or b.
bool collide_ball(const Convex& shape, const Placement& f, const Convex& ball, const Vec3& center, bool ball_is_a, Real margin,
                  Manifold& out) {
    const Vec3 local = from(f, center);
    if (!(local.cwiseAbs().maxCoeff() < 1e140)) return false; // squares would overflow
    const ClosestPoint c = closest_on_core(shape, local);
    const Real gap = c.distance - (shape.radius + ball.radius);
    if (!(c.distance <= margin + (shape.radius + ball.radius))) return false;
    const Vec3 n = f.R * c.normal, on_shape = at(f, c.closest) + shape.radius * n, on_ball = center - ball.radius * n;
    out.normal = ball_is_a ? Vec3(-n) : n;
    out.count = 1;
    out.point[0] = {ball_is_a ? on_ball : on_shape, ball_is_a ? on_shape : on_ball, gap, contact_key(3, 0, 0)};
    return true;
}

} // namespace

bool collide_convex(const Convex& a, const Placement& fa, const Convex& b, const Placement& fb, Real margin,
                    Manifold& out) {
    out.count = 0;
    if (a.core == Convex::box && b.core == Convex::box) {
        if (const auto hit = collide_boxes(a, fa, b, fb, margin, out)) return *hit;
    } else if (b.core == Convex::point && is_bounded(a)) {
        return collide_ball(a, fa, b, fb.p, false, margin, out);
    } else if (a.core == Convex::point && is_bounded(b)) {
        return collide_ball(b, fb, a, fa.p, true, margin, out);
    }
    return collide_general(a, fa, b, fb, margin, out);
}

bool collide_general(const Convex& a, const Placement& fa, const Convex& b, const Placement& fb, Real margin,
                     Manifold& out) {
    out.count = 0;
    const ConvexPair pair = make_pair(a, fa, b, fb);
    const Real thickness = a.radius + b.radius, limit = margin + thickness;
    const ConvexDistance nearest = core_distance(pair, limit);
    if (!(nearest.distance <= limit)) return false;
    ClipPoints points, near;
    find_points(pair, nearest, points);
    for (int i = 0; i < points.count; ++i)
        if (points.point[i].gap <= limit) near.point[near.count++] = points.point[i];
    reduce_points(near, nearest.normal, out);
    // grow by the balls, to the world
    for (int i = 0; i < out.count; ++i) {
        ManifoldPoint& p = out.point[i];
        p.gap -= thickness;
        p.on_a = at(fa, p.on_a + a.radius * nearest.normal);
        p.on_b = at(fa, p.on_b - b.radius * nearest.normal);
    }
    out.normal = fa.R * nearest.normal;
    return out.count > 0;
}

bool collide_convex(const ShapeStore& store, const Shape& a, const Pose& pa, const Shape& b, const Pose& pb,
                    Real margin, Manifold& out) {
    out.count = 0;
    const auto ca = make_convex(store, a), cb = make_convex(store, b);
    return ca && cb && collide_convex(*ca, make_placement(pa), *cb, make_placement(pb), margin, out);
}

ContactDirection contact_direction(const Vec3& d, const Vec3& lever_a, const Vec3& lever_b) {
    ContactDirection r;
    r.on_a << -d, -lever_a.cross(d);
    r.on_b << d, lever_b.cross(d);
    return r;
}

} // namespace sinew
