// "mesh": "cape.obj" or { "file": "cape.obj", "unit": "cm", "up": "z" }, relative to the scene file that says it.
#pragma once
#include "scene/object.h"

namespace sinew {

// in metres, y up; empty after an error
PolygonMesh read_mesh_source(BuildContext&, std::string_view key, const Value&);

} // namespace sinew
