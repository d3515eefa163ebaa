// Rest of link trees: which islands sleep (as those of velocity_memory.h), and which pairs of objects began or ceased to push
// each other. An island is what contacts and constraints join; joints that are coordinates count as well.
// Kept in State.memory: "articulated.rest" [s] and "articulated.touching" per frame, "articulated.pairs".
#pragma once
#include "sinew/input.h"
#include "sinew/report.h"
#include "sinew/state.h"
#include "solver/velocity_islands.h"

namespace sinew {

struct RestStage {
    Islands islands;                   // of bodies, by all groups of the plain problem
    std::vector<int> count;            // per body: groups at it
    std::vector<std::uint8_t> driven;  // per body: something from outside moves it
    std::vector<std::uint8_t> still;   // per body: asleep
    std::vector<std::pair<double, Real>> pairs; // code of two objects, [N s] along the normal; sorted by code
};

void register_rest(const Model&, State&);
// Islands that have rested for `after` [s] and do so in `now`, touch as many as they did, and that nothing drives or pushes. `q` has all groups,
// with the velocities of held bodies.
void find_resting(const Model&, const Input&, const State& now, Real after, const RowProblem& q, RestStage&);
// Time at rest at the end of the step; `next` has the velocities.
void store_resting(const Model&, Real dt, const RestStage&, State& next);
// Pairs that push each other now, against those remembered. `pairs`: codes by pair_code, in any order.
double pair_code(int object_a, int object_b);
void store_touching(RestStage&, State& next, std::vector<TouchEvent>& events);

} // namespace sinew
