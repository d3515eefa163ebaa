// All solvers and presets, one row each.
#include "core/fields.h"
#include "solver/explicit.h"
#include "solver/solver.h"

namespace sinew {

template <class Settings> static std::shared_ptr<void> defaults() { return std::make_shared<Settings>(); }
template <class Settings> static void describe(void* settings, FieldList& list) {
    Settings::fields(*static_cast<Settings*>(settings), FieldCollector{list});
}

std::span<const SolverEntry> solver_entries() {
    static const std::vector<SolverEntry> entries{
        {"explicit", "forward, symplectic and improved Euler, RK2, RK4, Verlet, leapfrog", "", explicit_needs(),
         defaults<ExplicitSettings>, describe<ExplicitSettings>, make_explicit},
    };
    return entries;
}

const SolverEntry* find_solver(std::string_view name) {
    for (const SolverEntry& e : solver_entries())
        if (e.name == name) return &e;
    return nullptr;
}

} // namespace sinew
