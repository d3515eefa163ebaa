// Contact of any two shapes that are no compounds: a table over the kinds.
//                convex       plane        mesh              solid            height field
//   convex       manifold     manifold     mesh_convex       mesh_convex, *   mesh_convex
//   plane                     none         vertices          vertices         nodes
//   mesh, solid, height field              mesh_mesh         mesh_mesh        mesh_mesh
// "plane": half-space or plane; two unbounded shapes have no contacts. * A convex shape wholly inside a
// solid, where no triangle is near, leaves it along the gradient of the distance grid (solid_points).
#pragma once
#include "collision/mesh_mesh.h"
#include "collision/shape_cache.h"
#include "collision/solid_points.h"

namespace sinew {

struct ShapePairScratch {
    MeshContactScratch mesh;
    SurfacePairScratch surfaces;
    std::vector<Manifold> manifolds;
    std::vector<SolidContact> inside;
    std::vector<ShapePoint> points;
};

// Points with a gap of at most `margin` [m], in an order that depends on the shapes only. Shapes whose data
// is missing or not valid touch nothing. Nothing is allocated once the scratch has grown.
void collide_shapes(const ShapeCache&, const Shape& a, const Placement& fa, const Shape& b,
                    const Placement& fb, Real margin, ShapePairScratch&, std::vector<ShapePoint>& out);

} // namespace sinew
