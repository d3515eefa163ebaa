// Faces and edges of the cores with flat faces (box, hull, triangle), one by one, for separating axes and
// clipping. A triangle is a prism without height: its two sides, and through each edge a face of no area
// perpendicular to them, so that the arc of normals of each edge is short (from a side to that face) as for a
// solid.
#pragma once
#include "geometry/convex.h"

namespace sinew {

struct PolytopeFace {
    Vec3 normal; // unit, outward
    Real offset; // [m]
};
struct PolytopeEdge {
    Vec3 a, b;             // [m] ends; b - a runs along normal0 x normal1
    Vec3 normal0, normal1; // of its faces
};
int face_count(const Convex&); // 0 for a segment and everything curved
int edge_count(const Convex&);
PolytopeFace face_of(const Convex&, int face);
PolytopeEdge edge_of(const Convex&, int edge);

} // namespace sinew
