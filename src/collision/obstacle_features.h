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
// Neither says much about an element that dips into a wide box: an upright edge a millimetre deep in its top is a metre from
// its far side. So a corner or edge counts while it is at most twice as deep as the element's deepest point by signed
// distance; where that point is inside the element and nothing else tells it, it is a contact itself.
// An edge counts only where no triangle at it is nearer: n . t >= 0 for the directions t from the edge into its
// triangles, the polar cone of collision/mesh_convex.h, so that a flat sheet has no ghosts of its edges.
#pragma once
#include "geometry/implicit_shape.h"
#include <array>
#include <limits>
#include <span>

namespace sinew {

struct FeaturePoint {
    std::array<Real, 3> weight{}; // of the element's vertices, at least two above 0
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

// The point of a line or triangle that is deepest in a box by signed distance. Depth -infinity stands for no point.
struct DeepPoint {
    std::array<Real, 3> weight{}; // of the vertices
    Vec3 normal = Vec3::UnitY();  // of the nearest face
    Real depth = -std::numeric_limits<Real>::infinity(); // [m], negative outside
};
DeepPoint find_deepest(const Vec3& half, std::span<const Vec3> element);

// As a contact: strictly inside a triangle three faces of the box are as near, and the way out is the triangle's normal.
FeaturePoint make_peak(const Vec3& half, const std::array<Vec3, 3>& t, const DeepPoint&);

// The box passes through the inside of the triangle and touches none of its edges (a needle): one contact in the middle of the
// cut, along the triangle's normal.
bool find_piercing(const ImplicitShape& box, const std::array<Vec3, 3>& t, FeaturePoint& out);
// The box cuts an edge without triangles, away from the box's edges: sideways.
bool find_cut(const ImplicitShape& box, const std::array<Vec3, 2>& e, FeaturePoint& out);

} // namespace sinew
