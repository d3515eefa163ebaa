// Contact manifold of two convex shapes: up to four points of one flat contact.
//   normal  unit, from a to b, world axes
//   gap     normal . (on_b - on_a), negative where the shapes overlap; thickness (the rounding of both) is
//   subtracted key     which features meet: a vertex of one over the other, or two crossing edges; it stays
//   the same while the
//           same features touch, for warm starting
// The points are the corners of the overlap of the two faces that face each other, seen along the normal, so
// that swapping a and b gives the same points. The deepest point is always among them.
#pragma once
#include "geometry/convex.h"

namespace sinew {

struct ManifoldPoint {
    Vec3 on_a, on_b; // [m] world
    Real gap;        // [m]
    std::uint64_t key;
};
struct Manifold {
    Vec3 normal = Vec3::UnitY();
    int count = 0;
    std::array<ManifoldPoint, 4> point;
};

// Points with a gap of at most `margin` [m]; false and none if the shapes are further apart. No allocation;
// the same bits for the same input. Triangles: make_triangle of geometry/convex.h.
bool collide_convex(const Convex& a, const Placement& fa, const Convex& b, const Placement& fb, Real margin,
                    Manifold&);
// The same without the closed forms of boxes and balls: their judge in tests.
bool collide_general(const Convex& a, const Placement& fa, const Convex& b, const Placement& fb, Real margin, Manifold&);
// False too for shapes that are not convex and for two unbounded ones.
bool collide_convex(const ShapeStore&, const Shape& a, const Pose& pa, const Shape& b, const Pose& pb,
                    Real margin, Manifold&);

// Generalised direction of the relative motion along d at a contact: the speed at which the point of b moves
// away from that of a along d is  on_a . (v_a, w_a) + on_b . (v_b, w_b)  with
//   on_b = (d, r_b x d),  on_a = -(d, r_a x d),  levers r from the origins of the bodies to the points, world
//   axes.
// d = normal gives the derivative of the gap, the directions of contact_frame those of sliding.
struct ContactDirection {
    Vec6 on_a, on_b; // translation, rotation
};
ContactDirection contact_direction(const Vec3& d, const Vec3& lever_a, const Vec3& lever_b);

} // namespace sinew
