// Tetrahedral mesh files. TetGen: .node and .ele side by side, .face if it is there. Gmsh: .msh of version 2.2 and 4.1,
// ascii and binary of this machine's byte order.
//   numbering    points are numbered in the order of the file, from 0; points that no tetrahedron uses stay
//   orientation  every tetrahedron comes out positive; how many were turned is said in the notes
//   order        of tetrahedra with 10 points the 4 corners are kept; other elements only name groups
//   groups       regions of TetGen ("region_1"), physical volumes of Gmsh: tet_groups. Marked points ("marker_1"),
//                points of marked faces ("face_1"), of physical surfaces, curves and points: point_groups
// A file that is unreadable, truncated, non-finite or refers to what does not exist gives an Error with the line, or the
// byte in binary files; memory and time stay proportional to the file's size, whatever counts it declares.
#pragma once
#include "geometry/tet_mesh.h"
#include <string_view>

namespace sinew {

// By extension: .msh; .node or .ele, which finds the other.
Result<TetMesh> read_tets(const std::string& path);

// The same from memory; `file` is the name used in errors, without extension for TetGen.
Result<TetMesh> parse_gmsh(std::string_view bytes, std::string_view file);
struct TetgenText {
    std::string_view node, ele, face; // face: empty = none
};
Result<TetMesh> parse_tetgen(const TetgenText&, std::string_view file);

// Gmsh 2.2 with all groups; a tetrahedron of several groups is written with the first of them only. Numbers come back
// with the same bits.
std::string format_gmsh(const TetMesh&, bool binary);
struct TetgenFiles {
    std::string node, ele;
};
// Point groups named marker_<n> and tetrahedron groups named region_<n> keep their numbers, others get the next free one.
TetgenFiles format_tetgen(const TetMesh&);
// By extension: .msh (ascii), .node or .ele (both files). Each file appears complete or not at all.
std::vector<Error> write_tets(const std::string& path, const TetMesh&);

} // namespace sinew
