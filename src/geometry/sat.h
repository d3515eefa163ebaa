// Separating axes of two polytopes (segment, triangle, box, hull). Two convex sets are apart if and only if
// their projections on some axis are; for polytopes the faces of the difference A - B suffice: the face
// normals of both and the cross products of their edges. The axis of largest separation
//   separation(n) = min over b of n . x - max over a of n . x,  n from a to b
// is for overlapping polytopes the direction of least penetration, and its depth is exact. For separated ones
// the largest separation is a lower bound of the distance, equal to it unless the nearest features are two
// vertices or a vertex and an edge.
#pragma once
#include "geometry/gjk.h"

namespace sinew {

struct SeparatingAxis {
    enum Kind : int { face_a, face_b, edges } kind = face_a;
    int feature_a = -1, feature_b = -1; // face or edge; vertex of the other for a face, -1 if not known
    Real separation = -std::numeric_limits<Real>::infinity(); // [m] negative: depth
    Vec3 normal = Vec3::UnitY();                              // unit, from a to b, in the axes of a
    Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero(); // [m] axes of a; separation = normal . (on_b - on_a)
};
// Ends early with the first axis whose separation exceeds `limit`. Face axes win over edge axes, and a's over
// b's, unless those are better by more than 1e-6 of the depth, so that resting contacts do not flip.
SeparatingAxis find_separating_axis(const ConvexPair&, Real limit);

// The fifteen axes of two boxes in closed form; the same answer as the general search.
SeparatingAxis find_box_axis(const ConvexPair&, Real limit);

} // namespace sinew
