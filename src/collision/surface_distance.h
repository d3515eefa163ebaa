// Distance of a point from a surface of triangles that may have an inside: closed mesh, solid, height field.
#pragma once
#include "collision/mesh_mesh.h"

namespace sinew {

struct SurfaceDistance {
    Real distance = 0; // [m] negative inside; of an open mesh never
    Vec3 normal =
        Vec3::UnitY(); // unit, out of the material (open: to the side of p); p = closest + distance normal
    Vec3 closest = Vec3::Zero(); // [m]
};
// In the side's own axes. False if the point is further outside than `limit`.
bool find_distance(const SurfaceSide&, const Vec3& p, Real limit, SurfaceDistance&);
// The same of a height field; far beside it or more than `limit` above it false.
bool find_field_distance(const HeightFieldShape&, const Vec3& p, Real limit, SurfaceDistance&);
// Whether the side has an inside.
bool has_inside(const SurfaceSide&);
// The way out from an inside point along u: the plane of the triangle met there.
bool leave_along(const SurfaceSide&, const Vec3& p, const Vec3& u, SurfaceDistance&);
// The vertex at p of another mesh, turned by R into the side's axes: the nearest triangle of this mesh or solid
// whose normal the vertex allows; its plane gives normal and distance. False if there is none.
bool find_allowed_face(const SurfaceSide&, const Vec3& p, const MeshSurface& own, int vertex, const Mat3& R,
                       SurfaceDistance&);
// [m] of the largest ball about p inside the side, 0 outside; of a solid by its triangles, not by its grid.
Real depth_inside(const SurfaceSide&, const Vec3& p);
// [m] below which a distance from the surface is rounding, and "touching" (its normal is that of the feature).
Real rounding_of(const SurfaceSide&);

} // namespace sinew
