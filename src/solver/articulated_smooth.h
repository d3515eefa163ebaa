// One step of the trees without contacts, limits, motors and loops:
//   symplectic_euler  q' at the end from forces at the start, then q with q' at the end; joint springs and dampers implicit
//                     in both:  (H + h D + h^2 K) q'' = -K (q + h q' - rest) - D (q' - speed) - b
//                     velocity terms b of fast trees after the kick of the forces, along the way (articulated_drift.h)
//   rk4               classical Runge-Kutta in the tangent space at q (Munthe-Kaas 1998), springs explicit; order 4
// The result is kept in parts, so that impulses found afterwards can be added: speeds at the end, and the tangent way.
#pragma once
#include "solver/articulated_drift.h"

namespace sinew {

// Forces on the links (at their centres, world axes) for the motion in `s`, at `elapsed` [s] of the step.
struct LinkForces {
    virtual ~LinkForces() = default;
    virtual void compute(const ForestState& s, Real elapsed, std::span<Vec6> force) = 0;
    virtual void place_bases(Real elapsed, ForestState& s) = 0; // poses and velocities of held frames at that time
};

enum class TreePace : std::uint8_t {
    slow,  // velocity terms are those of the start
    brisk, // the free motion is followed, rows act at its end
    fast,  // rows act at its start: speeds and way are those of the kick, the rest is to be done after them
};

struct SmoothStep {
    std::vector<Real> qd;              // speeds at the end
    std::vector<Real> way;             // tangent displacement over the step
    std::vector<Vec6> impulse;         // [N s] of outer forces on each link
    std::vector<Real> tau, diagonal, qdd;
    std::vector<Vec6> a;
    std::array<std::vector<Real>, 4> rate, acceleration; // of the Runge-Kutta stages
    std::vector<Real> q_start, qd_start;
    std::vector<TreePace> pace;        // per tree; slow under rk4
    std::vector<Real> energy;          // per tree that is brisk: after the kick (motion_energy)
    DriftScratch drift;
};

// Returns -1, or the link whose joint has no inertia. On return `s` is as it was at the start, with the factors of H (plus
// the implicit part) at q.
int step_symplectic(const Parallel&, const Forest&, Real dt, LinkForces&, ForestState&, SmoothStep&);
int step_rk4(const Parallel&, const Forest&, Real dt, LinkForces&, ForestState&, SmoothStep&);

// Floating trees keep their momenta to rounding: the inertia depends on the coordinates, so that speeds alone would lose
// O(dt^2) per step. After the step a rigid motion of the whole tree makes up for it: the centre moves by dt (P + pushing)/m,
// linear and angular momentum are those of the start plus all impulses.
struct MomentumTarget {
    Vec3 linear, angular, center;      // angular about the centre; centre at the end
    Vec3 start;                        // centre at the start
};
bool is_floating(const Forest&, int tree);
// at the start of the step; impulses per link: `impulse` all that act, `pushing` those that move positions
MomentumTarget momentum_target(const Forest&, Range links, const ForestState&, const Vec6* impulse, const Vec6* pushing,
                               Real dt);
// at the end, or after a part of the step: first positions, then, with velocities from the new positions, the speeds of the root
void correct_center(const Forest&, Range links, const MomentumTarget&, Real part, ForestState&);
void correct_momentum(const Forest&, Range links, const MomentumTarget&, ForestState&);

} // namespace sinew
