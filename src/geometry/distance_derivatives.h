// Squared distance D and distance d = sqrt(D) of a feature pair, with gradient (12) and Hessian (12 x 12)
// with respect to the four points of the stencil (zero for those that do not take part).
//   point-point  D = |p - q|^2
//   point-line   D = |u x v|^2 / |v - u|^2       u = e0 - p, v = e1 - p
//   point-plane  D = det(w, e, f)^2 / |e x f|^2  w = p - t0, e = t1 - t0, f = t2 - t0
//   line-line    the same with                   w = b0 - a0, e = a1 - a0, f = b1 - b0
// Near-parallel edges: the mollifier of Li et al. 2020 (IPC, eq. 24), with c = |e x f|^2 and the threshold
//   eps = 1e-3 |e_rest|^2 |f_rest|^2:   m = (2 - c/eps) c/eps  for c < eps, else 1
// which is C1 and kills the jump of the gradient where two edges become parallel.
// Distances are those of whole lines and planes: choose the feature with distance_closest.h first. A point on
// the other feature (d = 0) has no gradient of d: the functions of d then give zeros. Degenerate lines and
// planes (zero length, zero area) are never chosen by distance_closest.h.
#pragma once
#include "geometry/distance_closest.h"

namespace sinew {

using DistancePoints = std::array<Vec3, 4>; // [m]
using Gradient12 = VecN<12>;
using Hessian12 = MatN<12>;

Real squared_distance(const Feature&, const DistancePoints&);
Real squared_distance_gradient(const Feature&, const DistancePoints&, Gradient12&);            // returns D
Real squared_distance_hessian(const Feature&, const DistancePoints&, Gradient12&, Hessian12&); // returns D
Real distance_gradient(const Feature&, const DistancePoints&, Gradient12&);                    // returns d
Real distance_hessian(const Feature&, const DistancePoints&, Gradient12&, Hessian12&);         // returns d

// eps of the mollifier from the edges' rest lengths [m^4]
inline Real mollifier_threshold(Real rest_a, Real rest_b) { return 1e-3 * rest_a * rest_a * rest_b * rest_b; }
Real edge_edge_mollifier(const DistancePoints&, Real threshold);
Real edge_edge_mollifier_hessian(const DistancePoints&, Real threshold, Gradient12&, Hessian12&); // returns m

} // namespace sinew
