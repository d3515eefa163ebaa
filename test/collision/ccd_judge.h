// Judge of continuous collision: decides in exact arithmetic whether a pair of primitives made of
// the given doubles touches in [0, 1] (or comes within `separation`), and when first. An interval filter
// decides the plain misses; everything else is decided by integer polynomials (exact_root.h).
//   touching   candidates are 0 and the roots of the coplanarity cubic; where that vanishes identically, of the
//              components of D_i x D_j and of D_i. At each the origin is tested against the hull of the D_i exactly.
//   separation candidates are 0 and the roots of the sextic f^2 - s^2 |N|^2 (faces, lines), of
//              |D_i x D_j|^2 - s^2 |D_j - D_i|^2 (edges) and |D_i|^2 - s^2 (corners), each where its closest
//              point is inside.
#pragma once
#include "collision/ccd.h"
#include "collision/exact_root.h"
#include <optional>

namespace sinew::judge {

// vertex-edge and vertex-vertex pairs use the first three and two points
enum class FeaturePair { vertex_triangle, edge_edge, vertex_edge, vertex_vertex };
inline constexpr int kPoints[] = {4, 4, 3, 2};

struct Truth {
    bool hit = false;
    bool filtered = false;    // decided by the filter
    double low = 0, high = 0; // bracket of the first time, narrower than 1e-9 (hits)
    Poly poly;                // of `root`; empty when the time is 0
    Sturm chain;
    Root root;
};
// `filter` off: everything by integers
void find_truth(FeaturePair, const CcdPoints& x_t0, const CcdPoints& x_t1, double separation, bool filter, Truth&);
bool is_first_before(Truth&, double t); // the true first time is earlier than t: then t is too late

} // namespace sinew::judge
