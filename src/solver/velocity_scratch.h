// Memory of the methods of velocity_solve.h; nothing in it outlives a call.
#pragma once
#include "linalg/envelope.h"
#include "solver/velocity_kkt.h"

namespace sinew {

struct SolveScratch {
    std::vector<Real> scale, z, y, z_old, gradient, gradient_old, trial; // rows of the island
    std::vector<int> row;                // first row of each group in these arrays
    std::vector<Vec3> v, w;              // of the island's bodies: without impulses
    std::vector<int> count;              // groups at each body of the problem
    std::vector<int> place;              // of each body of the problem in the order of the island, -1 = held
    std::vector<int> offset;             // of each place in the unknowns
    std::vector<int> begin, neighbor, order, first;
    Envelope matrix;
    std::vector<Real> u, u_free, du, right, weight; // unknowns of the island
    std::vector<Real> p, p_hat, p_best, rho, mass;
    KktScratch kkt;
    std::vector<Real> dp;                // derivative of the projection, 6 x 6 per group
};

} // namespace sinew
