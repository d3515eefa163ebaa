// Health numbers of a state: energies by kind, momenta, centre, contacts, constraint error. Used after every step.
#pragma once
#include "collision/detect_points.h"
#include "constraint/assemble.h"
#include "energy/assemble.h"
#include "energy/contact.h"
#include "sinew/report.h"

namespace sinew {

struct MeasureScratch {
    std::vector<Real> partial;
    PointsScratch detect;
    Contacts contacts;
    Tables contact_tables;
    ElementSet elements;
    Rows rows;
    std::vector<Real> local;      // forces of one table
    Real power_damping = 0;       // [W] of forces without potential in the state last measured
};

Evaluation evaluation_of(const Model&, const State&, Real dt);
// The memory of elements after the step from `now` to `next`, whose unknowns are final. Returns what plastic flow takes [J],
// at most zero.
Real finish_elements(const Parallel&, const Model&, const State& now, Real dt, State& next);
void measure(const Parallel&, const Model&, const State&, MeasureScratch&, Report&);
// Only the power of forces without potential, to scratch.power_damping: after an edit between steps the rest need not be known.
// own_contacts: the solver has its own, no penalties are looked for.
void measure_power(const Parallel&, const Model&, const State&, bool own_contacts, MeasureScratch&);

} // namespace sinew
