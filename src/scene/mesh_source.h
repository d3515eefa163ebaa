// "mesh": "cape.obj" or { "file": "cape.obj", "unit": "cm", "up": "z" }, relative to the scene file that says it.
#pragma once
#include "scene/object.h"

namespace sinew {

Real metres_per(const std::string& unit); // m, cm, mm, in, ft
// the file's up axis (x, y, z) becomes y; handedness is kept by a cyclic change of axes
Real3 up_to_y(const Real3&, const std::string& up);

// in metres, y up; empty after an error
PolygonMesh read_mesh_source(BuildContext&, std::string_view key, const Value&);

} // namespace sinew
