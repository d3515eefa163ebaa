// What a rigid body touches with: its shape for other bodies, its surface for everything else.
//   "shape": "auto" | "decomposition" | "hull" | "mesh" | "solid"   of a body from a mesh file:
//     decomposition  a compound of at most `hulls` convex hulls within `concavity` of the closed surface
//     hull   the convex hull of its vertices
//     mesh   its triangles, a surface without inside
//     solid  the signed distance of the closed surface on a grid, with `cells` cells along the longest side
//     auto   solid if it is free to move and closed, otherwise mesh
#pragma once
#include "geometry/mass.h"
#include "scene/kinds.h"

namespace sinew {

// Parts of a body's building (object_body.cpp), p: sizes already scaled.
PolygonMesh make_body_mesh(BodyShape, const BodyParams&, BuildContext&);
// about the centre in body axes; the mesh kind needs a closed surface
MassProperties find_body_mass(BodyShape, const BodyParams&, const PolygonMesh&, BuildContext&);
enum class Held { free, held };
Held find_held(BodyShape, const BodyParams&, BuildContext&); // says in notes what has no effect
// of the object begun last; false if the shape is none
bool make_obstacle(BodyShape, const BodyParams&, int frame, BuildContext&, Obstacle&);
void add_rigid_snapshot(PolygonMesh, const Real3& color, BuildContext&); // color.x < 0 = default

// in the axes of the mesh
Shape make_body_shape(BodyShape, const BodyParams&, const PolygonMesh&, bool free, BuildContext&);
// p: sizes already scaled; mesh: in the axes of the frame, whose origin is `center` of the shape's own axes
void add_body_shape(BodyShape, const BodyParams&, const PolygonMesh& mesh, const Real3& center, int frame, bool free,
                    BuildContext&);
// vertices and triangles of the body; a plane has none
void add_body_surface(BodyShape, const BodyParams&, const PolygonMesh& mesh, int frame, BuildContext&);

} // namespace sinew
