// Analytic shapes by their signed distance, in body axes.
//   plane: y <= 0 is inside; sphere: radius size.x; capsule: radius size.x, half length size.y along y; box: half extents
#pragma once
#include "core/math.h"
#include <algorithm>

namespace sinew {

struct ImplicitShape {
    enum Kind { plane, sphere, capsule, box } kind = plane;
    Real3 size;
};
struct ImplicitHit {
    Real distance;  // [m] negative inside
    Vec3 normal;    // unit, gradient of the distance; +y where it is undefined
};
ImplicitHit evaluate_shape(const ImplicitShape&, const Vec3& x);

} // namespace sinew
