// The point of a convex shape's surface nearest to a point, in the shape's axes.
#pragma once
#include "geometry/convex.h"

namespace sinew {

struct ClosestPoint {
    Real distance; // [m] negative inside
    Vec3 normal;   // unit, out of the shape; closest = p - distance * normal
    Vec3 closest;  // [m]
};
// Closed forms for all cores but the outside of a hull, which is GJK. Where several points are nearest one is
// chosen by a fixed rule. Half-space and plane too; the normal of a plane and of a triangle points to the
// side of p.
ClosestPoint closest_on_core(const Convex&, const Vec3& p);
ClosestPoint closest_point(const Convex&, const Vec3& p); // of the grown shape

} // namespace sinew
