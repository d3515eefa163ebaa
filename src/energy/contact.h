// Contact elements from Contacts: called after each detection, by solvers into their scratch and by the measurement.
#pragma once
#include "model/contacts.h"
#include "model/element.h"
#include "sinew/state.h"

namespace sinew {

// Penalty elements of what touches an analytic obstacle: contact_penalty for vertices that are points, _frame for points
// of rigid bodies, by their vertices or their shapes. Frames are those of the detection. Tables are cleared and refilled;
// all always exist, so that element sets keep their shape.
// Rods near each other: contact_edge_edge for each pair of edges, contact_vertex_edge for each point of one against the
// other. Stiffness of a pair: k = EA/t for equal rods (harmonic mean of EA), t their thickness [m], what a piece of the rod as
// long as it is thick has across; for a point k times its share l/t of that length, at most k. Pairs that share a place count each:
// a crossing near the end of edges is up to a few times as stiff as in the middle, which the forces in balance do not see.
// Places inside edges and triangles get no penalty: which of them are nearest jumps from element to element while a sheet
// wraps an obstacle, and with them the energy, so that Newton's method does not converge; the contacts are there for
// solvers with constraints.
void build_contact_elements(const Model&, const FrameState&, const Contacts&, Tables&);

// Friction of the same vertices in an implicit step, contact_friction, with the normal forces of this detection. `still` is the
// speed below which contact counts as sticking [m/s]; `elapsed` [s] is from x_now to where the contacts were found. The table
// is cleared and refilled; without speed or time it is empty.
void build_friction_elements(const Model&, const std::vector<Real3>& x_now, Real elapsed, Real still, const Contacts&, Tables&);

// total += factor * local, what element e of a contact table has for the unknowns of its stencil
void add_contact_part(const Table&, const Dofs&, int e, const Real* local, Real factor, std::span<Real> total);
bool has_contact_elements(const Tables&);

} // namespace sinew
