// Smallest axis-aligned box around a posed shape of any kind (for meshes, hulls and triangles that of their
// vertices; for a compound the box around the boxes of its parts).
#pragma once
#include "geometry/bounds.h"
#include "geometry/convex.h"

namespace sinew {

Aabb shape_bounds(const Convex&, const Placement&);
// Of a placed box, whose entries may be infinite.
Aabb oriented_bounds(const Aabb&, const Placement&);
// Infinite where the shape is. Empty for a shape whose data is missing.
Aabb shape_bounds(const ShapeStore&, const Shape&, const Pose&);

} // namespace sinew
