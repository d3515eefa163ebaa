// Methods that follow residuals over packed links (position_pack.h): what solve_dual does with general rows (minres, steepest_descent,
// conjugate_gradients, conjugate_residuals, power_residuals), where a sub-step has nothing but undamped links between points.
// Rows in one scale, s = D^-1/2 with D = reach (w_i + w_j) + alpha, A = s (reach J W J^T + alpha) s, one iteration is
//   r = -s (C + alpha l),  y_r = J^T s r,  y_d = J^T s d                    one loop over links, J at the new positions
//   r.Ar = reach y_r.W y_r + r alpha s^2 r,  beta,  z = W (y_r + beta y_d)  over points: the rows of A r are not needed
//   d = r + beta d,  A d = reach s J z + alpha s^2 d                        the second loop over links
//   x += reach step z,  l += step s d                                       l within the first loop of the next iteration
// Pushes are summed in the order of the pack, sums by tasks and chunks: the same bits for any number of threads.
#pragma once
#include "solver/position_jacobi.h"

namespace sinew {

struct PackedResiduals {
    std::vector<std::vector<LinkRow>> rows; // per table and batch
    std::vector<Real> push;                 // [N] six per point: y_r, y_d
    std::vector<Real> way;                  // three per point: z
    std::vector<Real> partial;
};

// Whether rows and options are such. Contacts and velocities that take part are the caller's to exclude.
bool residuals_are_packed(const DualOptions&, const PositionProblem&);
// As solve_packed_jacobi.
DualResult solve_packed_residuals(const Parallel&, const DualOptions&, const Sweep& w, int points, const IterationWatch& watch,
                                  PackedResiduals&, PositionProblem&);

} // namespace sinew
