// Signed distance of a closed mesh on a grid (P143): exact at the nodes, trilinear between them, so that "inside?", depth
// and normal cost the same for any mesh.
//   node       |d| = distance to the closest triangle through the tree, sign from the winding number (> 1/2 = inside);
//              where |d_i| + |d_j| exceeds the spacing no surface lies between two nodes and the sign is inherited
//   sample     d(p) = sum of weights times nodes, normal = gradient of that polynomial, unit
//   error      d is 1-Lipschitz: at most sqrt(3)/2 cell anywhere, O(cell^2) where the surface is smooth; features
//              thinner than a cell are lost
//   outside    beyond the grid the distance to the surface point that the nearest grid point names
#pragma once
#include "core/parallel.h"
#include "geometry/triangle_tree.h"

namespace sinew {

struct DistanceGridSettings {
    Real cell = 0;       // [m] 0 = longest side of the mesh over `resolution`
    int resolution = 64; // cells along the longest side, 1 to 1024
    int padding = 2;     // cells around the mesh, >= 1
};
inline constexpr std::int64_t kDistanceGridNodes = std::int64_t(1) << 28; // 1 GB

// Errors: no triangles, not finite, not closed, too many nodes.
Result<DistanceGridShape> build_distance_grid(const Parallel&, const TriangleShape&, const DistanceGridSettings&);

struct DistanceSample {
    Real distance = 0;           // [m] negative inside
    Vec3 normal = Vec3::UnitY(); // unit, out of the solid
    Vec3 gradient = Vec3::Zero(); // of the interpolant, length near 1 away from the medial surface
};
DistanceSample sample_distance(const DistanceGridShape&, const Vec3& p);
bool is_inside(const DistanceGridShape&, const Vec3& p);

Vec3 grid_node(const DistanceGridShape&, int i, int j, int k); // [m]
Aabb grid_box(const DistanceGridShape&);

// Sizes and samples fit together and are finite. Looks at every node: ask once.
bool is_distance_grid(const DistanceGridShape&);
// The surface d = 0, counter-clockwise from outside; for grids without a mesh.
TriangleShape mesh_of(const DistanceGridShape&);

// Every edge has as many triangles one way as the other: the mesh bounds a volume.
bool is_closed(const TriangleShape&);

} // namespace sinew
