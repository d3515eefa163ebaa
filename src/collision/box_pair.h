// Manifold of two boxes in closed form, the same answer as collide_general of collision/manifold.h at a fraction of its
// time: fifteen axes (geometry/sat.h), then one rectangle clipped by the other in the coordinates of a face.
#pragma once
#include "collision/manifold.h"

namespace sinew {

// As collide_convex, of two boxes, rounded or not. Empty where the closed form is not exact: boxes apart whose nearest
// features are two corners or a corner and an edge.
std::optional<bool> collide_boxes(const Convex& a, const Placement& fa, const Convex& b, const Placement& fb, Real margin,
                                  Manifold&);

} // namespace sinew
