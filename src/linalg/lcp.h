// Linear complementarity problem by Lemke's pivoting (Cottle, Pang, Stone 1992, 4.4):
//   w = M z + q,  w >= 0,  z >= 0,  w . z = 0
// With the covering vector of ones; ties of the ratio test are broken lexicographically, so that degenerate problems
// (redundant contacts) do not cycle; where rounding leads astray nevertheless, the problem is solved with a little on the
// diagonal or from another covering vector, and its basis refined. Ends at a solution for copositive plus M, such as polyhedral friction (spec U
// 3.8.2), unless the problem has none. Dense: for references and small islands.
#pragma once
#include "core/math.h"

namespace sinew {

struct LcpResult {
    bool solved = false; // to 1e-8 of q
    int pivots = 0;
    Real residual = 0; // largest of -w, -z, |min(w, z)|
};
LcpResult solve_lcp(const MatX& m, const VecX& q, VecX& z, int most_pivots = 0); // 0 = 50 + 10 n

Real lcp_residual(const MatX& m, const VecX& q, const VecX& z);

// A mixed problem: the first n of x are complementary to their rows of w = M x + q, the rows of the others are zero. Newton steps
// on the rows that are in contact by x (x_i > w_i) and the equalities, as long as they make the residual smaller: what the
// elimination of the equalities has cost is regained. Singular rows share what there is.
Real mixed_residual(const MatX& m, const VecX& q, int n, const VecX& x);
void polish_mixed(const MatX& m, const VecX& q, int n, VecX& x);

} // namespace sinew
