// Impacts of a step by an algebraic law (impact.h), before its forces: bodies that meet within the step with more than a
// threshold of speed, and whose pair has restitution, exchange impulses one contact after another until none approaches.
// The points of a manifold that approach take part together, at their mean. No exchange adds energy, so none does in all.
#pragma once
#include "solver/impact.h"
#include "solver/velocity_build.h"

namespace sinew {

struct ImpactOptions {
    ImpactLaw law = ImpactLaw::chatterjee_ruina;
    Real threshold = 0.1; // [m/s]
    Real slop = 0;        // [m]
    int most_sweeps = 100;
};
struct Meeting { // contacts of one pair of objects with one normal
    int begin, end; // groups
};
// by the name of a setting; what is none of the others is Chatterjee and Ruina's
ImpactLaw find_impact_law(std::string_view name);
// Whether a side of the contact is a point of a deformable or a particle: something that does not turn.
bool touches_point(const RowProblem&, const RowGroup&);
// Velocities of the problem change; returns the number of impacts.
int resolve_impacts(const ImpactOptions&, TouchList&, std::vector<Meeting>& scratch, RowProblem&);

// Newton's law with the solve: bias of the normal rows so that they separate at e times their speed of approach.
void add_restitution_bias(const ImpactOptions&, RowProblem&);

} // namespace sinew
