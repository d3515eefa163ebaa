// Operations that go through `visit` of State and Model: hash, finite check, comparison, sizes.
#pragma once
#include "sinew/model.h"
#include "sinew/state.h"

namespace sinew {

bool equal(const State&, const State&);

// Where a state is not finite: object, index in it and array; empty name if it is all finite.
struct NotFinite {
    std::string array;
    std::string object;
    int index = -1;
};
NotFinite find_not_finite(const Model&, const State&);

std::size_t memory_bytes(const State&);
std::size_t memory_bytes(const Model&); // of its own arrays: without elements, fields and big shapes, which it shares

// The first array whose size does not fit: those of points, frames, scalars, animated vertices and surface vertices each have one
// size, in the model and in its state, and ranges of objects lie within. Empty = all fit.
std::string find_size_error(const Model&, const State&);

// to = from, except for positions and velocities of points, which the caller writes: the bulk of a large state
void copy_all_but_motion(const State& from, State& to);

// the array of that name, made with `size` zeros if it is not there yet
std::vector<double>& memory_array(State&, std::string_view name, std::size_t size);
const std::vector<double>* find_memory(const State&, std::string_view name);

} // namespace sinew
