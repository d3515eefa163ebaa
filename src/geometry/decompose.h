// Approximate convex decomposition of a closed mesh (P141): a few hulls whose union is close to the solid.
//   concavity of a hull H of the solid S with surface dS [m], the larger of
//     excess  largest distance from S of a point of H        what the hull adds: air that became solid
//     depth   largest distance to the surface of H of a point of dS inside H   dents and slots that were filled
//   Both are measured on samples: points of H on its faces and on the nodes of the distance grid, points of dS at the
//   mesh's vertices and on its triangles, never further apart than `spacing`.
// Method, after Mamou 2016 (V-HACD) and Wei et al. 2022 (CoACD), greedy: the most concave part is cut by the plane that
// leaves the least concavity and the least volume of hulls; candidates are axis-aligned and principal planes, planes
// through the deepest place, and planes of faces at concave edges (exact for polyhedra). Then hulls are joined again as long
// as the result stays within the limit, or there are too many. A part is the surface inside a convex cell; corners of the
// cell inside the solid complete it, so cuts need no caps and every part's hull covers its share of the solid.
#pragma once
#include "core/parallel.h"
#include "sinew/shape.h"

namespace sinew {

struct DecomposeSettings {
    Real concavity = 0.02;  // allowed, share of the bounding box diagonal
    int max_hulls = 64;     // at least 1
    int resolution = 96;    // of the distance grid, cells along the longest side
    Real spacing = 0.005;   // of samples, share of the diagonal
};
struct Decomposition {
    std::vector<HullShape> hulls;
    std::vector<Real> concavity; // [m] of each
    Real diagonal = 0;           // [m] of the mesh
    int cuts = 0;
    bool within_limit = false;   // every hull; false where max_hulls did not suffice
};
// Errors: no closed mesh, settings out of range. Hulls of parts without volume are left out.
Result<Decomposition> decompose_mesh(const Parallel&, const TriangleShape&, const DecomposeSettings&);

// Measured anew with samples `spacing` [m] apart, without the grid; slower. The judge of the tests.
struct Concavity {
    Real excess = 0, depth = 0; // [m]
};
Concavity measure_concavity(const TriangleShape&, const HullShape&, Real spacing);

} // namespace sinew
