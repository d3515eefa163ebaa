// The same trees in maximal coordinates: six speeds per link and multipliers for every joint, solved in linear time by
// linalg/tree_matrix.h (spec P121, P123, P124). Joint i holds N_i^T (a_i - X_i a_parent) = N_i^T c_i, where the columns of
// N_i span what its motion subspace S_i does not. Forces of the joints come out as well: f_i = N_i lambda_i.
#pragma once
#include "linalg/tree_matrix.h"
#include "solver/articulated_tree.h"
#include <span>

namespace sinew {

struct MaximalTree {
    TreeMatrix matrix;                // nodes of link i: its joint 2 i, its body 2 i + 1
    std::vector<Mat6> held;           // N_i, first 6 - v_count columns
    std::vector<Vec6> x;              // right-hand side, then solution
};

// Accelerations of the links and the force of each joint on its link (about the link's centre, without joint springs);
// `force` on the links without the velocity terms. False if a joint has no inertia.
bool solve_maximal(const Forest&, std::span<const BaseMotion>, std::span<const LinkMotion>, std::span<const Vec6> force,
                   MaximalTree&, std::span<Vec6> a, std::span<Vec6> joint);

} // namespace sinew
