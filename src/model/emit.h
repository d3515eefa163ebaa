// Births and deaths of pooled particles, between steps: after an accepted step to time t, everything born in the meantime
// appears where it has flown to, and what is too old or inside a sink disappears. No revision changes. Deterministic:
// particle j of an emitter depends on (seed, j) only, and on where the emitter is when it is born (model/way.h):
//   x = D(birth) X + flown v,  v = turn(birth) velocity + spread + inherit u(birth, D(birth) X),  X the place of an emitter that rests
// A sink that rests takes what is in it at the end of a step. One that moves takes all that it passes over: the way of the particle over the
// step, straight and seen from the sink, meets it; where the sink turns or goes round, in parts (64 at most) of 0.2 rad at most, whose chords are
// off by a twenty-fifth of its size at most. One that jumps takes what is in it at the end.
#pragma once
#include "model/visit.h"

namespace sinew {

void register_emitters(const Model&, State&);      // memory, and the particles that exist at the start
void emit(const Model&, Real dt, const State& before, State& accepted); // for the step between the two

// the first emitter or sink whose motion is not a number where the step ends; it has no place in the state that would show it
NotFinite find_lost_region(const Model&, const State& before, const State& after);

// forgets an emitter and its memory; the memory of the others stays theirs
void remove_emitter(Model&, State&, int emitter);

} // namespace sinew
