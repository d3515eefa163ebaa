// Generated tetrahedral meshes; what they are is measured by tet_measure.h.
#pragma once
#include "geometry/mesh.h"
#include "geometry/tet_mesh.h"

namespace sinew {

// How a cell of a grid is cut: five tetrahedra, mirrored from cell to cell, have no preferred direction; six along the same
// diagonal have equal volumes.
enum class CellSplit { five, six };

// A box centred at the origin, size [m] along x, y, z, cut into cells; points run along x, then y, then z.
TetMesh make_box_tets(const Real3& size, const std::array<int, 3>& cells, CellSplit);

// A closed surface thickened inwards: layers of prisms, three tetrahedra each; points of the surface first, then those of each
// deeper layer. Triangles, counter-clockwise from outside; points move along the mean normal of their triangles.
TetMesh make_shell_tets(const std::vector<Real3>& points, const std::vector<std::array<int, 3>>& triangles, double thickness,
                        int layers);

} // namespace sinew
