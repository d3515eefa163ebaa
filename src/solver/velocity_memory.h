// What the velocity solver remembers across steps, in State.memory: forces of contacts and constraints to start from, how
// long bodies have been at rest. Forces, not impulses, so that a change of the step length does no harm.
//   "velocity.contacts"      per contact: kind, key (two halves), feature, objects, normal force, friction (world) [N],
//                            torque (world) [N m], place (world) [m]
//   "force.<constraint>"     per row [N or N m]
//   "velocity.rest.points"   [s] at rest, "velocity.touching.points" rows that held it then; the same for frames
#pragma once
#include "core/parallel.h"
#include "sinew/input.h"
#include "sinew/report.h"
#include "sinew/solver.h"
#include "solver/velocity_build.h"
#include "solver/velocity_islands.h"

namespace sinew {

inline constexpr std::string_view kContactMemory = "velocity.contacts";
void register_velocity_memory(const Model&, State&);

// impulses of touches, and of the groups of constraints, from the forces of the step before
void recall_touches(const Parallel&, const State&, Real h, TouchList&);
struct TouchScratch {
    std::vector<std::uint64_t> before, after; // pairs of objects, smaller << 32 | larger
    std::vector<int> count, driven; // per body
    std::vector<int> piece;         // pairs found in each piece of the contacts
    std::vector<int> part;          // counts of each part of the touches
    std::vector<std::string> names; // of the forces of constraint tables: a step makes no text
};
void recall_constraints(const Model&, const State&, TouchScratch&, RowProblem&);
// forces of this step into the state, and who began or ceased to touch. `before`: what has the contacts of the step before, which may
// be the same state
void store_forces(const Parallel&, const Model&, const TouchList&, const RowProblem&, TouchScratch&, const State& before, State&,
                  std::vector<TouchEvent>&);
inline void store_forces(const Parallel& p, const Model& m, const TouchList& list, const RowProblem& q, TouchScratch& scratch, State& s,
                         std::vector<TouchEvent>& events) {
    store_forces(p, m, list, q, scratch, s, s, events);
}

struct ForcePiece { // of the touches
    Real gap = 0, cone_violation = 0;
    int forces = 0; // of this and those before
};
// The contacts that push, and what the report says of them. `pieces`: scratch.
void list_forces(const Parallel&, const TouchList&, Real h, std::vector<ForcePiece>& pieces, Report&, std::vector<ContactForce>& forces);

// per body: 1 = its island has come to rest and nothing disturbs it
void find_still(const Parallel&, const Model&, const Input&, const State&, Real after, const TouchList&, const RowProblem&, const Islands&,
                TouchScratch&, std::vector<std::uint8_t>& still);
void store_rest(const Parallel&, const Model&, const TouchList&, const RowProblem&, const std::vector<std::uint8_t>& still, Real h, TouchScratch&,
                State&);

} // namespace sinew
