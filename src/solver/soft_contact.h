// Contacts of the sub-stepped soft step, packed wide: the fast path of solver `velocity`.
//
// A step of length dt has detected its contacts once and is cut into sub-steps of length h. In each (Catto's
// soft step, Macklin et al. 2019 "Small steps"):
//   v += increment           forces
//   warm_start_contacts      p of the sub-step before
//   solve_contacts           with bias: penetration is taken back like a damped spring
//   d += h v                 displacement since detection
//   relax_contacts           once more without the bias, so that pushing out leaves no velocity; backwards, because
//                            sweeps that all run one way leave a rest that feeds itself through the warm start: a wall of
//                            twenty rows sways ever more, with sweeps there and back it comes to rest
// and after the last one bounce_contacts for restitution.
//
// A manifold of up to four points between bodies a and b has the rows
//   normal, per point    r = n.(v_a - v_b) + j_a.w_a - j_b.w_b,   j = r x n,     0 <= p
//   friction, at the centre of the points, two rows at once,     |p_t| <= mu sum p          (Coulomb's disc)
//   spin about n          |p| <= mu sum |r_i - c| p_i + torsion sum p
//   rolling, two rows at once, where the pair has it,            |p| <= rolling sum p
// The friction of coplanar points with one coefficient is a force at any point of the plane plus a torque
// about n, so that one force and one torque stand for all points. Signs: n from b to a, impulses act on a,
// and with - on b.
//
// The separation of a point during the step is linear in the displacements (d, theta) of the two bodies since
// detection:  s = gap + n.(d_a - d_b) + j_a.theta_a - j_b.theta_b.
//
// Softness: spring of frequency f, damping ratio z, as the implicit step of length h sees it
//   omega = 2 pi f,  a1 = 2 z + h omega,  a2 = h omega a1,  a3 = 1/(1 + a2)
//   bias rate = omega/a1 [1/s],  mass scale = a2 a3,  impulse scale = a3
//   dp = -mass scale (r + bias rate s)/K - impulse scale p
// At rest such a spring is pressed in by f/(m omega^2), m the mass its bodies show. A limb carries the weight of all that
// hangs on it by joints: there the impulse scale is divided by the manifold's firmness.
//
// Packing: manifolds are coloured so that no movable body appears twice in a colour (greedy, in the order
// given), and kSoftLanes manifolds of one colour make a block. Blocks of a colour run in parallel; the result
// depends on the order of the manifolds only. Manifolds that find no colour go to the last one, whose blocks
// run one after another with one manifold each. Template arguments: S number type, N manifolds per block;
// <float, 8> is the fast one, <double, 1> its oracle.
#pragma once
#include "core/math.h"
#include "core/parallel.h"
#include "solver/soft_block.h"

namespace sinew {

inline constexpr int kSoftColors = 24; // with a colour of their own; one more for the rest

struct SoftManifold {
    int a = -1, b = -1;                    // bodies
    int points = 0;                        // 1 .. kSoftPoints
    Real3 normal;                          // unit, from b to a
    Real3 drive;                           // [m/s] velocity of a over b from outside: moving surfaces
    std::array<Real3, kSoftPoints> ra, rb; // [m] from the centres of mass, world axes
    std::array<Real, kSoftPoints> gap{};   // [m]
    Real friction = 0, restitution = 0;
    Real torsion = 0, rolling = 0; // [m] torque per normal force
    Real firmness = 1;             // >= 1: what the contact carries over what its bodies weigh; divides its softness
    // impulses per sub-step [N s, N m s]: in to start from, out by read_impulses
    std::array<Real, kSoftPoints> impulse{};
    Real3 friction_impulse; // world
    Real spin_impulse = 0;
    Real3 roll_impulse; // world
};

struct SoftMass {
    Real inverse_mass = 0;                 // [1/kg] 0 = held
    std::array<Real, 6> inverse_inertia{}; // [1/(kg m^2)] world axes: xx yy zz xy xz yz
};

struct SoftParameters {
    Real h = 1.0 / 240; // [s] sub-step
    Real hertz = 30;    // [1/s] of contacts between two movable bodies, twice that against held ones
    Real damping_ratio = 10;
    Real push_speed = 3;     // [m/s] penetration is taken back no faster
    Real slop = 0;           // [m] penetration that is left alone
    Real bounce_speed = 0.1; // [m/s] slower approach does not bounce
};

template <class S, int N> struct SoftContacts {
    std::vector<SoftBlock<S, N>> blocks;
    std::vector<SoftBlock<S, 1>> rest; // without a colour
    std::vector<int> color_begin;      // blocks
    bool avx2 = false;                 // which code runs; the bits are the same
    // scratch of build_contacts
    std::vector<std::array<int, 2>> moving; // of manifolds: their bodies that move
    std::vector<std::uint32_t> used; // colours of a body
    std::vector<int> slot, order;    // of manifolds
};

// Colours, packs and prepares. Bodies with inverse mass 0 take part in any number of manifolds.
template <class S, int N>
void build_contacts(const Parallel&, const SoftParameters&, std::span<const SoftManifold>,
                    std::span<const SoftMass>, std::span<const SoftBody<S>>, SoftContacts<S, N>&);
template <class S, int N>
void warm_start_contacts(const Parallel&, SoftContacts<S, N>&, std::span<SoftBody<S>>);
template <class S, int N>
void solve_contacts(const Parallel&, const SoftParameters&, SoftContacts<S, N>&, std::span<SoftBody<S>>);
template <class S, int N>
void relax_contacts(const Parallel&, const SoftParameters&, SoftContacts<S, N>&, std::span<SoftBody<S>>);
template <class S, int N>
void bounce_contacts(const Parallel&, const SoftParameters&, SoftContacts<S, N>&, std::span<SoftBody<S>>);
template <class S, int N>
void read_impulses(const Parallel&, const SoftContacts<S, N>&, std::span<SoftManifold>);

} // namespace sinew
