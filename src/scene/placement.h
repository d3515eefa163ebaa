// Where things are: rotations of the scene language, and poses composed of prefab, replicate, parent and own.
#pragma once
#include "core/math.h"
#include "core/read.h"
#include "model/motion.h" // compose and invert of poses
#include "sinew/scene.h"

namespace sinew {

// { "axis": [..], "angle": "20 deg" } | { "euler": [x, y, z] } about the fixed axes x, then y, then z |
// { "quaternion": [w, x, y, z] } | [rotation, rotation, ...] one after the other
bool read_rotation(const Value&, const Scope&, std::string_view path, Real4& out, std::vector<Error>&);
bool read_direction(const Value&, const Scope&, std::string_view path, Real3& out,
                    std::vector<Error>&); // unit vector
bool read_scale(const Value&, const Scope&, std::string_view path, Real3& out,
                std::vector<Error>&); // s or [x, y, z]

// A pose and how it moves at the beginning, both relative to something.
struct InitialPlacement {
    Pose pose;
    Real3 velocity, angular_velocity; // [m/s], [rad/s]
};
InitialPlacement compose(const InitialPlacement& outer, const InitialPlacement& inner); // as a rigid body would carry it

// at, rotate, velocity, angular_velocity of an object
inline constexpr std::string_view kPlacementKeys[] = {"at", "rotate", "velocity", "angular_velocity"};
bool read_placement(const Value& object, const Scope&, std::string_view path, InitialPlacement& out,
                    std::vector<Error>&);

} // namespace sinew
