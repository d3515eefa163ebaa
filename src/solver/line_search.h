// Backtracking line search: the largest tried length a <= 1 along a descent direction p with
//   Phi(a) <= Phi(0) + c a slope + rounding,   slope = Phi'(0) < 0,  c = 1e-4   (Armijo 1966)
// The next length is the minimum of the parabola through Phi(0), slope and Phi(a), kept in [0.1, 0.5] a
// (Dennis and Schnabel 1983, 6.3.2). Where Phi is not finite the length shrinks to a tenth.
//
// Rounding: close to the minimum the decrease drops below the last digits of the sum Phi, while the direction
// is still good. A rise of 1e-13 of the sum of magnitudes is not told from a decrease, so that iterations can
// go on to small residuals. Forces without potential have no place in Phi: see objective.h for how they are
// lagged.
#pragma once
#include "sinew/types.h"

namespace sinew {

struct Merit {
    Real value = 0; // Phi [J]
    Real size = 0;  // sum of the magnitudes of its parts, for rounding
};
struct MeritFunction { // along the direction
    void* data;
    Merit (*at)(void* data, Real length);
};
struct SearchResult {
    bool found = false;
    Real length = 0;
    int evaluations = 0;
    Merit merit; // at that length
};
inline constexpr Real kSufficientDecrease = 1e-4; // c
inline constexpr Real kMeritRounding = 1e-13;     // of Merit::size
SearchResult search_line(const MeritFunction&, const Merit& start, Real slope);

} // namespace sinew
