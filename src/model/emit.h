// Births and deaths of pooled particles, between steps: after an accepted step to time t, everything born in the meantime
// appears where it has flown to, and what is too old or inside a sink disappears. No revision changes. Deterministic:
// particle j of an emitter depends on (seed, j) only.
#pragma once
#include "sinew/model.h"
#include "sinew/state.h"

namespace sinew {

void register_emitters(const Model&, State&);      // memory, and the particles that exist at the start
void emit(const Model&, Real dt, State& accepted); // for the step that ended at accepted.time

// forgets an emitter and its memory; the memory of the others stays theirs
void remove_emitter(Model&, State&, int emitter);

} // namespace sinew
