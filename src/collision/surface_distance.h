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
// Whether the side has an inside.
bool has_inside(const SurfaceSide&);
// The way out from an inside point along u: the plane of the triangle met there.
bool leave_along(const SurfaceSide&, const Vec3& p, const Vec3& u, SurfaceDistance&);

} // namespace sinew
