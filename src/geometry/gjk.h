// Distance of two convex cores by the algorithm of Gilbert, Johnson and Keerthi (1988): the point v nearest
// to the origin of the difference A - B = {a - b}, approached by simplices of support points w(d) = s_A(d) -
// s_B(-d). |v| is the distance, v . w(-v) / |v| a lower bound of it, so that the error is known when the loop
// ends. Everything happens in the axes of a.
#pragma once
#include "geometry/convex.h"

namespace sinew {

struct ConvexPair {
    const Convex* a;
    const Convex* b;
    Placement b_in_a;
};
inline ConvexPair make_pair(const Convex& a, const Placement& fa, const Convex& b, const Placement& fb) {
    return {&a, &b, relative(fa, fb)};
}

struct DifferencePoint {
    Vec3 w;         // a - b
    Vec3 a, b;      // [m] on the cores
    int id_a, id_b; // vertices, see support
};
DifferencePoint support(const ConvexPair&, const Vec3& d, int hint_a = 0, int hint_b = 0);

struct Simplex {
    int count = 0;
    std::array<DifferencePoint, 4> point;
    std::array<Real, 4> weight{}; // of the point nearest to the origin
};
struct GjkResult {
    enum { separated, overlapping, beyond } state = separated;
    Vec3 v = Vec3::Zero(); // [m] on_a - on_b
    Real distance = 0;     // [m] |v|; of `beyond` a lower bound that exceeds the limit
    Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();
    int iterations = 0;
};
// Ends early once the distance is known to be above `limit`. Cores nearer than 1e-12 of their size count as
// overlapping: the direction of so short a vector is rounding. The simplex is what penetration starts from.
GjkResult run_gjk(const ConvexPair&, Real limit, Simplex&);

} // namespace sinew
