// What a tetrahedral mesh is: volume, orientation, dihedral angles, boundary.
//   volume         V = (b - a) x (c - a) . (d - a) / 6, positive for a positive tetrahedron
//   dihedral angle at the edge (i, j) between the faces opposite k and l: cos = -n_k . n_l of the outward unit normals;
//                  the angle itself from atan2, exact also near 0 and 180 degrees
//   boundary       faces of exactly one tetrahedron, counter-clockwise from outside
// Inverted tetrahedra: find_inverted_tetrahedra of geometry/repair.h.
#pragma once
#include "core/math.h"
#include "geometry/mesh.h"
#include "geometry/tet_mesh.h"

namespace sinew {

// Index out of range, repeated corner, number not finite, broken group. Empty = every function here may be called. At
// most ten errors.
std::vector<Error> validate_tets(const TetMesh&);

// corners of the face opposite corner i, counter-clockwise from outside of a positive tetrahedron
inline constexpr std::array<std::array<int, 3>, 4> kTetFaces{{{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};

Real signed_volume(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d); // [m^3]
Real signed_volume(const TetMesh&, int tet);
Real total_volume(const TetMesh&);

// Makes every tetrahedron positive by exchanging its last two corners; returns those changed, ascending.
std::vector<int> orient_tets(TetMesh&);

// At the edges 01, 02, 03, 12, 13, 23 [rad], in [0, pi].
std::array<Real, 6> dihedral_angles(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);
struct AngleRange {
    Real min = kPi, max = 0; // [rad]
};
AngleRange dihedral_range(const TetMesh&);

// Face of one tetrahedron only: its corners and where it comes from.
struct BoundaryFace {
    std::array<int, 3> corners; // points of the mesh
    int tet = -1;
};
std::vector<BoundaryFace> boundary_faces(const TetMesh&); // by tetrahedron and corner

// The boundary as a mesh of its own; point[i] = the tetrahedral mesh's point behind vertex i, ascending. Whether it is
// closed and manifold says check_mesh of geometry/topology.h.
struct BoundaryMesh {
    PolygonMesh mesh;
    std::vector<int> point;
};
BoundaryMesh boundary_mesh(const TetMesh&);

// Number of parts connected through faces; component[t] = 0 ... count - 1 by lowest tetrahedron.
int face_components(const TetMesh&, std::vector<int>& component);

} // namespace sinew
