// Skin of a solid: a surface mesh that is shown and exported in place of the boundary of its tetrahedra. Each vertex follows the
// tetrahedron it lies in (geometry/tet_embed.h), so that order, count, polygons, texture coordinates and groups of the mesh are
// what recordings, exporters and pictures see. Contact stays with the boundary of the tetrahedra.
#pragma once
#include "geometry/tet_mesh.h"
#include "scene/object.h"

namespace sinew {

// "skin": file, or { file, unit, up }; false = none. `filled` is the surface that was filled, if any: the default.
PolygonMesh read_skin(BuildContext&, const Value&, PolygonMesh filled);

// Groups of the skin as groups of the solid's boundary points: a point belongs to a group if most of the nearest place on the
// skin does (barycentric weights of the members among the triangle's corners, at least a half).
void add_skin_groups(const PolygonMesh& skin, const std::vector<std::array<int, 3>>& boundary, PolygonMesh& solid);

// the look of the current object; `solid` gives the groups of its points
void add_skin_snapshot(BuildContext&, const PolygonMesh& skin, const TetMesh& local, const PolygonMesh& solid, const Real3& color);

} // namespace sinew
