// How an emitter or a sink moves: by a motion of its own, carried by what moves its parents, or with a rigid body.
//
//   Moved        what has become at a time t of what was at rest at X:  x = turn X + shift, with velocity u(x) = velocity + spin x x
//   a motion     turn and shift are those of motion(t) rest^-1; velocities are its derivatives (model/motion_rate.h), at corners that of
//                what begins; jumps (keys that hold, steps of expressions) and what has no finite one give none
//   a body       between the states before and after a step of length h, at its time s:
//                    p(s) = p0 + s/h (p1 - p0) - s (h - s)/(2h) (v1 - v0)     through both ends, with their mean acceleration
//                    q(s) = exp(s/h log(q1 q0^-1)) q0;  v and w go evenly from the one end to the other, those of a held body are means
//   a held body  that a motion of the scene moves, its own or those of the held bodies that carry it: these, if the body was there at both
//                ends. A program may move it otherwise, measurements jump from step to step, and a step may be cut: then as above
//   a motion that reads measurements, of what has no frame: evenly from where it was after the last step, which the state remembers
//   with a parent: moved of the parent times its own
#pragma once
#include "model/motion.h"
#include "sinew/model.h"
#include "sinew/state.h"

namespace sinew {

struct Way {
    int object = -1;         // of the model
    int frame = -1;          // of the body, -1 = it has none
    int parent = -1;         // way that carries it; of a body only what its motion is relative to. It comes first in the list
    bool has_motion = false;
    Motion motion;
    Pose rest;               // in the world, where nothing has moved it; of a body that of its frame
};
struct Ways {
    std::vector<Way> all;    // parents before children
};

struct Moved {
    Vec3 shift = Vec3::Zero();                                   // [m]
    Quat turn = Quat::Identity();
    Vec3 velocity = Vec3::Zero(), spin = Vec3::Zero();           // [m/s] of the point at the world's origin, [rad/s]
    Vec3 place(const Vec3& rest) const { return turn * rest + shift; }
    Vec3 back(const Vec3& x) const { return turn.conjugate() * (x - shift); }
    Vec3 velocity_at(const Vec3& x) const { return velocity + spin.cross(x); }
    bool is_finite() const { return shift.allFinite() && turn.coeffs().allFinite(); } // expressions may become none
};

// A step between two states, or twice the same state for its moment.
struct WayStep {
    const State &before, &after;
};
Moved moved_at(const Model&, int way, Real t, const WayStep&, bool rates = true); // way -1: rests; rates: velocity and spin are wanted

// whether it leaves one place for another between these times, without a way (keys that hold, keys that begin again), or what carries it does
bool jumps_between(const Model&, int way, Real from, Real to);

// what a state has to remember of motions that read measurements, at its time
void remember_ways(const Model&, State&);

} // namespace sinew
