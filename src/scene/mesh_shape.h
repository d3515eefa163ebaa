// Meshes that a scene makes itself, in place of a file:
//   "mesh": { "shape": "ball", "radius": 0.3, "levels": 3 }
//   "mesh": { "shape": "blobs", "blobs": [[x, y, z, r], [x0, y0, z0, x1, y1, z1, r], ...], "blend": "2 cm", "cell": "3 cm" }
//   "mesh": { "shape": "lathe", "profile": [[radius, y], ...], "around": 48, "cell": "3 cm" }
// A lathe turns a line about the y axis (geometry/generate.h): open, or closed where it begins and ends on the axis or where
// it began. Blobs are balls and capsules joined smoothly: with d_i the distance to each, the surface is where
//   d = -b ln sum_i exp(-d_i/b) = 0,   b blend [m]; b = 0: the plain union
// polygonised as the boundary of isosurface stuffing with lattices of `cell` (geometry/stuffing.h): closed and manifold.
#pragma once
#include "scene/object.h"

namespace sinew {

bool is_mesh_shape(const Value&); // an object that names a shape
PolygonMesh make_mesh_shape(BuildContext&, std::string_view key, const Value&); // empty after an error

} // namespace sinew
