// Sub-stepped soft contacts and joints (Catto 2024, "Solver2D"; Macklin et al. 2019, "Small steps"): per sub-step of h
//   forces       v += h a
//   warm start   impulses of the sub-step before. What contacts alone did to a body then is v_end - v_begin - h a, and their arms are
//                those of the whole step: from the second sub-step on v_end + h a + W J^T p = 2 v_end - v_begin, without going through
//                the contacts. Arms of joints change, so that with joints impulses are applied one by one.
//   solve        one Gauss-Seidel sweep, errors taken back as by a damped spring
//   move         d += h v
//   relax        one sweep back without that spring, so that what was pushed apart keeps no speed
// Contacts are packed wide (soft_contact.h); joints come before them (soft_joint.h).
#pragma once
#include "core/parallel.h"
#include "solver/soft_contact.h"
#include "solver/soft_joint.h"
#include "solver/velocity_build.h"

namespace sinew {

struct SoftOptions {
    int substeps = 6;
    Real dt = 0;              // [s] of the whole step
    Real slop = 0;            // [m]
    Real push_speed = 3;      // [m/s]
    Real contact_hertz = 0;   // [1/s] of the spring of contacts, at most a quarter of the sub-step rate; 0 = 0.13 of it
    Real contact_damping = 10; // ratio
    Real joint_pull = 0.3;    // part of the error of joints that a sub-step takes back
    Real joint_trace = 1e-5;  // softness of rigid joints, part of their diagonal
    int joint_sweeps = 10;    // most of each solve where contacts and joints pull against each other
    Real joint_tolerance = 0.15; // [m/s] of joints after contacts, below which they do not
    bool wide = true;         // eight floats; false: one double
    Real bounce_speed = -1;   // [m/s] approach from which restitution acts after the sub-steps; < 0: it does not
};

// What is to be stepped: bodies of the islands that move, and what acts on them.
struct SoftProblem {
    std::vector<int> bodies;
    std::vector<int> touches; // of pairs, points of one manifold next to each other
    std::vector<int> groups;  // of joints
};

template <class S> struct alignas(8 * sizeof(S)) SoftVelocity { S v[8]; };

struct SoftScratch {
    std::vector<int> place;   // of bodies among those stepped, -1 = not
    std::vector<SoftManifold> manifolds;
    std::vector<std::array<int, kSoftPoints>> touch; // of their points
    std::vector<int> piece;   // of touches: their first manifold
    std::vector<SoftMass> masses;
    std::vector<int> root;    // per place: union-find of what joints hold together
    std::vector<Real> joined; // [kg] per place: mass of that
    SoftJoints joints;
    std::vector<SoftBody<float>> bodies;
    std::vector<SoftBody<double>> bodies_double;
    std::vector<SoftVelocity<float>> begin; // velocities of bodies that move at the beginning of the sub-step
    std::vector<SoftVelocity<double>> begin_double;
    SoftContacts<float, kSoftLanes> contacts;
    SoftContacts<double, 1> contacts_double;
};

// Velocities of `q` are those at the start without forces; accelerations per body [m/s^2], [rad/s^2]. On return those at
// the end, and shift and turn the displacement of each body of the problem [m], [rad]. Impulses of touches and groups: in
// and out those of a sub-step times their number.
void step_soft(const Parallel&, const SoftOptions&, const SoftProblem&, const JointSource&, const std::vector<Vec3>& linear,
               const std::vector<Vec3>& angular, SoftScratch&, TouchList&, RowProblem& q, std::vector<Vec3>& shift,
               std::vector<Vec3>& turn);

} // namespace sinew
