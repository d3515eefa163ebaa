// Analytic obstacles: signed distance, its gradient and Hessian, closest point. Body axes, y up; the body's
// pose is the caller's business.
//   plane    half-space y <= 0
//   sphere   radius size.x about the origin
//   capsule  all points within size.x of the segment from (0, -size.y, 0) to (0, size.y, 0)
//   box      |x| <= size in each coordinate
// d(p) < 0 inside, |grad d| = 1 wherever d is differentiable, closest = p - d grad d. Where it is not (centre
// of the sphere, axis of the capsule, medial surface of the box) one of the nearest surface points is chosen
// by a fixed rule, so that the normal is always a unit vector and closest and distance agree.
#pragma once
#include "core/math.h"

namespace sinew {

struct ImplicitShape {
    enum Kind { plane, sphere, capsule, box } kind = plane;
    Real3 size; // [m] as above
};
struct ImplicitHit {
    Real distance; // [m] negative inside
    Vec3 normal;   // unit, gradient of the distance, out of the shape
    Vec3 closest;  // [m] on the surface
};
ImplicitHit evaluate_shape(const ImplicitShape&, const Vec3& p);

// Second derivative of the distance [1/m]; zero where it does not exist.
Mat3 shape_hessian(const ImplicitShape&, const Vec3& p);

// Corners of the smallest box around the shape; infinite for the plane.
void shape_bounds(const ImplicitShape&, Vec3& min, Vec3& max);

} // namespace sinew
