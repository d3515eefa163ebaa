// Convex hull of points.
#pragma once
#include "core/math.h"
#include "geometry/mesh.h"
#include "sinew/shape.h"
#include <optional>
#include <span>

namespace sinew {

// Points closer than 1e-10 of the largest extent to the hull of the others do not become vertices;
// neighbouring triangles within 1e-9 of it of one plane become one polygon. Vertices keep their coordinates
// and order. Errors: fewer than four points, numbers that are not finite, all points equal, on a line or in a
// plane (thinner than 1e-8 of the extent).
Result<HullShape> make_hull(std::span<const Real3> points);

// Hull of |x| <= half; a cylinder or cone with `sides` sides comes from make_hull of its mesh.
HullShape make_box_hull(const Real3& half);

PolygonMesh mesh_of(const HullShape&); // for mass_properties and pictures

// A ball inside, about the centre of volume: no larger than the half thickness, and near to it where the hull is symmetric.
struct InnerBall {
    Vec3 center = Vec3::Zero(); // [m]
    Real radius = 0;            // [m] 0: none was found
};
InnerBall inner_ball(const HullShape&);
// What is at least `by` from every face's plane, 0 < by < radius of the inner ball: intersection of the half-spaces n.x <= o - by. By duality,
// about the ball's centre c: the hull of the points n/(o - by - n.c) has a face m.y = d for each vertex c + m/d. Empty where the numbers do not allow it.
std::optional<HullShape> shrink_hull(const HullShape&, Real by);

// Edges, edge_faces, neighbours from vertices and faces. False where an edge has not exactly two faces.
bool fill_adjacency(HullShape&);

} // namespace sinew
