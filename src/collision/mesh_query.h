// Questions to a placed triangle mesh in world axes, through its tree: ray, closest point, overlap.
#pragma once
#include "collision/convex_query.h"
#include "geometry/triangle_tree.h"

namespace sinew {

struct MeshRayHit {
    RayHit hit;        // normal towards the origin's side
    int triangle = -1;
};
bool cast_ray_mesh(const TriangleTree&, const TriangleShape&, const Placement&, const Vec3& origin, const Vec3& direction,
                   Real longest, MeshRayHit&);

struct MeshPoint {
    Vec3 closest = Vec3::Zero(); // [m] world
    Real distance = 0;           // [m] unsigned
    int triangle = -1;
};
bool closest_point_mesh(const TriangleTree&, const TriangleShape&, const Placement&, const Vec3& p, Real within, MeshPoint&);

// Triangles that the convex shape touches, ascending; true if there are any. Bounded shapes.
bool overlap_mesh(const TriangleTree&, const TriangleShape&, const Placement&, const Convex&, const Placement&,
                  std::vector<int>& triangles);

} // namespace sinew
