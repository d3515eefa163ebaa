// Parameters of joints in scene files; which of them a kind has follows from its features.
#pragma once
#include "core/fields.h"
#include <limits>

namespace sinew {

enum JointFeature : unsigned {
    kAxis = 1,        // has an axis
    kSecondAxis = 2,  // and another one in the second body
    kSlide = 4,       // a way along the axis
    kTwist = 8,       // an angle about the axis
    kTwistToo = 16,   // an angle about the axis besides others
    kSwing = 32,      // cone and twist limits
    kTurn = 64,       // all rotation
    kLength = 128,    // length or limits of it
    kCardan = 256,    // angles about both axes
    kPlane = 512,     // ways along two directions across the axis
};

// A coordinate of a joint: limits, spring, motor and friction of it in scene files have these names.
struct JointCoordinate {
    std::string_view limits, spring, motor, friction; // empty = has none
    std::string_view drive, limit;                    // rows of the constraint list
    int number = 0;                                   // that they are told (joint_drive.h)
    bool linear = false;
    std::string_view doc;                             // of its limits
};
inline constexpr std::size_t kMostCoordinates = 3;
inline std::vector<JointCoordinate> coordinates_of(unsigned f) {
    std::vector<JointCoordinate> out;
    const auto first = [&](std::string_view drive, std::string_view limit, int number, bool linear, std::string_view doc) {
        out.push_back({limit.empty() ? "" : "limits", "spring", "motor", "friction", drive, limit, number, linear, doc});
    };
    const auto second = [&](std::string_view drive, std::string_view limit, int number, bool linear, std::string_view doc) {
        out.push_back({"second_limits", "second_spring", "second_motor", "second_friction", drive, limit, number, linear, doc});
    };
    if (f & kSlide) first("joint_drive_slide", "joint_limit_slide", 0, true, "least and largest way along the axis; 0 = as built");
    if (f & kTwist) first("joint_drive_twist", "joint_limit_twist", 0, false, "least and largest angle about the axis; 0 = as built");
    if (f & kTurn) first("joint_drive_turn", "", 0, false, "");
    if (f & kLength) first("joint_drive_length", "joint_limit_length", 0, true, "least and largest length");
    if (f & kCardan) {
        first("joint_drive_cardan", "joint_limit_cardan", 0, false, "least and largest angle about the axis; 0 = as built");
        second("joint_drive_cardan", "joint_limit_cardan", 1, false, "least and largest angle about the second axis; 0 = as built");
    }
    if (f & kPlane) {
        first("joint_drive_slide", "joint_limit_slide", 1, true, "least and largest way along the direction; 0 = as built");
        second("joint_drive_slide", "joint_limit_slide", 2, true, "least and largest way across axis and direction; 0 = as built");
    }
    if (f & kSwing) out.push_back({"twist", "", "", "", "", "joint_limit_twist", 0, false, "least and largest angle about the axis; 0 = as built"});
    if (f & (kTwistToo | kPlane))
        out.push_back({"twist", "twist_spring", "twist_motor", "twist_friction", "joint_drive_twist", "joint_limit_twist", 0, false, "least and largest angle about the axis; 0 = as built"});
    return out;
}

struct JointParams {
    Real3 at, to, axis{0, 0, 1}, second_axis{0, 1, 0}, direction;
    std::array<std::array<double, 2>, kMostCoordinates> limits{};
    std::array<Real, kMostCoordinates> friction{};
    std::array<Value, kMostCoordinates> spring, motor;
    Real swing = 0, length = 0, compliance = 0;
    Real breaks_at = std::numeric_limits<Real>::infinity(), breaks_torque = std::numeric_limits<Real>::infinity();
};
struct SpringParams {
    Real stiffness = 0, damping = 0, rest = 0;
    template <class V> static void fields(SpringParams& p, const JointCoordinate& c, V&& v) {
        v("stiffness", p.stiffness, Field{.min = 0, .unit = c.linear ? "N/m" : "N m", .doc = "force per way, torque per radian"});
        v("damping", p.damping, Field{.min = 0, .unit = c.linear ? "N s/m" : "N m s", .doc = "force per speed, torque per radian a second"});
        if (c.drive != "joint_drive_turn") v("rest", p.rest, Field{.unit = c.linear ? "m" : "rad", .doc = "where the spring is at ease; 0 = as built, of a distance its length"});
    }
};
struct MotorParams {
    Real stiffness = 0, damping = 0, limit = std::numeric_limits<Real>::infinity();
    Signal speed, position;
    Signal3 spin;
    Value keys, target; // of positions, of rotations
    bool on = true;
    template <class V> static void fields(MotorParams& p, const JointCoordinate& c, V&& v) {
        if (c.drive == "joint_drive_turn") {
            v("speed", p.spin, Field{.unit = "rad/s", .doc = "angular velocity that it keeps, in the axes of the place, which turn with the first body; expressions of t and measurements"});
            v("target", p.target, Field{.doc = "rotation from as built that it goes to, if it has stiffness: { rotate, spin, keys, between, repeat } as in motions"});
        } else {
            v("speed", p.speed, Field{.unit = c.linear ? "m/s" : "rad/s", .live = true, .doc = "that it keeps; an expression of t and measurements"});
            v("position", p.position, Field{.unit = c.linear ? "m" : "rad", .live = true, .doc = "that it goes to, if it has stiffness; an expression of t and measurements"});
            v("keys", p.keys, Field{.doc = "[ { t, position }, ... ]: positions at times, straight between them, in place of an expression"});
        }
        v("stiffness", p.stiffness, Field{.min = 0, .unit = c.linear ? "N/m" : "N m", .live = true, .doc = "of a servo; 0 = keeps the speed only"});
        v("damping", p.damping, Field{.min = 0, .unit = c.linear ? "N s/m" : "N m s", .live = true, .doc = "of a servo, or force per speed error; 0 = as strong as the limit allows"});
        v("limit", p.limit, Field{.min = 0, .unit = c.linear ? "N" : "N m", .live = true, .doc = "largest force or torque"});
        v("on", p.on, Field{.live = true, .doc = "events switch it: \"set\": { \"elbow.motor\": \"off\" }"});
    }
};

inline void describe_joint(JointParams& p, unsigned f, FieldList& list) {
    const FieldCollector v{list};
    v("at", p.at, Field{.unit = "m", .doc = "place, in the axes of the scene or of the prefab; default: the centre of the second body"});
    if (f & kLength) {
        v("to", p.to, Field{.unit = "m", .doc = "place on the second body; default: its centre"});
        v("length", p.length, Field{.min = 0, .unit = "m", .doc = "that is kept; default: as built"});
    }
    if (f & kAxis) v("axis", p.axis, Field{.required = true, .doc = "in the same axes as the place"});
    if (f & kSecondAxis) v("second_axis", p.second_axis, Field{.required = true, .doc = "in the second body, perpendicular to the first"});
    if (f & kPlane) v("direction", p.direction, Field{.doc = "in the plane, along which the first way is counted; default: across the axis"});
    if (f & kSwing) v("swing", p.swing, Field{.min = 0, .max = 3.14, .unit = "rad", .doc = "half the opening of the cone that the axis stays in"});
    const std::vector<JointCoordinate> coordinates = coordinates_of(f);
    for (std::size_t k = 0; k < coordinates.size(); ++k) {
        const JointCoordinate& c = coordinates[k];
        if (!c.limits.empty())
            v(c.limits, p.limits[k], Field{.unit = c.linear ? "m" : "rad", .doc = c.doc});
        if (c.drive.empty()) continue;
        v(c.spring, p.spring[k], Field{.doc = "{ stiffness, damping, rest }"});
        v(c.motor, p.motor[k], Field{.doc = f & kTurn ? "{ speed, target, stiffness, damping, limit, on }" : "{ speed, position, keys, stiffness, damping, limit, on }"});
        v(c.friction, p.friction[k], Field{.min = 0, .unit = c.linear ? "N" : "N m", .doc = "largest force or torque of dry friction"});
    }
    v("compliance", p.compliance, Field{.min = 0, .unit = "m/N", .doc = "displacement per force, angle per torque; 0 = rigid"});
    v("breaks_at", p.breaks_at, Field{.min = 0, .min_exclusive = true, .unit = "N", .doc = "force at which it breaks"});
    v("breaks_torque", p.breaks_torque, Field{.min = 0, .min_exclusive = true, .unit = "N m", .doc = "torque at which it breaks"});
}

} // namespace sinew
