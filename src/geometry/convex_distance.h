// Signed distance of two convex shapes: gap and contact frame of the narrow phase.
//   normal    unit, from a to b, world axes
//   distance  normal . (on_b - on_a): positive apart, zero touching, negative the least depth of penetration;
//             moving b by -distance along the normal makes the shapes touch
// This is the gap function Phi of the contact constraint with a, b as second and first body:
//   Phi = n . (x_b + R_b r_b - x_a - R_a r_a).
#pragma once
#include "geometry/gjk.h"

namespace sinew {

struct ConvexDistance {
    Real distance = 0; // [m]
    Vec3 normal = Vec3::UnitY();
    Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero(); // [m] on the surfaces of the grown shapes
    // what touches: vertices of the cores that span the nearest features, -1 on curves; 0 of them where a
    // closed form or a separating axis gave the answer
    int vertex_count = 0;
    std::array<int, 3> vertex_a{-1, -1, -1}, vertex_b{-1, -1, -1};
    int iterations = 0;
};

// Any two convex shapes; two unbounded ones (half-space, plane) and places that are not finite have no
// distance: infinity. Once the distance is known to exceed `limit` a lower bound above it is returned, with
// points that are not the nearest ones.
ConvexDistance convex_distance(const Convex& a, const Placement& fa, const Convex& b, const Placement& fb,
                               Real limit = std::numeric_limits<Real>::infinity());

// The same of the cores, in the axes of a.
ConvexDistance core_distance(const ConvexPair&, Real limit = std::numeric_limits<Real>::infinity());

// Two unit vectors that complete n to a right-handed frame (s, t, n), by a fixed rule: sliding directions.
void contact_frame(const Vec3& n, Vec3& s, Vec3& t);

} // namespace sinew
