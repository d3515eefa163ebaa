// The loops over all elements: total energy, gradient and forces. Elements are evaluated into a flat array, then each
// block of unknowns gathers its contributions through a CSR list in fixed order: no atomics, same bits for any number of
// threads. Constraint tables take part as the energy 1/2 C^T C / alpha.
#pragma once
#include "core/parallel.h"
#include "model/element.h"

namespace sinew {

// The tables to run over: the model's energies and constraints, then contact elements of the solver's scratch.
struct ElementSet {
    std::vector<const Table*> tables;
};
void collect_elements(const Tables& fixed, ElementSet&);                       // energies and constraints of the model
void collect_elements(const Tables& fixed, const Tables& contacts, ElementSet&); // and those of the scratch

// Where element results go and who gathers them: a cache of the element set, rebuilt when the set changes.
struct Gather {
    View view = kValue;             // tables with this view take part
    std::vector<int> first;         // per table: first number in `local`, -1 = takes no part
    std::vector<int> begin;         // per block of unknowns: CSR over `source`
    std::vector<int> source;        // offsets into `local`
    std::vector<Real> local;        // element-major results
    std::vector<Real> partial;      // scratch of sums
    std::vector<int> cursor;        // scratch of build
};
void build_gather(const ElementSet&, const Dofs&, View, Gather&);

Real total_energy(const Parallel&, const ElementSet&, const Evaluation&, std::vector<Real>& partial);
// energy per Share: elastic (with constraints), gravity, contact, field
std::array<Real, 4> energy_by_share(const Parallel&, const ElementSet&, const Evaluation&, std::vector<Real>& partial);

// g += gradient of all potentials (gather made with kValue)
void add_gradient(const Parallel&, const ElementSet&, const Dofs&, const Evaluation&, Gather&, std::span<Real> g);
// f += forces without potential (gather made with kForce)
void add_force(const Parallel&, const ElementSet&, const Dofs&, const Evaluation&, Gather&, std::span<Real> f);

// [W] power of all forces without potential: sum of f . v over the elements; `local` and `partial` are scratch
Real force_power(const Parallel&, const ElementSet&, const Evaluation&, std::vector<Real>& local, std::vector<Real>& partial);

// After an accepted step: elements with memory bring it up to date in `next`. `ev` holds the unknowns, velocities and
// time at the end of the step, and the memory of its start.
void finish_elements(const Parallel&, const Tables&, const Evaluation& ev, State& next);

// tangent blocks of one element in the order of its local unknowns: points, frames (two each), scalars; -1 = absent
int element_blocks(const Table&, int element, const Dofs&, int* blocks);

} // namespace sinew
