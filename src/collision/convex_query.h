// Questions about convex shapes: ray, overlap, closest point, and the first contact of two moving shapes.
#pragma once
#include "collision/rigid_motion.h"
#include "geometry/convex_closest.h"

namespace sinew {

struct RayHit {
    Real time = 0;               // origin + time * direction
    Vec3 point = Vec3::Zero();   // [m] world
    Vec3 normal = Vec3::UnitY(); // unit, out of the shape (plane, triangle: towards the origin)
};
// First point of the ray in the shape, 0 <= time <= longest; an origin inside hits at once. The distance
// along the ray is a convex function, so Newton's method comes from below and never passes the hit.
bool cast_ray(const Convex&, const Placement&, const Vec3& origin, const Vec3& direction, Real longest,
              RayHit&);

bool overlap_convex(const Convex& a, const Placement& fa, const Convex& b,
                    const Placement& fb); // touching counts

ClosestPoint closest_point(const Convex&, const Placement&, const Vec3& p); // world

struct CastHit {
    Real time = 0;                                 // 0 ... 1, never later than the true one
    Vec3 normal = Vec3::UnitY();                   // unit, from a to b, at that time
    Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero(); // [m] nearest points then
    Real distance = 0;                             // [m] then, separation included
    int iterations = 0;
    bool converged = true; // false: the time is a safe one, the shapes may still be apart
};
// First time the distance falls to `separation` (>= 0). Conservative advancement (Mirtich 1996): a step no
// longer than the gap along the normal divided by a bound of its closing speed. The shapes are never nearer
// than `separation` before the time returned, nor nearer by more than rounding at it, unless they start so:
// then time 0. Shapes that pass within 1e-8 of their size of `separation` may count as hit.
bool cast_convex(const Convex& a, const RigidMotion&, const Convex& b, const RigidMotion&, Real separation,
                 CastHit&);

} // namespace sinew
