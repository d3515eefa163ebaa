// Penalty on the distance of two segments, or of a point and a segment, with exact first and second derivatives.
//   edge-edge     E = 1/2 k m(x) min(0, d - t)^2,   d distance of the segments a0 a1 and b0 b1 [m]
//   vertex-edge   E = 1/2 k min(0, d - t)^2,        d distance of p from the segment e0 e1 [m]
//   k [N/m], t [m] distance below which they push, m the mollifier of nearly parallel edges (geometry/distance_derivatives.h)
// d is that of the features that are closest at x: no normal is frozen and nothing jumps when the closest place walks from
// an edge to its end. d has a corner only where two edges are parallel; there m takes the first energy away and
// the second, between the ends and the other edge, holds them apart. At d = 0 there is no direction and no force.
#pragma once
#include "core/math.h"
#include <array>

namespace sinew {

struct PairPenalty {
    Real value = 0;
    VecN<12> gradient = VecN<12>::Zero();
    MatN<12> hessian = MatN<12>::Zero();
};
// points a0 a1 b0 b1; threshold: mollifier_threshold of the rest lengths [m^4]; derivatives up to `order`
void compute_edge_edge_penalty(Real stiffness, Real thickness, Real threshold, const std::array<Vec3, 4>&, int order, PairPenalty&);
// points p e0 e1
void compute_vertex_edge_penalty(Real stiffness, Real thickness, const std::array<Vec3, 3>&, int order, PairPenalty&);

Real edge_mollifier_threshold(Real rest_a, Real rest_b); // [m^4]

} // namespace sinew
