// How far dropped bodies go is chaotic: one start tells little, the farthest body less, and less is not better, for lost energy shortens the
// ways too. So the ways of heaps and dolls are means over bodies and several starts that differ a little, and are judged by their distance
// from the converged ones: those of an eighth of the step, on which the engines agree.
#pragma once
#include "bench.h"
#include "rigid_scenes.h"

namespace sinew::bench {

bool is_scattered(const RigidScene&);
// claims: the first engine's ways are no farther from the converged ones than those of each other that can hold the scene
void compare_scattered(Results&, const RigidScene&, std::span<const RigidEngineEntry>);

} // namespace sinew::bench
