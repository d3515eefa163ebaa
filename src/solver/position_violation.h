// How far a state is from its rows, in one unit for all of them: the way that the correction of a row alone would have.
//   r = C + rho dC/dt + alpha lambda      [m, rad, m^3, sqrt(J) ...]
//   dx = W J^T r/(d + a),  d = J W J^T,  a = alpha/(reach + rho kick)
//   |dx| by mass, as a displacement of the lightest body of the row:  r sqrt(d w)/(d + a)   [m]
// A link of two points of equal mass has r/sqrt 2, a particle on a plane its depth, an angle the radius of gyration times it.
#pragma once
#include "solver/position_contact.h"
#include "solver/position_problem.h"

namespace sinew {

inline Real correction_of(Real r, Real d, Real a, Real lightest) { return d > 0 ? r * std::sqrt(d * lightest) / (d + a) : 0; }
// largest inverse mass of points and bodies among the blocks, 1 if there are only scalars
Real lightest_of(const Dofs&, const PositionProblem&, std::span<const int> blocks);

Real contact_violation(const PositionContactOptions&, const DualState&, int points, const PositionContacts&);
// Of all rows at the level of positions and of contacts; multipliers of packed tables are stored in the tables, where they are
// needed. Undamped links in packs count with r itself.
Real largest_violation(const Parallel&, const Model&, const Evaluation&, const Sweep&, const PositionContactOptions&,
                       PositionProblem&, const PositionContacts&, std::vector<Real>& scratch);

} // namespace sinew
