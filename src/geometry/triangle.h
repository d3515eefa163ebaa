// One triangle: closest point with its feature, overlap with a box.
//   closest point   Ericson 2005, section 5.1.5, by the signs of the barycentric regions; a triangle without area
//                   is treated as its three edges, so that every input has a finite answer
//   box overlap     separating axes (Akenine-Moller 2001): 3 box normals, the triangle's normal, 9 edge products
#pragma once
#include "core/math.h"
#include "geometry/bounds.h"

namespace sinew {

// Part of a triangle: its face, an edge (edge i runs from corner i to corner i + 1), a corner.
enum class TriangleFeature : int { face, edge0, edge1, edge2, corner0, corner1, corner2 };

struct TrianglePoint {
    Vec3 point = Vec3::Zero();  // [m]
    Vec3 weight = Vec3::Zero(); // barycentric, >= 0, sum 1
    TriangleFeature feature = TriangleFeature::face;
};
TrianglePoint closest_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c);

bool triangle_overlaps_box(const Vec3& a, const Vec3& b, const Vec3& c, const Aabb&); // touching counts

// Parameter s in [0, 1] of the point of a + s (b - a) nearest to p.
Real closest_on_segment(const Vec3& p, const Vec3& a, const Vec3& b);

} // namespace sinew
