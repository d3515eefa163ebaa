// Triangles of a polygon mesh, by polygons in order. A polygon of n corners always gives n - 2 triangles with
// its own orientation: a fan from its first corner where that is valid (every convex polygon without
// collinear corners), otherwise ear clipping in the plane of its area vector. Degenerate and self-crossing
// polygons give n - 2 triangles too, some of them without area or overlapping.
#pragma once
#include "geometry/mesh.h"
#include <span>

namespace sinew {

struct Triangulation {
    std::vector<std::array<int, 3>> triangles; // vertices
    std::vector<std::array<int, 3>> corners;   // indices into polygon_vertex, for texture coordinates
    std::vector<int> polygon;                  // polygon each triangle came from
};
Triangulation triangulate(const PolygonMesh&);

// Area vector of a polygon [m^2]: half the sum of x_i cross x_(i+1) about its first corner.
Real3 polygon_area_vector(const PolygonMesh&, int polygon);

// [m^2] Twice the areas of the triangles of a fan, each by itself: the wings of a polygon that crosses itself do not cancel.
Real fan_area(const std::vector<Real3>& positions, std::span<const int> polygon);

} // namespace sinew
