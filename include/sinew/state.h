// State: everything that changes and everything needed to continue. Copying it is a checkpoint.
// A step reads `now` and writes `next`; rejecting a step costs nothing.
#pragma once
#include "sinew/types.h"

namespace sinew {

struct PointState {
    std::vector<Real3> x;             // [m] points, written by solver.step
    std::vector<Real3> v;             // [m/s] points, written by solver.step
    std::vector<std::uint8_t> alive;  // points, 1 = alive; written by emitters between steps; empty = all alive
    std::vector<double> age;          // [s] points since birth, written between steps; empty = no emitter
    std::vector<std::uint32_t> id;    // points, identity that survives re-use of a slot; empty = no emitter
};
struct FrameState {
    std::vector<Real3> p;             // [m] frames, centre of mass, written by solver.step
    std::vector<Real4> q;             // frames, unit quaternion body -> world, written by solver.step
    std::vector<Real3> v;             // [m/s] frames, written by solver.step
    std::vector<Real3> w;             // [rad/s] frames, world angular velocity, written by solver.step
};
struct ScalarState {
    std::vector<double> s;            // scalars, unit by object (twist [rad], pressure [Pa], ...)
    std::vector<double> ds;           // scalars per second
};
struct AnimatedState {
    std::vector<Real3> x;             // [m] animated vertices, written by solver.step from Input.animated
    std::vector<Real3> v;             // [m/s] their velocity over the last step
};
// A named array: user attributes per point (components values each), or memory of a solver or an element.
struct NamedValues {
    std::string name;
    int components = 1;
    std::vector<double> values;
    bool operator==(const NamedValues&) const = default;
};
struct State {
    double time = 0;                  // [s]
    std::int64_t step = 0;            // accepted steps since the start
    PointState point;
    FrameState frame;
    ScalarState scalar;
    AnimatedState animated;
    std::vector<NamedValues> attributes; // per point: colour, size, anything the scene names
    std::vector<NamedValues> memory;   // what solvers, elements, emitters and events need across steps
};

// Names every array once: save, load, compare, hash, finite check and memory report all go through it.
template <class S, class F> void visit(S& s, F&& f)
    requires std::is_same_v<std::remove_const_t<S>, State>
{
    f("time", s.time);
    f("step", s.step);
    f("point.x", s.point.x);
    f("point.v", s.point.v);
    f("point.alive", s.point.alive);
    f("point.age", s.point.age);
    f("point.id", s.point.id);
    f("frame.p", s.frame.p);
    f("frame.q", s.frame.q);
    f("frame.v", s.frame.v);
    f("frame.w", s.frame.w);
    f("scalar.s", s.scalar.s);
    f("scalar.ds", s.scalar.ds);
    f("animated.x", s.animated.x);
    f("animated.v", s.animated.v);
    f("attributes", s.attributes);
    f("memory", s.memory);
}

std::uint64_t hash(const State&); // of every bit that is needed to continue

} // namespace sinew
