// Penetration of two convex cores by the expanding polytope algorithm (van den Bergen 2001): a polytope
// inside the difference A - B grows at the face nearest to the origin until that face lies on the boundary.
// Works for every bounded core; for two polytopes geometry/sat.h is exact.
#pragma once
#include "geometry/gjk.h"

namespace sinew {

struct Penetration {
    Real depth = 0;                                // [m] >= 0: least translation that separates
    Vec3 normal = Vec3::UnitY();                   // unit, from a to b: moving b by depth * normal separates
    Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero(); // [m] depth = normal . (on_a - on_b)
    int iterations = 0;
};
// Starts from the simplex with which run_gjk found the overlap. A difference without volume (crossing segments,
// coplanar triangles) has depth 0 and a normal perpendicular to it. The depth is that along the best direction found
// and never too small; too large by at most 1e-10 of the size unless all 124 points were used up, which bodies of
// revolution with a common axis may need: then the best direction goes down to its minimum, 1e-9 of the size was seen.
Penetration run_epa(const ConvexPair&, const Simplex&);

} // namespace sinew
