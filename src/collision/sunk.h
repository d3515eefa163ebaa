// What begins inside of an obstacle comes out of it slowly.
//   allowed depth of a vertex in the obstacle it begins in   a <- max(0, min(a - kRiseSpeed dt, its depth)) after each step,
//   at the start its depth
//   gap = distance - thickness + a
// Without it contact forces take the whole depth for compression: a vertex of mass m leaves a penalty of stiffness k at depth sqrt(k/m),
// for a sheet through the middle of a ball thousands of metres per second, a state that no step converges to; and solvers with hard
// contacts go the whole way in one step. Depths from which a penalty throws a vertex slower than kThrown stay: scenes may begin with
// what a load compresses, and softly. Measurements give the true depth.
// The state remembers it (State.memory), so that a continued run goes on in the same way. Vertices that are points only; not under
// velocity and articulated, which take depths back by their own rule (push_speed).
#pragma once
#include "core/parallel.h"
#include "model/contacts.h"
#include "sinew/state.h"

namespace sinew {

// [m/s] A sheet through the middle of a ball is thrown by its own stretch: 2.4 m high at 1 m/s, 0.65 m at 0.3.
inline constexpr Real kRiseSpeed = 0.3;
inline constexpr Real kThrown = 10;   // [m/s]

// Which objects begin in which, for the notes of a scene.
struct SunkPair {
    int object = -1, other = -1;
    int vertices = 0; // that are inside
    Real depth = 0;   // [m] the largest
};
// Looks for sunken vertices in the first state and remembers them there.
std::vector<SunkPair> register_sunk(const Parallel&, const Model&, State&);
// Adds what is allowed to the gaps of the contacts that were found, `elapsed` [s] after the time of the state that has this memory. Inside of
// an obstacle there is no friction.
void allow_sunk(const std::vector<NamedValues>& memory, Real elapsed, Contacts&);
// After an accepted step of dt. Who has come further out may not go back in, who is out stays out.
void raise_sunk(const Model&, Real dt, State&);

} // namespace sinew
