// The part of an articulated step that is not smooth: contacts found, rows of contacts and constraints made, coupled by the
// trees, and solved twice: with the speed at which penetration is taken back, for positions, and without it, with
// restitution, for velocities. What is remembered for the next step's start is in State.memory.
#pragma once
#include "collision/detect_shapes.h"
#include "solver/articulated.h"
#include "solver/articulated_rest.h"
#include "solver/articulated_rows.h"
#include "solver/articulated_smooth.h"

namespace sinew {

// A contact of two bodies that may act within the step.
struct LinkTouch {
    std::uint64_t key = 0, feature = 0; // for warm starting
    std::array<int, 2> frame{-1, -1};
    std::array<Vec3, 2> arm;           // [m] from the centre to the place of the contact, world axes
    Vec3 n, t0, t1;
    Vec3 at;                           // [m]
    Real gap = 0;                      // [m]
    PairRule rule;
};

struct ContactStage {
    Contacts contacts;
    ShapeScratch shapes;
    RuleTable rules;
    std::vector<LinkTouch> touches;    // by key, feature
    Rows constraints;                  // of the model's constraint tables
    LinkRows rows;
    std::vector<Real> approach;        // per coupled group: normal velocity at the start [m/s]
    Islands islands;                   // of coupled groups: each is solved alone
    std::vector<SolveResult> results;  // per island
    std::vector<Real> bounce;          // per coupled group: bias of restitution, 0 = none [m/s]
    std::vector<Real> free_rate, rate, kept; // per coupled row: rates without and with impulses; these
    struct Factor {                    // of an island's restitution: may be, may not be, is
        Real low, high, now;
    };
    std::vector<Factor> factor;
    RestStage rest;
    std::vector<std::uint8_t> still;   // per tree: asleep
    std::vector<Vec6> pushing, impulse; // per link: of the pass for positions, of the one for velocities
    std::vector<Real> way;             // tangent, with impulses
    std::vector<Real> qd;              // speeds at the end
};

// Constraint rows of the model; `held` says which of their groups the coordinates keep.
void prepare_stage(const Model&, std::vector<std::uint8_t> held, ContactStage&);

struct StageResult {
    int iterations = 0, contacts = 0, islands = 0;
    Real residual = 0;                 // [m/s]
};
// `at` holds positions at the start and, in motion.v, velocities after the smooth step; `stage` the same as frames.
StageResult solve_stage(const Parallel&, const Model&, const Input&, const ArticulatedSettings&, const Forest&, const State& now,
                        const State& stage, const ForestState& at, const SmoothStep&, Real dt, ContactStage&);

// Coordinates moved until loops are closed again (Newton's method with the matrix of the start); the error left [m, rad].
// `q` at the end of the step, its bases those of `stage`, whose frames are written.
Real close_loops(const Model&, const Forest&, const ForestState& at, std::span<const BaseMotion> bases, Real dt, State& stage,
                 ContactStage&, std::vector<LinkMotion>& motion, std::vector<Real>& q);

void register_impulses(const ContactStage&, State&);
void remember_impulses(const ContactStage&, State& next);

} // namespace sinew
