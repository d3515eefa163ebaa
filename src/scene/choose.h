// Defaults that depend on the model, each with its reason: the solver of "auto", the steps per frame.
#pragma once
#include "sinew/model.h"
#include "sinew/state.h"
#include <span>

namespace sinew {

std::string choose_solver(const Model&, std::string& reason);
int choose_substeps(const Model&, const State&, std::string_view solver, double frame, std::string& reason);
// A step that the scene asks for and that may be too long for explicit steps, in words; empty = it is short enough, or the
// solver is implicit.
std::string describe_long_step(const Model&, const State&, std::string_view solver, double dt);
// Why the solver cannot take steps of that length with the forces of this model, whatever happens in the
// scene; empty = it can.
std::string refuse_long_step(const Model&, const State&, std::string_view solver, double dt);
std::span<const std::string_view> future_solvers(); // named by the language, built by later versions
bool is_future_solver(std::string_view name);       // one of them, and not built

} // namespace sinew
