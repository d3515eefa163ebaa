// Edges and triangles of the collision surface against one analytic obstacle, in the obstacle's axes: the places
// strictly inside the element where the distance to the obstacle is smallest. With the vertices, which are tested by
// the signed distance itself (collision/obstacles.cpp), the set is complete: whatever is nearer than the margin, or
// penetrates, is found by some vertex, edge or triangle.
//   sphere    its centre, grown by the radius, against edge and triangle
//   capsule   the ends of its axis against edge and triangle, the axis against the edge and through the triangle
//   box       corners against edge and triangle, edges against edges
//   plane     nothing: a linear function is smallest at a vertex
// Round obstacles keep the surface on the side of their core where it is. A box has no core to tell sides by:
//   triangle  n = +-m (m the triangle's normal), the side to which less has to move; corner c penetrates by
//             n . (foot - c) < 0 if its foot on the triangle lies in the box
//   edge      n = +-(e x g) for each edge g of the box, in the cone of outward directions of g; of penetrating pairs
//             those of the least depth
// No depth is above the least translation that frees the element alone of the obstacle: an edge that stands on a wide box
// and dips into its top by a millimetre is told by its vertex, not as a metre out over the rim.
// An edge counts only where no triangle at it is nearer: n . t >= 0 for the directions t from the edge into its
// triangles, the polar cone of collision/mesh_convex.h, so that a flat sheet has no ghosts of its edges.
#pragma once
#include "geometry/implicit_shape.h"
#include <array>
#include <span>

namespace sinew {

struct FeaturePoint {
    std::array<Real, 3> weight{}; // of the element's vertices, each in (0, 1)
    Vec3 normal = Vec3::UnitY();  // unit, from the obstacle to the surface
    Real distance = 0;            // [m] from the obstacle's surface along the normal, negative inside
    int feature = 0;              // which corner (0 ...), edge (16 ...) or inside (32) of the obstacle
};
struct FeaturePoints {
    int count = 0;
    std::array<FeaturePoint, 20> point;
};

// Beyond `limit` [m] nothing is kept.
void find_triangle_features(const ImplicitShape&, const std::array<Vec3, 3>& t, Real limit, FeaturePoints& out);

// `inward`: into each triangle at the edge, any length; none for lines. `facing`: a direction for an edge that meets
// the core of a round obstacle, where every direction leads away.
void find_edge_features(const ImplicitShape&, const std::array<Vec3, 2>& e, std::span<const Vec3> inward, const Vec3& facing,
                        Real limit, FeaturePoints& out);

// The box passes through the inside of the triangle: one contact in the middle of the cut, along the shortest way out.
// For triangles whose vertices, edges and the box's corners show nothing.
bool find_cut(const ImplicitShape& box, const std::array<Vec3, 3>& t, FeaturePoint& out);
// The same for an edge without triangles, away from the box's edges.
bool find_cut(const ImplicitShape& box, const std::array<Vec3, 2>& e, FeaturePoint& out);

} // namespace sinew
