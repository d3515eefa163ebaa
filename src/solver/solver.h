// The contract of a solver entry: one row in list.cpp. Solvers themselves implement sinew::Solver (sinew/solver.h).
#pragma once
#include "model/element.h"
#include "sinew/solver.h"
#include <memory>

namespace sinew {

struct FieldList;

// What a solver can take; checked against every table and unknown of the model when a scene is compiled.
struct Needs {
    bool points = true, frames = false, scalars = false, passive = true;
    unsigned energy_views = kValue | kForce; // an energy must have at least one of these
    bool hessian = false;                    // potentials must offer second derivatives
    bool constraints = true;                 // takes constraint tables (as energies or as rows)
    bool contacts = true;                    // takes obstacles
    bool memory = true;                      // takes energies that change with what happened to them (plasticity)
    bool row_forces = false;                 // leaves the force of each row in State.memory ("force.<row>")
};

struct SolverEntry {
    std::string_view name, doc;
    std::string_view base;                    // a preset names the solver it sets up; empty for the solver itself
    Needs needs;
    std::shared_ptr<void> (*make_settings)(); // with the preset's values
    void (*describe)(void* settings, FieldList&);
    // registers what it remembers across steps in State.memory
    std::unique_ptr<Solver> (*make)(const Context&, const Model&, State&, const void* settings);
};

std::span<const SolverEntry> solver_entries();         // list.cpp
const SolverEntry* find_solver(std::string_view name); // null if there is none

// Why a solver cannot take a model: one message per object and reason. Empty = it can.
std::vector<std::string> find_unsupported(const SolverEntry&, const Model&);

} // namespace sinew
