// Line searches that look at slopes as well as values. Both end where the direction is used up:
//
// strong Wolfe     Phi(a) <= Phi(0) + c1 a Phi'(0)  and  |Phi'(a)| <= c2 |Phi'(0)|      c1 = 1e-4
//   bracketing and zooming of Nocedal and Wright (2006), algorithms 3.5 and 3.6, quadratic interpolation.
// approximate Wolfe   (2 delta - 1) Phi'(0) >= Phi'(a) >= sigma Phi'(0)  and  Phi(a) <= Phi(0) + rounding
//   or the plain conditions of Wolfe; delta = 0.1, sigma = 0.9: Hager and Zhang (2005), secant steps on Phi'.
//   Close to a minimum Phi(a) - Phi(0) is lost in the last digits of Phi long before Phi'(a) is: where values
//   can no longer tell up from down this search still can (spec T 6.7).
//
// The first length tried is 1 (a Newton step). Lengths at which Phi is not finite are cut to a tenth.
#pragma once
#include "solver/line_search.h"

namespace sinew {

struct SlopedFunction { // along the direction
    void* data;
    Merit (*at)(void* data, Real length);
    Real (*slope)(void* data, Real length); // Phi'(length); called after `at` of the same length
};
// c2: 0.9 for Newton's directions, 0.1 where the next direction needs an exact minimum (conjugate gradients)
SearchResult search_strong_wolfe(const SlopedFunction&, const Merit& start, Real slope, Real c2 = 0.9);
SearchResult search_approximate_wolfe(const SlopedFunction&, const Merit& start, Real slope, Real sigma = 0.9);

} // namespace sinew
