// Continuous collision of primitives whose points move on straight lines, x(t) = (1 - t) x_t0 + t x_t1, t in
// [0, 1]. The answer is a time up to which the pair is proven apart: never later than the true first contact
// of the given doubles in exact arithmetic, and kNoImpact only where there is none. `separation` s asks for
// the first time at which the distance is no more than s (swept spheres: s = sum of the radii).
//
// Everything is a statement about the difference vectors D_i(t) (p - t_i; b_j - a_i), which are linear in t:
// the pair touches when the origin is in their convex hull. Three kinds of proof move the time forward, in
// turn:
//   plane      f(t) = det(w, e, f) is a cubic; the pair can only touch at its roots. Its Bernstein coefficients
//              carry one bound of all rounding errors, so the interval before the first root of f -+ error is
//              free. With separation: f -+ s |e x f|, where |e x f| is bounded above by a quadratic with the
//              norms of the control points of e x f as coefficients.
//   direction  n . D_i(t) > s |n| for all i, with n the closest vector at the present time (computed roughly: any
//              n proves something). Linear in t: the end of the free interval is a division.
//   turning    the same with n moving linearly between the closest vectors of two times, the later one just
//              before the guessed contact: quadratic Bernstein polynomials.
// Steps end when they become shorter than kTimeTolerance: then the pair counts as touching there. False
// alarms are possible (gaps of the size of rounding), misses are not. No allocation; at most kRounds rounds.
// After Brochu et al. 2012, Wang et al. 2021 (Tight Inclusion) and Li et al. 2021 (additive CCD), but none of
// them: the directional advance uses the projected motion instead of its norm, the cubic is used as a proof
// only.
#pragma once
#include "core/math.h"
#include <array>
#include <limits>

namespace sinew {

inline constexpr Real kNoImpact = std::numeric_limits<Real>::infinity();

struct CcdOptions {
    Real separation = 0; // [m] >= 0
    // impacts at this time and later are of no interest: kNoImpact. Earlier ones do not depend on it.
    Real t_max = 1;
};

// Stencils p t0 t1 t2; a0 a1 b0 b1; p e0 e1; p q. Points that are not finite give 0, and so do separations that are
// negative or not finite.
using CcdPoints = std::array<Vec3, 4>;
Real find_impact_vertex_triangle(const CcdPoints& x_t0, const CcdPoints& x_t1, const CcdOptions& = {});
Real find_impact_edge_edge(const CcdPoints& x_t0, const CcdPoints& x_t1, const CcdOptions& = {});
Real find_impact_vertex_edge(const CcdPoints& x_t0, const CcdPoints& x_t1, const CcdOptions& = {});
Real find_impact_vertex_vertex(const CcdPoints& x_t0, const CcdPoints& x_t1, const CcdOptions& = {});

} // namespace sinew
