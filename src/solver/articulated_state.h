// Between State and the coordinates of the trees. Coordinates and speeds live in State.memory ("articulated.q",
// "articulated.qd"), the frames p, q, v, w are written from them. Where the frames of a tree are not, bit for bit, what its
// coordinates say (the first step, an edit between steps), its coordinates are taken from the frames: poses by the nearest
// ones, velocities by the impulse that makes them obey the joints,
//   q' = H^-1 J^T M V
#pragma once
#include "core/parallel.h"
#include "sinew/state.h"
#include "solver/articulated_dynamics.h"
#include "solver/kinematics.h"

namespace sinew {

struct ForestState {
    std::vector<Real> q, qd;
    std::vector<BaseMotion> bases;
    std::vector<LinkMotion> motion;    // of q, qd
    std::vector<LinkFactor> factor;
    std::vector<Vec6> force, work;     // per link
};

void resize_state(const Forest&, ForestState&);
// poses and velocities of the held frames that trees hang on
void read_bases(const Forest&, const FrameState&, std::span<BaseMotion>);
// coordinates and the motion of the links at the start of a step
void read_coordinates(const Parallel&, const Forest&, const State& now, ForestState&);
// New velocities of the bases, as of `frames`, reach the links at once: q' changes by the impulses through the joints.
void kick_bases(const Forest&, const FrameState& frames, ForestState&);
// frames of one tree from its links
void write_frames(const Forest&, Range links, const LinkMotion*, FrameState&);
// memory of the coordinates; made if it is not there
void write_coordinates(const Forest&, const ForestState&, State& next);

// q moved along the tangent d, all joints of the links
void retract_links(const Forest&, Range links, const Real* q, const Real* d, Real* q_out);

} // namespace sinew
