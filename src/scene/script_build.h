// Motions, events and expectations of a scene, checked against the model that was built.
#pragma once
#include "scene/script.h"

namespace sinew {

void build_script(const Scene&, const Scope& scene_scope, const Model&, State&, Script&, std::vector<Error>& future,
                  std::vector<Error>&);

} // namespace sinew
