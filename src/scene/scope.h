// What expressions of a scene may use.
#pragma once
#include "core/read.h"
#include "scene/motion.h"
#include "sinew/scene.h"

namespace sinew {

Scope make_scene_scope(const Scene&); // vars; t and frame in signals
Scope make_field_scope(const Scene&); // vars; t, frame, x, y, z in signals of named fields
// an object or entry adds its own: make_scope(scene_scope, object.vars)

// the motion of an object, which must have one
bool parse_motion(const SceneObject&, const Scope& scene_scope, const SceneTime&, Motion& out,
                  std::vector<Error>&);

} // namespace sinew
