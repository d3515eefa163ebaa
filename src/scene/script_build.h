// Motions, events and expectations of a scene, checked against the model that was built.
#pragma once
#include "scene/script.h"

namespace sinew {

// wrong: objects and joints with errors of their own; what is about them is not judged
// gauges: what expressions that were read before ask for; those of motions are added
void build_script(const Scene&, const Scope& scene_scope, GaugeRequests& gauges, const std::vector<std::string>& wrong, const Model&, State&, Script&,
                  std::vector<Error>& future, std::vector<Error>&);

} // namespace sinew
