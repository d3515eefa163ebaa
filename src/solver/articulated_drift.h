// Free motion of fast trees. With the default scheme forces act at the start of a step, as a kick, and the tree then goes on by itself:
//   q' <- q' + h H^-1 f(q),   then   H q'' = -b(q, q')   over h: velocity terms alone
// Explicit velocity terms gain energy by about a twelfth of the square of the turn per step; here they are followed by Runge-Kutta (of
// order 2, above a fiftieth of a radian of order 4), in parts of at most a tenth of a radian. Velocity terms do no work: after every part the speeds are scaled to
// the kinetic energy that the tree had, so that it is kept to rounding however far it turns, and the scheme cannot blow up.
// Floating trees have linear and angular momentum to keep as well. Their kinetic energy is that of the locked tree with these momenta and that of
// motion against it; only the latter is scaled, which leaves momenta alone:
//   T = P^2/2m + L I^-1 L/2 + T_inner
// Trees on bases that move are followed, but not scaled: the base does work on them.
// Slow trees, below 1e-4 rad per step, have their velocity terms at the start of the step.
#pragma once
#include "solver/articulated_state.h"

namespace sinew {

constexpr Real kSlowTurn = 1e-4; // [rad] per step, of the fastest link: velocity terms are explicit below
constexpr Real kFastTurn = 0.2;  // [rad] per step: rows act before the free motion above, after it below
constexpr Real kPartTurn = 0.1;  // [rad] per part of a step
constexpr int kMostParts = 128;  // of a step

struct DriftScratch {                              // per link or per speed, of all trees
    std::vector<LinkMotion> motion;
    std::vector<LinkFactor> factor;
    std::vector<Vec6> a;
    std::vector<Real> q, qd, stage_q, stage_qd, way, armature;
    std::array<std::vector<Real>, 4> rate, acceleration; // of the stages; of the last part
    std::vector<Real> first;                       // per speed: acceleration at the start
    std::vector<BaseMotion> bases;                 // per tree: its base on its way, where it moves
};
void resize_drift(const Forest&, DriftScratch&);

// [rad/s] of the fastest link
Real largest_spin(Range links, const LinkMotion*);
bool on_moving_base(const Forest&, int tree, std::span<const BaseMotion>);
// [J] Kinetic energy, with that of armatures; of floating trees that about the centre of mass.
Real motion_energy(const Forest&, int tree, const LinkMotion*, const Real* qd);

// From q, motion (positions) and factors of `s` with speeds qd to the end of the free motion: speeds and the tangent way. -1, or the link whose
// joint has no inertia.
int drift_tree(const Forest&, int tree, const ForestState& s, Real dt, std::span<const Real> qd, DriftScratch&, std::span<Real> qd_end,
               std::span<Real> way);

// Speeds of `s` scaled so that the tree has this energy (as motion_energy says it); `both`: also where it has less. Velocities are those of the
// speeds before and after.
void keep_energy(const Forest&, int tree, Real energy, bool both, ForestState& s);

} // namespace sinew
