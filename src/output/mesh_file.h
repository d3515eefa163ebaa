// A polygon mesh to a file that read_mesh reads back: .obj with polygons, texture coordinates, groups, objects, materials,
// segments and colours; .ply (text) with polygons, attributes and texture coordinates; .stl (binary) with triangles.
// Numbers have the shortest digits that read back as the same double (STL: float).
#pragma once
#include "geometry/mesh.h"
#include "core/file.h"

namespace sinew {

// Errors: an extension none of these, the disk. `notes` says what the format cannot hold, one sentence each.
Errors write_mesh(const std::string& path, const PolygonMesh&, std::vector<std::string>& notes);
bool can_write_mesh(const std::string& path); // by extension

std::string obj_text(const PolygonMesh&);

} // namespace sinew
