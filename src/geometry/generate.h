// Meshes of simple shapes about the origin, y up [m]. Closed ones are closed, oriented outwards and manifold.
// Counts below the stated minimum are raised to it; sizes are taken as they are.
#pragma once
#include "geometry/mesh.h"
#include <array>
#include <span>

namespace sinew {

PolygonMesh make_box(const Real3& size); // 8 vertices, 6 quads

// Icosahedron, each triangle cut in four `levels` times (0 to 10), vertices on the sphere: 10 * 4^levels + 2
// vertices.
PolygonMesh make_icosphere(Real radius, int levels);
// Poles at +-y, `segments` (>= 3) around, `rings` (>= 2) from pole to pole; with texture coordinates.
PolygonMesh make_uv_sphere(Real radius, int segments, int rings);
// Axis y, `length` between the centres of the caps; `rings` (>= 1) per cap.
PolygonMesh make_capsule(Real radius, Real length, int segments, int rings);
// Axis y, from -height / 2 to height / 2; caps are triangles around a centre vertex.
PolygonMesh make_cylinder(Real radius, Real height, int segments);
// Apex at +height / 2, base at -height / 2.
PolygonMesh make_cone(Real radius, Real height, int segments);

// The line through the points (radius, y) of `profile` turned about the y axis, `segments` (>= 3) around: bowls, funnels,
// skirts. Pieces of the line longer than `cell` [m] are cut into equal parts (0 = none). A first or last point on the axis
// is a pole; a line that ends where it began is closed (a ring). Away from the axis where it is open. Vertices ring by
// ring along the line; vertex groups first, last: its ends.
PolygonMesh make_lathe(std::span<const std::array<Real, 2>> profile, int segments, Real cell);

// nx * nz quads in the plane y = 0, normal +y, centred; vertex i + (nx + 1) * j lies at column i along x and
// row j along z. Texture coordinates run from (0, 1) at vertex 0 to (1, 0) at the last. Vertex groups x_min,
// x_max, z_min, z_max, corners.
PolygonMesh make_grid(int nx, int nz, Real size_x, Real size_z);
PolygonMesh make_quad(Real size_x, Real size_z); // a grid of one quad

// count (>= 1) segments of equal length from a to b; vertex groups first, last.
PolygonMesh make_chain(const Real3& a, const Real3& b, int count);

} // namespace sinew
