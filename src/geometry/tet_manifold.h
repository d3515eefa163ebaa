// Tetrahedral meshes whose boundary is a closed manifold: at each boundary edge two triangles, at each boundary point
// one fan. Where tetrahedra touch in a point or an edge only, in this order until nothing is left to do:
//   split    a point whose tetrahedra fall into several groups, connected through faces at the point, gets a copy for
//            each further group; nothing moves
//   edge     around an edge with more than two boundary triangles, the largest group of tetrahedra stays, the others go
//   point    a point with several boundary fans but one group of tetrahedra separates two hollows: the fewest
//            tetrahedra that lead from one to the other go
// Tetrahedra that stay keep their shape and order.
#pragma once
#include "geometry/tet_mesh.h"

namespace sinew {

struct SeparateReport {
    int split = 0;   // points added
    int removed = 0; // tetrahedra removed
};
// Every tetrahedron must be positive and no face may belong to three of them. Groups are kept.
SeparateReport separate_parts(TetMesh&);

} // namespace sinew
