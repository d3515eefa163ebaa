// Tetrahedra that fill a closed surface: isosurface stuffing (Labelle and Shewchuk 2007), uniform variant.
//   lattice   body-centred cubic: corners and centres of cubes with side `cell`; each tetrahedron has two opposite long
//             edges (cell) and four short ones (sqrt(3)/2 cell)
//   sample    d at each lattice point, negative inside; blocks farther from the surface than their radius are skipped
//   cut       a point of the surface on each edge whose ends lie on different sides
//   warp      a lattice point closer to a cut than alpha times the edge moves onto it and lies on the surface
//   fill      each tetrahedron is cut by its remaining cut points; faces with two corners inside are split by a rule
//             that both neighbours know: at the cut of the long edge, otherwise by parity of coordinates
// With the default alphas every dihedral angle lies between 10.7 and 164.8 degrees, whatever the surface is: the bounds
// of Labelle and Shewchuk. The alphas are the maximisers of the smallest angle over all stencils with every corner of
// their parameters, which test/geometry/stuffing_bounds_test.cpp repeats. (The pair 0.24999 and 0.41189 that is often
// quoted with these bounds gives 9.2 to 161.7 degrees on this lattice.) Where parts of the solid touch in a point or an
// edge only, the boundary is made manifold by separating them (geometry/tet_manifold.h).
// Sharp edges are cut off by less than a cell; sheets and spikes thinner than a cell may be lost. Each ball of 0.56 cells
// holds a lattice point (the covering radius is sqrt(5)/4), so an offset of 0.56 keeps every feature, closes clefts
// narrower than that, and the solids stay within a cell of each other: for cages that carry a render surface
// (geometry/tet_embed.h).
// Deviation: of several cuts that are too close to a lattice point the nearest one is taken (the paper: any).
#pragma once
#include "core/parallel.h"
#include "geometry/bounds.h"
#include "geometry/tet_mesh.h"
#include "sinew/shape.h"
#include <functional>

namespace sinew {

struct StuffingSettings {
    Real cell = 0;              // [m] side of the lattice's cubes, > 0
    Real alpha_long = 0.2852;  // in [0, 0.5)
    Real alpha_short = 0.3977; // in [0, 0.5)
    Real offset = 0;            // in cells, [0, 1]: the solid grows by so much, see below
    Real lipschitz = 1;         // bound on |grad d|, at most 1 for distances; infinity = skip no block
    bool manifold = true;       // separate parts that touch in a point or an edge only
};
inline constexpr Real kStuffingMinAngle = 10.7, kStuffingMaxAngle = 164.8; // [degrees] with the default alphas
inline constexpr std::int64_t kStuffingPoints = std::int64_t(1) << 27;        // lattice points at most: 700 MB

// d: negative inside, called from several threads at once. The solid must lie in the box.
using DistanceFunction = std::function<Real(const Vec3&)>;
// Errors: cell not positive, box empty or not finite, alphas out of range, too many lattice points, nothing inside.
Result<TetMesh> stuff_distance(const Parallel&, const Aabb&, const DistanceFunction&, const StuffingSettings&);

// The solid inside a closed mesh: inside is where the winding number exceeds 1/2, so that overlapping parts count as
// one solid. Errors: as above, and a mesh that is empty, not finite, not closed or inside out.
Result<TetMesh> stuff_mesh(const Parallel&, const TriangleShape&, const StuffingSettings&);

} // namespace sinew
