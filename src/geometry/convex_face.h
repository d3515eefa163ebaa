// The feature of a convex core that faces a direction, as a polygon: what a contact manifold is clipped from.
// Corners carry ids that stay the same while the shape moves. Discs are inscribed polygons of twelve corners
// fixed in the shape, sides of cylinders and cones the straight line nearest to the direction.
#pragma once
#include "geometry/convex.h"

namespace sinew {

inline constexpr int kFaceCorners = 32; // faces with more are thinned out evenly

struct ContactFace {
    int count = 0;                    // 1: a point, 2: a line, else a polygon
    std::array<Vec3, kFaceCorners> x; // [m] polygon: counter-clockwise about the normal
    std::array<int, kFaceCorners> id;
    Vec3 normal = Vec3::UnitY(); // unit, of a polygon; normal . d > 0
};
// d: unit. Bounded cores only. A polygon always contains a point furthest along d, up to thinning and discs.
void find_contact_face(const Convex&, const Vec3& d, ContactFace&);

} // namespace sinew
