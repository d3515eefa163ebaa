// Dynamics of link trees (spec P 3.17, P125-P129; Featherstone 2008).
//   H(q) q'' + b(q, q', f) = tau
// compute_positions, compute_velocities   forward kinematics
// factor_inertia, compute_accelerations   articulated-body algorithm: q'' in time linear in the number of links
// add_response                            H^-1 J^T for one impulse on one link, in linear time: the operator behind
//                                         Y = J H^-1 J^T of contacts, limits and loops
// compute_mass_matrix                     composite-rigid-body algorithm: H, dense (oracle, small trees)
// compute_joint_forces                    recursive Newton-Euler: tau and the force through each joint from q''
// Every function works on the links of one tree; trees do not touch each other here.
#pragma once
#include "solver/articulated_tree.h"
#include <span>

namespace sinew {

void compute_positions(const Forest&, Range links, const Bases&, const Real* q, LinkMotion*);
// velocities and bias accelerations, after compute_positions with the same q
void compute_velocities(const Forest&, Range links, const Bases&, const Real* q, const Real* qd, LinkMotion*);

// Articulated inertia of a link with everything that hangs on it.
struct LinkFactor {
    Mat6 ia;        // seen at the link's centre
    Mat6 u;         // ia s
    Mat6 d_inverse; // (s^T ia s + diagonal)^-1
};
// `diagonal` [per speed] is added to H: armature, implicit springs and dampers; null = none.
// Returns -1, or the link whose joint has no inertia.
int factor_inertia(const Forest&, Range links, const LinkMotion*, const Real* diagonal, LinkFactor*);

// q'' from joint forces tau [per speed] and forces on links (at the centre, world axes; without the velocity terms, which
// are added here), with the given accelerations of the bases. `a` receives the accelerations of the links.
void compute_accelerations(const Forest&, Range links, const Bases&, const LinkMotion*, const LinkFactor*,
                           const Real* tau, const Vec6* force, Real* qdd, Vec6* a);

// out += H^-1 (J^T f + tau) over the tree's speeds: f acts on `link` at its centre, tau (v_count numbers, null = none) in
// its joint. `work` is scratch with one entry per link.
void add_response(const Forest&, Range links, const LinkMotion*, const LinkFactor*, int link, const Vec6& f, const Real* tau,
                  Real* out, Vec6* work);
// The same for impulses on every link at once; `work` receives the changes of the links' velocities.
void add_responses(const Forest&, Range links, const LinkMotion*, const LinkFactor*, const Vec6* impulse, Real* out,
                   Vec6* work);
// out += J^T f
void add_generalised(const Forest&, const LinkMotion*, int link, const Vec6& f, Real* out);

// Dense H of one tree, rows and columns by speed from the tree's first one; `h` is n x n, column by column.
void compute_mass_matrix(const Forest&, Range links, const LinkMotion*, std::span<Real> h, std::vector<Mat6>& composite);

// tau that gives q''; `force` as above; `joint` receives the force of the parent on each link, about the link's centre.
void compute_joint_forces(const Forest&, Range links, const Bases&, const LinkMotion*, const Real* qdd,
                          const Vec6* force, Real* tau, Vec6* joint);

// Of a tree as a whole.
struct TreeMomentum {
    Real mass = 0;                                   // [kg]
    Vec3 center = Vec3::Zero();                      // [m]
    Vec3 linear = Vec3::Zero();                      // [kg m/s]
    Vec3 angular = Vec3::Zero();                     // [kg m^2/s] about the centre
    Mat3 inertia = Mat3::Zero();                     // [kg m^2] about the centre with all joints locked
};
TreeMomentum compute_momentum(const Forest&, Range links, const LinkMotion*);
Real kinetic_energy(const Forest&, Range links, const LinkMotion*);

} // namespace sinew
