// The part of an object's drawing that does not change over a run: triangles, and which faces share a normal
// at a vertex. Edges whose faces meet at more than the crease angle in the rest shape stay sharp for the
// whole film, so a soft cube keeps its edges and a folded cloth stays smooth; nothing pops while things
// deform.
#pragma once
#include "model/snapshot.h"

namespace sinew {

struct DrawnShape {
    std::vector<std::array<int, 3>> triangles; // vertices
    std::vector<int> polygon;                  // per triangle the polygon it was cut from
    std::vector<std::array<int, 3>> normals;   // per corner of each triangle: index of its normal
    std::vector<int> normal_vertex;            // per normal the vertex it belongs to
    bool open = false;                         // has a border: a sheet, seen from both sides
};

// Errors name the object and what is wrong with its polygons or segments.
Result<DrawnShape> build_drawn_shape(const SnapshotObject&, double crease);

} // namespace sinew
