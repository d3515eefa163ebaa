// Closes a mesh: each loop of open edges becomes one polygon, oriented like its neighbours. For scans with small holes;
// what the missing surface looked like is not guessed.
#pragma once
#include "geometry/mesh.h"

namespace sinew {

// Polygons added, one for each loop, in order of their lowest edge. Where loops touch at a vertex they are walked apart
// there; an open edge that no loop passes stays open. The mesh must pass validate_mesh.
int fill_holes(PolygonMesh&);

} // namespace sinew
