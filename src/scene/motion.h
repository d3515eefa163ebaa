// Prescribed motion of an object:  "static" | { ... } with any of
//   "at":     [x, y, z]     position [m], expressions of t, frame and measurements, where the object's own "at" would be
//   "move":   [x, y, z]     displacement [m] added to it
//   "rotate": { "axis", "angle" }   angle an expression, in addition to the object's own rotation
//   "spin":   { "axis", "rate" [rad/s], "from", "to", "ease", "center" }   constant rate between two times;
//   during
//             "ease" seconds after "from" and before "to" the rate rises and falls smoothly; about the
//             object's origin, or about "center", which the object then circles
//   "slide":  { "velocity" [m/s], "from", "to", "ease" }   the same for a straight motion
//   "keys":   [ { "t" or "frame", "at", "rotate" }, ... ]  with
//   "between": "smooth" (default: cubic, at rest at both ends) | "linear" | "ease" (at rest at each key) |
//   "hold" "repeat": true          keys start again after the last
//
// What they give together is in model/motion.h.
#pragma once
#include "core/read.h"
#include "model/motion.h"
#include "sinew/scene.h"

namespace sinew {

// scope: vars, with the slots t and frame (kTimeSlots)
bool parse_motion(const Value&, const Scope&, const SceneTime&, const Pose& container, const Pose& rest,
                  std::string_view path, Motion& out, std::vector<Error>&);

} // namespace sinew
