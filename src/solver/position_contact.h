// Contacts at the level of positions with Coulomb friction in the same loop (spec U 3.8).
//   gap   Phi(q) = gap found + n . (g(q) - g found),  g = sum_j weight_j x_j(q)       n kept during the step
//   0 <= Phi + alpha l_n + rho n . u  perp  l_n >= 0          alpha compliance, rho damping time, u relative velocity
//   friction |l_t| <= mu l_n, against u_t
// The local solve of one contact (spec U 3.8.5, corrected: the tangential multiplier is kept and is a force):
//   l_n' = max(0, l_n - omega (Phi + alpha l_n + rho n.u)/(h (h + rho) d(n) + alpha))
//   l_t' = l_t - omega u_t/(h d(t)),  t = u_t/|u_t|,  then into the set of its model
// Sequential Positions (spec U 3.8.6) is the same with gains k_c Phi + k_v h n.u in place of Phi + rho n.u.
#pragma once
#include "core/parallel.h"
#include "model/dual.h"
#include "solver/colour.h"
#include "solver/velocity_build.h"

namespace sinew {

enum class FrictionSet { cone, cylinder, box, single, post, none };

struct PositionContactOptions {
    Real h = 0;                  // [s]
    Real relaxation = 1;
    FrictionSet friction = FrictionSet::cylinder;
    bool de_saxce = true;        // cone: h mu |u_t| added to the gap, so that what slides does not lift
    Real compliance = 0;         // [m/N] alpha
    Real damping_time = 0;       // [s] rho
    bool sequential = false;     // Sequential Positions
    Real position_gain = 1, velocity_gain = 0.1; // k_c, k_v
};

// (normal, |tangential|) to the nearest point of the friction model's set: the normal part, and the factor of the tangential
// one. The cone moves both (Euclidean), the others keep the normal part; box is not round and has its own.
Real keep_in_friction_set(FrictionSet, Real mu, Real tangential, Real& normal);
// The same of the vector across n, in every set.
void project_friction(FrictionSet, Real mu, Real& normal, Vec3& tangential, const Vec3& n);

struct ContactSide {             // a body of a contact
    int body = 0;                // points, then frames
    Real weight = 0;             // of its point in the gap vector
    Vec3 local = Vec3::Zero();   // [m] of that point in the axes of a frame
};
struct PositionContact {
    int side = 0, sides = 0;     // of PositionContacts.sides
    int touch = 0;               // of the list
    Vec3 n = Vec3::Zero();
    Vec3 outside = Vec3::Zero(); // [m] what animated vertices add to g at the end of the step
    Vec3 drive = Vec3::Zero();   // [m/s] and to u
    Real offset = 0;             // [m] Phi = offset + n . g
    Real friction = 0, restitution = 0;
    Real approach = 0;           // [m/s] n . u at the start of the sub-step
    Real gap_start = 0;          // [m] Phi at the start of the sub-step
    bool at_once = false;        // comes out of a depth in one sub-step
    Real kept = 0;               // [m] <= 0: of a depth there, what may be left at the end; part of the offset meanwhile
    Real first = 0;              // [N] l_n of the loop, of steps in two halves (position_half.h)
    Real rate_half = 0;          // [m/s] and the mean of n . u up to there
    Real normal = 0;             // [N] l_n
    Vec3 tangential = Vec3::Zero(); // [N] l_t
};
struct PositionContacts {
    std::vector<PositionContact> contacts;
    std::vector<ContactSide> sides;
    Colours colours;
    std::vector<int> body_begin, bodies; // for the colouring
};

// From the touches found at `at`: sides, and the gap there.
void build_position_contacts(const Model&, const State& at, const Contacts&, const TouchList&, std::span<const unsigned char> held,
                             PositionContacts&);
// One more: Phi = offset + n . g. The colours are made anew when all are there.
void add_position_contact(const Model&, const ContactStencil&, const Touch&, int touch, Real offset, Real approach, PositionContacts&);
void colour_contacts(std::span<const unsigned char> held, PositionContacts&);
// Where animated vertices are and how fast, for the steps to come: `end` is the state whose gaps count.
void place_contacts(const Model&, const State& end, const Contacts&, const TouchList&, PositionContacts&);
void place_contact(const Model&, const State& end, const ContactStencil&, PositionContact&);

// A contact that is not `at_once` comes out of its depth by the part h/(h + time) only. One without a force, at a soft surface, was deep when it was
// found: all at once would be a speed depth/h, which elastic rows take for compression and keep when limit_separation takes it back. It comes out
// at kRecoverySpeed, if that is faster: corners that slide on to the next triangle of a cloth are new contacts, and slower ones let a box through.
// Of one that begins with the force of the sub-step before:
// Of a mode that the sweeps of a sub-step shrink to gamma of its error, with the multiplier kept and the part b of the depth C taken back,
//   C' = (1 + 2 gamma - (1 - gamma) b) C - 3 gamma C_-1 + gamma C_-2        dies away if b < (1 - gamma)/gamma
// so that b = 1 throws things about as soon as gamma > 1/2: forces go to zero now and then, and friction forgets what it held.
// A depth is what exceeds that of the compliance, alpha l_n.
constexpr Real kRecoverySpeed = 1; // [m/s] 0.1 to 2 do for both, 4 adds energy (docs/theory/position.md)
void keep_depths(const PositionContactOptions&, Real time, PositionContacts&);
// The gaps themselves again, and those that the next sub-step starts from.
void restore_depths(const DualState&, int points, PositionContacts&);

struct ContactState { // of one contact at the unknowns
    Real gap = 0;
    Vec3 velocity = Vec3::Zero(); // u
};
ContactState contact_state(const PositionContacts&, const PositionContact&, const DualState&, int points);
// direction^T D W D^T direction: inverse mass along a direction
Real contact_response(const PositionContacts&, const PositionContact&, const DualState&, int points, const Vec3& direction);
// displacement reach W D^T f, velocity kick W D^T f
void move_contact(const PositionContacts&, const PositionContact&, const DualState&, int points, const Vec3& force, Real reach, Real kick);

// One contact, and one sweep over all of them, by colours.
void project_contact(const PositionContactOptions&, const DualState&, int points, const PositionContacts&, PositionContact&);
void project_contacts(const Parallel&, const PositionContactOptions&, const DualState&, int points, PositionContacts&);
// Friction after the positions are found, on velocities alone (comparison method, spec U 3.8.7).
void add_post_friction(const PositionContactOptions&, const DualState&, int points, PositionContacts&);
// Positions that were pushed out come back with any speed: separation is cut to restitution times the approach, or raised
// to it where `threshold` [m/s] is exceeded. Impulses of the whole step stay a push (spec U148).
void limit_separation(const PositionContactOptions&, Real threshold, const DualState&, int points, PositionContacts&);
// Those of the next sub-step: what has left does not bounce again, and what was struck meanwhile does.
void renew_approaches(const DualState&, int points, PositionContacts&);

} // namespace sinew
