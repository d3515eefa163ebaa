// All contacts with a given normal of a scene in one state: the surface against analytic obstacles (collision.h) and
// other held bodies (held_shapes.h), rigid bodies against each other (detect_shapes.h), and rods near each other (rod_pairs.h). What penalty forces and the
// report take.
#pragma once
#include "collision/collision.h"
#include "collision/detect_shapes.h"
#include "collision/held_shapes.h"
#include "collision/rod_pairs.h"
#include "model/surface.h"

namespace sinew {

struct PointsScratch {
    std::vector<Real3> surface; // [m] of all surface vertices
    DetectScratch obstacles;
    HeldScratch held;
    ShapeScratch shapes;
    RodPairScratch rods;
};

// Fills point_point and rod_pairs with gaps below `margin` [m]. False, and no contacts, if a position or pose is not finite.
bool detect_points(const Parallel&, const Model&, const SurfaceState&, Real margin, PointsScratch&, Contacts&);

} // namespace sinew
