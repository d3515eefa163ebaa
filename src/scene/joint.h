// Joints of a scene: kinds with their parameters, and what becomes of them in the model. A joint is an object without
// unknowns that owns constraint elements over two frames (constraint/joint_object.h); "world" is a held frame at the origin.
#pragma once
#include "core/fields.h"
#include "model/builder.h"
#include "scene/gauge.h"
#include "scene/motion.h"
#include "scene/scope.h"
#include "sinew/input.h"
#include "sinew/scene.h"
#include <memory>

namespace sinew {

struct JointKind {
    std::string_view name, doc;
    std::string_view row;            // the constraint that keeps the bodies together; empty = limits only
    unsigned features = 0;           // JointFeature bits
    std::shared_ptr<void> (*make_params)();
    void (*describe_as)(void* params, unsigned features, FieldList&);
    void describe(void* params, FieldList& list) const { describe_as(params, features, list); }
};
// What the scene wants of a motor as time goes: a position that moves, a rotation, a speed.
struct MotorTrack {
    int object = -1, order = 0;      // the joint, and which of its motors
    bool all_rotation = false;
    Motion motion;                   // moves: keys of positions in x, or rotations; otherwise the expressions
    Signal position, speed;
    Signal3 spin;                    // [rad/s]
    Real4 to_body;                   // first body <- axes of the place, as built
};
// Targets of all tracks at the end of a step of dt from t; those that the input had for the same joints are gone. The gauges of this step
// are in the input, `before` are those of the step before: with them the target was where it comes from.
void fill_motors(const std::vector<MotorTrack>&, const Model&, double t, double dt, std::span<const double> before, Input&);

std::span<const JointKind> joint_kinds();
const JointKind* find_joint_kind(std::string_view name); // null if there is none

// wrong: objects with errors of their own, which a joint does not repeat; joints with errors are added to them
void add_joints(const Scene&, const Scope&, bool check_only, ModelBuilder&, std::vector<MotorTrack>&, GaugeRequests&, std::vector<Error>& future,
                std::vector<std::string>& wrong, std::vector<Error>& errors);

} // namespace sinew
