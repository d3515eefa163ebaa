// Points carried by tetrahedra: a render surface that follows a coarse solid (x = sum of w_k x_k, the surface map's
// `embedded` vertices).
//   inside     the tetrahedron that holds the point (of several the lowest), weights = barycentric coordinates
//   outside    the tetrahedron behind the nearest boundary face, with the same formula: weights of both signs, sum 1,
//              so that the surface continues linearly and lies where it was in the rest shape
#pragma once
#include "core/parallel.h"
#include "geometry/tet_mesh.h"
#include <span>

namespace sinew {

struct TetPlace {
    int tet = -1;
    std::array<Real, 4> weight{}; // sum 1
    bool inside = false;
    Real distance = 0; // [m] from the solid, 0 inside
};
// The mesh must pass validate_tets and have a tetrahedron with volume; flat ones carry nothing.
std::vector<TetPlace> embed_points(const Parallel&, const TetMesh&, std::span<const Real3> points);

} // namespace sinew
