// Tetrahedral mesh: points and corners. A tetrahedron (a, b, c, d) is positive when (b - a) x (c - a) . (d - a) > 0.
#pragma once
#include "sinew/types.h"
#include <array>
#include <vector>

namespace sinew {

struct TetMesh {
    std::vector<Real3> points;            // [m]
    std::vector<std::array<int, 4>> tets; // corners
};

} // namespace sinew
