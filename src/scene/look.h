// "camera", "light" and "background" of a scene: how its pictures look unless `sinew render` is told otherwise.
//   "camera": { "eye": [2, 1, 2], "look_at": "ball" or [x, y, z], "up": [..], "fov": "35 deg" }
//   "light", "background": render settings by name (sinew explain light): { "sun_elevation": "40 deg" }
#pragma once
#include "core/fields.h"
#include "model/builder.h"
#include "sinew/scene.h"

namespace sinew {

void read_look(const Scene&, const Scope&, ModelBuilder&, std::vector<Error>&);
// their parameters in words; `owner` keeps them alive
FieldList describe_camera(std::shared_ptr<void>& owner);
FieldList describe_light(std::shared_ptr<void>& owner); // and of the background

} // namespace sinew
