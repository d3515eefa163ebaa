// Equality rows of one island by their sparse saddle-point matrix, velocities and impulses together (spec P121, P123, P124; setting
// `equalities` = kkt of `velocity`):
//   [ M  -J^T ] [ du ]   [ 0 ]
//   [ -J  -S  ] [ dp ] = [ r ]      r = J u + drive + bias + S p with the impulses p at hand, S softness
// Where bodies and groups of rows are a tree, they are eliminated from its leaves in linear time (linalg/tree_matrix.h). A group's zero block
// needs a body below it, so that one group at most may hold its body to something that does not move; it is the root. Loops, also those through
// what is held, go by sparse LU with pivoting (linalg/saddle.h). Rows that say the same twice make the matrix singular; the Schur complement
// of velocity_direct.cpp, which has a trace of softness for them, is the caller's answer.
#pragma once
#include "linalg/saddle.h"
#include "linalg/tree_matrix.h"
#include "solver/velocity_solve.h"

namespace sinew {

struct KktScratch {
    std::vector<int> place;            // of each body of the problem in the island, -1 = held or elsewhere; all -1 between calls
    std::vector<int> begin, group;     // groups at each body of the island
    std::vector<int> node, member;     // tree: node of each body, then of each group; and back
    TreeMatrix tree;
    std::vector<Vec6> x;
    BlockSparse mass;
    SparseRows jacobian;
    std::vector<Real> softness, zero, right, du, dp;
    std::vector<unsigned char> active;
    SaddleSolver saddle;
};

// Nodes, blocks and couplings of a tree; false if the island is none.
bool build_kkt_tree(const IslandView&, const RowProblem&, KktScratch&);
// False: singular, or solved badly; impulses and velocities are then as before.
bool solve_equalities_kkt(const SolveOptions&, const IslandView&, KktScratch&, RowProblem&, SolveResult&);

} // namespace sinew
