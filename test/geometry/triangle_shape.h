// A mesh as a shape of triangles, and where to put it.
#pragma once
#include "geometry/convex.h"
#include "geometry/triangulate.h"
#include "sinew/shape.h"

namespace sinew {

inline TriangleShape shape_of(const PolygonMesh& m) { return {m.positions, triangulate(m).triangles}; }
inline Placement turned_at(const Vec3& p, const Vec3& turn = Vec3::Zero()) { return {exp_rotation(turn).toRotationMatrix(), p}; }

} // namespace sinew
