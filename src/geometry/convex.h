// One description of everything convex that can touch: a core grown by a ball.
//   sphere = point + ball, capsule = segment + ball, rounded box = box + ball ...
// The core is known by its support function s(d), a point of it furthest along d. Half-space and plane have
// no bounded support; functions that take any convex say so where they leave them out. A triangle is given by
// its corners, so that the faces of a mesh need no store.
#pragma once
#include "core/math.h"
#include "sinew/shape.h"
#include <array>
#include <optional>

namespace sinew {

// x -> R x + p
struct Placement {
    Mat3 R = Mat3::Identity();
    Vec3 p = Vec3::Zero(); // [m]
};
Placement make_placement(const Pose&); // a rotation that cannot be normalised counts as the identity
inline Vec3 at(const Placement& f, const Vec3& x) { return f.R * x + f.p; }
inline Vec3 from(const Placement& f, const Vec3& x) { return f.R.transpose() * (x - f.p); }
// b seen from a
inline Placement relative(const Placement& a, const Placement& b) {
    return {a.R.transpose() * b.R, a.R.transpose() * (b.p - a.p)};
}

struct Convex {
    enum Core : int { point, segment, triangle, box, cylinder, cone, hull, half_space, plane } core = point;
    Vec3 size = Vec3::Zero(); // [m] as in Shape: y half length, box half extents, x radius
    Real radius = 0;          // [m] of the ball that grows the core, >= 0
    const HullShape* hull_data = nullptr;
    std::array<Vec3, 3> corner{Vec3::Zero(), Vec3::Zero(), Vec3::Zero()}; // [m] triangle
    Vec3 normal = Vec3::UnitY();  // triangle: unit, corners counter-clockwise about it
};

// Empty for kinds that are not convex, a missing or empty hull and sizes that are not finite or negative.
std::optional<Convex> make_convex(const ShapeStore&, const Shape&);
// A triangle without area gets a normal perpendicular to its longest side.
Convex make_triangle(const Vec3& a, const Vec3& b, const Vec3& c, Real radius);

inline bool is_bounded(const Convex& c) { return c.core != Convex::half_space && c.core != Convex::plane; }
inline bool is_polytope(const Convex& c) {
    return c.core == Convex::segment || c.core == Convex::triangle || c.core == Convex::box ||
           c.core == Convex::hull;
}

struct SupportPoint {
    Vec3 x; // [m]
    int id; // vertex of a polytope; cone: 0 apex; -1 on a curve
};
// Point of the core (without its ball) furthest along d, which need not be a unit vector; d = 0 gives some
// point. hint: a vertex to start from, as returned before; big hulls are climbed along their edges from
// there. Bounded cores only.
SupportPoint support(const Convex&, const Vec3& d, int hint = 0);
// The same with the ball, d a unit vector.
inline Vec3 support_grown(const Convex& c, const Vec3& d) { return support(c, d).x + c.radius * d; }

Vec3 center_of(const Convex&); // [m] a point inside a bounded core
Real radius_about(const Convex&,
                  const Vec3& c); // [m] largest distance of the grown shape from c; bounded cores

// A unit vector perpendicular to n, chosen by a fixed rule.
Vec3 perpendicular(const Vec3& n);

} // namespace sinew
