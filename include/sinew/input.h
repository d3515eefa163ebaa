// Input: everything that acts from outside during one step. Scripts, viewers and embedding programs write only this.
// Targets are where things will be at the END of the step: implicit solvers and continuous collision need it.
#pragma once
#include "sinew/types.h"

namespace sinew {

struct Id { // of an object; survives edits, the generation tells a re-used slot
    int index = -1;
    int generation = 0;
    explicit operator bool() const { return index >= 0; }
    bool operator==(const Id&) const = default;
};
inline constexpr Id kWorldId{-2, 0}; // the world as a side of a joint (connect); find gives it to nobody

struct Target { // kinematic object: its pose at the end of the step
    Id object;
    Pose pose;
};
struct PointTarget { // fixed point: its position at the end of the step
    int point = -1;
    Real3 x;
};
struct ScalarTarget { // fixed scalar (the angle of a rod's clamped edge): its value at the end of the step
    int scalar = -1;
    double s = 0;
};
struct PointForce { // [N] constant over the step
    int point = -1;
    Real3 force;
};
struct BodyForce { // [N] at a world point of a rigid body, plus a torque [N m]; constant over the step
    Id object;
    Real3 force;
    Real3 at;
    Real3 torque;
};
struct Grab { // soft pin by the user's hand: 1/2 k |x - target|^2
    int point = -1;
    Real3 target;
    double stiffness = 0; // [N/m]
};
struct MotorTarget { // for joints
    Id joint;
    double position = 0, velocity = 0;
};
struct Input {
    std::vector<Target> targets;
    std::vector<PointTarget> points;
    std::vector<Real3> animated;      // [m] every animated vertex at the end of the step; empty = they stay
    std::vector<PointForce> point_forces;
    std::vector<BodyForce> body_forces;
    std::vector<Grab> grabs;
    std::vector<MotorTarget> motors;
    std::vector<ScalarTarget> scalars;
    std::vector<double> gauges;       // measurements that expressions of the scene use, of the start of the step
};

// Names every array once: recording and comparing of inputs go through it.
template <class I, class F> void visit(I& i, F&& f)
    requires std::is_same_v<std::remove_const_t<I>, Input>
{
    f("targets", i.targets);
    f("points", i.points);
    f("animated", i.animated);
    f("point_forces", i.point_forces);
    f("body_forces", i.body_forces);
    f("grabs", i.grabs);
    f("motors", i.motors);
    f("scalars", i.scalars);
    f("gauges", i.gauges);
}

} // namespace sinew
