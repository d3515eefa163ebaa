// Mesh files: OBJ, PLY (ascii, binary of both byte orders), STL (ascii, binary). Positions keep the file's
// units and axes (transform.h converts them). A file that is unreadable, truncated, non-finite or refers to
// what does not exist gives an Error with the line, or the element and byte in binary files; memory and time
// stay proportional to the file's size, whatever counts it declares. What is left out by design is said in
// PolygonMesh::notes.
#pragma once
#include "geometry/mesh.h"

namespace sinew {

// By extension: .obj, .ply, .stl in any case.
Result<PolygonMesh> read_mesh(const std::string& path);

// The same from memory; `file` is the name used in errors.
Result<PolygonMesh> parse_obj(std::string_view text, std::string_view file);
Result<PolygonMesh> parse_ply(std::string_view bytes, std::string_view file);
Result<PolygonMesh> parse_stl(std::string_view bytes, std::string_view file);

} // namespace sinew
