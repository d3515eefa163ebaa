// Continuous detection of position projection: what of the scene's surface would meet on the way from the start of a sub-step
// to its end (spec U 8.2; swept spheres, collision/swept_sphere.h).
//   x(t) = (1 - t) x_t0 + t x_t1       vertices of bodies leave that chord by at most b = |theta|^2 |arm|/8
//   impact  first t at which a pair is nearer than  s + b_a + b_b
//   s = part * thickness, or half the distance at the start where that is nearer; part 1: balls of the surfaces' radii
// Pairs that touch each other at the start are not judged: nothing can be proven for them.
// A pair found becomes a contact with the normal and the barycentric weights of its impact, solved at the end of the sub-step.
#pragma once
#include "collision/detect.h"
#include "collision/safe_step.h"
#include "core/math.h"
#include "solver/position_contact.h"

namespace sinew {

struct Impact {
    SafeStep::Kind kind = SafeStep::none;
    Pair pair{-1, -1};               // of the candidates
    Real time = 1;                   // in [0, 1]: proven apart up to it
    int count = 0, on_a = 0;         // vertices, those of side a
    std::array<int, 4> vertex{-1, -1, -1, -1};
};

struct Way {
    std::span<const Real3> x_t0, x_t1; // [m] surface vertices
    std::span<const Real> bend;        // [m] b per vertex, empty = none
};
// Pairs that may meet while every vertex stays within its reach of x_t0 + t D: the part D of the way that all have in common brings
// nobody nearer. They serve all ends of a sub-step that keep within it, and are searched anew where one does not.
struct WayPairs {
    bool begun = false;                // for this x_t0
    Vec3 drift = Vec3::Zero();         // [m] D
    Real bend = 0;                     // [m] largest of them
    std::vector<Real> reach, grown;    // [m] per vertex; grown: with its thickness
    CandidateScratch boxes;
    Candidates pairs;
    int searches = 0;
};
struct WayScratch {
    std::vector<Real3> x_t1;
    std::vector<Real> bend;
    WayPairs ahead;
    std::vector<std::vector<Impact>> chunks;
    std::vector<Impact> impacts;
};

// b of all vertices for bodies that turned from q_t0 to q_t1; leaves it empty if none did
void find_bends(const Model&, std::span<const Real4> q_t0, std::span<const Real4> q_t1, std::vector<Real>& bend);

// Impacts sorted by kind and pair, in s.impacts. `surface` is the scratch of detect_surface; a new x_t0 wants s.ahead.begun = false.
// False if a position is not a number.
bool find_impacts(const Parallel&, const Model&, const State&, const Way&, Real part, SurfaceScratch& surface, WayScratch& s);
// smallest time of them, 1 = none
Real find_way_step(std::span<const Impact>);

// A contact of the surface at the place and with the normal of an impact; false where the pair does not touch by its rules.
bool build_impact_contact(const Model&, const RuleTable&, const Impact&, const Way&, SurfaceContact&);

} // namespace sinew
