// Chains among the links of a model: paths that go on as straight as they can through the points, each link in one of them.
// Position projection solves a chain as a whole (position_batch_loops.h): a sweep over single links carries a correction about
// as far as links follow each other in its order, and n links in a row need some n^2 sweeps; a chain needs one.
// Two links that meet are one chain where they differ by at most 45 degrees from a straight line at rest and by at most a
// factor of ten in compliance.
// A chain has one end at most that is held or heavy: straight between two such ends, it could shorten only by going aside,
// further than its rows say. Such chains are cut in the middle, long ones into parts, closed ones anywhere.
#pragma once
#include "core/math.h"
#include "solver/batch_plan.h"

namespace sinew {

struct ChainLinks {
    std::span<const int> stencil;       // two points per element
    std::span<const Real> compliance;   // [m/N] per element
    std::span<const Real3> rest;        // [m] per point
    std::span<const Real> inverse;      // [1/kg] per point, 0 = held
};

// Appends runs of four chains to the plan, and their links to no other place: what is in no chain goes to `loose`.
void build_chain_plan(const ChainLinks&, std::span<const int> elements, BatchPlan&, std::vector<int>& loose);

} // namespace sinew
