// Sheets of links that come from a mesh: a link stands for a strip of the sheet, so that the resolution does not change the material.
//   membrane   along the edges of polygons: strips as wide as a quad across the edge, 0.87 edges in triangles (three directions of an
//              equilateral mesh share the stiffness)
//   shear      along both diagonals of a quad, area over length wide; corners two apart in larger polygons
//   bend       over each inner edge, between what faces it: the third corners of triangles; of quads the two corners straight on
// Quads therefore are what the cells of cloth_grid are. Maps scale stiffness by the mean of the two ends.
#pragma once
#include "scene/point_maps.h"

namespace sinew {

// `world`: places at rest; without bend links where hinges do that
void add_cloth_links(BuildContext&, const Material&, const PolygonMesh&, std::span<const Real3> world, const PointMaps&, Range points, bool bend);
// the same for one link, of points counted from the first
void add_mapped_link(BuildContext&, const LinkRole&, const PointMaps&, Real width, Real length, Range points, int a, int b);

} // namespace sinew
