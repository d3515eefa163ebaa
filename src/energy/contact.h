// Contact elements from Contacts: called after each detection, by solvers into their scratch and by the measurement.
#pragma once
#include "model/contacts.h"
#include "model/element.h"
#include "sinew/state.h"

namespace sinew {

// Penalty elements of what touches an analytic obstacle or another held body: contact_penalty for vertices that are points, _frame for points
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
// of the element that it adds for a contact with an obstacle or a held body, null = none
const ElementRow* find_contact_row(const Model&, const PointContact&);

// Friction limits L over the iterations of one step. Each detection finds the limit g = mu N that its normal force would give, and the
// iteration with it moves to another normal force: L -> g(L) is a fixed-point iteration outside of what Newton's method sees. Where
// friction lifts a vertex off, its slope s is below -1 and it jumps between touching and not touching for ever (cloth over a sphere at 28, 36
// and 56 cells did, with full steps). After the first kPlainLags detections a contact whose slope is below -1/2, by its last two
// values, takes the secant's step instead:   L += (g - L)/(1 - s),   with s at least -20, as other motion falsifies it.
// This is for solvers whose iterations each find nearly the answer to a limit, and that wait until all limits are settled.
struct FrictionLag {
    struct Limit {
        PointContact::Source source;
        std::uint64_t key, feature; // of the contact
        Real previous;        // [N] L of the detection before
        Real used, found;     // [N] L and g of the last one
    };
    bool secant = false;      // set by the solver; without, L = g
    std::vector<Limit> limits, before; // in the order of contacts
    int detections = 0;
    Real unsettled = 0;       // [m/s] the largest change of speed over the step that |g - L| could make by itself
};
inline constexpr int kPlainLags = 8;
void begin_friction_lag(FrictionLag&);

// Friction of the same vertices in an implicit step, contact_friction, with limits by the normal forces of this detection. `still` is the
// speed below which contact counts as sticking [m/s]; `elapsed` [s] is from x_now to where the contacts were found, and a force
// moves a mass m by force/(m scale). The table is cleared and refilled; without speed or time it is empty.
struct FrictionStep {
    Real elapsed, still, scale;
};
void build_friction_elements(const Model&, const std::vector<Real3>& x_now, const FrictionStep&, const Contacts&, FrictionLag&, Tables&);

// total += factor * local, what element e of a contact table has for the unknowns of its stencil
void add_contact_part(const Table&, const Dofs&, int e, const Real* local, Real factor, std::span<Real> total);
bool has_contact_elements(const Tables&);

} // namespace sinew
