// Continuous detection within a sub-step of position projection. The stages:
//   detect at the start       contacts within the margin, normals of the start
//   predict                   pairs whose surfaces meet on the way to the prediction: contacts of the impact (swept spheres)
//   project, look again       pairs that would pass each other on the way to the end get contacts too, and all are projected on
//   cut                       what is left goes only as far as is proven free, zone by zone (position_zone.h)
// So the surface at the end of a sub-step can be reached from that of its start without passing itself.
#pragma once
#include "solver/position_zone.h"

namespace sinew {

inline constexpr Real kPartKept = 0.25; // of the thickness, at least, on the way to the end of a sub-step

struct Continuous {
    WayScratch way;
    ZoneScratch zones;
    std::vector<int> blocks;         // ends of parts of the list of touches that are sorted
    std::vector<Real3> velocities;   // of the surface
    TouchList total;                 // touches of the step, impulses of all sub-steps
};

struct WayView { // where the sub-step began
    std::span<const Real3> surface;  // [m]
    ZoneStart start;
};

// Impacts on the way to the unknowns of `end`, in c.way.impacts; part of the thickness that is kept. False: a position is no number.
bool look_ahead(const Parallel&, const Model&, const WayView&, const State& end, Real part, SurfaceScratch&, Continuous& c);
// Contacts for the impacts that have none with such a normal; returns how many.
int add_impact_contacts(const Model&, const State& end, const WayView&, Real h, std::span<const unsigned char> held, Contacts& found,
                        TouchList&, PositionContacts&, Continuous&);
// Cuts what is left of impacts. False: what is prescribed leaves no way, some pair may have passed.
bool cut_ways(const Parallel&, const Model&, const WayView&, Real h, const DualState& to, State& end, SurfaceScratch&, Continuous&);

// Touches in their order, equal ones joined.
void sort_touches(TouchList&);
// Impulses of `list` added to those of the step.
void add_touches(const TouchList& list, TouchList& total);

} // namespace sinew
