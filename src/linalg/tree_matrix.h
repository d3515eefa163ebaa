// Symmetric block matrix whose graph is a tree, factored and solved in time linear in the number of blocks (spec P124;
// Baraff 1996). It may be indefinite, as the saddle-point matrix of bodies and joints is:
//   [ M  -J^T ] [ a      ]   [ f ]
//   [ -J   0  ] [ lambda ] = [ b ]     one node per body (M_i), one per joint (0), an edge where a joint holds a body
// With children eliminated before their parents there is no fill-in. A joint's zero block becomes -J M^-1 J^T because
// the body below it goes first; a body's block only grows.
//   factor  H_pp -= H_ip^T H_ii^-1 H_ip,  L_ip = H_ii^-1 H_ip            leaves first
//   solve   x_p -= L_ip^T x_i             leaves first
//           x_i = H_ii^-1 x_i - L_ip x_p  root first
// Loops are left to the caller: a dense Schur complement on top, one solve per loop row.
#pragma once
#include "core/math.h"
#include <span>
#include <vector>

namespace sinew {

struct TreeMatrix {
    std::vector<int> parent;         // node before this one, -1 = root
    std::vector<int> size;           // 0 to 6 unknowns
    std::vector<Mat6> diagonal;      // H_ii, top left corner; after factoring its inverse
    std::vector<Mat6> coupling;      // H_ip (size_i x size_p), top left corner; after factoring L_ip
    int node_count() const { return int(parent.size()); }
};

// In place. Returns -1, or the node whose block is singular: joints above it that say the same twice.
int factor_tree(TreeMatrix&);
// In place: x holds the right-hand side, then the solution; a node uses its first size numbers.
void solve_tree(const TreeMatrix&, std::span<Vec6> x);

} // namespace sinew
