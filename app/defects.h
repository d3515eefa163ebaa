// Pictures of findings: the scene in grey, the place in red, the camera near the first one.
#pragma once
#include "scene/findings.h"
#include <string>

namespace sinew {

// One PNG per finding (at most 20) in the folder, "object_kind.png"; the names are appended to `files`. A folder that
// holds one of them already is an error unless `overwrite`.
std::vector<Error> draw_findings(const SnapshotLayout&, const Snapshot&, const std::vector<Finding>&, const std::string& folder,
                                 bool overwrite, std::vector<std::string>& files);

} // namespace sinew
