// The judge of sinew-bench narrow: the signed distance of two convex shapes by a search of all directions,
// with nothing of the code that it judges. With h(n) = max n.x over the difference of a and b,
//   distance = - min h(n) over unit vectors n.
// Directions are cut into triangles of the sphere. Points w of the difference that are furthest along the
// corners of one prove h(n) >= n.w, and so does every mixture of them: a bound of h on the triangle.
// Triangles whose bound is above the best value met are done; the others are cut into four. Ends when bound
// and value are within `tolerance`.
#pragma once
#include "narrow.h"

namespace sinew::bench {

struct Bracket {
    double low = 0, high = 0; // [m] the true distance is between
    int looked = 0;           // directions
};

// One shape placed in the world, by its definition alone.
struct Placed {
    const Shape* shape;
    const HullShape* hull; // or null
    Mat3 R;
    Vec3 p;
};
Placed place(const ShapeStore&, const Shape&, const Pose&);

Vec3 furthest(const Placed&, const Vec3& n);     // [m] point of the shape furthest along n
double outside_by(const Placed&, const Vec3& x); // [m] how far x is from the shape at most, 0 within
double separation(const Placed& a, const Placed& b, const Vec3& n); // [m] along the unit vector n
Bracket judge_distance(const Placed& a, const Placed& b, double tolerance);

} // namespace sinew::bench
