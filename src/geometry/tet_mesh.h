// Tetrahedral mesh: points and corners. A tetrahedron (a, b, c, d) is positive when (b - a) x (c - a) . (d - a) > 0.
#pragma once
#include "sinew/types.h"
#include <array>
#include <string>
#include <vector>

namespace sinew {

struct TetGroup {
    std::string name;
    std::vector<int> members; // ascending
};

struct TetMesh {
    std::vector<Real3> points;            // [m]
    std::vector<std::array<int, 4>> tets; // corners
    std::vector<TetGroup> tet_groups;     // regions of the file; may overlap
    std::vector<TetGroup> point_groups;   // marked points of the file
    std::vector<std::string> notes;       // what a reader left out or changed, one sentence each, for the log
};

} // namespace sinew
