// Queries of convex shapes, collision/convex_query.h.
#include "collision/convex_query.h"
#include "geometry/convex_distance.h"
#include <cmath>

namespace sinew {

bool cast_ray(const Convex& c, const Placement& f, const Vec3& origin, const Vec3& direction, Real longest,
              RayHit& hit) {
    const Vec3 o = from(f, origin), d = f.R.transpose() * direction;
    if (!o.allFinite() || !d.allFinite()) return false;
    Real t = 0;
    Vec3 n = Vec3::UnitY();
    for (int i = 0; i < 200; ++i) {
        const ClosestPoint p = closest_on_core(c, o + t * d);
        const Real distance = p.distance - c.radius;
        const Real scale = o.cwiseAbs().maxCoeff() + t * d.cwiseAbs().maxCoeff() + c.radius;
        // the direction from a sharp surface is rounding where it is as near as that: keep the last one
        if (i == 0 || p.distance > 1e-9 * scale) n = p.normal;
        if (distance <= 4e-16 * scale) break;
        const Real rate = -n.dot(d);
        if (!(rate > 0)) return false;
        const Real next = t + distance / rate;
        if (!(next <= longest)) return false;
        if (next == t) break;
        t = next;
    }
    if (!(t <= longest)) return false;
    // the normal at the hit itself: that of a point just above it
    const Vec3 x = o + t * d;
    const ClosestPoint above = closest_on_core(c, x + 1e-6 * (x.cwiseAbs().maxCoeff() + c.radius) * n);
    if (t > 0 && above.distance > 0) n = above.normal;
    hit = {t, origin + t * direction, f.R * n};
    return true;
}

bool overlap_convex(const Convex& a, const Placement& fa, const Convex& b, const Placement& fb) {
    return convex_distance(a, fa, b, fb, 0).distance <= 0;
}

ClosestPoint closest_point(const Convex& c, const Placement& f, const Vec3& p) {
    ClosestPoint r = closest_point(c, from(f, p));
    r.normal = f.R * r.normal;
    r.closest = at(f, r.closest);
    return r;
}

namespace {

// Largest s with s (drift + speed) + s^2 / 2 acceleration <= gap, or s (drift + swing) <= gap, whichever is
// longer
Real safe_step(const MotionBound& a, const MotionBound& b, Real gap) {
    const Real inf = std::numeric_limits<Real>::infinity();
    const Real drift = a.drift + b.drift, always = drift + a.swing + b.swing, now = drift + a.speed + b.speed,
               bend = a.acceleration + b.acceleration;
    const Real linear = always > 0 ? gap / always : inf;
    Real curved = inf;
    if (bend > 0 && std::isfinite(bend)) {
        const Real root = std::sqrt(now * now + 2 * bend * gap);
        curved = now > 0 ? 2 * gap / (now + root) : (root - now) / bend;
    } else if (now > 0) {
        curved = gap / now;
    }
    return std::isfinite(bend) ? std::max(linear, curved) : linear;
}

// Gap along the normal by the supports themselves: true whatever the distance search did
Real gap_along(const Convex& a, const Placement& fa, const Convex& b, const Placement& fb,
               const ConvexDistance& d) {
    if (!is_bounded(a) || !is_bounded(b)) return d.distance;
    const Real top = d.normal.dot(at(fa, support(a, fa.R.transpose() * d.normal).x));
    const Real low = d.normal.dot(at(fb, support(b, -(fb.R.transpose() * d.normal)).x));
    return low - top - a.radius - b.radius;
}

// A turning half-space or plane moves without bound far away, but only the part that the other shape can meet counts:
// that within the largest distance of the other's points from the centre of the turn.
void bound_reach(const Convex& c, const RigidMotion& m, const Convex& other, const RigidMotion& mo, MotionReach& reach) {
    if (is_bounded(c) || !is_bounded(other)) return;
    const Vec3 between = at(mo.start, mo.center) - at(m.start, m.center);
    reach.radius = between.norm() + m.shift.norm() + mo.shift.norm() + radius_about(other, mo.center);
}

Real size_of(const Convex& c) { return is_bounded(c) ? radius_about(c, center_of(c)) : 0; }

} // namespace

bool cast_convex(const Convex& a, const RigidMotion& ma, const Convex& b, const RigidMotion& mb,
                 Real separation, CastHit& hit) {
    MotionReach ra = find_reach(a, ma), rb = find_reach(b, mb);
    bound_reach(a, ma, b, mb, ra);
    bound_reach(b, mb, a, ma, rb);
    const Vec3 far = (ma.start.p - mb.start.p).cwiseAbs();
    const Real size = size_of(a) + size_of(b) + separation;
    // rounding of the coordinates counts too where the shapes are far from each other or from the world's
    // origin
    const Real tolerance =
        1e-8 * (size > 0 ? size : 1) +
        1e-14 * (far.maxCoeff() + ma.start.p.cwiseAbs().maxCoeff() + ma.shift.norm() + mb.shift.norm());
    hit = {};
    for (hit.iterations = 1;; ++hit.iterations) {
        const Placement fa = place_at(ma, hit.time), fb = place_at(mb, hit.time);
        const ConvexDistance d = convex_distance(a, fa, b, fb);
        const Real gap = gap_along(a, fa, b, fb, d) - separation;
        hit.normal = d.normal, hit.on_a = d.on_a, hit.on_b = d.on_b, hit.distance = d.distance;
        if (std::isinf(gap) || std::isnan(gap)) return false;
        if (gap <= tolerance) return true;
        if (hit.iterations == 2000) {
            hit.converged = false;
            return true;
        }
        const MotionBound ba = bound_motion(a, ma, ra, fa, d.normal),
                          bb = bound_motion(b, mb, rb, fb, -d.normal);
        const Real next = hit.time + safe_step(ba, bb, gap - tolerance / 2);
        if (!(next <= 1)) return false;
        hit.time = next;
    }
}

} // namespace sinew
