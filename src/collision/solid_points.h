// Solids given by a distance grid against points (P143): vertices of other bodies, particles, samples of convex shapes.
//   gap = d(R^T (x - p)) - radius - thickness, normal = gradient of d, in the world
// A shape touches a solid by points of its surface; edges between them can slip by at most half their spacing.
#pragma once
#include "geometry/convex.h"
#include "geometry/distance_grid.h"
#include <span>

namespace sinew {

struct SolidContact {
    int point = -1;
    Vec3 on_solid = Vec3::Zero(), on_point = Vec3::Zero(); // [m] world, on the grown surfaces
    Vec3 normal = Vec3::UnitY();                            // unit, from the solid to the point
    Real gap = 0;                                           // [m]
};
// Points with a gap of at most `margin`, in order. `points` are placed by `at_points`; `radius` and `thickness` [m] grow the
// points and the solid.
void collide_solid_points(const DistanceGridShape&, const Placement&, Real thickness, std::span<const Vec3> points,
                          const Placement& at_points, Real radius, Real margin, std::vector<SolidContact>& out);

// Points of the core's surface at most `spacing` [m] apart (at most 200 along a side), in the shape's axes. The ball that
// grows the core is the contact's radius. Bounded shapes.
void sample_core(const Convex&, Real spacing, std::vector<Vec3>& out);

} // namespace sinew
