// Second half of make_hull: triangles of a closed convex surface joined to polygons.
#pragma once
#include "core/math.h"
#include "geometry/hull.h"

namespace sinew {

struct HullTriangle {
    std::array<int, 3> v{};
    std::array<int, 3> next{-1, -1, -1}; // face across the edge v[i], v[i + 1]
    Vec3 normal = Vec3::Zero();          // unit
    Real area = 0;
    bool alive = true;
};

// Joins neighbours whose corners lie within `tolerance` of the plane of the largest of them, leaves out
// corners that then have only two faces, and fills the hull; `grid` are the positions the tolerance is
// measured in.
bool build_polygons(const std::vector<HullTriangle>&, const std::vector<Vec3>& grid,
                    std::span<const Real3> points, Real tolerance, HullShape&);

} // namespace sinew
