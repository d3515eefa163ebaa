// What the input prescribes during a step: fixed points and frames move from where they are to their target at constant
// velocity (frames: constant twist), those without a target stay. Fixed scalars without a target go on with their rate. Passive
// points follow their velocity field.
#pragma once
#include "core/math.h"
#include "core/parallel.h"
#include "sinew/model.h"
#include "sinew/input.h"
#include "sinew/state.h"

namespace sinew {

// Targets of one step, by unknown.
struct Prescribed {
    std::vector<Real3> point_velocity;              // [m/s] of fixed points over the step; size point_count if any target
    std::vector<int> points;                        // fixed points with a target
    std::vector<Real3> frame_velocity, frame_spin;  // [m/s], [rad/s] of every frame; zero without a target
};
void build_prescribed(const Model&, const Input&, const State& now, Real dt, Prescribed&);

// Fixed points are at rest unless place_fixed says otherwise: the velocity of a target that has ended must not stay.
void stop_fixed(const Parallel&, const Model&, PointState&);

// Positions and velocities of fixed points and frames at now.time + elapsed.
void place_fixed(const Model&, const Prescribed&, const State& now, Real elapsed, PointState&, FrameState&);

// Values and rates of fixed scalars at now.time + elapsed, in a step of length dt.
void place_fixed_scalars(const Model&, const Input&, const State& now, Real dt, Real elapsed, ScalarState&);

// v = u(x, t) for passive points
void set_passive_velocity(const Parallel&, const Model&, const State& now, Real t, PointState&);

// One RK2 midpoint step of the passive points from `now` to `next`: for solvers that have no scheme of their own for them.
void advect_passive(const Parallel&, const Model&, const State& now, Real dt, PointState& next);

} // namespace sinew
