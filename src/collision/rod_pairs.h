// Edges of rods near each other, of one rod (where it asks for self_contact) and of two. Pairs by boxes (candidates.h), then
// by the distance of the segments.
//   thickness  that of both sides, or of the pair's rule
//   left out   edges of one rod that lie less than pi/2 thicknesses apart along it: a rod bent as tightly as it can be
//              touches itself after half a turn about a circle of radius thickness/2, not before
// A pair stands for all of its features: the energies on it (energy/contact_pair.h) take the closest ones where they are
// evaluated. So the list is good for every position reached without moving a point by more than half the margin.
#pragma once
#include "collision/candidates.h"
#include "model/contacts.h"
#include "sinew/state.h"

namespace sinew {

// whether any two edges of rods could touch
bool rods_meet(const Model&);

struct RodPairScratch {
    int topology = -1, values = -1;
    const void* owner = nullptr;          // model.elements
    bool valid = false;
    std::vector<int> vertex;              // surface vertices of rods
    std::vector<std::array<int, 2>> edge; // of rods, by the list above
    std::vector<int> number;              // of the edge in the surface
    std::vector<Real> thickness;          // [m] per vertex of the list
    std::vector<int> object;
    std::vector<std::array<Real, 2>> arc; // [m] per edge: rest length of the rod before it and with it
    std::vector<Real> loop;               // [m] per object: length of a closed rod, 0 = open
    std::vector<Pair> excluded;
    Real longest = 0;                     // [m] edge at rest
    Real thickest = 0;                    // [m] of all pairs
    Real rule_thickness = 0;
    RuleTable rules;
    SurfaceNeighbors neighbors;

    std::vector<Real3> x;
    std::vector<std::uint8_t> alive;
    CandidateScratch boxes;
    Candidates candidates;
    std::vector<RodPair> found;           // one per candidate
};

// What depends on the model only; false where no rods meet.
bool refresh_rod_pairs(const Model&, RodPairScratch&);
// Pairs with distance - thickness < margin [m], by edges. False, and no pairs, if a position is NaN.
bool find_rod_pairs(const Parallel&, const Model&, const PointState&, Real margin, RodPairScratch&, std::vector<RodPair>&);

} // namespace sinew
