// Swept spheres: a ball of radius r whose centre moves on a straight line, against another ball, an edge with
// thickness, a triangle with thickness, all moving. A ball touches when its centre is within the sum of the
// radii, so the times are those of ccd.h with a separation: never late. With the time come the normal and the
// place there, for solvers that store the contact of the impact and solve it at the end of the step (spec
// U 8.2).
#pragma once
#include "collision/ccd.h"

namespace sinew {

struct SphereImpact {
    Real time = kNoImpact;
    Vec3 normal = Vec3::Zero(); // unit, towards the sphere; zero when the centre is on the other
    Vec3 weight = Vec3::Zero(); // of the other's points in the point of contact
};

// x: the centre first, then the other's points (1, 2 or 3)
SphereImpact find_impact_sphere_sphere(const CcdPoints& x_t0, const CcdPoints& x_t1, Real radii);
SphereImpact find_impact_sphere_edge(const CcdPoints& x_t0, const CcdPoints& x_t1, Real radii);
SphereImpact find_impact_sphere_triangle(const CcdPoints& x_t0, const CcdPoints& x_t1, Real radii);

// The alternative without continuous detection (spec P149): the largest time step [s] in which a point at
// `speed` [m/s] moves no further than `thickness` [m], so that detection at the ends of steps cannot miss it.
// Infinite at rest.
inline Real largest_step_without_tunnelling(Real speed, Real thickness) { return thickness / speed; }

} // namespace sinew
