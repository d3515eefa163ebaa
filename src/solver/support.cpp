// The support check: what a solver needs against what every table and unknown of the model offers.
#include "model/dual.h"
#include "solver/position.h"
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace sinew {

// "free rigid bodies of 'crate'": names each object once
static void add_unknowns(const Model& m, bool taken, const std::vector<int>& object, const std::vector<std::uint8_t>& flags,
                         std::uint8_t mask, std::uint8_t wanted, const char* what, std::string_view solver,
                         std::vector<std::string>& out) {
    if (taken) return;
    std::set<int> seen;
    for (std::size_t i = 0; i < object.size(); ++i)
        if ((flags[i] & mask) == wanted && seen.insert(object[i]).second)
            out.push_back(fmt::format("object '{}' has {}, which solver '{}' does not take", m.objects[object[i]].name, what,
                                      solver));
}

static void add_tables(const Model& m, const SolverEntry& s, const std::vector<Table>& tables, const char* what,
                       std::vector<std::string>& out) {
    for (const Table& t : tables) {
        std::string missing;
        if (!(t.row->views & s.needs.energy_views)) missing = "a view this solver can use";
        else if (s.needs.hessian && (t.row->views & kValue) && !(t.row->views & kHessian)) missing = "second derivatives";
        else if ((t.row->views & kConstraint) && !s.needs.constraints) missing = "a form without constraints";
        else if (t.row->memory_size > 0 && !s.needs.memory) missing = "a form without memory (plasticity)";
        if (missing.empty()) continue;
        std::set<int> seen;
        for (int o : t.object)
            if (seen.insert(o).second)
                out.push_back(fmt::format("object '{}' uses {} '{}', which does not offer {} for solver '{}'",
                                          m.objects[o].name, what, t.row->name, missing, s.name));
    }
}

// energies that fall for ever with the parameters of an element, as the classical neo-Hookean ones with a negative Poisson's ratio do
static void add_unbounded(const Model& m, const SolverEntry& s, std::vector<std::string>& out) {
    for (const Table& t : m.elements->energies) {
        const DualView* view = find_energy_dual(t.row->name);
        std::set<int> seen;
        for (int e = 0; view && e < t.count(); ++e)
            if (std::isinf(view->lower_bound(t, e)) && seen.insert(t.object[e]).second)
                out.push_back(fmt::format("object '{}' uses energy '{}', which has no least value with these parameters, and solver '{}' needs one",
                                          m.objects[t.object[e]].name, t.row->name, s.name));
    }
}

std::vector<std::string> find_unsupported(const SolverEntry& s, const Model& m) {
    std::vector<std::string> out;
    const Needs& n = s.needs;
    add_unknowns(m, n.points, m.point.object, m.point.flags, kFixed | kPassive, 0, "points", s.name, out);
    add_unknowns(m, n.passive, m.point.object, m.point.flags, kPassive, kPassive, "passive points", s.name, out);
    add_unknowns(m, n.frames, m.frame.object, m.frame.flags, kFixed, 0, "free rigid bodies", s.name, out);
    add_unknowns(m, n.scalars, m.scalar.object, m.scalar.flags, kFixed, 0, "scalar unknowns", s.name, out);
    if (m.elements) {
        add_tables(m, s, m.elements->energies, "energy", out);
        add_tables(m, s, m.elements->constraints, "constraint", out);
        if (s.make == make_position) add_unbounded(m, s, out);
    }
    if (!n.contacts && !m.obstacles.empty() && !m.surface.vertices.empty())
        out.push_back(fmt::format("the scene has obstacles, which solver '{}' does not take", s.name));
    return out;
}

} // namespace sinew
