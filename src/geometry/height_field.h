// Height fields: bounds, height and normal at a place, ray, triangles of a region. In the field's axes; solid below.
// Node (i, k) at (i dx, height, k dz). Cell (i, k) is cut along the diagonal from (i, k) to (i + 1, k + 1): triangle
// 2 (k (nx - 1) + i) has the corner (i + 1, k), the next one the corner (i, k + 1); normals point up.
#pragma once
#include "geometry/bounds.h"
#include "geometry/triangle_tree.h"

namespace sinew {

// At least 2 x 2 nodes, finite, sizes right. Looks at every height: ask once; the functions below ask has_cells only.
bool is_height_field(const HeightFieldShape&);
bool has_cells(const HeightFieldShape&);
Vec3 height_field_node(const HeightFieldShape&, int i, int k); // [m]
Aabb height_field_box(const HeightFieldShape&); // of the surface

struct HeightSample {
    bool inside = false; // over the field
    Real height = 0;     // [m] of the surface
    Vec3 normal = Vec3::UnitY();
    int triangle = -1;
};
HeightSample sample_height(const HeightFieldShape&, Real x, Real z);

std::array<Vec3, 3> height_field_triangle(const HeightFieldShape&, int triangle);

// Triangles of the cells that the box covers in x and z, with their corners shared; `triangle` = their numbers in the
// field, ascending. All heights: the solid below reaches down without end.
void make_patch(const HeightFieldShape&, const Aabb&, TriangleShape& patch, std::vector<int>& triangle);

// Triangles whose boxes overlap the box, ascending.
void find_triangles(const HeightFieldShape&, const Aabb&, std::vector<int>& out);

// First hit from above or below with 0 <= t <= far, cell by cell along the ray (Amanatides and Woo 1987).
RayPoint cast_ray(const HeightFieldShape&, const Vec3& origin, const Vec3& direction, Real far);

// Closest point of the surface within `within` [m].
SurfacePoint find_closest(const HeightFieldShape&, const Vec3& p, Real within);

TriangleShape mesh_of(const HeightFieldShape&); // all triangles

} // namespace sinew
