// Zones: what is left of impacts when projection has had its rounds. Points and bodies of a pair that would meet go the same
// part f of their way, in the frame of their zone's mean displacement D (by mass):
//   x = x_start + D + f (x_end - x_start - D),   v = V + f (v - V)
// D cancels in differences: what a zone's own pairs do is a part of the way that is proven free, so a zone neither slows down
// as a whole nor loses momentum. Pairs between zones and the rest are judged again; zones that meet become one. With f = 0 a
// zone is moved as it is. Zones with something held follow it. (After the rigid impact zones of Provot 1997 and Bridson et al.
// 2002, with a cut in place of rigid motion.)
#pragma once
#include "solver/position_way.h"

namespace sinew {

struct ZoneStart {                   // of the sub-step
    std::span<const Real3> x, p;
    std::span<const Real4> q;
};
struct ZoneScratch {
    std::vector<int> parent;         // per body: points, then frames; -1 = in no zone
    std::vector<Real> factor;        // f per root
    std::vector<Real> cut;           // smallest impact of this round, per root
    std::vector<int> members;        // bodies in zones, ascending
    std::vector<Real3> x_end, v_end, p_end, frame_v_end, frame_w_end;
    std::vector<Real4> q_end;
    std::vector<Real> mass;          // sums per root; held: their number
    std::vector<Vec3> way, velocity; // D and V per root
    std::vector<unsigned char> held; // per root: something held is in it
    bool begun = false;
};

// Forgets all zones; the first round of a sub-step takes the unknowns of `to` as the end of the way.
void begin_zones(int bodies, ZoneScratch&);
// Joins the bodies of the impacts found and moves their zones; after `still` is set, zones that meet something do not go on.
void cut_zones(const Model&, const ZoneStart&, std::span<const Impact>, Real h, bool still, const DualState& to, ZoneScratch&);

} // namespace sinew
