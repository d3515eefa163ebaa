// "mesh": { "shape": ... } (mesh_shape.h), "cape.obj" or { "file": "cape.obj", "unit": "cm", "up": "z" }, relative to the scene file that says it.
#pragma once
#include "scene/object.h"

namespace sinew {

Real metres_per(const std::string& unit); // m, cm, mm, in, ft
// the file's up axis (x, y, z) becomes y; handedness is kept by a cyclic change of axes
Real3 up_to_y(const Real3&, const std::string& up);

// What the value says; false after an error. `name` is where the file's name stands.
struct MeshFile {
    std::string file, unit = "m", up = "y"; // as written
    Value name;
};
bool read_mesh_file(BuildContext&, std::string_view key, const Value&, MeshFile&);
void note_file(BuildContext&, const Value& name); // the scene needs it: its hash is kept

// in metres, y up; empty after an error
PolygonMesh read_mesh_source(BuildContext&, std::string_view key, const Value&);

} // namespace sinew
