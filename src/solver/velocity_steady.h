// Islands of contacts that go on as before: the impulses of the last step, with its friction, solve this one too. Found by the
// natural residual of all contacts (velocity_problem.h) from their points and impulses alone, without rows or matrices: what
// rests on each other costs no more than being looked at.
// Impulses of a step that has stopped something are those of rest and what stopped it: repeated, they push it the other way, within the
// tolerance, and the next step would have to stop that again, for ever. So impulses must be in balance by themselves too.
#pragma once
#include "solver/velocity_build.h"

namespace sinew {

struct SteadyOptions {
    Real dt = 0;
    Real tolerance = 0; // [m/s]
    Real slop = 0;      // [m] deeper contacts have to be pushed apart
    bool de_saxce = true;
};
// no: nothing has changed; unbalanced: neither, and what the impulses leave over is within the tolerance, but should not be repeated;
// yes: velocities of the problem are those with forces and impulses
enum class Steady : std::uint8_t { no, unbalanced, yes };
// Bodies that move and touches of the island.
Steady solve_steady(const SteadyOptions&, std::span<const int> bodies, std::span<const int> touches, const TouchList&,
                  const std::vector<Vec3>& linear, const std::vector<Vec3>& angular, RowProblem&);

} // namespace sinew
