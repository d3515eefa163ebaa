// What a rigid body touches with: its shape for other bodies, its surface for everything else.
//   "shape": "auto" | "decomposition" | "hull" | "mesh" | "solid"   of a body from a mesh file:
//     decomposition  a compound of at most `hulls` convex hulls within `concavity` of the closed surface
//     hull   the convex hull of its vertices
//     mesh   its triangles, a surface without inside
//     solid  the signed distance of the closed surface on a grid, with `cells` cells along the longest side
//     auto   solid if it is free to move and closed, otherwise mesh
#pragma once
#include "scene/kinds.h"

namespace sinew {

// p: sizes already scaled; mesh: in the axes of the frame, whose origin is `center` of the shape's own axes
void add_body_shape(BodyShape, const BodyParams&, const PolygonMesh& mesh, const Real3& center, int frame, bool free,
                    BuildContext&);
// vertices and triangles of the body; a plane has none
void add_body_surface(BodyShape, const BodyParams&, const PolygonMesh& mesh, int frame, BuildContext&);

} // namespace sinew
