// Forces of joints and constraints over a step, as mean multipliers of their rows, where all solvers with multipliers leave
// them: State.memory "force.<row>". Of joints that are coordinates the force follows from inverse dynamics: lambda with
//   J^T lambda = f,  f the force of the parent on the link (recursive Newton-Euler)
#pragma once
#include "solver/articulated_build.h"
#include "solver/articulated_contact.h"

namespace sinew {

struct ForceMemory {
    std::vector<std::string> names;    // per constraint table
    std::vector<Real> qdd, tau;
    std::vector<Vec6> force, joint;    // per link
};
void prepare_forces(const Model&, ForceMemory&);
void register_forces(const Model&, const ForceMemory&, State&);
// `at` holds positions and speeds at the start of the step, qd the speeds that its accelerations lead to, next the state at its end
void remember_forces(const Model&, const BuiltForest&, ForestState& at, const SmoothStep&, const ContactStage&,
                     std::span<const Real> qd, Real dt, ForceMemory&, State& next);

} // namespace sinew
