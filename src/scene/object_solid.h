// A solid from any tetrahedral mesh: what kinds that make tetrahedra call.
#pragma once
#include "geometry/tet_grid.h"
#include "scene/kinds.h"

namespace sinew {

// `maps` has a factor per point; `attributes` are those of the points
void add_solid(const Solid::Params&, const TetMesh& local, const PolygonMesh& skin, const PointMaps& maps, std::vector<VertexAttribute> attributes,
               BuildContext&);

} // namespace sinew
