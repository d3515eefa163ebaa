// "camera", "light" and "background" of a scene: how its pictures look unless `sinew render` is told otherwise.
//   "camera": { "eye": [2, 1, 2], "look_at": "ball" or [x, y, z], "up": [..], "fov": "35 deg" }
//   "light", "background": render settings by name (sinew explain render): { "sun_elevation": "40 deg" }
#pragma once
#include "core/read.h"
#include "model/builder.h"
#include "sinew/scene.h"

namespace sinew {

void read_look(const Scene&, const Scope&, ModelBuilder&, std::vector<Error>&);

} // namespace sinew
