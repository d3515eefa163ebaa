// Motions, events and expectations of a scene, checked against the model that was built.
#pragma once
#include "scene/script.h"

namespace sinew {

// wrong: objects and joints with errors of their own; what is about them is not judged
void build_script(const Scene&, const Scope& scene_scope, const std::vector<std::string>& wrong, const Model&, State&, Script&,
                  std::vector<Error>& future, std::vector<Error>&);

} // namespace sinew
