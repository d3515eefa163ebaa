// From bodies, contacts and constraints to the rows of a step (velocity_problem.h).
#pragma once
#include "constraint/assemble.h"
#include "core/parallel.h"
#include "model/contact_rows.h"
#include "solver/velocity_problem.h"

namespace sinew {

// A contact as the solver sees it, of whatever kind.
struct Touch {
    std::uint64_t key = 0, feature = 0; // for warm starting; kinds of contacts have their own ranges
    int kind = 0;                       // 0 shapes, 1 vertex and obstacle, 2 to 5 ranges of the surface, 6 and 7
                                        // edges and triangles and height fields
    int index = 0;                      // in its range of Contacts
    int object_a = -1, object_b = -1;
    int body_a = -1, body_b = -1;       // of a pair: the side of +n and the other, -1 = moved from outside
    bool pair = true;                   // false: more bodies than two
    Vec3 n = Vec3::Zero(), at = Vec3::Zero();
    Vec3 drive = Vec3::Zero();          // [m/s] of a over b from outside
    Real gap = 0;                       // [m]
    PairRule rule;
    Vec3 impulse = Vec3::Zero();        // [N s] of the step, world, on a
    Vec3 bounce = Vec3::Zero();         // [N s] of the impact at the start of the step, world, on a: told, but no start for the next step
    Vec3 torque = Vec3::Zero();         // [N m s] spin and rolling, world, on a: a share of its manifold's
    bool known = false;                 // it was there in the step before
};
inline constexpr int kTouchGrain = 512; // touches per task

struct TouchList {
    std::vector<Touch> touches;         // by kind, key, feature
    RuleTable rules;
    std::vector<int> begin;             // of pieces of contacts: their first touch
};
ContactStencil stencil_of(const Model&, const Contacts&, const Touch&);

// Inverse masses, world inertias and velocities of points and frames. Passive and dead points do not take part.
void build_bodies(const Model&, const State&, RowProblem&);
void build_bodies(const Parallel&, const Model&, const State&, RowProblem&);

struct ReachOptions {
    Real dt = 0;     // [s]
    Real near = 0;   // [m] contacts that stay further apart than this over the step are left out
    Real as_is = 0;  // [m] bodies nearer than this are met where they are, however fast they turn: for those who follow them (velocity_passage.cpp)
};
// All contacts that may act within the step.
void list_touches(const Parallel&, const Model&, const State&, const Contacts&, const RowProblem&, const ReachOptions&, TouchList&);

struct BiasOptions {
    enum Kind { none, baumgarte, soft } kind = baumgarte;
    Real erp = 0.2, cfm = 0, slop = 0, push_speed = 1e300;
    Real joint_erp = 1;
};
// [m/s] at which an open gap may close within the step. What is nearer than a hair touches: closing that would only stir what rests
inline Real contact_rate(Real gap, Real dt) { return gap > 1e-10 ? gap / dt : 0; }
// A group for a touch, started with its impulse; bias by the gap.
void add_contact_group(const Model&, const State&, const Contacts&, const TouchList&, int touch, const BiasOptions&, RowProblem&);
// One group per constraint that has an unknown: the bias of its position, softness of its compliance and damping.
void add_constraint_groups(const Dofs&, const Rows&, const BiasOptions&, RowProblem&);
// The same in two parts: who acts on whom, then the numbers of one group.
void list_constraint_groups(const Dofs&, const Rows&, RowProblem&);
// `response`: W J^T and J W J^T too, which soft steps do not look at.
void fill_constraint_group(const Dofs&, const Rows&, const BiasOptions&, const RowGroup&, RowProblem&, bool response = true);

// Positions: the same groups in the same order without friction, c = what is violated at the state given; velocities of
// the problem are displacements, zero at the start. erp: part that is taken back. Groups that are not wanted stay empty.
void build_position_problem(const Model&, const State& at, const Contacts&, const TouchList&, const Rows* constraints,
                            const BiasOptions&, const RowProblem& velocity, std::span<const std::uint8_t> wanted, RowProblem&);
// gap of a contact group at the state given, and what a position problem would have as its bias
Real contact_gap(const Model&, const State& at, const Contacts&, const TouchList&, const RowGroup&);
Real position_bias(const BiasOptions&, Real gap);

} // namespace sinew
