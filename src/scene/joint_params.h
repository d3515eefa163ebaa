// Parameters of joints in scene files; which of them a kind has follows from its features.
#pragma once
#include "core/fields.h"
#include <limits>

namespace sinew {

enum JointFeature : unsigned {
    kAxis = 1,        // has an axis
    kSecondAxis = 2,  // and another one in the second body
    kSlide = 4,       // limits, spring, motor and friction along the axis
    kTwist = 8,       // limits, spring, motor and friction about the axis
    kTwistToo = 16,   // also limits of the angle
    kSwing = 32,      // cone and twist limits
    kTurn = 64,       // spring, motor and friction against all rotation
    kLength = 128,    // length or limits of it
};
inline bool is_linear(unsigned features) { return features & (kSlide | kLength); }

struct JointParams {
    Real3 at, to, axis{0, 0, 1}, second_axis{0, 1, 0};
    std::array<double, 2> limits{0, 0}, twist{0, 0};
    Real swing = 0, length = 0, friction = 0, compliance = 0;
    Real breaks_at = std::numeric_limits<Real>::infinity(), breaks_torque = std::numeric_limits<Real>::infinity();
    Value spring, motor;
};
struct SpringParams {
    Real stiffness = 0, damping = 0, rest = 0;
    bool given = false;
    template <class V> static void fields(SpringParams& p, unsigned features, V&& v) {
        const bool linear = is_linear(features);
        v("stiffness", p.stiffness, Field{.min = 0, .unit = linear ? "N/m" : "N m", .doc = "force per way, torque per radian"});
        v("damping", p.damping, Field{.min = 0, .unit = linear ? "N s/m" : "N m s", .doc = "force per speed, torque per radian a second"});
        if (!(features & kTurn)) v("rest", p.rest, Field{.unit = linear ? "m" : "rad", .doc = "where the spring is at ease; 0 = as built"});
    }
};
struct MotorParams {
    Real speed = 0, position = 0, stiffness = 0, damping = 0, limit = std::numeric_limits<Real>::infinity();
    bool on = true, given = false;
    template <class V> static void fields(MotorParams& p, unsigned features, V&& v) {
        const bool linear = is_linear(features);
        if (!(features & kTurn)) {
            v("speed", p.speed, Field{.unit = linear ? "m/s" : "rad/s", .live = true, .doc = "that it keeps"});
            v("position", p.position, Field{.unit = linear ? "m" : "rad", .live = true, .doc = "that it goes to, if it has stiffness"});
        }
        v("stiffness", p.stiffness, Field{.min = 0, .unit = linear ? "N/m" : "N m", .live = true, .doc = "of a servo; 0 = keeps the speed only"});
        v("damping", p.damping, Field{.min = 0, .unit = linear ? "N s/m" : "N m s", .live = true, .doc = "of a servo, or force per speed error; 0 = as strong as the limit allows"});
        v("limit", p.limit, Field{.min = 0, .unit = linear ? "N" : "N m", .live = true, .doc = "largest force or torque"});
        v("on", p.on, Field{.live = true, .doc = "events switch it: \"set\": { \"elbow.motor\": \"off\" }"});
    }
};

inline void describe_joint(JointParams& p, unsigned f, FieldList& list) {
    const FieldCollector v{list};
    const bool linear = is_linear(f), has_coordinate = f & (kSlide | kTwist | kTurn);
    v("at", p.at, Field{.unit = "m", .doc = "place, in the axes of the scene or of the prefab; default: the centre of the second body"});
    if (f & kLength) {
        v("to", p.to, Field{.unit = "m", .doc = "place on the second body; default: its centre"});
        v("length", p.length, Field{.min = 0, .unit = "m", .doc = "that is kept; default: as built"});
    }
    if (f & kAxis) v("axis", p.axis, Field{.required = true, .doc = "in the same axes as the place"});
    if (f & kSecondAxis) v("second_axis", p.second_axis, Field{.required = true, .doc = "in the second body, perpendicular to the first"});
    if (f & (kSlide | kTwist | kLength))
        v("limits", p.limits, Field{.unit = linear ? "m" : "rad", .doc = f & kLength ? "least and largest length" : "least and largest value; 0 = as built"});
    if (f & (kTwistToo | kSwing)) v("twist", p.twist, Field{.unit = "rad", .doc = "least and largest angle about the axis"});
    if (f & kSwing) v("swing", p.swing, Field{.min = 0, .max = 3.14, .unit = "rad", .doc = "half the opening of the cone that the axis stays in"});
    if (has_coordinate) {
        v("spring", p.spring, Field{.doc = "{ stiffness, damping, rest }"});
        v("motor", p.motor, Field{.doc = "{ speed, position, stiffness, damping, limit, on }"});
        v("friction", p.friction, Field{.min = 0, .unit = linear ? "N" : "N m", .doc = "largest force or torque of dry friction"});
    }
    v("compliance", p.compliance, Field{.min = 0, .unit = "m/N", .doc = "displacement per force, angle per torque; 0 = rigid"});
    v("breaks_at", p.breaks_at, Field{.min = 0, .min_exclusive = true, .unit = "N", .doc = "force at which it breaks"});
    v("breaks_torque", p.breaks_torque, Field{.min = 0, .min_exclusive = true, .unit = "N m", .doc = "torque at which it breaks"});
}

} // namespace sinew
