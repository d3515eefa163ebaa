// The collision surface against a height field, in the field's axes: for a vertex all places of the field where its distance is
// smallest around there, so that a ball in a valley is held from both sides; for an edge or triangle the places strictly inside it
// that are nearest to the field's nodes and edges. The set is complete as that of collision/obstacle_features.h is.
//   vertex     faces, edges and nodes of the field whose nearest place is inside them; below the field the nearest of all
//   triangle   nodes of the field whose foot lies inside it
//   edge       nodes of the field whose foot lies inside it, and edges of the field that it passes, both strictly inside
// With x the place on the element, y the one on the field, b = 1 where x is above the field and -1 where it is below:
//   n = b (x - y)/|x - y|,   distance = b |x - y|
// A node counts if n lies in the polar cone of the field there: n . e <= 0 for the edges e that leave it, not all 0, since the
// inside of a flat part says nothing that its border does not. An edge of the field counts if n . t <= 0 for the directions t
// into its two triangles, likewise not all 0. At the border of the field the cones are open to the outside; n points up always,
// for beside the field nothing is kept away. At the border a place below the field counts while y is at most twice as far from it
// as the surface is: an upright triangle whose tip is a millimetre deep is a metre from the border. Elsewhere the cones are
// about the vertical, and such a thing has no place in them; a spike through a sheet may be deep.
#pragma once
#include "collision/obstacle_features.h"
#include "collision/surface_distance.h"
#include <vector>

namespace sinew {

// A place of the field near a vertex; feature 0 is the nearest, which keeps its number from face to face.
struct FieldPoint {
    Real distance = 0;           // [m] negative below
    Vec3 normal = Vec3::UnitY(); // unit, up
    std::int64_t feature = 0;
};
// Beyond `limit` [m] nothing is kept. Features are numbered by the field: nodes k nx + i, then edges, then triangles. Of places
// whose normals are the same within 1e-3 rad the nearest, then the first stays. (With 20 degrees instead, so that gentle hollows have
// one contact, Newton's method stalled seven times as often on grains in hills: they rest in the creases.) Sorted by feature, here and below.
void find_field_vertex_features(const HeightFieldShape&, const Vec3& p, Real limit, std::vector<FieldPoint>& out);
void find_field_triangle_features(const HeightFieldShape&, const std::array<Vec3, 3>& t, Real limit, std::vector<FeaturePoint>& out);
// `inward`: into each triangle at the edge, any length; none for lines.
void find_field_edge_features(const HeightFieldShape&, const std::array<Vec3, 2>& e, std::span<const Vec3> inward, Real limit,
                              std::vector<FeaturePoint>& out);

} // namespace sinew
