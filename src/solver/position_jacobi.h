// Jacobi and its relatives over packed links (position_pack.h): what solve_dual does with general rows, where a sub-step has nothing but
// undamped links between points. All links are evaluated at the same positions,
//   dl = -omega (C + alpha l)/(reach (w_i + w_j) + alpha) + beta dl before,   push = sum of J^T dl,   x += reach W push
// and pushes are summed in the order of the pack: the same bits for any number of threads. The momentum beta is that of solve_dual.
#pragma once
#include "solver/position_dual.h"
#include <functional>

namespace sinew {

struct PackedJacobi {
    std::vector<std::vector<Lane4>> change; // [N] per table and batch: of the last iteration
    std::vector<std::vector<Lane4>> directions; // per table, four to a batch: rows of the start, where they are frozen
    std::vector<Real> push;                 // [N] three per point; zero between iterations
    std::vector<Real> partial;
};

// Undamped links between points and nothing else.
bool rows_are_packed_links(const DualOptions&, const PositionProblem&);
// Whether rows and options are such. Contacts and velocities that take part are the caller's to exclude.
bool jacobi_is_packed(const DualOptions&, const PositionProblem&);
// Moves the points behind `w.to`; multipliers begin at zero and stay in the packs, velocities are left alone.
// `watch`: called with the number of iterations made and the beta of the last one, before each and at the end; may be empty.
using IterationWatch = std::function<void(int, Real)>;
DualResult solve_packed_jacobi(const Parallel&, const DualOptions&, const Sweep& w, int points, const IterationWatch& watch, PackedJacobi&,
                               PositionProblem&);
// Gauss-Seidel sweeps along the rows of the start (o.frozen), in the order of the pack; chains as chains.
DualResult solve_packed_sweeps(const Parallel&, const DualOptions&, const Sweep& w, const IterationWatch& watch, PackedJacobi&, PositionProblem&);

} // namespace sinew
