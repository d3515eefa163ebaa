// Rest, for solvers that let islands sleep (velocity_memory.h, articulated_rest.h): which speed counts as rest, and who
// wakes because a number of the model has changed. The time at rest is in State.memory [s], so that a resumed run wakes
// the same bodies: where it is zero, a body is awake, and with it its island.
#pragma once
#include "core/math.h"
#include "sinew/model.h"
#include "sinew/state.h"

namespace sinew {

inline constexpr std::string_view kRestPoints = "velocity.rest.points", kRestFrames = "velocity.rest.frames",
                                  kRestLinks = "articulated.rest";

// [m/s] slower than this counts as rest: a small part of what gravity gives in a step of h [s], so that what slips from rest is
// never taken for resting
Real rest_speed(const Model&, Real h);
// [m/s] of a body that moves: that of its centre, and its spin at the radius of gyration
Real frame_speed(const Model&, int frame, const Vec3& v, const Vec3& w);

// After gravity, friction or whatever holds bodies has changed.
void wake_all(State&);
// After a joint or its motor has changed: the bodies that it joins.
void wake_joined(const Model&, int joint, State&);
// Before an object goes: the bodies of a joint, and those that share joints and attachments with a body.
void wake_neighbours(const Model&, int object, State&);

} // namespace sinew
